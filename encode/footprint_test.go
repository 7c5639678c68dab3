package encode_test

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// blend is s where the footprint says so and other elsewhere.
func blend(sys *protocol.System, f protocol.Footprint, s, other *state.State) *state.State {
	out := other.Clone()
	for i, v := range sys.State {
		if f.Vars[v] {
			out.Vars[i] = s.Vars[i]
		}
	}
	for i, typ := range sys.Messages {
		if f.Messages[typ] {
			out.Msgs[i] = s.Msgs[i]
		}
	}
	return out
}

// TestReads changes all that a formula does not read: its value stays.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"features.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		forSeeds(t, 15, func(t *testing.T, r *rand.Rand) {
			w := newWorld(sys, randomScope(sys, r, 3), r)
			g := protocoltest.NewGenerator(w.st, w.r)
			var fs []protocol.Term
			for _, p := range sys.Properties {
				fs = append(fs, p.Formula)
			}
			for range 60 {
				fs = append(fs, g.Closed(g.AnySort(), true), g.Formula(true))
			}
			var states []*state.State
			for range 12 {
				states = append(states, w.randomState())
			}
			some := func() *state.State { return states[r.IntN(len(states))] }
			for _, f := range fs {
				reads := protocol.Reads(f)
				step := &state.Step{Action: sys.Actions[r.IntN(len(sys.Actions))], Pre: some(), Post: some()}
				other := *step
				other.Pre = blend(sys, reads, step.Pre, some())
				other.Post = blend(sys, reads, step.Post, some())
				if !reads.Step {
					other.Action = sys.Actions[r.IntN(len(sys.Actions))]
				}
				value := func(s *state.Step) state.Value {
					return w.eval.Term(f, semantics.Env{Pre: s.Pre, Post: s.Post, Step: s.Action})
				}
				if v, changed := value(step), value(&other); !v.Equal(changed) {
					t.Fatalf("%s reads more than %v: %v became %v", show(f), reads, v, changed)
				}
			}
		})
	}
}

// TestWrites performs steps: what the action does not write stays.
func TestWrites(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		forSeeds(t, 8, func(t *testing.T, r *rand.Rand) {
			w := newWorld(sys, randomScope(sys, r, 3), r)
			for range 10 {
				pre := w.randomState()
				for _, a := range sys.Actions {
					writes := protocol.Writes(a)
					for _, args := range w.arguments(a, pre, 10) {
						out := w.eval.Do(a, args, pre)
						if out.Status == semantics.Enabled && !blend(sys, writes, out.Post, pre).Equal(out.Post) {
							t.Fatalf("%s writes more than %v", a.Name, writes)
						}
					}
				}
			}
		})
	}
}

// TestMeets says by what two footprints meet.
func TestMeets(t *testing.T) {
	t.Parallel()
	sys := load(t, "symmetric.yaml")
	for _, test := range []struct {
		property, action string
		want             bool
	}{
		{"S1", "Request", false}, // owner; voted and Ask
		{"S1", "Grant1", true},   // a variable
		{"S2", "Hear", true},     // a set
		{"S2", "Grant1", true},   // messages of a union
		{"S3", "Request", true},  // a message
		{"S3", "Win", false},     // Grant, Ask and voted; heard and owner
		{"S4", "Request", false}, // primed reads: heard and owner
		{"S4", "Hear", true},
	} {
		reads := protocol.Reads(sys.Property(test.property).Formula)
		if got := reads.Meets(protocol.Writes(sys.Action(test.action))); got != test.want {
			t.Errorf("%s meets %s: %v", test.property, test.action, got)
		}
	}
	if !protocol.Reads(sys.Property("S4").Formula).Step || protocol.Reads(sys.Property("S1").Formula).Step {
		t.Error("S4 asks for the step, S1 does not")
	}
}
