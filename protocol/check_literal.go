package protocol

import (
	"slices"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// setElems checks the elements of a set; want is their sort, or nil if they
// decide it. The result has one sort, or some of it is bad.
func (x *exprs) setElems(e *syntax.SetLit, want *Sort) []operand {
	out := make([]operand, len(e.Elems))
	decided := -1 // the element that decided the sort
	if want == nil {
		decided = slices.IndexFunc(e.Elems, func(el syntax.Expr) bool { return !flexible(el) })
		if decided < 0 {
			x.sortUnknown(e.Sp, "the set")
			for i := range out {
				out[i] = invalid
			}
			return out
		}
		out[decided] = x.expr(e.Elems[decided], nil)
		want = out[decided].sort()
	}
	for i, el := range e.Elems {
		if i != decided {
			out[i] = x.expr(el, want)
		}
	}
	return out
}

// elemOf is the sort that a place for a sort of the kind wants of its elements;
// nil if it wants nothing.
func elemOf(want *Sort, kind Kind) *Sort {
	switch {
	case want == nil || want == InvalidSort:
		return want
	case want.Kind == kind:
		return want.Elem
	}
	return nil
}

func (x *exprs) setLit(e *syntax.SetLit, want *Sort) operand {
	elem := elemOf(want, SetKind)
	if len(e.Elems) == 0 {
		switch {
		case want == InvalidSort:
			return invalid
		case want == nil:
			x.sortUnknown(e.Sp, "the empty set")
			return invalid
		case want.Kind != SetKind:
			x.mismatchText(e.Sp, "the empty set", want)
			return invalid
		}
		return operand{t: &Default{Of: want}}
	}
	out := &SetTerm{}
	ghost := false
	for _, o := range x.setElems(e, elem) {
		if o.bad() {
			return invalid
		}
		if elem == nil {
			elem = o.sort()
		}
		ghost = ghost || o.ghost
		out.Elems = append(out.Elems, o.t)
	}
	switch elem.Kind {
	case ElementKind, EnumKind:
	case Invalid:
		return invalid
	default:
		x.badSetElem(e.Sp, elem)
		return invalid
	}
	out.Of = x.sorts.set(elem)
	return operand{out, ghost}
}

func (x *exprs) setOf(e *syntax.SetOf) operand {
	v, d, body, ok := x.bound(e.Name, e.Domain, e.Cond, BoolSort)
	if !ok {
		return invalid
	}
	if d.sort.Kind != ElementKind && d.sort.Kind != EnumKind {
		x.badSetElem(e.Sp, d.sort)
		return invalid
	}
	cond := body.t
	if d.guard != nil {
		cond = &Nary{And: true, Args: []Term{d.guard(&Var{v}), cond}}
	}
	return operand{&SetOf{Var: v, Cond: cond, Of: x.sorts.set(d.sort)}, body.ghost || d.ghost}
}

func (x *exprs) funcLit(e *syntax.FuncLit, want *Sort) operand {
	v, d, body, ok := x.bound(e.Name, e.Domain, e.Body, elemOf(want, FuncKind))
	if !ok {
		return invalid
	}
	switch d.sort.Kind {
	case ElementKind, EnumKind, NaturalKind, QuorumKind, BoolKind:
	default:
		x.notDomain(e.Domain.Span(), "a message type")
		return invalid
	}
	if d.guard != nil {
		x.partFunction(e.Domain.Span(), d.sort)
		return invalid
	}
	if body.sort().Kind == UnionKind {
		x.unionIn(e.Body.Span(), "a function")
		return invalid
	}
	return operand{&FuncTerm{Var: v, Body: body.t, Of: x.sorts.function(d.sort, body.sort())}, body.ghost || d.ghost}
}

// bound checks a body under one bound variable.
func (x *exprs) bound(id *syntax.Ident, dom, body syntax.Expr, want *Sort) (*Binding, domain, operand, bool) {
	d, ok := x.domainOf(dom)
	if !ok {
		d.sort = InvalidSort
	}
	v := x.newBinding(id, d.sort, d.ghost)
	v.InRange = true
	x.bind(v)
	o := x.expr(body, want)
	x.unbind(1)
	return v, d, o, ok && !o.bad()
}

func (x *exprs) seqLit(e *syntax.SeqLit, want *Sort) operand {
	elem := elemOf(want, SeqKind)
	if len(e.Elems) == 0 {
		switch {
		case want == InvalidSort:
			return invalid
		case want == nil:
			x.sortUnknown(e.Sp, "the empty sequence")
			return invalid
		case want.Kind != SeqKind:
			x.mismatchText(e.Sp, "the empty sequence", want)
			return invalid
		}
		return operand{t: &Default{Of: want}}
	}
	out := &SeqTerm{}
	ghost := false
	for _, el := range e.Elems {
		o := x.expr(el, elem)
		if o.bad() {
			return invalid
		}
		if elem == nil {
			elem = o.sort()
		}
		ghost = ghost || o.ghost
		out.Elems = append(out.Elems, o.t)
	}
	switch elem.Kind {
	case Invalid:
		return invalid
	case UnionKind:
		x.unionIn(e.Sp, "a sequence")
		return invalid
	}
	if x.index == nil {
		x.misplaced(e.Sp, "a sequence", "declare a sort that indexes sequences: `Index: {natural: true, index: true}`")
		return invalid
	}
	out.Of = x.sorts.seq(x.index, elem)
	return operand{out, ghost}
}

// recordLit checks Type{field: e}. Fields may stand in any order; all must be
// there, but a message's ghost fields may be left out and take their default.
// To a message that is sent, ghost state may go in ghost fields only.
func (x *exprs) recordLit(e *syntax.RecordLit, sending bool) operand {
	g := x.globals[e.Type.Name]
	if g == nil || g.sort == nil || g.sort.Kind != RecordKind && g.sort.Kind != MessageKind {
		x.notRecordType(e.Type)
		return invalid
	}
	s := g.sort
	if sending && s.Kind != MessageKind {
		x.notMessageType(e.Type.Sp)
		return invalid
	}
	out := &RecordTerm{Of: s, Fields: make([]Term, len(s.Fields))}
	seen := map[string]diag.Span{}
	ok, ghost := true, false
	for _, f := range e.Fields {
		field := s.Field(f.Name.Name)
		if field == nil {
			x.noField(&syntax.Field{Name: f.Name, Sp: f.Name.Sp}, s)
			ok = false
			continue
		}
		if first, dup := seen[f.Name.Name]; dup {
			x.declaredTwice(f.Name.Sp, f.Name.Name, first)
			ok = false
			continue
		}
		seen[f.Name.Name] = f.Name.Sp
		o := x.expr(f.X, field.Sort)
		if o.bad() {
			ok = false
			continue
		}
		if o.ghost && !field.Ghost {
			ghost = true
			if sending {
				x.ghostInField(f.X.Span(), f.Name.Name)
				ok = false
			}
		}
		out.Fields[field.Index] = o.t
	}
	var missing []string
	for i, f := range s.Fields {
		if _, given := seen[f.Name]; given || f.Sort == InvalidSort {
			continue
		}
		switch {
		case x.ctx.partial && s.Kind == MessageKind:
		case f.Ghost:
			out.Fields[i] = &Default{Of: f.Sort}
		default:
			missing = append(missing, f.Name)
		}
	}
	if len(missing) > 0 {
		x.missingFields(e.Sp, s, missing)
		return invalid
	}
	if !ok {
		return invalid
	}
	return operand{out, ghost}
}
