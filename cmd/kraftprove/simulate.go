package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/state"
)

type simulateOptions struct {
	searchFlags
	seed    uint64
	depth   int
	walks   int
	time    time.Duration
	workers int
	whole   bool
}

func newSimulateCmd(a *app) *cobra.Command {
	var o simulateOptions
	cmd := &cobra.Command{
		Use:   "simulate [SPEC | SPEC/PROPERTY ...]",
		Short: "Look for a run that breaks something, by random walks",
		Long: `simulate takes random walks from the initial state and tests the properties at each
step. It stops at the first that is broken and shows the run, made short. Of what it
does not find it proves nothing. A literal claim is tested if it is named.

Equal seed, workers, depth, sizes and properties give the same walks.

Exit code: 0 nothing was broken, 1 something was, 2 a spec is wrong, 4 a file cannot
be written, 64 wrong command line, 130 interrupted.`,
		Example: `  kraftprove simulate kraft --time 1m
  kraftprove simulate raft/I2 --seed 7
  kraftprove simulate raft/I2.literal --format svg --output run.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.walks > 0 && !cmd.Flags().Changed("time") {
				o.time = 0
			}
			return runSimulate(cmd.Context(), a, &o, args)
		},
	}
	o.bind(cmd, "all")
	fl := cmd.Flags()
	fl.StringVar(&o.scope, "scope", "", "sizes, as in Server=3,Term=8, for each spec that has the sort (default: those of the spec for walks)")
	fl.Uint64Var(&o.seed, "seed", 0, "seed of the random choices")
	fl.IntVar(&o.depth, "depth", 200, "most steps from the initial state")
	fl.IntVar(&o.walks, "walks", 0, "how many walks; 0: until the time is up")
	fl.DurationVar(&o.time, "time", 10*time.Second, "time for each spec; 0: no limit, which is the default with --walks")
	fl.IntVar(&o.workers, "workers", runtime.NumCPU(), "walks at a time")
	fl.BoolVar(&o.whole, "whole", false, "leave the run as it was found")
	return cmd
}

func runSimulate(ctx context.Context, a *app, o *simulateOptions, args []string) error {
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	sel, err := selectSpecs(all, args)
	if err != nil {
		return err
	}
	scope, err := o.fits(sel.systems)
	if err != nil {
		return err
	}
	var done []*report.Simulation
	var run *report.Execution
	broken := false
	for i, sys := range sel.systems {
		s, err := o.simulate(ctx, a, state.NewStructure(sys, sys.WalkSizes(scope)), sel.properties[sys])
		if err != nil {
			return err
		}
		if run = s.Execution(); run != nil {
			broken = true
		}
		done = append(done, s)
		if o.text() {
			if err := a.simulated(s, i); err != nil {
				return environment(err)
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	if err := o.write(a, run, func(w io.Writer) error { return report.SimulationsJSON(w, done, a.tool()) }); err != nil {
		return environment(err)
	}
	return foundCode(broken, ctx.Err() != nil)
}

// fits checks the flags.
func (o *simulateOptions) fits(systems []*protocol.System) (map[string]int, error) {
	switch {
	case o.depth < 1:
		return nil, usage("--depth %d: at least 1", o.depth)
	case o.walks < 0:
		return nil, usage("--walks %d: not negative", o.walks)
	case o.workers < 1:
		return nil, usage("--workers %d: at least 1", o.workers)
	case o.time < 0:
		return nil, usage("--time %s: not negative", o.time)
	}
	scope, err := protocol.ParseScope(systems, o.scope)
	if err != nil {
		return nil, usage("--%v", err)
	}
	return scope, o.check(systems)
}

// simulate walks through one spec.
func (o *simulateOptions) simulate(ctx context.Context, a *app, st *state.Structure, names []string) (*report.Simulation, error) {
	properties, err := o.tested(st.System, names)
	if err != nil {
		return nil, err
	}
	options := explore.SimulateOptions{Properties: properties, Seed: o.seed, Depth: o.depth, Walks: o.walks, Workers: o.workers, Whole: o.whole, Vary: o.scope == ""}
	line, clear := a.statusLine()
	if line != nil {
		options.Progress = func(walks, steps int) {
			line(func(since time.Duration) string {
				return fmt.Sprintf("%s  %s  %d walks, %d steps", st.System.Name, since, walks, steps)
			})
		}
	}
	limited := ctx
	if o.time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.time)
		defer cancel()
	}
	s := explore.Simulate(limited, st, options)
	clear()
	if s.Walks == 0 && !s.Interrupted && s.Violation == nil {
		return nil, noStart(st.System)
	}
	return &report.Simulation{Simulation: s, Structure: st, Options: options, Stopped: s.Interrupted && ctx.Err() != nil, Tool: a.tool()}, nil
}

// simulated writes the text about the spec in a position.
func (a *app) simulated(s *report.Simulation, position int) error {
	if position > 0 {
		fmt.Fprintln(a.out)
	}
	return report.WriteSimulation(a.out, s, report.Options{Width: a.width, Color: a.color, Verbose: a.verbose})
}
