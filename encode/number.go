package encode

import "github.com/speckl/kraftprove/solver/smt"

// A number is a natural in binary, the lowest bit first. Numbers of different
// widths mix; a missing bit is false. Sums grow in width, so nothing wraps.
type number []*smt.Term

func (e *Encoder) constant(v int) number {
	var n number
	for ; v > 0; v >>= 1 {
		n = append(n, e.b.Bool(v&1 == 1))
	}
	return n
}

// known is the number's value if all its bits are constants.
func (e *Encoder) known(n number) (int, bool) {
	v := 0
	for i, b := range n {
		switch b {
		case e.b.True():
			v |= 1 << i
		case e.b.False():
		default:
			return 0, false
		}
	}
	return v, true
}

func (e *Encoder) bit(n number, i int) *smt.Term {
	if i < len(n) {
		return n[i]
	}
	return e.b.False()
}

// trim drops leading bits that are constantly false.
func (e *Encoder) trim(n number) number {
	for len(n) > 0 && n[len(n)-1] == e.b.False() {
		n = n[:len(n)-1]
	}
	return n
}

func (e *Encoder) equalNumbers(x, y number) *smt.Term {
	eqs := make([]*smt.Term, 0, 8)
	for i := range max(len(x), len(y)) {
		eq := e.b.Iff(e.bit(x, i), e.bit(y, i))
		if eq == e.b.False() {
			return eq
		}
		eqs = append(eqs, eq)
	}
	return e.b.And(eqs...)
}

// less is x < y, or x ≤ y if orEqual.
func (e *Encoder) less(x, y number, orEqual bool) *smt.Term {
	lt := e.b.Bool(orEqual)
	for i := range max(len(x), len(y)) {
		a, c := e.bit(x, i), e.bit(y, i)
		lt = e.b.Ite(e.b.Iff(a, c), lt, c)
	}
	return lt
}

// shift is x + delta, cut at 0.
func (e *Encoder) shift(x number, delta int) number {
	if v, ok := e.known(x); ok {
		return e.constant(max(0, v+delta))
	}
	switch {
	case delta == 0:
		return x
	case delta > 0:
		return e.trim(e.sum(x, e.constant(delta), e.b.False()))
	}
	// x - k for x ≥ k is x + ¬k + 1 without the last carry.
	k := e.constant(-delta)
	if len(k) > len(x) {
		return nil
	}
	inverse := make(number, len(x))
	for i := range inverse {
		inverse[i] = e.b.Not(e.bit(k, i))
	}
	diff := e.sum(x, inverse, e.b.True())[:len(x)]
	enough := e.less(k, x, true)
	out := make(number, len(diff))
	for i := range diff {
		out[i] = e.b.And(enough, diff[i])
	}
	return e.trim(out)
}

// sum is x + y + carry, one bit wider than the wider of the two.
func (e *Encoder) sum(x, y number, carry *smt.Term) number {
	w := max(len(x), len(y))
	out := make(number, 0, w+1)
	for i := range w {
		a, c := e.bit(x, i), e.bit(y, i)
		axc := e.b.Xor(a, c)
		out = append(out, e.b.Xor(axc, carry))
		carry = e.b.Or(e.b.And(a, c), e.b.And(axc, carry))
	}
	return append(out, carry)
}
