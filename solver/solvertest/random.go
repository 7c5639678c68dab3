package solvertest

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// runRandom compares the solver with brute force on random formulas over a few
// constants.
func runRandom(t *testing.T, b Backend) {
	for _, incremental := range []bool{true, false} {
		rounds := 20 // a process each
		if incremental {
			rounds = 150
		}
		r := rand.New(rand.NewPCG(1, 2))
		s := b.Open(t, solver.Limits{Incremental: incremental})
		g := NewGenerator(r, 6, !b.Propositional)
		for range rounds {
			f := g.Formula(6)
			s.Push()
			s.Assert("", f)
			res := check(t.Context(), t, s)
			s.Pop()
			switch {
			case (res.Status == solver.Sat) != g.Satisfiable(f):
				t.Fatalf("got %v for %s", res.Status, f)
			case res.Status == solver.Sat && !res.Model.Evaluator().Bool(f):
				t.Fatalf("no model of %s", f)
			}
		}
	}
}

// Generator makes random formulas over n Bool constants and, if wanted, two
// bit-vectors of two bits.
type Generator struct {
	*smt.Builder
	r     *rand.Rand
	bools []*smt.Term
	bvs   []*smt.Term
}

// NewGenerator returns a Generator that takes its choices from r.
func NewGenerator(r *rand.Rand, n int, bitVecs bool) *Generator {
	g := &Generator{Builder: smt.NewBuilder(), r: r}
	for i := range n {
		g.bools = append(g.bools, g.Const(numbered("x", i), smt.Bool))
	}
	if bitVecs {
		for i := range 2 {
			g.bvs = append(g.bvs, g.Const(numbered("v", i), smt.BitVec(2)))
		}
	}
	return g
}

// Formula returns a formula of at most the given depth.
func (g *Generator) Formula(depth int) *smt.Term {
	if depth == 0 || g.r.IntN(12) == 0 {
		return g.bools[g.r.IntN(len(g.bools))]
	}
	sub := func() *smt.Term { return g.Formula(depth - 1) }
	switch g.r.IntN(9) {
	case 0, 1:
		return g.And(sub(), sub(), sub())
	case 2, 3:
		return g.Or(sub(), sub(), sub())
	case 4:
		return g.Not(sub())
	case 5:
		return g.Ite(sub(), sub(), sub())
	case 6:
		return g.Iff(sub(), sub())
	case 7:
		return g.And(sub(), g.Not(sub()))
	}
	if len(g.bvs) == 0 {
		return g.Xor(sub(), sub())
	}
	switch g.r.IntN(3) {
	case 0:
		return g.BVUlt(g.bitVec(2), g.bitVec(2))
	case 1:
		return g.BVUle(g.bitVec(2), g.bitVec(2))
	}
	return g.Eq(g.bitVec(2), g.bitVec(2))
}

func (g *Generator) bitVec(depth int) *smt.Term {
	switch k := g.r.IntN(6); {
	case k == 0:
		return g.BVLit(g.r.Uint64(), smt.BitVec(2))
	case k == 1 && depth > 0:
		return g.BVAdd(g.bitVec(depth-1), g.bitVec(depth-1))
	case k == 2 && depth > 0:
		return g.Ite(g.Formula(depth-1), g.bitVec(depth-1), g.bitVec(depth-1))
	}
	return g.bvs[g.r.IntN(len(g.bvs))]
}

// Satisfiable tries all assignments.
func (g *Generator) Satisfiable(f *smt.Term) bool {
	sat := false
	g.Assignments(func(e *smt.Evaluator) bool {
		sat = e.Bool(f)
		return !sat
	})
	return sat
}

// Assignments calls yield with an evaluator for each assignment, until it
// returns false.
func (g *Generator) Assignments(yield func(*smt.Evaluator) bool) {
	at := map[*smt.Term]int{}
	for i, x := range g.bools {
		at[x] = i
	}
	for i, v := range g.bvs {
		at[v] = len(g.bools) + 2*i
	}
	for bits := range uint64(1) << (len(g.bools) + 2*len(g.bvs)) {
		e := smt.NewEvaluator(
			func(x *smt.Term) bool { return bits>>at[x]&1 == 1 },
			func(v *smt.Term) uint64 { return bits >> at[v] & 3 })
		if !yield(e) {
			return
		}
	}
}

func numbered(name string, n int) string { return name + strconv.Itoa(n) }
