package machine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// Machine and evaluator agree on protocols, states, steps and properties of chance; so do their searches.
func TestRandomProtocols(t *testing.T) {
	t.Parallel()
	rounds := uint64(300)
	if testing.Short() {
		rounds = 40
	}
	seen := map[string]int{}
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml"} {
		base, errs, err := protocol.Load(os.DirFS("../../encode/testdata"), name)
		if err != nil || errs.HasErrors() {
			t.Fatal(err, errs)
		}
		for seed := range rounds {
			t.Run(fmt.Sprint(name, "/", seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 1))
				sizes := map[string]int{}
				for _, s := range base.Sorts {
					sizes[s.Name] = 1 + r.IntN(3)
					if s.Subset != nil {
						sizes[s.Subset.Name] = 1 + r.IntN(sizes[s.Name])
					}
				}
				sys := protocoltest.System(state.NewStructure(base, base.Sizes(sizes)), r)
				st := state.NewStructure(sys, base.Sizes(sizes))
				agree(t, st, r, seen)
			})
		}
	}
	for what, n := range map[string]int{"steps": 2000, "messages": 500, "broken": 500, "kept": 500, "states": 2000} {
		if !testing.Short() && seen[what] < n {
			t.Errorf("%s: %d, want %d", what, seen[what], n)
		}
	}
}

func agree(t *testing.T, st *state.Structure, r *rand.Rand, seen map[string]int) {
	t.Helper()
	sys := st.System
	e, m := semantics.NewEvaluator(st), machine.New(st)
	k := m.Checker(sys.Properties)
	for range 6 {
		s := e.RandomState(r, 2)
		got := m.Import(s)
		if !m.Export(got).Equal(s) {
			t.Fatalf("a state changes on its way through the machine: %v", s)
		}
		for _, a := range sys.Actions {
			want := inOrderOfArgs(slices.Collect(e.Steps(s, a)))
			have := inOrderOfArgs(m.Successors(a, got))
			if len(want) != len(have) {
				t.Fatalf("%s has %d steps, the evaluator says %d", a.Name, len(have), len(want))
			}
			for i, w := range want {
				seen["steps"]++
				if !w.Post.Equal(have[i].Post) || !slices.EqualFunc(w.Args, have[i].Args, state.Value.Equal) {
					t.Fatalf("step %d of %s differs", i, a.Name)
				}
				seen["messages"] += len(a.Sends)
				if i > 2 {
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
	searched(t, st, e, seen)
}

// searched compares the explorer with the evaluator's own search, a few steps deep: the states, and whether a property is
// broken, and after how many steps first.
func searched(t *testing.T, st *state.Structure, e *semantics.Evaluator, seen map[string]int) {
	t.Helper()
	const depth, many = 3, 400
	sys := st.System
	if e.Init() == nil {
		return
	}
	levels, _ := bfs(e, sys, depth)
	total := 0
	for _, l := range levels {
		total += len(l)
	}
	if total > many {
		return
	}
	x := machine.New(st).Explorer(nil, nil)
	x.Run(t.Context(), machine.Limits{Depth: depth})
	seen["states"] += total
	if got := x.Stats().Distinct; got != total {
		t.Fatalf("%d states, the evaluator finds %d", got, total)
	}
	for _, p := range sys.Properties {
		want := firstBroken(e, sys, p, levels[:depth], levels)
		m := machine.New(st)
		y := m.Explorer(m.Checker([]*protocol.Property{p}), nil)
		y.Run(t.Context(), machine.Limits{Depth: depth})
		got := -1
		if v := y.Violation(); v != nil {
			got = len(v.Moves)
			run, err := e.Perform(v.Moves)
			if err != nil || e.FirstBroken(p, run) != got {
				t.Fatalf("%s: the evaluator does not see that the run breaks it: %v", p.ID, err)
			}
		}
		if got != want {
			t.Fatalf("%s is broken after %d steps, the evaluator says %d", p.ID, got, want)
		}
		if want >= 0 {
			seen["broken"]++
		} else {
			seen["kept"]++
		}
	}
}

// firstBroken is after how many steps a property is first broken, at most as many as there are levels to step from; -1 if it is not.
func firstBroken(e *semantics.Evaluator, sys *protocol.System, p *protocol.Property, from, levels [][]*state.State) int {
	if !p.TwoState {
		for n, l := range levels {
			if slices.ContainsFunc(l, func(s *state.State) bool { return !e.Formula(p.Formula, s) }) {
				return n
			}
		}
		return -1
	}
	for n, l := range from {
		for _, s := range l {
			for _, a := range sys.Actions {
				for step := range e.Steps(s, a) {
					if !e.TwoState(p.Formula, step) {
						return n + 1
					}
				}
			}
		}
	}
	return -1
}
