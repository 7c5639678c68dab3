package smt

import "fmt"

// BVLit returns the literal of the given bit-vector sort whose value is v
// modulo 2^width.
func (b *Builder) BVLit(v uint64, s Sort) *Term {
	if s.kind() != bitVecKind {
		panic(fmt.Sprintf("smt: bit-vector literal of sort %s", s))
	}
	key := literalKey{s, v & s.mask()}
	if t, ok := b.lits[key]; ok {
		return t
	}
	t := b.alloc(OpBVLit, s)
	t.info = &info{value: key.value}
	b.lits[key] = t
	return t
}

// BVAdd returns a + c modulo 2^width.
func (b *Builder) BVAdd(a, c *Term) *Term {
	wantBitVecs(a, c)
	if a.op == OpBVLit && c.op == OpBVLit {
		return b.BVLit(a.info.value+c.info.value, a.sort)
	}
	if a.id > c.id {
		a, c = c, a
	}
	switch {
	case a.isValue(0):
		return c
	case c.isValue(0):
		return a
	}
	return b.make(OpBVAdd, a.sort, a, c)
}

// BVUlt returns a < c, unsigned.
func (b *Builder) BVUlt(a, c *Term) *Term {
	wantBitVecs(a, c)
	switch {
	case a == c || c.isValue(0) || a.isValue(a.sort.mask()):
		return b.fls
	case a.op == OpBVLit && c.op == OpBVLit:
		return b.Bool(a.info.value < c.info.value)
	}
	return b.make(OpBVUlt, Bool, a, c)
}

// BVUle returns a ≤ c, unsigned.
func (b *Builder) BVUle(a, c *Term) *Term {
	wantBitVecs(a, c)
	switch {
	case a == c || a.isValue(0) || c.isValue(c.sort.mask()):
		return b.tru
	case a.op == OpBVLit && c.op == OpBVLit:
		return b.Bool(a.info.value <= c.info.value)
	}
	return b.make(OpBVUle, Bool, a, c)
}

func (t *Term) isValue(v uint64) bool { return t.op == OpBVLit && t.info.value == v }

func wantBitVecs(a, c *Term) {
	wantSame(a, c)
	if a.sort.kind() != bitVecKind {
		panic(fmt.Sprintf("smt: %s where a bit-vector is wanted", a.sort))
	}
}
