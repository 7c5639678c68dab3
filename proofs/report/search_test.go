package report_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/machine"
)

// What searches saw is made by hand, so that what the golden files show depends on no search.

func (f *fixture) headline() []*protocol.Property {
	return slices.DeleteFunc(slices.Clone(f.sys.Properties), func(p *protocol.Property) bool { return p.Kind != protocol.Invariant })
}

func (f *fixture) counts(n int) []int {
	out := make([]int, len(f.sys.Actions))
	for i := range out {
		out[i] = i * i * i * n
	}
	return out
}

func violation(t *testing.T) *explore.Violation {
	t.Helper()
	e := elected(t)
	return &explore.Violation{Property: e.Broken, Run: e.Run}
}

func simulations(t *testing.T) map[string]*report.Simulation {
	t.Helper()
	f := newFixture(t)
	with := func(change func(s *report.Simulation)) *report.Simulation {
		s := &report.Simulation{
			Simulation: &explore.Simulation{Walks: 1234, Steps: 98765, Fired: f.counts(700), Elapsed: 2500 * time.Millisecond, Interrupted: true},
			Structure:  f.st, Tool: tool,
			Options: explore.SimulateOptions{Properties: f.headline(), Seed: 7, Depth: 200, Workers: 2},
		}
		change(s)
		return s
	}
	return map[string]*report.Simulation{
		"time":    with(func(*report.Simulation) {}),
		"stopped": with(func(s *report.Simulation) { s.Stopped, s.Options.Properties = true, f.sys.Properties[:1] }),
		"walks":   with(func(s *report.Simulation) { s.Interrupted, s.Options.Properties = false, nil }),
		"broken": with(func(s *report.Simulation) {
			s.Violation, s.Walk, s.Found, s.Interrupted = violation(t), 1201, 31, false
		}),
	}
}

func explorations(t *testing.T) map[string]*report.Exploration {
	t.Helper()
	f := newFixture(t)
	with := func(change func(x *report.Exploration)) *report.Exploration {
		x := &report.Exploration{
			Exploration: &explore.Exploration{
				Outcome: machine.Exhausted,
				Stats: machine.ExploreStats{Generated: 1588580, Distinct: 200000, Levels: []int{1, 2, 9, 28, 83, 199877}, Cut: 304803,
					Bytes: 12 << 20, Steps: f.counts(900), New: f.counts(80)},
				Symmetric: []*protocol.Sort{f.sys.Sorts[0]}, Elapsed: 2 * time.Second,
			},
			Structure: f.st, Tool: tool,
			Options: explore.Options{Properties: f.headline()},
		}
		change(x)
		return x
	}
	return map[string]*report.Exploration{
		"exhausted": with(func(*report.Exploration) {}),
		"states": with(func(x *report.Exploration) {
			x.Outcome, x.Stats.Queue, x.Checkpoint = machine.StateLimit, 812, "c.ckpt"
		}),
		"memory": with(func(x *report.Exploration) { x.Outcome, x.Stats.Queue, x.Resumed = machine.MemoryLimit, 812, 1000000 }),
		"depth": with(func(x *report.Exploration) {
			x.Outcome, x.Stats.Queue, x.Options.Limits.Depth, x.Symmetric = machine.DepthLimit, 812, 5, nil
		}),
		"time":    with(func(x *report.Exploration) { x.Outcome, x.Stats.Queue, x.Options.Properties = machine.Stopped, 1, nil }),
		"stopped": with(func(x *report.Exploration) { x.Outcome, x.Stats.Queue, x.Stopped = machine.Stopped, 1, true }),
		"broken":  with(func(x *report.Exploration) { x.Outcome, x.Violation = machine.Violated, violation(t) }),
	}
}

func TestSimulation(t *testing.T) {
	t.Parallel()
	all := simulations(t)
	for _, name := range []string{"time", "broken"} {
		golden(t, "simulate-"+name+".txt", func(w io.Writer) error { return report.WriteSimulation(w, all[name], report.Options{}) })
	}
	golden(t, "simulate-narrow.txt", func(w io.Writer) error { return report.WriteSimulation(w, all["time"], report.Options{Width: 40}) })
	for name, want := range map[string]string{
		"stopped": "Stopped before the time was up. I1 holds in the initial state and along each of the 98,765 steps",
		"walks":   "No property was tested.",
	} {
		var b bytes.Buffer
		if err := report.WriteSimulation(&b, all[name], report.Options{Width: 300}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n"+want) {
			t.Errorf("%s: no %q in\n%s", name, want, b.String())
		}
	}
}

func TestExploration(t *testing.T) {
	t.Parallel()
	all := explorations(t)
	for _, name := range []string{"exhausted", "states", "broken"} {
		golden(t, "explore-"+name+".txt", func(w io.Writer) error { return report.WriteExploration(w, all[name], report.Options{}) })
	}
	const seen = "4 headline properties hold in each of the 200,000 distinct states and at each step from those that were expanded."
	for name, want := range map[string]string{
		"memory":  "Ended at the limit of memory, with 812 states left: " + seen,
		"depth":   "Every state that can be reached in at most 5 steps within these sizes was visited: " + seen,
		"time":    "Ended when the time was up, with 1 state left: no property was tested in 200,000 distinct states.",
		"stopped": "Stopped before it was done, with 1 state left: " + seen,
	} {
		var b bytes.Buffer
		if err := report.WriteExploration(&b, all[name], report.Options{Width: 300}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n"+want) {
			t.Errorf("%s: no %q in\n%s", name, want, b.String())
		}
	}
}

// TestSearchEnds has a word for each way in which a search ends.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	for name, s := range simulations(t) {
		var b bytes.Buffer
		if err := report.SimulationsJSON(&b, []*report.Simulation{s}, tool); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `"ended": "`+name+`"`) {
			t.Errorf("simulation %s:\n%s", name, b.String())
		}
	}
	for name, x := range explorations(t) {
		var b bytes.Buffer
		if err := report.ExplorationJSON(&b, x); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `"ended": "`+name+`"`) {
			t.Errorf("exploration %s:\n%s", name, b.String())
		}
	}
}
