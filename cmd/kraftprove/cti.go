package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

type ctiOptions struct {
	proofFlags
	action  string
	without []string
	alone   bool
	every   bool
	json    string
	reach   bool
	find    findFlags
	run     runFlags
}

func newCTICmd(a *app) *cobra.Command {
	var o ctiOptions
	cmd := &cobra.Command{
		Use:   "cti [SPEC/]PROPERTY",
		Short: "Show the step that breaks a property's proof",
		Long: `cti looks for a counterexample to induction: a step from a state that satisfies
every property to one that does not. It asks the property's own obligations first,
then, following the unsat cores, those of what its proof leans on, and shows the
first that fails and the way to it. The pre-state may be unreachable. Of a literal
claim it shows the run that refutes it.

Without SPEC, it takes each spec that has the property and all that the flags name.

Exit code: 0 no counterexample, 1 one was found, 3 something is unknown.`,
		Example: `  kraftprove cti I2
  kraftprove cti raft/I2 --without voteComplete
  kraftprove cti leaderComplete --alone --action BecomeLeader`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runCTI(cmd.Context(), a, &o, args[0]) },
	}
	o.bind(cmd, a)
	fl := cmd.Flags()
	fl.StringVar(&o.action, "action", "", "only steps of this action, and only the property itself")
	fl.StringSliceVar(&o.without, "without", nil, "leave these lemmas out")
	fl.BoolVar(&o.alone, "alone", false, "the property is its own only hypothesis")
	fl.BoolVar(&o.every, "every", false, "show a counterexample of each obligation that fails on the level found")
	fl.BoolVar(&o.reach, "reach", false, "look for a run from the initial state that breaks the property, or leads to where the counterexample begins")
	o.find.bind(cmd, "reach-")
	o.run.bind(cmd, "the run that --reach finds, or that refutes a literal claim,")
	fl.StringVar(&o.json, "json", "", "write the result as JSON to FILE, or to standard output in place of the text: -")
	return cmd
}

