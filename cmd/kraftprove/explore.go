package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/state"
)

type exploreOptions struct {
	searchFlags
	depth      int
	states     int
	time       time.Duration
	memoryMB   int
	distinct   bool
	checkpoint string
	resume     string
}

func newExploreCmd(a *app) *cobra.Command {
	var o exploreOptions
	cmd := &cobra.Command{
		Use:   "explore SPEC [PROPERTY ...]",
		Short: "Visit every state of a scope, breadth first",
		Long: `explore visits all states that can be reached within some sizes, breadth first, and
tests the properties in each of them. The first that is broken comes with a shortest
run. It says nothing about larger sizes. States that differ only in the names of
elements count as one.

Exit code: 0 every state was visited and nothing is broken, 1 something is broken,
2 the spec is wrong, 3 it ended early with nothing broken, 4 a file cannot be read or
written, 64 wrong command line, 130 interrupted.`,
		Example: `  kraftprove explore raft --scope Server=3,Term=2,Index=1,Value=1
  kraftprove explore kraft I4.literal --scope Replica=1,Voter=1
  kraftprove explore raft --time 1h --checkpoint raft.ckpt
  kraftprove explore raft --time 1h --checkpoint raft.ckpt --resume raft.ckpt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplore(cmd.Context(), a, &o, args) },
	}
	o.bind(cmd, "headline")
	fl := cmd.Flags()
	fl.StringVar(&o.scope, "scope", "", "sizes, as in Server=3,Term=2 (default: those of the spec)")
	fl.IntVar(&o.depth, "depth", 0, "most steps from the initial state; 0: no limit")
	fl.IntVar(&o.states, "states", 0, "end with so many distinct states; 0: no limit")
	fl.DurationVar(&o.time, "time", 0, "end after this time; 0: no limit")
	fl.IntVar(&o.memoryMB, "memory", 4096, "end when the states take so much memory, in MiB; 0: no limit")
	fl.BoolVar(&o.distinct, "distinct", false, "tell states apart that differ only in the names of elements")
	fl.StringVar(&o.checkpoint, "checkpoint", "", "write to FILE how far it came if it ends early")
	fl.StringVar(&o.resume, "resume", "", "go on from the checkpoint in FILE")
	return cmd
}

func runExplore(ctx context.Context, a *app, o *exploreOptions, args []string) error {
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	if name, property, ok := strings.Cut(args[0], "/"); ok {
		return usage("%s: write %s %s", args[0], name, property)
	}
	sys, err := findSystem(all, args[0])
	if err != nil {
		return err
	}
	st, err := o.fits(sys)
	if err != nil {
		return err
	}
	properties, err := o.tested(sys, args[1:])
	if err != nil {
		return err
	}
	x, err := o.explore(ctx, a, st, properties)
	if x == nil {
		return err
	}
	if o.text() {
		if err := report.WriteExploration(a.out, x, report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}); err != nil {
			return environment(err)
		}
	}
	if err := errors.Join(err, o.write(a, x.Execution(), func(w io.Writer) error { return report.ExplorationJSON(w, x) })); err != nil {
		return environment(err)
	}
	if x.Outcome == machine.Exhausted || x.Outcome == machine.Violated || ctx.Err() != nil {
		return foundCode(x.Outcome == machine.Violated, x.Stopped)
	}
	return &exitError{code: exitUnknown, printed: true}
}

// fits checks the flags.
func (o *exploreOptions) fits(sys *protocol.System) (*state.Structure, error) {
	for _, f := range []struct {
		name string
		n    int
	}{{"depth", o.depth}, {"states", o.states}, {"memory", o.memoryMB}, {"time", int(o.time)}} {
		if f.n < 0 {
			return nil, usage("--%s: not negative", f.name)
		}
	}
	scope, err := protocol.ParseScope([]*protocol.System{sys}, o.scope)
	if err != nil {
		return nil, usage("--%v", err)
	}
	return state.NewStructure(sys, sys.Sizes(scope)), o.check([]*protocol.System{sys})
}

// explore visits the states. The error without an exploration is about the flags or the checkpoint to resume,
// with one about the checkpoint to write.
func (o *exploreOptions) explore(ctx context.Context, a *app, st *state.Structure, properties []*protocol.Property) (*report.Exploration, error) {
	options := explore.Options{Properties: properties, Distinct: o.distinct,
		Limits: machine.Limits{States: o.states, Depth: o.depth, Bytes: o.memoryMB << 20}}
	if o.resume != "" {
		f, err := os.Open(o.resume)
		if err != nil {
			return nil, environment(fmt.Errorf("resume: %w", err))
		}
		defer f.Close()
		options.Resume = f
	}
	var save *replacement
	if o.checkpoint != "" {
		var err error
		if save, err = replace(o.checkpoint); err != nil {
			return nil, environment(fmt.Errorf("checkpoint: %w", err))
		}
		defer save.drop()
		options.Save = save
	}
	line, clear := a.statusLine()
	if line != nil {
		options.Progress = func(n machine.ExploreStats) {
			line(func(since time.Duration) string {
				return fmt.Sprintf("%s  %s  %d generated, %d distinct, %d on the queue, depth %d", st.System.Name, since,
					n.Generated, n.Distinct, n.Queue, len(n.Levels)-1)
			})
		}
	}
	limited := ctx
	if o.time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.time)
		defer cancel()
	}
	x, err := explore.Explore(limited, st, options)
	clear()
	if x == nil {
		return nil, cannotResume(o.resume, err)
	}
	if err == nil && x.Stats.Distinct == 0 {
		return nil, noStart(st.System)
	}
	out := &report.Exploration{Exploration: x, Structure: st, Options: options, Stopped: x.Outcome == machine.Stopped && ctx.Err() != nil, Tool: a.tool()}
	if x.Saved {
		if err = save.keep(); err == nil {
			out.Checkpoint = o.checkpoint
		}
	}
	if err != nil {
		err = fmt.Errorf("checkpoint: %w", err)
	}
	return out, err
}

// cannotResume says what to do about a checkpoint that cannot be resumed.
func cannotResume(name string, err error) error {
	var other *machine.MismatchError
	if errors.As(err, &other) {
		return usage("--resume %s: %w; name the same spec and properties, with the same --scope, --properties and --distinct", name, err)
	}
	return environment(fmt.Errorf("--resume %s: %w; to begin anew, leave --resume out", name, err))
}
