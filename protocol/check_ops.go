package protocol

import (
	"slices"

	"github.com/speckl/kraftprove/protocol/syntax"
)

func (x *exprs) binary(e *syntax.Binary, want *Sort) operand {
	switch e.Op {
	case syntax.OpAnd, syntax.OpOr:
		return x.junction(e)
	case syntax.OpImplies, syntax.OpIff:
		a, b := x.formula(e.X), x.formula(e.Y)
		if a.bad() || b.bad() {
			return invalid
		}
		op := Implies
		if e.Op == syntax.OpIff {
			op = Iff
		}
		return operand{&BinaryTerm{Op: op, X: a.t, Y: b.t, Of: BoolSort}, a.ghost || b.ghost}
	case syntax.OpEq, syntax.OpNe:
		return x.equality(e)
	case syntax.OpLt, syntax.OpLe, syntax.OpGt, syntax.OpGe:
		return x.comparison(e)
	case syntax.OpIn:
		return x.membership(e)
	case syntax.OpNotIn:
		o := x.membership(e)
		if o.bad() {
			return invalid
		}
		return operand{not(o.t), o.ghost}
	case syntax.OpSubset, syntax.OpUnion, syntax.OpIntersect, syntax.OpDiff:
		return x.setOp(e, want)
	case syntax.OpAdd, syntax.OpSub:
		return x.shift(e, want)
	case syntax.OpInvalid, syntax.OpNot, syntax.OpValue:
	}
	return invalid
}

func not(t Term) Term { return &UnaryTerm{Op: Not, X: t, Of: BoolSort} }

// junction flattens a chain of one connective.
func (x *exprs) junction(e *syntax.Binary) operand {
	out := &Nary{And: e.Op == syntax.OpAnd}
	ok, ghost := true, false
	var walk func(s syntax.Expr)
	walk = func(s syntax.Expr) {
		if b, same := s.(*syntax.Binary); same && b.Op == e.Op {
			walk(b.X)
			walk(b.Y)
			return
		}
		o := x.formula(s)
		ok, ghost = ok && !o.bad(), ghost || o.ghost
		out.Args = append(out.Args, o.t)
	}
	walk(e.X)
	walk(e.Y)
	if !ok {
		return invalid
	}
	return operand{out, ghost}
}

func (x *exprs) equality(e *syntax.Binary) operand {
	if id, ok := e.X.(*syntax.Ident); ok && id.Name == "step" && x.local("step") == nil {
		return x.negateIf(x.stepIs(id, []syntax.Expr{e.Y}), e.Op == syntax.OpNe)
	}
	for _, two := range [][2]syntax.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if isNil(two[1]) && !flexible(two[0]) {
			o := x.expr(two[0], nil)
			switch {
			case o.bad():
				return invalid
			case o.sort().Kind != OptionKind:
				x.neverNil(two[0].Span(), o.sort())
				return invalid
			}
			t := &BinaryTerm{Op: Eq, X: o.t, Y: &Default{Of: o.sort()}, Of: BoolSort}
			if two[1] == e.X {
				t.X, t.Y = t.Y, t.X
			}
			return x.negateIf(operand{t, o.ghost}, e.Op == syntax.OpNe)
		}
	}
	a, b, ok := x.pair(e.X, e.Y, nil)
	if !ok {
		return invalid
	}
	if a.sort().Kind == UnionKind {
		x.unionIn(e.Sp, "an equation")
		return invalid
	}
	ghost := a.ghost || b.ghost || hasGhost(a.sort())
	return x.negateIf(operand{&BinaryTerm{Op: Eq, X: a.t, Y: b.t, Of: BoolSort}, ghost}, e.Op == syntax.OpNe)
}

func (x *exprs) negateIf(o operand, negate bool) operand {
	if !negate || o.bad() {
		return o
	}
	return operand{not(o.t), o.ghost}
}

// hasGhost reports whether values of the sort have ghost fields inside.
func hasGhost(s *Sort) bool {
	switch s.Kind {
	case RecordKind, MessageKind:
		for _, f := range s.Fields {
			if f.Ghost || hasGhost(f.Sort) {
				return true
			}
		}
	case UnionKind:
		return slices.ContainsFunc(s.Union, hasGhost) // the fields that are not common, too
	case OptionKind, SeqKind, FuncKind, SetKind:
		return hasGhost(s.Elem)
	case Invalid, BoolKind, ElementKind, EnumKind, NaturalKind, QuorumKind:
	}
	return false
}

