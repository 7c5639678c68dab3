package machine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// scopes are small, and so that no two numbers in them are the same for one reason.
var scopes = []struct {
	spec  string
	sizes map[string]int
}{
	{"raft.yaml", map[string]int{"Server": 3, "Value": 2, "Term": 3, "Index": 2}},
	{"kraft.yaml", map[string]int{"Replica": 3, "Voter": 2, "Epoch": 2, "Offset": 2, "CorrelationId": 1, "Value": 2}},
	{"kraft.yaml", map[string]int{"Replica": 2, "Voter": 2, "Epoch": 1, "Offset": 3, "CorrelationId": 2, "Value": 1}},
}

// Machine and evaluator agree on random states, on their steps, and on all properties of both.
func TestAgreesWithEvaluator(t *testing.T) {
	t.Parallel()
	for _, c := range scopes {
		t.Run(c.spec, func(t *testing.T) {
			sys := load(t, c.spec)
			st := state.NewStructure(sys, c.sizes)
			e, m := semantics.NewEvaluator(st), machine.New(st)
			k := m.Checker(sys.Properties)
			r := rand.New(rand.NewPCG(1, 2))
			fired := map[*protocol.Action]int{}
			agree := func(s *state.State) {
				got := m.Import(s)
				if !m.Export(got).Equal(s) {
					t.Fatalf("a state changes on its way through the machine: %v", s)
				}
				for _, a := range sys.Actions {
					want := slices.Collect(e.Steps(s, a))
					have := m.Successors(a, got)
					if len(want) != len(have) {
						t.Fatalf("%s has %d steps, the evaluator says %d", a.Name, len(have), len(want))
					}
					have = inOrderOfArgs(have)
					for i, w := range inOrderOfArgs(want) {
						fired[a]++
						if !w.Post.Equal(have[i].Post) || !slices.EqualFunc(w.Args, have[i].Args, state.Value.Equal) {
							t.Fatalf("step %d of %s differs", i, a.Name)
						}
						if i > 3 { // a few steps of each action are enough
							continue
						}
						for p, holds := range k.Eval(a, got, m.Import(w.Post)) {
							if p.TwoState && e.TwoState(p.Formula, w) != holds || !p.TwoState && e.Formula(p.Formula, s) != holds {
								t.Fatalf("%s is %v, the evaluator says otherwise", p.ID, holds)
							}
						}
					}
				}
			}
			n := 30
			if testing.Short() {
				n = 8
			}
			for range n {
				agree(e.RandomState(r, 2))
			}
			for range 3 {
				e.RandomWalk(r, n, func(s *state.Step) bool {
					agree(s.Pre)
					return true
				})
			}
			for _, a := range sys.Actions {
				if fired[a] == 0 {
					t.Logf("%s had no step", a.Name)
				}
			}
			if len(fired) < len(sys.Actions)*3/4 && !testing.Short() {
				t.Errorf("only %d of %d actions had a step", len(fired), len(sys.Actions))
			}
		})
	}
}

func inOrderOfArgs(steps []*state.Step) []*state.Step {
	slices.SortFunc(steps, func(a, b *state.Step) int { return slices.CompareFunc(a.Args, b.Args, state.Value.Compare) })
	return steps
}

func TestInitIsTheEvaluators(t *testing.T) {
	t.Parallel()
	for _, c := range scopes {
		st := state.NewStructure(load(t, c.spec), c.sizes)
		if m := machine.New(st); !m.Export(m.Init()).Equal(semantics.NewEvaluator(st).Init()) {
			t.Errorf("%s: another initial state", c.spec)
		}
	}
}
