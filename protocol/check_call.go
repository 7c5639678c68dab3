package protocol

import (
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Calls: of definitions, and of the functions of the language.

func (x *exprs) call(e *syntax.Call, want *Sort) operand {
	if e.Fun.Prime {
		x.primedName(e.Fun)
		return invalid
	}
	switch e.Fun.Name {
	case "len":
		if !x.argCount(e, 1) {
			return invalid
		}
		s := x.sequence(e.Args[0], nil)
		if s.bad() {
			return invalid
		}
		return operand{&UnaryTerm{Op: Len, X: s.t, Of: s.sort().Domain}, s.ghost}
	case "min", "max":
		return x.minMax(e, want)
	case "append", "truncate":
		return x.edit(e, want)
	case "extend":
		return x.extend(e, want)
	}
	g := x.globals[e.Fun.Name]
	if g == nil || g.def == nil || x.local(e.Fun.Name) != nil {
		x.notFunction(e)
		return invalid
	}
	d := x.useDef(e.Fun.Sp, g.def)
	if d == nil {
		return invalid
	}
	if len(e.Args) != len(d.Params) {
		x.arity(e.Sp, d.Name, len(d.Params), len(e.Args), d.Span, "argument")
		return invalid
	}
	var args []Term
	ok, ghost := true, false
	for i, a := range e.Args {
		o := x.expr(a, d.Params[i].Sort)
		ok, ghost = ok && !o.bad(), ghost || o.ghost
		args = append(args, o.t)
	}
	if !ok {
		return invalid
	}
	return x.callDef(e.Sp, d, args, ghost)
}

func (x *exprs) callDef(at diag.Span, d *Definition, args []Term, ghost bool) operand {
	if d.State {
		if x.ctx.noState {
			x.stateIn(at, d.Name, x.ctx.what)
			return invalid
		}
		x.state = true
	}
	return operand{&Call{Def: d, Args: args}, ghost || d.Ghost}
}

func (x *exprs) argCount(e *syntax.Call, n int) bool {
	if len(e.Args) != n {
		x.arity(e.Sp, e.Fun.Name, n, len(e.Args), diag.Span{}, "argument")
		return false
	}
	return true
}

func (x *exprs) sequence(e syntax.Expr, want *Sort) operand {
	s := x.expr(e, want)
	if s.bad() {
		return invalid
	}
	if s.sort().Kind != SeqKind {
		x.notSequence(e.Span(), s.sort())
		return invalid
	}
	return s
}

func (x *exprs) minMax(e *syntax.Call, want *Sort) operand {
	if !x.argCount(e, 2) {
		return invalid
	}
	switch {
	case want == nil || want == InvalidSort || flexible(e.Args[0]) && flexible(e.Args[1]) && want.Kind == NaturalKind:
	case want.Kind == OptionKind && flexible(e.Args[0]) && flexible(e.Args[1]):
		want = want.Elem
	default:
		want = nil
	}
	a, b, ok := x.pair(e.Args[0], e.Args[1], want)
	if !ok {
		return invalid
	}
	if a.sort().Kind != NaturalKind {
		x.notNatural(e.Sp, a.sort())
		return invalid
	}
	op := Min
	if e.Fun.Name == "max" {
		op = Max
	}
	return operand{&BinaryTerm{Op: op, X: a.t, Y: b.t, Of: a.sort()}, a.ghost || b.ghost}
}

// extend is extend(s, t); each of the two may take its sort from the other.
func (x *exprs) extend(e *syntax.Call, want *Sort) operand {
	if !x.argCount(e, 2) {
		return invalid
	}
	if want != nil && want.Kind != SeqKind && want != InvalidSort {
		want = nil
	}
	s, t, ok := x.pair(e.Args[0], e.Args[1], want)
	if !ok {
		return invalid
	}
	if s.sort().Kind != SeqKind {
		x.notSequence(e.Args[0].Span(), s.sort())
		return invalid
	}
	return operand{&BinaryTerm{Op: Extend, X: s.t, Y: t.t, Of: s.sort()}, s.ghost || t.ghost}
}

func (x *exprs) edit(e *syntax.Call, want *Sort) operand {
	if !x.argCount(e, 2) {
		return invalid
	}
	if want != nil && want.Kind != SeqKind && want != InvalidSort {
		want = nil
	}
	s := x.sequence(e.Args[0], want)
	if s.bad() {
		return invalid
	}
	op, arg := Append, s.sort().Elem
	if e.Fun.Name == "truncate" {
		op, arg = Truncate, s.sort().Domain
	}
	a := x.expr(e.Args[1], arg)
	if a.bad() {
		return invalid
	}
	return operand{&BinaryTerm{Op: op, X: s.t, Y: a.t, Of: s.sort()}, s.ghost || a.ghost}
}
