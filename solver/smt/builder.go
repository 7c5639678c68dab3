package smt

import (
	"fmt"
	"slices"
)

// Builder makes terms. Equal terms are made once. It belongs to one goroutine.
//
// What it simplifies is what costs nothing: constants, double negation, units
// and zeros, repeated arguments, an argument beside its negation, equal or
// constant branches. The arguments of And, Or and Eq are sorted by the number
// of their atom, so that equal sets of arguments give the same term. Ill-sorted
// arguments are a bug of the caller and panic.
type Builder struct {
	table  table
	chunks [][]Term // all terms by number, chunkSize in each
	spare  []*Term  // the rest of the block that argument lists are cut from
	n      uint32

	funcs  map[string]*Func
	sorts  map[string]Sort  // the declared ones in use
	values map[string]*Term // of enumerations
	lits   map[literalKey]*Term
	tru    *Term
	fls    *Term

	literals []literal // of the And or Or being made
	args     []*Term
}

type literalKey struct {
	sort  Sort
	value uint64
}

const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
	argBlock  = 4096

	// flattenMax is the length up to which a nested conjunction is dissolved in
	// the conjunction around it. A bound is needed: a long list that many
	// parents share would be copied into each.
	flattenMax = 4
)

// NewBuilder returns a Builder that holds only true and false.
func NewBuilder() *Builder {
	b := &Builder{
		table:  newTable(),
		funcs:  map[string]*Func{},
		sorts:  map[string]Sort{},
		values: map[string]*Term{},
		lits:   map[literalKey]*Term{},
	}
	b.tru = b.alloc(OpTrue, Bool)
	b.fls = b.alloc(OpFalse, Bool)
	b.tru.neg, b.fls.neg = b.fls, b.tru
	return b
}

// Len returns the number of terms made so far; their numbers are below it.
func (b *Builder) Len() int { return int(b.n) }

// Term returns the term with the given number.
func (b *Builder) Term(id uint32) *Term { return &b.chunks[id>>chunkBits][id&(chunkSize-1)] }

// True returns the formula that always holds.
func (b *Builder) True() *Term { return b.tru }

// False returns the formula that never holds.
func (b *Builder) False() *Term { return b.fls }

// Bool returns True or False.
func (b *Builder) Bool(v bool) *Term {
	if v {
		return b.tru
	}
	return b.fls
}

// Not returns ¬t.
func (b *Builder) Not(t *Term) *Term {
	if t.neg != nil {
		return t.neg
	}
	wantBool(t)
	n := b.alloc(OpNot, Bool)
	n.args = b.cut(1)
	n.args[0] = t
	if n.has = t.has; n.has&open != 0 {
		n.describe(nil)
	}
	n.neg, t.neg = t, n
	return n
}

// And returns the conjunction of ts, true if there are none.
func (b *Builder) And(ts ...*Term) *Term { return b.nary(OpAnd, ts, b.tru, b.fls) }

// Or returns the disjunction of ts, false if there are none.
func (b *Builder) Or(ts ...*Term) *Term { return b.nary(OpOr, ts, b.fls, b.tru) }

// Implies returns a ⇒ c.
func (b *Builder) Implies(a, c *Term) *Term { return b.Or(b.Not(a), c) }

// Iff returns a ⇔ c.
func (b *Builder) Iff(a, c *Term) *Term {
	wantBool(a)
	return b.Eq(a, c)
}

// Xor returns a ⇎ c.
func (b *Builder) Xor(a, c *Term) *Term { return b.Not(b.Iff(a, c)) }

// Ite returns t where c holds and e where it does not.
func (b *Builder) Ite(c, t, e *Term) *Term {
	wantBool(c)
	wantSame(t, e)
	if c.op == OpNot {
		c, t, e = c.args[0], e, t
	}
	switch {
	case c == b.tru || t == e:
		return t
	case c == b.fls:
		return e
	case t.sort != Bool:
		return b.make(OpIte, t.sort, c, t, e)
	}
	switch {
	case t == b.tru || t == c:
		return b.Or(c, e)
	case t == b.fls || t == c.neg:
		return b.And(b.Not(c), e)
	case e == b.tru || e == c.neg:
		return b.Or(b.Not(c), t)
	case e == b.fls || e == c:
		return b.And(c, t)
	case t == e.neg:
		return b.Eq(c, t)
	}
	return b.make(OpIte, Bool, c, t, e)
}