func (x *exprs) comparison(e *syntax.Binary) operand {
	a, b, ok := x.pair(e.X, e.Y, nil)
	if !ok {
		return invalid
	}
	if s := a.sort(); s.Kind != NaturalKind {
		optional := e.X
		if u, some := a.t.(*UnaryTerm); some && u.Op == Some {
			optional = e.Y
		}
		x.notOrdered(e.Sp, optional.Span(), s)
		return invalid
	}
	l, r, op := a.t, b.t, Lt
	if e.Op == syntax.OpLe || e.Op == syntax.OpGe {
		op = Le
	}
	if e.Op == syntax.OpGt || e.Op == syntax.OpGe {
		l, r = r, l
	}
	return operand{&BinaryTerm{Op: op, X: l, Y: r, Of: BoolSort}, a.ghost || b.ghost}
}

// membership is x ∈ D for the forms that D may take.
func (x *exprs) membership(e *syntax.Binary) operand {
	if id, ok := e.X.(*syntax.Ident); ok && id.Name == "step" && x.local("step") == nil {
		if set, ok := e.Y.(*syntax.SetLit); ok {
			return x.stepIs(id, set.Elems)
		}
		x.misplaced(e.Y.Span(), "this", "write step ∈ {Action, …}")
		return invalid
	}
	if set, ok := e.Y.(*syntax.SetLit); ok && len(set.Elems) > 0 {
		if flexible(e.X) {
			return x.flexibleIn(e, set)
		}
		v := x.expr(e.X, nil)
		if v.bad() {
			return invalid
		}
		if v.sort().Kind == UnionKind {
			x.unionIn(e.Sp, "a list of values")
			return invalid
		}
		elems := x.setElems(set, v.sort())
		ghost := v.ghost || hasGhost(v.sort())
		for _, el := range elems {
			if el.bad() {
				return invalid
			}
			ghost = ghost || el.ghost
		}
		return operand{oneOf(v.t, elems), ghost}
	}
	if types, _, ok := x.messageTypes(e.Y); ok && len(types) == 1 {
		return x.wasSent(e, types[0])
	}
	if id, ok := e.Y.(*syntax.Ident); ok && x.local(id.Name) == nil {
		if g := x.globals[id.Name]; g != nil && g.sort != nil && g.sort.Kind == QuorumKind {
			return x.isQuorum(e, g.sort)
		}
	}
	d, v, ok := x.domainAndMember(e)
	if !ok {
		return invalid
	}
	switch {
	case d.sort.Kind == UnionKind:
		x.unionIn(e.Sp, "a membership")
		return invalid
	case d.guard == nil:
		x.alwaysMember(e.Sp, d.sort.Name)
		return invalid
	}
	// The guard wants a variable: bind the value, unless it is one.
	b, isVar := v.t.(*Var)
	if isVar {
		return operand{d.guard(b), v.ghost || d.ghost}
	}
	bind := &Binding{Name: "x", Sort: d.sort, Ghost: v.ghost, Span: e.X.Span()}
	return operand{&LetTerm{Var: bind, X: v.t, Body: d.guard(&Var{bind})}, v.ghost || d.ghost}
}

// domainAndMember checks the two sides of x ∈ D. In x ∈ 1..3 the numerals have
// the sort of x.
func (x *exprs) domainAndMember(e *syntax.Binary) (domain, operand, bool) {
	if r, ok := e.Y.(*syntax.Range); ok && flexible(r.Lo) && flexible(r.Hi) && !flexible(e.X) {
		v := x.expr(e.X, nil)
		if v.bad() {
			return domain{}, invalid, false
		}
		if v.sort().Kind != NaturalKind {
			x.notNatural(e.X.Span(), v.sort())
			return domain{}, invalid, false
		}
		d, ok := x.domainIn(r, v.sort())
		return d, v, ok
	}
	d, ok := x.domainOf(e.Y)
	if !ok {
		return domain{}, invalid, false
	}
	if d.guard == nil {
		return d, invalid, true
	}
	v := x.expr(e.X, d.sort)
	return d, v, !v.bad()
}

