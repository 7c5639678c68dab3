package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
	"github.com/speckl/kraftprove/solver/z3"
)

// proofFlags are the flags of every command that proves something. A command without the flag
// --mode sets mode itself.
type proofFlags struct {
	mode     string
	scope    string
	jobs     int
	timeout  time.Duration
	memoryMB int
	seed     int
}

func (f *proofFlags) bind(cmd *cobra.Command, a *app) {
	cmd.Flags().StringVar(&f.mode, "mode", "auto", "unbounded (any size), bounded (in a finite scope), auto (unbounded, bounded for what is left), or both")
	f.bindBounded(cmd, a)
}

// bindBounded binds all flags but --mode.
func (f *proofFlags) bindBounded(cmd *cobra.Command, a *app) {
	fl := cmd.Flags()
	fl.StringVar(&f.scope, "scope", "", "sizes, as in Server=3,Term=3,Index=3,Messages=2, for each spec that has the sort (default: those of the spec)")
	fl.IntVar(&f.jobs, "jobs", runtime.NumCPU(), "solver calls at a time")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "time for each solver call")
	fl.IntVar(&f.memoryMB, "memory", 4096, "memory for each solver, in MiB")
	fl.IntVar(&f.seed, "seed", 0, "seed of the solver's random choices")
	fl.StringVar(&a.solverName, "solver", "z3", "z3, cvc5, or z3-lib (Z3 inside this program)")
	fl.StringVar(&a.solverPath, "solver-path", "", "the solver's program, if not the one on PATH")
}

// config is what the flags ask of the proof driver.
func (f *proofFlags) config(ctx context.Context, a *app, systems []*protocol.System) (proofs.Config, error) {
	cfg := proofs.Config{Jobs: f.jobs, Timeout: f.timeout, MemoryMB: f.memoryMB, Seed: f.seed, Log: a.logger()}
	mode, ok := proofs.ParseMode(f.mode)
	cfg.Mode = mode
	switch {
	case !ok:
		return cfg, usage("--mode %s: there are bounded, unbounded, auto and both", f.mode)
	case f.jobs < 1:
		return cfg, usage("--jobs %d: at least 1", f.jobs)
	case f.timeout < 0:
		return cfg, usage("--timeout %s: not negative", f.timeout)
	}
	scope, err := protocol.ParseScope(systems, f.scope)
	if err != nil {
		return cfg, usage("--%v", err)
	}
	cfg.Scope = scope
	if cfg.NewSolver, cfg.Solver, err = a.solver(ctx); err != nil {
		return cfg, err
	}
	cfg.Second = a.second(ctx)
	cfg.Locks = a.loadLocks(systems)
	return cfg, nil
}

// second is the solver of another name than the one that the flags name, if it is
// there.
func (a *app) second(ctx context.Context) proofs.Backend {
	other := "cvc5"
	if a.solverName == other {
		other = "z3"
	}
	p, err := smtlib.Find(other, "")
	if err != nil {
		return proofs.Backend{}
	}
	info, err := p.Info(ctx)
	if err != nil {
		return proofs.Backend{}
	}
	return a.backend(p, info)
}

// others are the solvers to ask for an opinion beside the one in use: those of the
// other name, and those of its own name that are of another version. Of each version
// one is enough.
func (a *app) others(ctx context.Context, used solver.Info) []proofs.Backend {
	have := map[string]bool{kind(used): true}
	var out []proofs.Backend
	for _, name := range []string{"cvc5", "z3"} {
		for _, p := range smtlib.FindAll(name) {
			info, err := p.Info(ctx)
			if err != nil || have[kind(info)] {
				continue
			}
			have[kind(info)] = true
			out = append(out, a.backend(p, info))
		}
	}
	return out
}

// kind is the solver and version, whether it is a program or in this process.
func kind(i solver.Info) string {
	if i.Name == z3.Name {
		i.Name = "z3"
	}
	return i.String()
}

func (a *app) backend(p smtlib.Program, info solver.Info) proofs.Backend {
	opts := smtlib.Options{Logger: a.logger()}
	return proofs.Backend{Info: info, New: func(l solver.Limits) (solver.Solver, error) { return smtlib.New(p, l, opts), nil }}
}

// solver finds the solver that the flags name.
func (a *app) solver(ctx context.Context) (func(solver.Limits) (solver.Solver, error), solver.Info, error) {
	switch known := append(smtlib.Names(), z3.Name); {
	case !slices.Contains(known, a.solverName):
		return nil, solver.Info{}, usage("--solver %s: there are %s", a.solverName, strings.Join(known, ", "))
	case a.solverName == z3.Name:
		return inProcess()
	}
	p, err := smtlib.Find(a.solverName, a.solverPath)
	if err != nil {
		return nil, solver.Info{}, environment(missing(a.solverName, err))
	}
	info, err := p.Info(ctx)
	if err != nil {
		return nil, solver.Info{}, environment(err)
	}
	b := a.backend(p, info)
	return b.New, b.Info, nil
}

// missing adds the command that installs a solver that was not found.
func missing(name string, err error) error {
	var nf *solver.NotFoundError
	if !errors.As(err, &nf) {
		return err
	}
	return fmt.Errorf("%w\nTo install it: %s", err, installCommand(name))
}

func installCommand(name string) string {
	if name == "cvc5" {
		return "apt-get install cvc5 (or scripts/install-z3.sh, which installs it as well)"
	}
	return "scripts/install-z3.sh"
}

// progressLine shows on a terminal what runs; it returns the callback and what
// clears the line in the end.
func (a *app) progressLine() (func(proofs.Progress), func()) {
	line, clear := a.statusLine()
	if line == nil {
		return nil, clear
	}
	running := ""
	show := func(p proofs.Progress) {
		if p.Running != "" {
			running = p.Running
		}
		line(func(since time.Duration) string { return fmt.Sprintf("%d/%d  %s  %s", p.Done, p.Total, since, running) })
	}
	return show, clear
}
