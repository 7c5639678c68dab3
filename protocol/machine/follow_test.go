package machine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// Random walks break the literal claims that are easy to break; each run shrinks to a much shorter
// one, which the evaluator can perform, and which breaks the claim with its last step.
func TestWalksAreShrunk(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	st := state.NewStructure(sys, sys.Sizes(walkScope))
	e := semantics.NewEvaluator(st)
	for id, most := range map[string]int{"K2.literal": 60, "I4.literal": 60, "S2.literal": 60} {
		m := machine.New(st)
		p := sys.Property(id)
		k := m.Checker([]*protocol.Property{p})
		w := m.Walker(k)
		var moves []state.Move
		for n := uint64(0); moves == nil && n < 20000; n++ {
			if w.Walk(t.Context(), rand.New(rand.NewPCG(7, n)), 200) != nil {
				moves = w.Moves()
			}
		}
		if moves == nil {
			t.Errorf("%s: nothing found in %d steps", id, w.Steps)
			continue
		}
		short := m.Shrink(moves, k)
		t.Logf("%s: found after %d steps, a run of %d steps shrinks to %d", id, w.Steps, len(moves), len(short))
		if len(short) > most {
			t.Errorf("%s: %d steps are left of %d", id, len(short), len(moves))
		}
		run, err := e.Perform(short)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.FirstBroken(p, run); got != len(short) {
			t.Errorf("%s is first broken by step %d of %d", id, got, len(short))
		}
	}
}
