package protocol

import (
	"github.com/speckl/kraftprove/protocol/syntax"
)

// domain is what a bound variable ranges over: all of a sort, those elements of
// it that satisfy guard, or the messages sent.
type domain struct {
	sort   *Sort
	primed bool
	ghost  bool
	guard  func(v *Var) Term // nil: all
}

// domainOf checks the domain of a bound variable.
func (x *exprs) domainOf(e syntax.Expr) (domain, bool) { return x.domainIn(e, nil) }

// domainIn checks a domain; want is the sort of its elements where that is
// known, and guides flexible expressions only.
func (x *exprs) domainIn(e syntax.Expr, want *Sort) (domain, bool) {
	if types, primed, ok := x.messageTypes(e); ok {
		if types == nil {
			return domain{}, false
		}
		if x.ctx.noState {
			x.stateIn(e.Span(), types[0].Name, x.ctx.what)
			return domain{}, false
		}
		if primed {
			x.primed = true
		} else {
			x.state = true
		}
		sort := x.unionOf(e, types)
		return domain{sort: sort, primed: primed}, sort != InvalidSort
	}
	if id, ok := e.(*syntax.Ident); ok && x.local(id.Name) == nil {
		if g := x.globals[id.Name]; g != nil && g.sort != nil {
			if x.sorts.named[id.Name] == InvalidSort {
				return domain{}, false
			}
			switch g.sort.Kind {
			case ElementKind, EnumKind, NaturalKind, QuorumKind:
				if id.Prime {
					x.primedName(id)
					return domain{}, false
				}
				return domain{sort: g.sort}, true
			}
			x.notDomain(e.Span(), "the record type "+id.Name)
			return domain{}, false
		}
		if id.Name == "Bool" {
			return domain{sort: BoolSort}, true
		}
	}
	switch e := e.(type) {
	case *syntax.Range:
		lo, hi, ok := x.pair(e.Lo, e.Hi, x.rangeSort(e, want))
		if !ok {
			return domain{}, false
		}
		if lo.sort().Kind != NaturalKind {
			x.notNatural(e.Sp, lo.sort())
			return domain{}, false
		}
		return domain{sort: lo.sort(), ghost: lo.ghost || hi.ghost, guard: func(v *Var) Term {
			return &Nary{And: true, Args: []Term{
				&BinaryTerm{Op: Le, X: lo.t, Y: v, Of: BoolSort}, &BinaryTerm{Op: Le, X: v, Y: hi.t, Of: BoolSort}}}
		}}, true
	case *syntax.SetLit:
		if len(e.Elems) == 0 {
			x.notDomain(e.Sp, "an empty set")
			return domain{}, false
		}
		o := x.setElems(e, nil)
		d := domain{sort: o[0].sort()}
		for _, el := range o {
			if el.bad() {
				return domain{}, false
			}
			d.ghost = d.ghost || el.ghost
		}
		if !d.sort.IsScalar() {
			x.notDomain(e.Sp, "a set of values of sort "+d.sort.Name)
			return domain{}, false
		}
		d.guard = func(v *Var) Term { return oneOf(v, o) }
		return d, true
	}
	s := x.expr(e, nil)
	if s.bad() {
		return domain{}, false
	}
	if s.sort().Kind == QuorumKind {
		s, _ = x.fit(s, x.sorts.set(s.sort().Elem))
	}
	if s.sort().Kind != SetKind {
		x.notDomain(e.Span(), "a value of sort "+s.sort().Name)
		return domain{}, false
	}
	return domain{sort: s.sort().Elem, ghost: s.ghost, guard: func(v *Var) Term {
		return &BinaryTerm{Op: In, X: v, Y: s.t, Of: BoolSort}
	}}, true
}

// rangeSort is the sort of a range of two numerals: the wanted one, or else
// that of indexes.
func (x *exprs) rangeSort(e *syntax.Range, want *Sort) *Sort {
	switch {
	case !flexible(e.Lo) || !flexible(e.Hi):
		return nil
	case want != nil:
		return want
	}
	return x.index
}

