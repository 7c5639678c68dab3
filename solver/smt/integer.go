package smt

import "fmt"

// Integers are for counting: sums are of a term and a literal, mostly. A literal
// comes last in a sum, and one sum has one at most.

// IntLit returns the integer v.
func (b *Builder) IntLit(v int64) *Term {
	key := literalKey{Int, uint64(v)}
	if t, ok := b.lits[key]; ok {
		return t
	}
	t := b.alloc(OpIntLit, Int)
	t.info = &info{value: key.value}
	b.lits[key] = t
	return t
}

// Add returns a + c.
func (b *Builder) Add(a, c *Term) *Term {
	wantInts(a, c)
	if a.op == OpIntLit {
		a, c = c, a
	}
	if c.op != OpIntLit {
		if a.id > c.id {
			a, c = c, a
		}
		return b.make(OpAdd, Int, a, c)
	}
	x, n, m := base(a), offset(a), offset(c)
	sum := n + m
	switch {
	case (sum < n) != (m < 0): // too large for a literal
		return b.make(OpAdd, Int, a, c)
	case x == nil:
		return b.IntLit(sum)
	case sum == 0:
		return x
	}
	return b.make(OpAdd, Int, x, b.IntLit(sum))
}

// Lt returns a < c.
func (b *Builder) Lt(a, c *Term) *Term {
	wantInts(a, c)
	if base(a) == base(c) {
		return b.Bool(offset(a) < offset(c))
	}
	return b.make(OpLt, Bool, a, c)
}

// Le returns a ≤ c.
func (b *Builder) Le(a, c *Term) *Term {
	wantInts(a, c)
	if base(a) == base(c) {
		return b.Bool(offset(a) <= offset(c))
	}
	return b.make(OpLe, Bool, a, c)
}

// base returns t without the literal that is added to it: nil for a literal.
func base(t *Term) *Term {
	switch {
	case t.op == OpIntLit:
		return nil
	case t.op == OpAdd && t.args[1].op == OpIntLit:
		return t.args[0]
	}
	return t
}

// offset returns the literal that is added to the base of t, or 0.
func offset(t *Term) int64 {
	switch t.op {
	case OpIntLit:
		return t.Int()
	case OpAdd:
		return t.args[1].Int()
	}
	return 0
}

func wantInts(a, c *Term) {
	for _, t := range [...]*Term{a, c} {
		if t.sort != Int {
			panic(fmt.Sprintf("smt: %s where an integer is wanted: %s", t.sort, t))
		}
	}
}
