package main

import (
	"context"
	"fmt"
	"strings"

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
}

func newCTICmd(a *app) *cobra.Command {
	var o ctiOptions
	cmd := &cobra.Command{
		Use:   "cti [SPEC/]PROPERTY",
		Short: "Show the step that breaks a property's proof",
		Long: `cti looks for a counterexample to induction: a step from a state that satisfies
every property to one that does not. It asks the property's own obligations first,
then, following the unsat cores, those of what its proof leans on, and shows the
first that fails and the way to it. The pre-state may be unreachable.

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
	fl.StringVar(&o.json, "json", "", "write the result as JSON to FILE, or to standard output in place of the text: -")
	return cmd
}

func runCTI(ctx context.Context, a *app, o *ctiOptions, arg string) error {
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
	if cfg.Without, err = o.leftOut(sys, prop); err != nil {
		return err
	}
	if o.action != "" && sys.Action(o.action) == nil {
		return usage("%s has no action %s", sys.Name, o.action)
	}
	cfg.Alone = o.alone
	show, clear := a.progressLine()
	cfg.Progress = show
	rep, chains, err := o.search(ctx, sys, prop, cfg)
	clear()
	if err != nil {
		return proofError(err)
	}
	if err := o.show(a, rep, chains, prop); err != nil {
		return environment(err)
	}
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	}
	if code := obligationCode(rep); code != exitOK {
		return &exitError{code: code, printed: true}
	}
	return nil
}

// leftOut checks the names behind --without.
func (o *ctiOptions) leftOut(sys *protocol.System, prop *protocol.Property) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range o.without {
		switch {
		case sys.Property(id) == nil:
			return nil, unknownProperty(sys, id)
		case id == prop.ID:
			return nil, usage("--without %s: that is the property in question", id)
		}
		out[id] = true
	}
	return out, nil
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

func (o *ctiOptions) show(a *app, rep *proofs.Report, chains map[string]proofs.Chain, prop *protocol.Property) error {
	if o.json != "" {
		if err := a.writeJSON(rep, o.json); err != nil || o.json == "-" {
			return err
		}
	}
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
	}
	if shown > 0 {
		return o.others(a, s, first)
	}
	if prop.Kind == protocol.Literal {
		return report.CTI(a.out, s.Results[0], report.Origin{}, opts)
	}
	return o.none(a, s, prop)
}

// others names what else fails on the same level.
func (o *ctiOptions) others(a *app, s *proofs.SystemReport, first *proofs.Result) error {
	if o.every {
		return nil
	}
	var ids []string
	for _, r := range s.Results {
		if r.CTI != nil && r != first {
			ids = append(ids, r.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.out, "\nalso broken: %s (all of them: --every)\n", strings.Join(ids, ", "))
	return err
}

// none says that there is no counterexample, or that it is not known.
func (o *ctiOptions) none(a *app, s *proofs.SystemReport, prop *protocol.Property) error {
	unknown, decided := 0, 0
	for _, r := range s.Results {
		switch {
		case r.Property == nil:
		case r.Verdict == proofs.Proved:
			decided++
		default:
			unknown++
			fmt.Fprintf(a.out, "%s is unknown: %s\n", r.ID(), r.Reason)
		}
	}
	if unknown > 0 {
		return nil
	}
	if o.action != "" || o.alone {
		_, err := fmt.Fprintf(a.out, "no counterexample among the %d obligations of %s that were asked\nscope  %s\n", decided, prop.ID, report.Scope(s.System, s.Scope))
		return err
	}
	_, err := fmt.Fprintf(a.out, "no counterexample: %s and what it leans on hold, %d obligations\nscope  %s\n"+
		"To see what the lemmas are for, leave some out: --without LEMMA, or all of them: --alone\n",
		prop.ID, decided, report.Scope(s.System, s.Scope))
	return err
}
