package protocol

import "github.com/speckl/kraftprove/protocol/syntax"

// boundDomain is the domain of a variable with a body, and what is left of the
// body: all of its sort and the body, or what the body's guard says.
func (e *expresser) boundDomain(v *Binding, primed bool, body, guard, rest Term) (syntax.Expr, Term) {
	if guard != nil && v.Sort.Kind != MessageKind && v.Sort.Kind != UnionKind && !numeralRange(guard, v.Sort) {
		is := func(x Term) bool {
			occurrence, ok := x.(*Var)
			return ok && occurrence.To == v
		}
		if !mentionsBeside(guard, v) {
			if d := e.domain(guard, is); d != nil {
				return d, rest
			}
		}
	}
	if v.Sort.Kind != UnionKind {
		return &syntax.Ident{Name: v.Sort.Name, Prime: primed}, body
	}
	var union syntax.Expr
	for _, m := range v.Sort.Union {
		var x syntax.Expr = &syntax.Ident{Name: m.Name, Prime: primed}
		if union != nil {
			x = &syntax.Binary{Op: syntax.OpUnion, X: union, Y: x}
		}
		union = x
	}
	return union, body
}

// numeralRange reports whether a guard bounds a variable by numerals only: as a
// domain these would be indexes.
func numeralRange(guard Term, s *Sort) bool {
	n, ok := guard.(*Nary)
	if !ok || s.Kind != NaturalKind {
		return false
	}
	for _, x := range n.Args {
		if b, ok := x.(*BinaryTerm); ok && !(isFlexible(b.X) || isFlexible(b.Y)) {
			return false // of a range, one bound is no numeral
		} else if ok && b.Op == Eq && !isFlexible(b.Y) {
			return false
		}
	}
	return !n.And || !s.Index
}

// mentionsBeside reports whether what a guard compares v with mentions v.
func mentionsBeside(guard Term, v *Binding) bool {
	others := func(b *BinaryTerm) bool {
		_, left := b.X.(*Var)
		_, right := b.Y.(*Var)
		return !left && mentions(b.X, v) || !right && mentions(b.Y, v)
	}
	switch g := guard.(type) {
	case *BinaryTerm:
		return others(g)
	case *Nary:
		for _, x := range g.Args {
			if b, ok := x.(*BinaryTerm); !ok || others(b) {
				return true
			}
		}
	}
	return false
}

func (e *expresser) quant(t *Quant) syntax.Expr {
	if m := sentMessage(t); m != nil {
		return &syntax.Binary{Op: syntax.OpIn, X: e.term(m), Y: &syntax.Ident{Name: t.Var.Sort.Name, Prime: t.Primed}}
	}
	out := &syntax.Quant{Forall: t.Forall}
	last := "" // the domain of the last group
	count := 0
	var body Term = t
	for {
		q, ok := body.(*Quant)
		if !ok || q.Forall != t.Forall || count > 0 && sentMessage(q) != nil {
			break
		}
		var guard, rest Term
		switch b := q.Body.(type) {
		case *BinaryTerm:
			if t.Forall && b.Op == Implies {
				guard, rest = b.X, b.Y
			}
		case *Nary:
			if !t.Forall && b.And && len(b.Args) == 2 {
				guard, rest = b.Args[0], b.Args[1]
			}
		}
		var d syntax.Expr
		d, body = e.boundDomain(q.Var, q.Primed, q.Body, guard, rest)
		name := e.bind(q.Var)
		count++
		if text := syntax.FormatExpr(&syntax.Binary{Op: syntax.OpIn, X: name0, Y: d}); text == last {
			g := &out.Groups[len(out.Groups)-1]
			g.Names = append(g.Names, name)
		} else {
			last = text
			out.Groups = append(out.Groups, syntax.Group{Names: []*syntax.Ident{name}, Domain: d})
		}
	}
	out.Body = e.term(body)
	e.unbind(count)
	return out
}

// name0 stands for any variable where only a domain counts.
var name0 = &syntax.Ident{Name: "_"}

// sentMessage is the m of m ∈ Type, if t says that: some message sent is m.
func sentMessage(t *Quant) Term {
	b, ok := t.Body.(*BinaryTerm)
	if t.Forall || t.Var.Sort.Kind != MessageKind || !ok || b.Op != Eq {
		return nil
	}
	if v, ok := b.X.(*Var); ok && v.To == t.Var && !mentions(b.Y, t.Var) {
		return b.Y
	}
	return nil
}

func (e *expresser) setOf(t *SetOf) syntax.Expr {
	var guard, rest Term
	if n, ok := t.Cond.(*Nary); ok && n.And && len(n.Args) == 2 {
		guard, rest = n.Args[0], n.Args[1]
	}
	d, cond := e.boundDomain(t.Var, false, t.Cond, guard, rest)
	name := e.bind(t.Var)
	defer e.unbind(1)
	return &syntax.SetOf{Name: name, Domain: d, Cond: e.term(cond)}
}
