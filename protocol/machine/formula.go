package machine

import (
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// cond compiles a formula.
func (c *compiler) cond(t protocol.Term) cond {
	switch t := t.(type) {
	case *protocol.Lit:
		truth := t.Value != 0
		return func(*frame) bool { return truth }
	case *protocol.UnaryTerm:
		switch t.Op {
		case protocol.Not:
			p := c.cond(t.X)
			return func(f *frame) bool { return !p(f) }
		case protocol.IsQuorum:
			return c.isQuorum(t)
		default:
		}
	case *protocol.BinaryTerm:
		return c.comparison(t)
	case *protocol.Nary:
		return c.nary(t)
	case *protocol.Ite:
		p, x, y := c.cond(t.Cond), c.cond(t.Then), c.cond(t.Else)
		return func(f *frame) bool {
			if p(f) {
				return x(f)
			}
			return y(f)
		}
	case *protocol.Quant:
		return c.quant(t)
	case *protocol.LetTerm:
		return c.letCond(t)
	case *protocol.Call:
		first, args, release := c.call(t)
		body := c.cond(t.Def.Body)
		release()
		return func(f *frame) bool {
			for i, x := range args {
				f.vars[first+i] = x(f)
			}
			return body(f)
		}
	case *protocol.StepIs:
		is := make([]bool, len(c.m.sys.Actions))
		for _, a := range t.Actions {
			is[a.Index] = true
		}
		return func(f *frame) bool { return is[f.step] }
	case *protocol.Default, *protocol.Var, *protocol.SubsortTerm, *protocol.StateRead, *protocol.Apply, *protocol.At,
		*protocol.Select, *protocol.Shift, *protocol.SetTerm, *protocol.SetOf, *protocol.FuncTerm, *protocol.SeqTerm, *protocol.RecordTerm:
	}
	x := c.expr(t)
	return func(f *frame) bool { return x(f) != 0 }
}

func (c *compiler) letCond(t *protocol.LetTerm) cond {
	slot, release := c.bind()
	c.reserve(1)
	x := c.expr(t.X)
	old, had := c.slots[t.Var]
	c.slots[t.Var] = slot
	body := c.cond(t.Body)
	if had {
		c.slots[t.Var] = old
	} else {
		delete(c.slots, t.Var)
	}
	release()
	return func(f *frame) bool {
		f.vars[slot] = x(f)
		return body(f)
	}
}

func (c *compiler) nary(t *protocol.Nary) cond {
	ps := make([]cond, len(t.Args))
	for i, a := range t.Args {
		ps[i] = c.cond(a)
	}
	switch {
	case len(ps) == 2 && t.And:
		p, q := ps[0], ps[1]
		return func(f *frame) bool { return p(f) && q(f) }
	case len(ps) == 2:
		p, q := ps[0], ps[1]
		return func(f *frame) bool { return p(f) || q(f) }
	case len(ps) == 3 && t.And:
		p, q, r := ps[0], ps[1], ps[2]
		return func(f *frame) bool { return p(f) && q(f) && r(f) }
	}
	and := t.And
	return func(f *frame) bool {
		for _, p := range ps {
			if p(f) != and {
				return !and
			}
		}
		return and
	}
}

func (c *compiler) comparison(t *protocol.BinaryTerm) cond {
	switch t.Op {
	case protocol.Implies:
		p, q := c.cond(t.X), c.cond(t.Y)
		return func(f *frame) bool { return !p(f) || q(f) }
	case protocol.Iff:
		p, q := c.cond(t.X), c.cond(t.Y)
		return func(f *frame) bool { return p(f) == q(f) }
	case protocol.Eq:
		if p := c.sameFunction(t); p != nil {
			return p
		}
		if k, ok := constantOf(t.Y); ok {
			x := c.expr(t.X)
			return func(f *frame) bool { return x(f) == k }
		}
		x, y := c.expr(t.X), c.expr(t.Y)
		return func(f *frame) bool { return x(f) == y(f) }
	case protocol.Lt:
		x, y := c.expr(t.X), c.expr(t.Y)
		return func(f *frame) bool { return x(f) < y(f) }
	case protocol.Le:
		x, y := c.expr(t.X), c.expr(t.Y)
		return func(f *frame) bool { return x(f) <= y(f) }
	case protocol.In:
		x, y := c.expr(t.X), c.expr(t.Y)
		return func(f *frame) bool { return y(f)>>uint(x(f))&1 != 0 }
	case protocol.Subset:
		x, y := c.expr(t.X), c.expr(t.Y)
		return func(f *frame) bool { return x(f)&^y(f) == 0 }
	case protocol.Union, protocol.Intersect, protocol.Difference, protocol.Min, protocol.Max, protocol.Append,
		protocol.Truncate, protocol.Extend:
	}
	panic(unhandled(t))
}

// constantOf is the word of a term that is the same number in every machine.
func constantOf(t protocol.Term) (int, bool) {
	switch t := t.(type) {
	case *protocol.Lit:
		return t.Value, true
	case *protocol.Default:
		switch t.Of.Kind {
		case protocol.OptionKind, protocol.SetKind, protocol.BoolKind, protocol.ElementKind, protocol.EnumKind,
			protocol.NaturalKind, protocol.QuorumKind:
			return 0, true
		case protocol.Invalid, protocol.RecordKind, protocol.MessageKind, protocol.UnionKind, protocol.SeqKind, protocol.FuncKind:
		}
	}
	return 0, false
}

// sameFunction compares two functions that the state holds cell by cell; nil if the term is not that.
func (c *compiler) sameFunction(t *protocol.BinaryTerm) cond {
	if t.X.Sort().Kind != protocol.FuncKind {
		return nil
	}
	a, as := place(t.X)
	b, bs := place(t.Y)
	if a == nil || b == nil {
		return nil
	}
	la, lb := &c.m.vars[a.State.Index], &c.m.vars[b.State.Index]
	size := 1
	for _, d := range la.dims[len(as):] {
		size *= d
	}
	at := c.depth
	x := c.address(la, as)
	y := c.address(lb, bs)
	c.depth = at
	def := c.m.fallback(la.leaf)
	row := func(f *frame, at int, primed bool) []int {
		if at < 0 {
			return nil
		}
		if primed {
			return f.post.cells[at : at+size]
		}
		return f.pre.cells[at : at+size]
	}
	return func(f *frame) bool {
		p, q := row(f, x(f), a.Primed), row(f, y(f), b.Primed)
		if p == nil {
			p, q = q, p
		}
		if q == nil {
			return !slices.ContainsFunc(p, func(w int) bool { return w != def })
		}
		return equal(p, q)
	}
}

func (c *compiler) isQuorum(t *protocol.UnaryTerm) cond {
	var quorums []int
	elem := t.X.Sort().Elem
	for _, q := range c.m.sys.Sorts {
		if q.Kind != protocol.QuorumKind || q.Elem != elem {
			continue
		}
		for k := range c.m.st.Size(q) {
			quorums = append(quorums, c.m.st.Quorum(q, k))
		}
	}
	x := c.expr(t.X)
	return func(f *frame) bool {
		set := x(f)
		for _, q := range quorums {
			if q&^set == 0 {
				return true
			}
		}
		return false
	}
}

// quant compiles a quantifier as a loop, which leaves out what the body says to be out of range.
func (c *compiler) quant(t *protocol.Quant) cond {
	slot, release := c.bind(t.Var)
	defer release()
	all := t.Forall
	switch t.Var.Sort.Kind {
	case protocol.MessageKind, protocol.UnionKind:
		types := t.Var.Sort.Union
		if t.Var.Sort.Kind == protocol.MessageKind {
			types = []*protocol.Sort{t.Var.Sort}
		}
		body, primed := c.cond(t.Body), t.Primed
		return func(f *frame) bool {
			s := f.pre
			if primed {
				s = f.post
			}
			for _, typ := range types {
				for _, m := range s.msgs[typ.ID] {
					f.vars[slot] = m
					if body(f) != all {
						return !all
					}
				}
			}
			return all
		}
	default:
	}
	n := c.m.st.Size(t.Var.Sort)
	lo, hi := c.bounds(t)
	body := c.cond(t.Body)
	if lo == nil && hi == nil {
		return func(f *frame) bool {
			for k := range n {
				f.vars[slot] = k
				if body(f) != all {
					return !all
				}
			}
			return all
		}
	}
	return func(f *frame) bool {
		from, to := 0, n-1
		if lo != nil {
			from = lo(f)
		}
		if hi != nil {
			to = min(to, hi(f))
		}
		for k := from; k <= to; k++ {
			f.vars[slot] = k
			if body(f) != all {
				return !all
			}
		}
		return all
	}
}

// bounds finds between which values of the variable the body of a quantifier is not decided: below and
// above, an antecedent of ∀ (a conjunct of ∃) is false. The body tests it again.
func (c *compiler) bounds(t *protocol.Quant) (lo, hi expr) {
	if t.Var.Sort.Kind != protocol.NaturalKind {
		return nil, nil
	}
	for _, p := range antecedents(t.Body, t.Forall) {
		le, ok := p.(*protocol.BinaryTerm)
		if !ok || le.Op != protocol.Le {
			continue
		}
		if v, ok := le.Y.(*protocol.Var); ok && v.To == t.Var && lo == nil && !mentions(le.X, t.Var) {
			lo = c.expr(le.X)
		}
		if v, ok := le.X.(*protocol.Var); ok && v.To == t.Var && hi == nil && !mentions(le.Y, t.Var) {
			hi = c.expr(le.Y)
		}
	}
	return lo, hi
}

// antecedents are formulas without which a body is true (of a ∀) or false (of an ∃).
func antecedents(body protocol.Term, forall bool) []protocol.Term {
	switch t := body.(type) {
	case *protocol.BinaryTerm:
		if t.Op == protocol.Implies && forall {
			return conjuncts(t.X)
		}
	case *protocol.Nary:
		if t.And && !forall {
			return conjuncts(t)
		}
	}
	return nil
}

func conjuncts(t protocol.Term) []protocol.Term {
	and, ok := t.(*protocol.Nary)
	if !ok || !and.And {
		return []protocol.Term{t}
	}
	var out []protocol.Term
	for _, a := range and.Args {
		out = append(out, conjuncts(a)...)
	}
	return out
}

func mentions(t protocol.Term, v *protocol.Binding) bool {
	if x, ok := t.(*protocol.Var); ok && x.To == v {
		return true
	}
	for sub := range protocol.Children(t) {
		if mentions(sub, v) {
			return true
		}
	}
	return false
}
