package main

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/explore"
)

type zooOptions struct {
	runFlags
	time    time.Duration
	states  int
	workers int
	json    string
}

func newZooCmd(a *app) *cobra.Command {
	var o zooOptions
	cmd := &cobra.Command{
		Use:   "zoo [SPEC | SPEC/MUTATION | MUTATION ...]",
		Short: "Play the scenarios: bugs of real systems, and whether the protocol survives them",
		Long: `zoo plays the scenarios of the specs. That of a mutation, which is a bug, must break
its property under the mutation, and must not in the protocol as it is: what happens
there is searched again in the same number of steps. Holes in a scenario are filled
by a search in the sizes of its scope; the evaluator replays each run. Of a whole spec it
says which actions, and which branches of conditions, happen in no scenario.

If one mutation is named, its runs are shown.

Exit code: 0 all scenarios go as they say, 1 one does not, or the protocol as it is
does not survive, 2 a spec is wrong, 3 a limit was reached, 64 wrong command line,
130 interrupted.`,
		Example: `  kraftprove zoo
  kraftprove zoo kraft --verbose
  kraftprove zoo kraft/Figure8 --format svg --output figure8.svg`,
		RunE: func(cmd *cobra.Command, args []string) error { return runZoo(cmd.Context(), a, &o, args) },
	}
	o.bind(cmd, "the run")
	fl := cmd.Flags()
	fl.DurationVar(&o.time, "time", time.Minute, "for each scenario; 0: no limit")
	fl.IntVar(&o.states, "states", 5_000_000, "most states of each search; 0: no limit")
	fl.IntVar(&o.workers, "workers", 2, "scenarios at a time")
	fl.StringVar(&o.json, "json", "", "write the result as JSON to FILE, or to standard output in place of the text: -")
	return cmd
}

func runZoo(ctx context.Context, a *app, o *zooOptions, args []string) error {
	if a.mutation != "" {
		return usage("--mutation %s: name it without the flag, kraftprove zoo %s", a.mutation, a.mutation)
	}
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	sel, err := selectMutations(all, args)
	if err != nil {
		return err
	}
	if err := o.fits(sel); err != nil {
		return err
	}
	start := time.Now()
	zoo := &report.Zoo{Tool: a.tool()}
	for _, sys := range sel.systems {
		list, err := o.play(ctx, a, sys, sel.mutations[sys])
		if err != nil {
			return err
		}
		zoo.Specs = append(zoo.Specs, list)
		if ctx.Err() != nil {
			break
		}
	}
	zoo.Elapsed, zoo.Stopped = time.Since(start), ctx.Err() != nil
	if err := o.write(a, zoo, sel); err != nil {
		return environment(err)
	}
	return zooCode(zoo)
}

// fits checks the flags.
func (o *zooOptions) fits(sel mutations) error {
	switch {
	case o.time < 0:
		return usage("--time %s: not negative", o.time)
	case o.states < 0:
		return usage("--states %d: not negative", o.states)
	case o.workers < 1:
		return usage("--workers %d: at least 1", o.workers)
	case o.output != "" && sel.one() == nil:
		return usage("--output takes one run: name a mutation of one spec, SPEC/MUTATION, that has one scenario")
	}
	return o.check(o.json)
}

// play plays the scenarios of the mutations that are named, or all of a spec.
func (o *zooOptions) play(ctx context.Context, a *app, sys *protocol.System, named []*protocol.Mutation) (*report.ZooSpec, error) {
	which, own := named, false
	if named == nil {
		which, own = sys.Mutations, true
	}
	options := explore.ZooOptions{Limits: explore.PlayLimits{States: o.states}, Time: o.time, Workers: o.workers}
	line, clear := a.statusLine()
	if line != nil {
		var done atomic.Int64
		options.Done = func() {
			n := done.Add(1)
			line(func(since time.Duration) string { return fmt.Sprintf("%s  %s  %d scenarios", sys.Name, since, n) })
		}
	}
	list, wrong := explore.Zoo(ctx, sys, which, own, options)
	clear()
	if wrong.HasErrors() {
		if err := diag.Render(a.err, wrong, diag.RenderOptions{Color: a.color && a.progress}); err != nil {
			return nil, environment(err)
		}
		return nil, &exitError{code: exitSpec, printed: true}
	}
	out := &report.ZooSpec{System: sys, Exhibits: list}
	if own && ctx.Err() == nil {
		out.Coverage = explore.Covered(sys, list)
	}
	for _, m := range which {
		if len(m.Scenarios) == 0 {
			out.Untold = append(out.Untold, m)
		}
	}
	return out, nil
}

// write writes the table, the runs and the JSON to where the flags say.
func (o *zooOptions) write(a *app, zoo *report.Zoo, sel mutations) error {
	if o.output != "-" && o.json != "-" {
		opts := report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}
		if err := report.WriteZoo(a.out, zoo, opts); err != nil {
			return err
		}
		if o.output == "" && sel.few() {
			for _, x := range zoo.Exhibits() {
				fmt.Fprintln(a.out)
				if err := report.WriteExecution(a.out, zoo.Execution(x), report.TextFormat, opts); err != nil {
					return err
				}
			}
		}
	}
	if list := zoo.Exhibits(); o.output != "" && len(list) == 1 {
		if err := o.writeRun(a, zoo.Execution(list[0])); err != nil {
			return err
		}
	}
	if o.json == "" {
		return nil
	}
	return a.writeTo(o.json, func(w io.Writer) error { return report.ZooJSON(w, zoo) })
}

// zooCode is how the command ends.
func zooCode(zoo *report.Zoo) error {
	code := exitOK
	for _, x := range zoo.Exhibits() {
		switch x.Verdict() {
		case explore.AsTold:
		case explore.NotTold, explore.NotSpared:
			code = exitRefuted
		case explore.Undecided:
			if code == exitOK {
				code = exitUnknown
			}
		}
	}
	switch {
	case zoo.Stopped:
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	case code != exitOK:
		return &exitError{code: code, printed: true}
	}
	return nil
}
