package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
)

// findFlags are the flags of the commands that look for a run to something.
type findFlags struct {
	by     string
	time   time.Duration
	depth  int
	length int
}

func (f *findFlags) bind(cmd *cobra.Command, prefix string) {
	fl := cmd.Flags()
	fl.StringVar(&f.by, prefix+"by", "both", "who looks for a run: walks (random ones), solver (all runs, by length), both")
	fl.DurationVar(&f.time, prefix+"time", time.Minute, "time for the search")
	fl.IntVar(&f.depth, prefix+"depth", 60, "the longest runs that the solver is asked for")
	fl.IntVar(&f.length, prefix+"length", 200, "the longest random walks")
}

// config is what the flags ask of the search.
func (f *findFlags) config(cfg proofs.Config, prefix string) (proofs.FindConfig, error) {
	out := proofs.FindConfig{Seed: uint64(cfg.Seed), Length: f.length, NewSolver: cfg.NewSolver, Solver: cfg.Solver, Depth: f.depth,
		Scope: cfg.Scope, WalkSizes: cfg.Scope}
	out.Limits.MemoryMB, out.Limits.Seed = cfg.MemoryMB, cfg.Seed
	out.Walks, out.Solve = f.by != "solver", f.by != "walks"
	switch {
	case f.by != "solver" && f.by != "walks" && f.by != "both":
		return out, usage("--%sby %s: there are walks, solver and both", prefix, f.by)
	case f.time <= 0:
		return out, usage("--%stime %s: more than 0", prefix, f.time)
	case f.depth < 1 || f.length < 1:
		return out, usage("--%sdepth and --%slength are at least 1", prefix, prefix)
	}
	return out, nil
}

type traceOptions struct {
	findFlags
	proofFlags
	runFlags
	goal     string
	violates string
}

func newTraceCmd(a *app) *cobra.Command {
	var o traceOptions
	cmd := &cobra.Command{
		Use:   "trace SPEC (--goal FORMULA | --violates PROPERTY)",
		Short: "Look for a run from the initial state to something",
		Long: `trace looks for a run to a state where the formula holds, or that breaks the property
with its last step. Random walks and a solver look for it at the same time. In the
formula, elements may be named as in scenarios: n1, v2.

Exit code: 0 a run was found, 3 none was, and the usual others.`,
		Example: `  kraftprove trace raft --goal 'state[n1] = Leader ∧ commitIndex[n2] = 2'
  kraftprove trace kraft --violates K2.literal
  kraftprove trace kraft --mutation Figure8 --violates I2.real --format svg --output figure8.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runTrace(cmd.Context(), a, &o, args[0]) },
	}
	o.findFlags.bind(cmd, "")
	fl := cmd.Flags()
	fl.StringVar(&o.goal, "goal", "", "a formula about the last state")
	fl.StringVar(&o.violates, "violates", "", "a property to break")
	fl.StringVar(&o.scope, "scope", "", "sizes, as in Server=3,Term=8 (default: those of the spec for walks; somewhat smaller ones for the solver)")
	fl.IntVar(&o.memoryMB, "memory", 4096, "memory for the solver, in MiB")
	fl.IntVar(&o.seed, "seed", 0, "seed of all random choices")
	fl.StringVar(&a.solverName, "solver", "z3", "z3, cvc5, or z3-lib (Z3 inside this program)")
	fl.StringVar(&a.solverPath, "solver-path", "", "the solver's program, if not the one on PATH")
	o.runFlags.bind(cmd, "the run")
	o.mode, o.jobs = "auto", 1
	return cmd
}

func runTrace(ctx context.Context, a *app, o *traceOptions, arg string) error {
	if (o.goal == "") == (o.violates == "") {
		return usage("say --goal FORMULA or --violates PROPERTY")
	}
	if err := o.check(""); err != nil {
		return err
	}
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	sys, err := findSystem(all, arg)
	if err != nil {
		return err
	}
	cfg, err := o.proofFlags.config(ctx, a, []*protocol.System{sys})
	if err != nil {
		return err
	}
	find, err := o.findFlags.config(cfg, "")
	if err != nil {
		return err
	}
	sys, p, err := o.target(a, sys, &find)
	if err != nil {
		return err
	}
	f, err := a.find(ctx, o.time, find, func(ctx context.Context, cfg proofs.FindConfig) (*proofs.Finding, error) {
		return proofs.Find(ctx, sys, p, cfg)
	})
	if err != nil {
		return proofError(err)
	}
	if e := report.Found(f, a.tool()); e != nil && o.output != "" {
		if err := o.writeRun(a, e); err != nil {
			return environment(err)
		}
	}
	if o.output != "-" {
		if err := report.WriteFinding(a.out, f, a.tool(), report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}); err != nil {
			return environment(err)
		}
	}
	switch {
	case f.Run != nil:
		return nil
	case ctx.Err() != nil:
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	}
	return &exitError{code: exitUnknown, printed: true}
}

// target is the property to break: the one that is named, or that the goal is false, of the system that comes with it.
func (o *traceOptions) target(a *app, sys *protocol.System, find *proofs.FindConfig) (*protocol.System, *protocol.Property, error) {
	if o.violates != "" {
		if p := sys.Property(o.violates); p != nil {
			return sys, p, nil
		}
		return nil, nil, unknown([]*protocol.System{sys}, named{aProperty, o.violates})
	}
	sys, goal, errs := sys.Goal("--goal", o.goal, sys.WalkSizes(find.WalkSizes))
	if len(errs) > 0 {
		if err := diag.Render(a.err, errs, diag.RenderOptions{Color: a.color && a.progress}); err != nil {
			return nil, nil, environment(err)
		}
	}
	if errs.HasErrors() {
		return nil, nil, &exitError{code: exitSpec, printed: true}
	}
	find.Goal = goal
	never := &protocol.UnaryTerm{Op: protocol.Not, X: goal, Of: protocol.BoolSort}
	return sys, &protocol.Property{ID: "that the goal is never reached", Formula: never, Index: len(sys.Properties)}, nil
}

// find runs a search within its time, with a line that says how far it is.
func (a *app) find(ctx context.Context, limit time.Duration, cfg proofs.FindConfig, search func(context.Context, proofs.FindConfig) (*proofs.Finding, error)) (*proofs.Finding, error) {
	line, clear := a.statusLine()
	defer clear()
	if line != nil {
		cfg.Progress = func(text string) {
			line(func(since time.Duration) string { return fmt.Sprintf("%s  %s", since, text) })
		}
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return search(limited, cfg)
}