// unionOf is the sort of a message of one of the types.
func (x *exprs) unionOf(e syntax.Expr, types []*Sort) *Sort {
	if len(types) == 1 {
		return types[0]
	}
	u := x.sorts.union(types)
	for _, t := range types {
		for _, f := range t.Fields {
			if f.Sort == InvalidSort {
				return u // what is missing may be among these
			}
		}
	}
	if len(u.Fields) == 0 {
		x.nothingCommon(e.Span(), u)
		return InvalidSort
	}
	return u
}

// messageTypes reads a message type or a union of them; types is nil after an
// error in it.
func (x *exprs) messageTypes(e syntax.Expr) (types []*Sort, primed, ok bool) {
	switch e := e.(type) {
	case *syntax.Ident:
		g := x.globals[e.Name]
		if x.local(e.Name) != nil || g == nil || g.sort == nil || g.sort.Kind != MessageKind {
			return nil, false, false
		}
		if e.Prime && !x.ctx.primes {
			x.primeIn(e, x.ctx.what)
			return nil, true, true
		}
		return []*Sort{g.sort}, e.Prime, true
	case *syntax.Binary:
		if e.Op != syntax.OpUnion {
			return nil, false, false
		}
		a, p, ok1 := x.messageTypes(e.X)
		if !ok1 {
			return nil, false, false
		}
		b, q, ok2 := x.messageTypes(e.Y)
		if !ok2 {
			return nil, false, false
		}
		if a == nil || b == nil {
			return nil, p, true
		}
		if p != q {
			x.misplaced(e.Sp, "a union of messages of two states", "prime all of the message types or none")
			return nil, p, true
		}
		for _, t := range b {
			for _, s := range a {
				if s == t {
					x.misplaced(e.Sp, "a union that names "+t.Name+" twice", "name each message type once")
					return nil, p, true
				}
			}
		}
		return append(a, b...), p, true
	}
	return nil, false, false
}

// oneOf is v ∈ {a, b}: v equals one of the elements. A v that is more than a
// read is named, so that it does not stand there once for each element.
func oneOf(v Term, elems []operand) Term {
	or := &Nary{}
	subject := v
	var name *Binding
	if len(elems) > 1 && !isRead(v) {
		name = &Binding{Name: "x", Sort: v.Sort()}
		subject = &Var{name}
	}
	for _, el := range elems {
		or.Args = append(or.Args, &BinaryTerm{Op: Eq, X: subject, Y: el.t, Of: BoolSort})
	}
	if name != nil {
		return &LetTerm{Var: name, X: v, Body: or}
	}
	return or
}

// isRead reports whether t only reads a variable or the state at places that
// are such reads.
func isRead(t Term) bool {
	switch t.(type) {
	case *Lit, *Default, *Var, *SubsortTerm, *StateRead:
		return true
	case *Apply, *At, *Select, *Shift, *UnaryTerm:
		for x := range Children(t) {
			if !isRead(x) {
				return false
			}
		}
		return true
	}
	return false
}

func (x *exprs) quant(e *syntax.Quant) operand {
	type level struct {
		v *Binding
		d domain
	}
	var levels []level
	ok := true
	for _, g := range e.Groups {
		d, good := x.domainOf(g.Domain)
		if !good {
			d.sort, ok = InvalidSort, false
		}
		for _, id := range g.Names {
			b := x.newBinding(id, d.sort, d.ghost)
			b.InRange = true
			x.bind(b)
			levels = append(levels, level{b, d})
		}
	}
	body := x.formula(e.Body)
	x.unbind(len(levels))
	if !ok || body.bad() {
		return invalid
	}
	t, ghost := body.t, body.ghost
	for i := len(levels) - 1; i >= 0; i-- {
		v, d := levels[i].v, levels[i].d
		if d.guard != nil {
			g := d.guard(&Var{v})
			if e.Forall {
				t = &BinaryTerm{Op: Implies, X: g, Y: t, Of: BoolSort}
			} else {
				t = &Nary{And: true, Args: []Term{g, t}}
			}
		}
		ghost = ghost || d.ghost
		t = &Quant{Forall: e.Forall, Var: v, Primed: d.primed, Body: t}
	}
	return operand{t, ghost}
}
