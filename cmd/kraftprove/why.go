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
may be more than every proof needs.

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
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	sys, prop, err := findProperty(all, arg)
	if err != nil {
		return err
	}
	cfg, err := o.config(ctx, a, []*protocol.System{sys})
	if err != nil {
		return err
	}
	cfg.Cores, cfg.Shrink = true, true
	if cfg.Mode == proofs.Both {
		cfg.Mode = proofs.Unbounded
	}
	show, clear := a.progressLine()
	cfg.Progress = show
	rep, err := proofs.Run(ctx, []*protocol.System{sys}, cfg)
	clear()
	if err != nil {
		return proofError(err)
	}
	write := report.Why
	if o.dot {
		write = report.WhyDOT
	}
	if err := write(a.out, rep.Systems[0], prop); err != nil {
		return environment(err)
	}
	if code := verdictCode(rep); code != exitOK {
		return &exitError{code: code, printed: true}
	}
	return nil
}
