package smt_test

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/solver/smt"
)

// TestSimplificationsAreSound evaluates random formulas as they are built,
// without the builder, and after it simplified them.
func TestSimplificationsAreSound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	b := smt.NewBuilder()
	consts := []*smt.Term{b.Const("p", smt.Bool), b.Const("q", smt.Bool), b.Const("r", smt.Bool)}
	const all = 0xff // one bit for each assignment of the three
	columns := []uint8{0xaa, 0xcc, 0xf0}

	type pair struct {
		term  *smt.Term
		truth uint8
	}
	pairs := []pair{{b.True(), all}, {b.False(), 0}}
	for i, c := range consts {
		pairs = append(pairs, pair{c, columns[i]})
	}
	for range 5000 {
		x, y, z := pairs[r.IntN(len(pairs))], pairs[r.IntN(len(pairs))], pairs[r.IntN(len(pairs))]
		var p pair
		switch r.IntN(7) {
		case 0:
			p = pair{b.And(x.term, y.term, z.term), x.truth & y.truth & z.truth}
		case 1:
			p = pair{b.Or(x.term, y.term, z.term), x.truth | y.truth | z.truth}
		case 2:
			p = pair{b.Not(x.term), ^x.truth}
		case 3:
			p = pair{b.Ite(x.term, y.term, z.term), x.truth&y.truth | ^x.truth&z.truth}
		case 4:
			p = pair{b.Iff(x.term, y.term), ^(x.truth ^ y.truth)}
		case 5:
			p = pair{b.Implies(x.term, y.term), ^x.truth | y.truth}
		case 6:
			p = pair{b.Xor(x.term, y.term), x.truth ^ y.truth}
		}
		if len(pairs) < 300 {
			pairs = append(pairs, p)
		} else {
			pairs[5+r.IntN(295)] = p
		}
		n := r.IntN(8)
		got := smt.Eval(p.term, func(c *smt.Term) bool {
			for i := range consts {
				if c == consts[i] {
					return columns[i]>>n&1 == 1
				}
			}
			panic("unknown constant")
		})
		if want := p.truth>>n&1 == 1; got != want {
			t.Fatalf("%s is %v in assignment %d, want %v", p.term, got, n, want)
		}
	}
}

func TestEvaluator(t *testing.T) {
	b := smt.NewBuilder()
	s := smt.BitVec(3)
	x, v := b.Const("x", smt.Bool), b.Const("v", s)
	asked := 0
	e := smt.NewEvaluator(
		func(*smt.Term) bool { asked++; return true },
		func(*smt.Term) uint64 { return 8 + 6 }) // cut to 6
	sum := b.BVAdd(v, b.Ite(x, b.BVLit(3, s), v))
	if got := e.BV(sum); got != 1 {
		t.Errorf("6 + 3 is %d modulo 8", got)
	}
	for f, want := range map[*smt.Term]bool{
		b.Eq(sum, b.BVLit(1, s)):                     true,
		b.BVUlt(sum, b.BVLit(1, s)):                  false,
		b.BVUle(sum, b.BVLit(1, s)):                  true,
		b.Not(b.BVUlt(sum, v)):                       false,
		b.Eq(v, b.Ite(b.Not(x), sum, b.BVLit(6, s))): true,
		b.True(): true,
	} {
		if got := e.Bool(f); got != want {
			t.Errorf("%s is %v", f, got)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times for x", asked)
	}
}

// TestDeepTerms must not exhaust the stack.
func TestDeepTerms(t *testing.T) {
	b := smt.NewBuilder()
	x, y := b.Const("x", smt.Bool), b.Const("y", smt.Bool)
	f := x
	for i := range 200_000 {
		if i%2 == 0 {
			f = b.And(y, b.Not(f))
		} else {
			f = b.Ite(x, f, y)
		}
	}
	smt.Eval(f, func(*smt.Term) bool { return true })
}
