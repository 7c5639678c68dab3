package explore_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/specs"
)

func load(tb testing.TB, name string) *protocol.System {
	tb.Helper()
	sys, errs, err := protocol.Load(specs.FS, name)
	if err != nil || errs.HasErrors() {
		tb.Fatal(err, errs)
	}
	return sys
}

func only(sys *protocol.System, kinds ...protocol.PropertyKind) []*protocol.Property {
	var out []*protocol.Property
	for _, p := range sys.Properties {
		for _, k := range kinds {
			if p.Kind == k {
				out = append(out, p)
			}
		}
	}
	return out
}

// Nothing that is proved of KRaft is broken by a walk; nearly every action is taken.
func TestSimulateKRaft(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	walks := 25000
	if testing.Short() {
		walks = 500
	}
	s := explore.Simulate(t.Context(), state.NewStructure(sys, sys.WalkSizes(nil)), explore.SimulateOptions{
		Properties: only(sys, protocol.Invariant, protocol.Lemma, protocol.Theorem), Seed: 3, Depth: 200, Walks: walks, Workers: 2})
	if s.Violation != nil {
		t.Fatalf("%s is broken by a run of %d steps", s.Violation.Property.ID, len(s.Violation.Run.Steps))
	}
	if s.Walks != walks || s.Interrupted {
		t.Errorf("%d walks", s.Walks)
	}
	var never []string
	for _, a := range sys.Actions {
		if s.Fired[a.Index] == 0 {
			never = append(never, a.Name)
		}
	}
	if len(never) > 2 && !testing.Short() {
		t.Errorf("never taken: %v", never)
	}
}

// Walks through Raft, in the sizes that the spec gives them, commit entries of two terms.
func TestSimulateRaft(t *testing.T) {
	t.Parallel()
	text, err := specs.FS.ReadFile("raft.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const claim = `
lemmas:
  oneTerm:
    formula: |
      ∀ i ∈ Server, k ∈ 1..commitIndex[i], l ∈ 1..commitIndex[i]:
        k ≤ len(log[i]) ∧ l ≤ len(log[i]) ⇒ log[i][k].term = log[i][l].term
`
	sys, errs := protocol.Parse("raft.yaml", bytes.Replace(text, []byte("\nlemmas:\n"), []byte(claim), 1))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := explore.Simulate(t.Context(), state.NewStructure(sys, sys.WalkSizes(nil)), explore.SimulateOptions{
		Properties: []*protocol.Property{sys.Property("oneTerm")}, Depth: 200, Walks: 5000, Workers: 2})
	if s.Violation == nil {
		t.Errorf("not in %d walks of %d steps", s.Walks, s.Steps)
	}
}

// The first walk that breaks something is the same whatever the workers' speed.
func TestSimulateRepeats(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	st := state.NewStructure(sys, sys.WalkSizes(nil))
	var runs []*explore.Simulation
	for range 2 {
		s := explore.Simulate(t.Context(), st, explore.SimulateOptions{
			Properties: only(sys, protocol.Literal), Seed: 5, Depth: 200, Workers: 2, Vary: true})
		if s.Violation == nil {
			t.Fatal("nothing found")
		}
		runs = append(runs, s)
	}
	a, b := runs[0], runs[1]
	if a.Walk != b.Walk || a.Found != b.Found || len(a.Violation.Run.Steps) != len(b.Violation.Run.Steps) || a.Violation.Property != b.Violation.Property {
		t.Errorf("walk %d of %d steps, then walk %d of %d", a.Walk, a.Found, b.Walk, b.Found)
	}
	if len(a.Violation.Run.Steps) >= a.Found {
		t.Errorf("%d steps were not shrunk: %d are left", a.Found, len(a.Violation.Run.Steps))
	}
}

// Stopping, saving and resuming gives the statistics of one run.
func TestExploreResumes(t *testing.T) {
	t.Parallel()
	sys := load(t, "raft.yaml")
	st := state.NewStructure(sys, sys.Sizes(map[string]int{"Server": 3, "Term": 2, "Index": 1, "Value": 1}))
	do := func(o explore.Options) *explore.Exploration {
		t.Helper()
		o.Properties = only(sys, protocol.Invariant, protocol.Lemma)
		x, err := explore.Explore(t.Context(), st, o)
		if err != nil {
			t.Fatal(err)
		}
		x.Elapsed, x.Stats.Bytes = 0, 0
		return x
	}
	whole := do(explore.Options{Limits: machine.Limits{States: 50000}})
	var file bytes.Buffer
	part := do(explore.Options{Limits: machine.Limits{States: 20000}, Save: &file})
	if part.Outcome != machine.StateLimit || part.Stats.Distinct < 20000 {
		t.Fatalf("outcome %d with %d states", part.Outcome, part.Stats.Distinct)
	}
	told := 0
	rest := do(explore.Options{Limits: machine.Limits{States: 50000}, Resume: &file, Progress: func(machine.ExploreStats) { told++ }})
	if diff := cmp.Diff(whole.Stats, rest.Stats); diff != "" || told == 0 {
		t.Errorf("told %d times; %s", told, diff)
	}
	if !part.Saved || rest.Saved || rest.Resumed != part.Stats.Generated {
		t.Errorf("saved %v and %v, resumed after %d of %d states", part.Saved, rest.Saved, rest.Resumed, part.Stats.Generated)
	}
}