// flexibleIn is x ∈ {a, b} for an x that takes its sort from the elements.
func (x *exprs) flexibleIn(e *syntax.Binary, set *syntax.SetLit) operand {
	elems := x.setElems(set, nil)
	ghost := false
	for _, el := range elems {
		if el.bad() {
			return invalid
		}
		ghost = ghost || el.ghost || hasGhost(el.sort())
	}
	if elems[0].sort().Kind == UnionKind {
		x.unionIn(e.Sp, "a list of values")
		return invalid
	}
	v := x.expr(e.X, elems[0].sort())
	if v.bad() {
		return invalid
	}
	return operand{oneOf(v.t, elems), ghost}
}

// wasSent is m ∈ Type for a message value m: some message sent equals it.
func (x *exprs) wasSent(e *syntax.Binary, typ *Sort) operand {
	d, ok := x.domainOf(e.Y)
	m := x.expr(e.X, typ)
	if !ok || m.bad() {
		return invalid
	}
	v := &Binding{Name: "sent", Sort: typ, Span: e.Y.Span(), InRange: true}
	return operand{&Quant{Var: v, Primed: d.primed, Body: &BinaryTerm{Op: Eq, X: &Var{v}, Y: m.t, Of: BoolSort}}, m.ghost || hasGhost(typ)}
}

func (x *exprs) isQuorum(e *syntax.Binary, q *Sort) operand {
	o := x.expr(e.X, x.sorts.set(q.Elem))
	if o.bad() {
		return invalid
	}
	return operand{&UnaryTerm{Op: IsQuorum, X: o.t, Of: BoolSort}, o.ghost}
}

// stepIs is step ∈ {A, B}.
func (x *exprs) stepIs(id *syntax.Ident, names []syntax.Expr) operand {
	if !x.ctx.primes {
		x.misplaced(id.Sp, "step", "it may stand in a two-state property only")
		return invalid
	}
	t := &StepIs{}
	ok := true
	for _, n := range names {
		name, isName := n.(*syntax.Ident)
		var a *Action
		if isName {
			a = x.sys.Action(name.Name)
			if x.sys.drops(name.Name) {
				continue
			}
		}
		if a == nil {
			x.unknownAction(n.Span())
			ok = false
			continue
		}
		t.Actions = append(t.Actions, a)
	}
	x.primed = true
	if !ok {
		return invalid
	}
	return operand{t: t}
}

func (x *exprs) setOp(e *syntax.Binary, want *Sort) operand {
	if e.Op == syntax.OpSubset || want != nil && want.Kind != SetKind && want != InvalidSort {
		want = nil
	}
	a, b, ok := x.pair(e.X, e.Y, want)
	if !ok {
		return invalid
	}
	a, b = x.members(a), x.members(b)
	s := a.sort()
	if s.Kind != SetKind {
		x.notSet(e, s)
		return invalid
	}
	op, of := Subset, BoolSort
	switch e.Op {
	case syntax.OpUnion:
		op, of = Union, s
	case syntax.OpIntersect:
		op, of = Intersect, s
	case syntax.OpDiff:
		op, of = Difference, s
	}
	return operand{&BinaryTerm{Op: op, X: a.t, Y: b.t, Of: of}, a.ghost || b.ghost}
}

// members turns a quorum into the set of its members.
func (x *exprs) members(o operand) operand {
	if o.sort().Kind == QuorumKind {
		o, _ = x.fit(o, x.sorts.set(o.sort().Elem))
	}
	return o
}

func (x *exprs) shift(e *syntax.Binary, want *Sort) operand {
	if want != nil && want.Kind == OptionKind {
		want = want.Elem
	}
	base, by := e.X, e.Y
	if _, num := base.(*syntax.Number); num && e.Op == syntax.OpAdd {
		base, by = by, base
	}
	n, ok := by.(*syntax.Number)
	if !ok {
		for _, part := range []syntax.Expr{e.X, e.Y} {
			ok = ok || !flexible(part) && x.expr(part, nil).bad()
		}
		if !ok {
			x.notConstantShift(e.Sp)
		}
		return invalid
	}
	o := x.plain(base, want)
	if o.bad() {
		return invalid
	}
	if o.sort().Kind != NaturalKind {
		x.notNatural(base.Span(), o.sort())
		return invalid
	}
	delta := n.Value
	if delta > 1000 {
		x.misplaced(n.Sp, "a step this large", "naturals are shifted by small constants")
		return invalid
	}
	if e.Op == syntax.OpSub {
		delta = -delta
	}
	return operand{&Shift{X: o.t, Delta: delta}, o.ghost}
}
