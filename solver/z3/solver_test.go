package z3_test

import (
	"errors"
	"testing"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/solver/solvertest"
	"github.com/speckl/kraftprove/solver/z3"
)

// TestSuite runs where the tag z3 is set. Without it, it checks the stub: a
// plain build is no missing solver.
func TestSuite(t *testing.T) {
	if _, err := z3.New(solver.Limits{}); errors.Is(err, z3.ErrNotBuilt) {
		if _, err := z3.Info(); !errors.Is(err, z3.ErrNotBuilt) {
			t.Errorf("Info: %v", err)
		}
		t.Skip(err)
	}
	solvertest.Run(t, solvertest.Backend{New: z3.New, NoCores: true, Propositional: true})
}

func TestSteps(t *testing.T) {
	s, err := z3.New(solver.Limits{Steps: 20000})
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	b := smt.NewBuilder()
	s.Assert("", solvertest.Pigeonhole(b, 12))
	res, err := s.Check(t.Context())
	if err != nil || res.Reason != solver.ResourceLimit {
		t.Errorf("%v, %v", res, err)
	}
}

func BenchmarkSolver(b *testing.B) {
	solvertest.Benchmark(b, solvertest.Backend{New: z3.New, NoCores: true, Propositional: true})
}
