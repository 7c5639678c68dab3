package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

type mutantsOptions struct {
	proofFlags
	by   string
	time time.Duration
	run  string
	json string
}

func newMutantsCmd(a *app) *cobra.Command {
	o := mutantsOptions{proofFlags: proofFlags{mode: "bounded"}}
	cmd := &cobra.Command{
		Use:   "mutants [SPEC | SPEC/MUTATION | SPEC/ACTION | SPEC/ACTION/N ...]",
		Short: "Ask whether the proof would notice if the protocol were wrong",
		Long: `mutants makes small changes of the actions, one at a time: a guard less, an update
less, ≤ in the place of <, and so on; the mutations that a spec names are looked at as
well. For each it asks, in a scope, whether a step of what was changed breaks a
property. A mutant that breaks none survives. Either the spec says why that is so
(survives, docs/mutants.md), or a property may be missing.

With --by run it looks for a run from the initial state instead, by random walks, and
at headline claims only. A walk that finds nothing says nothing.

Exit code: 0 each survivor is explained, 1 one is not, or something breaks that is
explained, 3 something is unknown.`,
		Example: `  kraftprove mutants raft
  kraftprove mutants kraft/HandleFetchRequest -v
  kraftprove mutants kraft/Figure8 --by run --time 60s
  kraftprove mutants --run kraft/BecomeLeader/2`,
		RunE: func(cmd *cobra.Command, args []string) error { return runMutants(cmd.Context(), a, &o, args) },
	}
	o.bindBounded(cmd, a)
	fl := cmd.Flags()
	fl.StringVar(&o.by, "by", "induction", "induction (one step from any state that satisfies the properties), or run (random walks from the initial state)")
	fl.DurationVar(&o.time, "time", 10*time.Second, "with --by run and --run, time for each mutant")
	fl.StringVar(&o.run, "run", "", "show a run of this mutant, SPEC/NAME, that breaks a headline claim")
	fl.StringVar(&o.json, "json", "", "write the result as JSON to FILE, or to standard output in place of the text: -")
	return cmd
}

func runMutants(ctx context.Context, a *app, o *mutantsOptions, args []string) error {
	if a.mutation != "" {
		return usage("--mutation %s: mutants are of the protocol as it is; for this one write kraftprove mutants SPEC/%s", a.mutation, a.mutation)
	}
	switch {
	case o.by != "induction" && o.by != "run":
		return usage("--by %s: there are induction and run", o.by)
	case o.time <= 0:
		return usage("--time %s: more than nothing", o.time)
	case o.run != "" && (len(args) > 0 || o.json != ""):
		return usage("--run shows one run, as text: give no other mutants, and no --json")
	case o.run != "":
		args = []string{o.run}
	}
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	chosen, err := selectMutants(all, args)
	if err != nil {
		return err
	}
	if o.run != "" {
		return o.show(ctx, a, chosen)
	}
	cfg, err := o.mutantConfig(ctx, a, chosen)
	if err != nil {
		return err
	}
	show, clear := a.progressLine()
	cfg.Progress = show
	var reps []*proofs.MutantReport
	for _, c := range chosen {
		rep, err := proofs.Mutants(ctx, c.system, c.mutants, cfg)
		clear()
		if err != nil {
			return proofError(err)
		}
		if len(reps) > 0 && o.json != "-" {
			fmt.Fprintln(a.out)
		}
		reps = append(reps, rep)
		if o.json != "-" {
			if err := report.Mutants(a.out, rep, report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}); err != nil {
				return environment(err)
			}
		}
	}
	if o.json != "" {
		if err := a.writeMutants(reps, o.json); err != nil {
			return environment(err)
		}
	}
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted: what was not decided is unknown")}
	}
	if code := mutantsCode(reps); code != exitOK {
		return &exitError{code: code, printed: true}
	}
	return nil
}

func (a *app) writeMutants(reps []*proofs.MutantReport, name string) error {
	write := func(w io.Writer) error {
		return report.MutantsJSON(w, reps, report.ToolInfo{Name: "kraftprove", Version: versionString()})
	}
	if name == "-" {
		return write(a.out)
	}
	return writeFile(name, write)
}

// mutantsCode is the exit code that the outcomes ask for.
func mutantsCode(reps []*proofs.MutantReport) int {
	code := exitOK
	for _, r := range reps {
		switch {
		case r.Count(proofs.Unexplained) > 0, r.Count(proofs.Odd) > 0:
			return exitRefuted
		case r.Count(proofs.Undecided) > 0:
			code = exitUnknown
		}
	}
	return code
}

// chosenMutants are those of one spec that the command line means.
type chosenMutants struct {
	system  *protocol.System
	mutants []*protocol.Mutation
}

// selectMutants reads arguments of the forms that the command takes. Without any, all specs are meant.
func selectMutants(all []*protocol.System, args []string) ([]chosenMutants, error) {
	var out []chosenMutants
	if len(args) == 0 {
		for _, s := range all {
			args = append(args, s.Name)
		}
	}
	for _, arg := range args {
		name, rest, part := strings.Cut(arg, "/")
		sys, err := findSystem(all, name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(c chosenMutants) bool { return c.system == sys })
		if i < 0 {
			i = len(out)
			out = append(out, chosenMutants{system: sys})
		}
		known := []string{}
		found := false
		for _, m := range append(sys.Mutants(), sys.Mutations...) {
			known = append(known, m.Name)
			if part && m.Name != rest && (!m.Mutant || m.Changes[0].Name != rest) {
				continue
			}
			found = true
			if !slices.ContainsFunc(out[i].mutants, func(x *protocol.Mutation) bool { return x.Name == m.Name }) {
				out[i].mutants = append(out[i].mutants, m)
			}
		}
		if part && !found && sys.Action(rest) == nil {
			for _, x := range sys.Actions {
				known = append(known, x.Name)
			}
			help := "see kraftprove mutants " + sys.Name + " -v"
			if near := protocol.Closest(rest, known); near != "" {
				help = "did you mean " + near + "?"
			}
			return nil, usage("%s has no mutation, mutant or action %s; %s", sys.Name, rest, help)
		}
	}
	return out, nil
}