func runCTI(ctx context.Context, a *app, o *ctiOptions, arg string) error {
	j, err := o.job(ctx, a, func(all []*protocol.System) (selection, error) { return o.pick(all, arg) })
	if err != nil {
		return err
	}
	if err := o.run.check(o.json); err != nil {
		return err
	}
	j.cfg.Alone, j.cfg.Without = o.alone, map[string]bool{}
	for _, id := range o.without {
		j.cfg.Without[id] = true
	}
	rep := &proofs.Report{Solver: j.cfg.Solver, Seed: j.cfg.Seed}
	for i, sys := range j.systems {
		part, chains, err := o.search(ctx, sys, j.property(sys), j.cfg)
		j.clear()
		if err != nil {
			return proofError(err)
		}
		first := part.Systems[0].FirstRefuted(chains)
		if err := o.runTo(ctx, a, sys, j.property(sys), first, j.cfg); err != nil {
			return err
		}
		if err := o.writeRun(a, first); err != nil {
			return environment(err)
		}
		join(rep, part)
		if o.json != "-" && o.run.output != "-" {
			if err := j.heading(a, i); err != nil {
				return environment(err)
			}
			if err := o.show(a, part, chains, j.property(sys)); err != nil {
				return environment(err)
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	if o.json != "" {
		if err := a.writeJSON(rep, o.json); err != nil {
			return environment(err)
		}
	}
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	}
	if code := obligationCode(rep); code != exitOK {
		return &exitError{code: code, printed: true}
	}
	return nil
}

// pick chooses the specs that have the property and what the flags name.
func (o *ctiOptions) pick(all []*protocol.System, arg string) (selection, error) {
	var names []named
	for _, id := range o.without {
		names = append(names, named{aProperty, id})
	}
	if o.action != "" {
		names = append(names, named{anAction, o.action})
	}
	sel, err := selectProperty(all, arg, names...)
	for _, sys := range sel.systems {
		switch p := sel.property(sys); {
		case slices.Contains(o.without, p.ID):
			return sel, usage("--without %s: that is the property in question", p.ID)
		case o.action != "" && p.Kind == protocol.Literal:
			return sel, usage("--action %s: %s is refuted by a run, not by a step", o.action, p.ID)
		}
	}
	return sel, err
}

// search asks the property's own obligations if the flags narrow the question,
// else follows its dependencies to the first that fails.
func (o *ctiOptions) search(ctx context.Context, sys *protocol.System, prop *protocol.Property, cfg proofs.Config) (*proofs.Report, map[string]proofs.Chain, error) {
	if o.action == "" && !o.alone && prop.Kind != protocol.Literal {
		return proofs.Search(ctx, sys, prop.ID, cfg, o.every)
	}
	cfg.Only = func(ob proofs.Obligation) bool {
		return ob.Property == prop && (o.action == "" || ob.Action != nil && ob.Action.Name == o.action)
	}
	rep, err := proofs.Run(ctx, []*protocol.System{sys}, cfg)
	return rep, map[string]proofs.Chain{prop.ID: {prop.ID}}, err
}

// runTo looks for a run that shows whether the counterexample is more than one to induction, if --reach says so.
func (o *ctiOptions) runTo(ctx context.Context, a *app, sys *protocol.System, prop *protocol.Property, r *proofs.Result, cfg proofs.Config) error {
	if !o.reach || r == nil || r.CTI == nil || r.Kind == proofs.Initiation {
		return nil
	}
	find, err := o.find.config(cfg, "reach-")
	if err != nil {
		return err
	}
	r.Reach, err = a.find(ctx, o.find.time, find, func(ctx context.Context, cfg proofs.FindConfig) (*proofs.Finding, error) {
		return proofs.FindCTI(ctx, sys, prop, r.CTI, cfg)
	})
	if err != nil {
		return proofError(err)
	}
	return nil
}

// writeRun writes the run that was found, or that refutes a literal claim, to where the flags say.
func (o *ctiOptions) writeRun(a *app, r *proofs.Result) error {
	if r == nil || o.run.output == "" {
		return nil
	}
	e := report.Found(r.Reach, a.tool())
	if r.Kind == proofs.LiteralIsFalse && r.Run != nil {
		e = report.Replayed(r.Property.RefutedBy, r.Run, nil)
		e.Broken, e.Tool = r.Property, a.tool()
	}
	if e == nil {
		return nil
	}
	return o.run.writeRun(a, e)
}

// show writes the counterexample to look at first, or all of them; or that there is none.
func (o *ctiOptions) show(a *app, rep *proofs.Report, chains map[string]proofs.Chain, prop *protocol.Property) error {
	s := rep.Systems[0]
	opts := report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}
	shown := 0
	first := s.FirstRefuted(chains)
	for _, r := range s.Results {
		if r.CTI == nil || r != first && !o.every {
			continue
		}
		if shown++; shown > 1 {
			fmt.Fprintln(a.out)
		}
		from := report.Origin{Solver: rep.Solver.String(), Seed: o.seed, Chain: chains[r.Property.ID]}
		if err := report.CTI(a.out, r, from, opts); err != nil {
			return err
		}
		if r.Reach == nil {
			continue
		}
		fmt.Fprintln(a.out)
		if err := report.WriteFinding(a.out, r.Reach, a.tool(), opts); err != nil {
			return err
		}
	}
	switch {
	case shown > 0 && !o.every:
		return report.AlsoBroken(a.out, s, first, opts)
	case shown > 0:
		return nil
	case prop.Kind == protocol.Literal:
		return report.CTI(a.out, s.Results[0], report.Origin{}, opts)
	case o.action != "" || o.alone:
		return report.NoCTI(a.out, s, prop, report.OwnObligations, opts)
	}
	return report.NoCTI(a.out, s, prop, report.WholeProof, opts)
}
