package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

type whyOptions struct {
	proofFlags
	dot bool
}

func newWhyCmd(a *app) *cobra.Command {
	var o whyOptions
	cmd := &cobra.Command{
		Use:   "why [SPEC/]PROPERTY",
		Short: "Say what a property is needed for, and what its proof leans on",
		Long: `why proves the spec with unsat cores and shows which obligations need the property,
and, as a tree, the lemmas under its own proof. A core is what one proof used, which
may be more than every proof needs. Without SPEC, it takes each spec that has the
property.

Exit code: as of check.`,
		Example: `  kraftprove why voteComplete
  kraftprove why I2
  kraftprove why I2 --dot | dot -Tsvg > I2.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), a, &o, args[0]) },
	}
	o.bind(cmd, a)
	cmd.Flags().BoolVar(&o.dot, "dot", false, "write the graph in the DOT language")
	return cmd
}

func runWhy(ctx context.Context, a *app, o *whyOptions, arg string) error {
	j, err := o.job(ctx, a, func(all []*protocol.System) (selection, error) { return selectProperty(all, arg) })
	if err != nil {
		return err
	}
	j.cfg.Cores, j.cfg.Shrink = true, true
	if j.cfg.Mode == proofs.Both {
		j.cfg.Mode = proofs.Unbounded
	}
	rep := &proofs.Report{Solver: j.cfg.Solver}
	for i, sys := range j.systems {
		part, err := proofs.Run(ctx, []*protocol.System{sys}, j.cfg)
		j.clear()
		if err != nil {
			return proofError(err)
		}
		join(rep, part)
		if !o.dot {
			err = j.heading(a, i)
			if err == nil {
				err = report.Why(a.out, part.Systems[0], j.property(sys))
			}
		}
		if err != nil {
			return environment(err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if o.dot {
		if err := report.WhyDOT(a.out, rep.Systems, j.property(j.systems[0]).ID); err != nil {
			return environment(err)
		}
	}
	if code := verdictCode(rep); code != exitOK {
		return &exitError{code: code, printed: true}
	}
	return nil
}
