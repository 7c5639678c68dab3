package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// The unbounded mode has a theory of quorums: any two have a member in common, and
// the quorums of a subset have all their members in it. What is asked here is
// whether majorities, which the bounded mode takes for quorums, are such quorums.
// A majority of a subset has more than half of the subset's elements, and no others.

// MajoritiesFail says of n elements, those of which the sort q has quorums, that two
// majorities of them are no quorums as the theory has them. Where q has the quorums
// of a subset, there are n more elements outside it. Unsat for some n proves that
// majorities of n elements are quorums.
func (e *Encoder) MajoritiesFail(q *protocol.Sort, n int) []*smt.Term {
	all := n
	if q.Within != nil {
		all = 2 * n
	}
	member := func(side, i int) *smt.Term { return e.b.Const(fmt.Sprintf("Q%d.%d", side, i), smt.Bool) }
	var out, wrong []*smt.Term
	for side := 1; side <= 2; side++ {
		var size number
		for i := range n {
			size = e.trim(e.sum(size, number{member(side, i+1)}, e.b.False()))
		}
		out = append(out, e.less(e.constant(n/2), size, false)) // more than half, rounded down
		for i := n; i < all; i++ {
			out = append(out, e.b.Not(member(side, i+1)))
			wrong = append(wrong, member(side, i+1))
		}
	}
	apart := make([]*smt.Term, all)
	for i := range all {
		apart[i] = e.b.Not(e.b.And(member(1, i+1), member(2, i+1)))
	}
	return append(out, e.b.Or(append(wrong, e.b.And(apart...))...))
}

// MajoritiesFail is the same for any number of elements, by counting: those of which
// there are quorums are in the first set only, in the second only, in both, or in
// neither, and so are those outside the subset, if it is one.
func (u *Quantified) MajoritiesFail(q *protocol.Sort) []*smt.Term {
	zero := u.b.IntLit(0)
	sum := func(ts ...*smt.Term) *smt.Term {
		s := zero
		for _, t := range ts {
			s = u.b.Add(s, t)
		}
		return s
	}
	var out []*smt.Term
	count := func(name string) *smt.Term {
		n := u.b.Const(name, smt.Int)
		out = append(out, u.b.Le(zero, n))
		return n
	}
	first, second, both, none := count("first"), count("second"), count("both"), count("none")
	n := sum(first, second, both, none)
	out = append(out,
		u.b.Lt(n, sum(first, first, both, both)),   // the first set has more than n/2
		u.b.Lt(n, sum(second, second, both, both)), // so has the second
	)
	if q.Within == nil {
		return append(out, u.b.Eq(both, zero))
	}
	firstOut, secondOut, bothOut := count("first outside"), count("second outside"), count("both outside")
	beyond := sum(firstOut, secondOut, bothOut)
	return append(out, u.b.Eq(beyond, zero), // majorities have no other elements
		u.b.Or(u.b.Lt(zero, beyond), u.b.Eq(sum(both, bothOut), zero)))
}
