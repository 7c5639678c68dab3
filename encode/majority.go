package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/solver/smt"
)

// MajoritiesApart says of n members that two sets have more than half of them each
// and no member in common. Unsat for some n proves that majorities of n members
// are quorums, as the unbounded mode's theory has them: any two meet.
func (e *Encoder) MajoritiesApart(n int) []*smt.Term {
	var out []*smt.Term
	var sizes [2]number
	for side := range sizes {
		for i := range n {
			x := e.b.Const(fmt.Sprintf("Q%d.%d", side+1, i+1), smt.Bool)
			sizes[side] = e.trim(e.sum(sizes[side], number{x}, e.b.False()))
		}
	}
	for i := range n {
		both := e.b.And(e.b.Const(fmt.Sprintf("Q1.%d", i+1), smt.Bool), e.b.Const(fmt.Sprintf("Q2.%d", i+1), smt.Bool))
		out = append(out, e.b.Not(both))
	}
	for _, s := range sizes {
		out = append(out, e.less(e.constant(n/2), s, false)) // more than half, rounded down
	}
	return out
}

// MajoritiesApart is the same for any number of members, by counting: n members
// are those in the first set only, in the second only, in both, and in neither.
// Unsat proves that two sets of more than half of the members have one in common.
func (u *Quantified) MajoritiesApart() []*smt.Term {
	count := func(name string) *smt.Term { return u.b.Const(name, smt.Int) }
	first, second, both, none := count("first"), count("second"), count("both"), count("none")
	sum := func(ts ...*smt.Term) *smt.Term {
		s := u.b.IntLit(0)
		for _, t := range ts {
			s = u.b.Add(s, t)
		}
		return s
	}
	zero := u.b.IntLit(0)
	n := sum(first, second, both, none)
	return []*smt.Term{
		u.b.Le(zero, first), u.b.Le(zero, second), u.b.Le(zero, both), u.b.Le(zero, none),
		u.b.Lt(n, sum(first, first, both, both)),   // the first set has more than n/2
		u.b.Lt(n, sum(second, second, both, both)), // so has the second
		u.b.Eq(both, zero),
	}
}
