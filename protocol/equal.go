package protocol

import "slices"

// equality compares terms up to the names of bound variables. Resolve, unless
// nil, gives a free variable's definition or nil. What is left of budget bounds
// the work; once it is used up, terms count as different.
type equality struct {
	resolve func(*Binding) Term
	pairs   []pair // bound variables that correspond, the innermost last
	budget  int
}

type pair struct{ a, b *Binding }

// equal reports whether a and b are the same term, but for the names of their
// bound variables and for the two ways to write a default value.
func equal(a, b Term) bool {
	return (&equality{budget: 1 << 20}).terms(a, b)
}

func (q *equality) terms(a, b Term) bool {
	if q.budget--; q.budget < 0 {
		return false
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if va, ok := a.(*Var); ok {
		if vb, ok := b.(*Var); ok && q.same(va.To, vb.To) {
			return true
		}
		if x := q.definition(va); x != nil {
			return q.terms(x, b)
		}
	}
	if vb, ok := b.(*Var); ok {
		x := q.definition(vb)
		return x != nil && q.terms(a, x)
	}
	if a.Sort() != b.Sort() {
		return false
	}
	if isDefault(a) && isDefault(b) {
		return true
	}
	switch a := a.(type) {
	case *Lit:
		b, ok := b.(*Lit)
		return ok && a.Value == b.Value
	case *Default, *Var:
		return false
	case *SubsortTerm:
		b, ok := b.(*SubsortTerm)
		return ok && a.Of == b.Of
	case *StateRead:
		b, ok := b.(*StateRead)
		return ok && a.State == b.State && a.Primed == b.Primed
	case *Apply:
		b, ok := b.(*Apply)
		return ok && q.terms(a.Fun, b.Fun) && q.terms(a.Arg, b.Arg)
	case *At:
		b, ok := b.(*At)
		return ok && q.terms(a.Seq, b.Seq) && q.terms(a.Index, b.Index)
	case *Select:
		b, ok := b.(*Select)
		return ok && a.Field == b.Field && q.terms(a.X, b.X)
	case *UnaryTerm:
		b, ok := b.(*UnaryTerm)
		return ok && a.Op == b.Op && q.terms(a.X, b.X)
	case *BinaryTerm:
		b, ok := b.(*BinaryTerm)
		return ok && a.Op == b.Op && q.terms(a.X, b.X) && q.terms(a.Y, b.Y)
	case *Nary:
		b, ok := b.(*Nary)
		return ok && a.And == b.And && q.all(a.Args, b.Args)
	case *Shift:
		b, ok := b.(*Shift)
		return ok && a.Delta == b.Delta && q.terms(a.X, b.X)
	case *Ite:
		b, ok := b.(*Ite)
		return ok && q.terms(a.Cond, b.Cond) && q.terms(a.Then, b.Then) && q.terms(a.Else, b.Else)
	case *Quant:
		b, ok := b.(*Quant)
		return ok && a.Forall == b.Forall && a.Primed == b.Primed && q.under(a.Var, b.Var, a.Body, b.Body)
	case *SetTerm:
		b, ok := b.(*SetTerm)
		return ok && q.all(a.Elems, b.Elems)
	case *SetOf:
		b, ok := b.(*SetOf)
		return ok && q.under(a.Var, b.Var, a.Cond, b.Cond)
	case *FuncTerm:
		b, ok := b.(*FuncTerm)
		return ok && q.under(a.Var, b.Var, a.Body, b.Body)
	case *SeqTerm:
		b, ok := b.(*SeqTerm)
		return ok && q.all(a.Elems, b.Elems)
	case *RecordTerm:
		b, ok := b.(*RecordTerm)
		return ok && q.all(a.Fields, b.Fields)
	case *LetTerm:
		b, ok := b.(*LetTerm)
		return ok && q.terms(a.X, b.X) && q.under(a.Var, b.Var, a.Body, b.Body)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Def == b.Def && q.all(a.Args, b.Args)
	case *StepIs:
		b, ok := b.(*StepIs)
		if !ok || len(a.Actions) != len(b.Actions) {
			return false
		}
		for i := range a.Actions {
			if a.Actions[i] != b.Actions[i] {
				return false
			}
		}
		return true
	}
	panic("unhandled term")
}

// same reports whether two variables correspond: they were bound together, or
// they are one free variable.
func (q *equality) same(a, b *Binding) bool {
	for i := len(q.pairs) - 1; i >= 0; i-- {
		if p := q.pairs[i]; p.a == a || p.b == b {
			return p.a == a && p.b == b
		}
	}
	return a == b
}

func (q *equality) definition(v *Var) Term {
	if q.resolve == nil {
		return nil
	}
	return q.resolve(v.To)
}

func (q *equality) all(as, bs []Term) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !q.terms(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// under compares two bodies under the variables that they bind.
func (q *equality) under(a, b *Binding, x, y Term) bool {
	if a.Sort != b.Sort {
		return false
	}
	q.pairs = append(q.pairs, pair{a, b})
	defer func() { q.pairs = q.pairs[:len(q.pairs)-1] }()
	return q.terms(x, y)
}

// isDefault reports whether t is written as the default value of its sort.
func isDefault(t Term) bool {
	switch t := t.(type) {
	case *Default:
		return true
	case *Lit:
		return t.Value == 0
	case *FuncTerm:
		return isDefault(t.Body)
	case *RecordTerm:
		return !slices.ContainsFunc(t.Fields, func(x Term) bool { return !isDefault(x) })
	}
	return false
}

// mentions reports whether b occurs free in t.
func mentions(t Term, b *Binding) bool {
	if t == nil {
		return false
	}
	switch t := t.(type) {
	case *Var:
		return t.To == b
	case *Call: // its body has no free variables but the parameters
		for _, a := range t.Args {
			if mentions(a, b) {
				return true
			}
		}
		return false
	}
	for sub := range Children(t) {
		if mentions(sub, b) {
			return true
		}
	}
	return false
}