// Eq returns a = c, for any sort.
func (b *Builder) Eq(a, c *Term) *Term {
	wantSame(a, c)
	if a == c {
		return b.tru
	}
	switch {
	case a.sort == Bool:
		return b.iff(a, c)
	case a.isLiteral() && c.isLiteral():
		return b.fls
	case a.sort == Int && base(a) == base(c): // with other literals added to it
		return b.fls
	}
	if a.id > c.id {
		a, c = c, a
	}
	return b.make(OpEq, Bool, a, c)
}

// iff pulls negations out of an equality of formulas, so that a ⇔ ¬c and
// ¬(a ⇔ c) are one term.
func (b *Builder) iff(a, c *Term) *Term {
	odd := false
	if a.op == OpNot {
		a, odd = a.args[0], !odd
	}
	if c.op == OpNot {
		c, odd = c.args[0], !odd
	}
	if a.id > c.id {
		a, c = c, a
	}
	var t *Term
	switch a { // constants have the lowest numbers
	case c:
		t = b.tru
	case b.tru:
		t = c
	case b.fls:
		t = b.Not(c)
	default:
		t = b.make(OpEq, Bool, a, c)
	}
	if odd {
		return b.Not(t)
	}
	return t
}

// nary makes a conjunction or disjunction: unit may be left out, zero decides.
func (b *Builder) nary(op Op, ts []*Term, unit, zero *Term) *Term {
	lits := b.literals[:0]
	for _, t := range ts {
		switch {
		case t == unit:
		case t == zero:
			return zero
		case t.op == op && len(t.args) <= flattenMax:
			// One level is enough: a short list inside was dissolved before.
			for _, a := range t.args {
				lits = append(lits, literalOf(a))
			}
		default:
			wantBool(t)
			lits = append(lits, literalOf(t))
		}
	}
	b.literals = lits
	sortLiterals(lits)

	args := b.args[:0]
	for i, l := range lits {
		if i > 0 && lits[i-1].key>>1 == l.key>>1 {
			if lits[i-1].key != l.key {
				return zero
			}
			continue
		}
		args = append(args, l.term)
	}
	b.args = args
	switch len(args) {
	case 0:
		return unit
	case 1:
		return args[0]
	}
	return b.make(op, Bool, args...)
}

// literal is an argument of And or Or. Its key orders it by its atom, which
// puts an atom next to its negation.
type literal struct {
	key  uint64
	term *Term
}

func literalOf(t *Term) literal {
	if t.op == OpNot {
		return literal{uint64(t.args[0].id)<<1 | 1, t}
	}
	return literal{uint64(t.id) << 1, t}
}

func sortLiterals(lits []literal) {
	if len(lits) > 16 {
		slices.SortFunc(lits, func(a, b literal) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(lits); i++ {
		l := lits[i]
		j := i
		for ; j > 0 && lits[j-1].key > l.key; j-- {
			lits[j] = lits[j-1]
		}
		lits[j] = l
	}
}

// isLiteral tells terms that are different from all others of their kind.
func (t *Term) isLiteral() bool { return t.op == OpBVLit || t.op == OpIntLit || t.op == OpEnum }

func wantBool(t *Term) {
	if t.sort != Bool {
		panic(fmt.Sprintf("smt: %s where a formula is wanted: %s", t.sort, t))
	}
}

func wantSame(a, c *Term) {
	if a.sort != c.sort {
		panic(fmt.Sprintf("smt: %s and %s where one sort is wanted", a.sort, c.sort))
	}
}

// Cases returns terms whose disjunction is t: its disjuncts, those of a negated
// conjunction too; t itself, if it has no other.
func (b *Builder) Cases(t *Term) []*Term {
	switch {
	case t.op == OpOr:
		var out []*Term
		for _, a := range t.args {
			out = append(out, b.Cases(a)...)
		}
		return out
	case t.op == OpNot && t.args[0].op == OpAnd:
		var out []*Term
		for _, a := range t.args[0].args {
			out = append(out, b.Cases(b.Not(a))...)
		}
		return out
	}
	return []*Term{t}
}
