package protocol

import (
	"fmt"
	"strconv"

	"github.com/speckl/kraftprove/protocol/syntax"
)

// Express turns a term into a formula of the language, for
// syntax.FormatExpr to print. Checked again in the same place, the formula
// gives an equal term: what the checker took apart is put together again
// (ranges, sets as domains, memberships). Bound variables keep their names,
// unless two that are visible at once have the same one. The formula has no
// places.
func Express(t Term) syntax.Expr { return (&expresser{}).term(t) }

// expresser knows the names of the bound variables that are visible.
type expresser struct {
	names []boundName // innermost last
}

type boundName struct {
	to   *Binding
	name string
}

func (e *expresser) bind(b *Binding) *syntax.Ident {
	name := b.Name
	for n := 2; e.taken(name, b); n++ {
		name = b.Name + strconv.Itoa(n)
	}
	e.names = append(e.names, boundName{b, name})
	return &syntax.Ident{Name: name}
}

func (e *expresser) unbind(count int) { e.names = e.names[:len(e.names)-count] }

func (e *expresser) taken(name string, by *Binding) bool {
	for _, n := range e.names {
		if n.name == name && n.to != by {
			return true
		}
	}
	return false
}

func (e *expresser) variable(b *Binding) *syntax.Ident {
	for i := len(e.names) - 1; i >= 0; i-- {
		if e.names[i].to == b {
			return &syntax.Ident{Name: e.names[i].name}
		}
	}
	return &syntax.Ident{Name: b.Name} // free
}

func (e *expresser) terms(ts []Term) []syntax.Expr {
	var out []syntax.Expr
	for _, t := range ts {
		out = append(out, e.term(t))
	}
	return out
}

func (e *expresser) term(t Term) syntax.Expr {
	switch t := t.(type) {
	case *Lit:
		return literal(t.Of, t.Value)
	case *Default:
		return e.defaultValue(t.Of)
	case *Var:
		return e.variable(t.To)
	case *SubsortTerm:
		return &syntax.Ident{Name: t.Of.Name}
	case *StateRead:
		return &syntax.Ident{Name: t.State.Name, Prime: t.Primed}
	case *Apply:
		return &syntax.Index{X: e.term(t.Fun), Args: []syntax.Expr{e.term(t.Arg)}}
	case *At:
		return &syntax.Index{X: e.term(t.Seq), Args: []syntax.Expr{e.term(t.Index)}}
	case *Select:
		return &syntax.Field{X: e.term(t.X), Name: &syntax.Ident{Name: t.Field.Name}}
	case *UnaryTerm:
		return e.unary(t)
	case *BinaryTerm:
		return e.binary(t)
	case *Nary:
		return e.nary(t)
	case *Shift:
		return e.shift(t)
	case *Ite:
		return &syntax.If{Cond: e.term(t.Cond), Then: e.term(t.Then), Else: e.term(t.Else)}
	case *Quant:
		return e.quant(t)
	case *SetTerm:
		return &syntax.SetLit{Elems: e.terms(t.Elems)}
	case *SetOf:
		return e.setOf(t)
	case *FuncTerm:
		name := e.bind(t.Var)
		defer e.unbind(1)
		return &syntax.FuncLit{Name: name, Domain: sortName(t.Var.Sort), Body: e.term(t.Body)}
	case *SeqTerm:
		return &syntax.SeqLit{Elems: e.terms(t.Elems)}
	case *RecordTerm:
		return e.record(t)
	case *LetTerm:
		return e.let(t)
	case *Call:
		if len(t.Args) == 0 {
			return &syntax.Ident{Name: t.Def.Name}
		}
		return &syntax.Call{Fun: &syntax.Ident{Name: t.Def.Name}, Args: e.terms(t.Args)}
	case *StepIs:
		return stepIs(t)
	}
	panic(fmt.Sprintf("unhandled %T", t))
}

func sortName(s *Sort) syntax.Expr { return &syntax.Ident{Name: s.Name} }

// literal is the k-th value of a scalar sort. A quorum has no name of its own.
func literal(s *Sort, k int) syntax.Expr {
	switch s.Kind {
	case BoolKind:
		return &syntax.Bool{Value: k != 0}
	case EnumKind:
		return &syntax.Ident{Name: s.Consts[k]}
	case ElementKind:
		return &syntax.Ident{Name: ElementName(s, k)}
	case QuorumKind:
		return &syntax.Ident{Name: s.Name + strconv.Itoa(k+1)}
	}
	return &syntax.Number{Value: k}
}

func (e *expresser) defaultValue(s *Sort) syntax.Expr {
	switch s.Kind {
	case OptionKind:
		return &syntax.Nil{}
	case SetKind:
		return &syntax.SetLit{}
	case SeqKind:
		return &syntax.SeqLit{}
	case FuncKind:
		name := e.bind(&Binding{Name: "x", Sort: s.Domain})
		defer e.unbind(1)
		return &syntax.FuncLit{Name: name, Domain: sortName(s.Domain), Body: e.defaultValue(s.Elem)}
	case RecordKind, MessageKind:
		r := &syntax.RecordLit{Type: &syntax.Ident{Name: s.Name}}
		for _, f := range s.Fields {
			r.Fields = append(r.Fields, syntax.FieldInit{Name: &syntax.Ident{Name: f.Name}, X: e.defaultValue(f.Sort)})
		}
		return r
	}
	return literal(s, 0)
}

func (e *expresser) unary(t *UnaryTerm) syntax.Expr {
	switch t.Op {
	case Some, MembersOf: // implied by the place
		return e.term(t.X)
	case Len:
		return call("len", e.term(t.X))
	case Value:
		return &syntax.Unary{Op: syntax.OpValue, X: e.term(t.X)}
	case IsQuorum:
		name := "Quorum"
		if q := t.X.Sort().Elem.Quorum; q != nil {
			name = q.Name
		}
		return &syntax.Binary{Op: syntax.OpIn, X: e.term(t.X), Y: &syntax.Ident{Name: name}}
	case Not: // below
	}
	if b, ok := e.term(t.X).(*syntax.Binary); ok {
		switch b.Op {
		case syntax.OpEq:
			return &syntax.Binary{Op: syntax.OpNe, X: b.X, Y: b.Y}
		case syntax.OpIn:
			return &syntax.Binary{Op: syntax.OpNotIn, X: b.X, Y: b.Y}
		}
	}
	return &syntax.Unary{Op: syntax.OpNot, X: e.term(t.X)}
}

func call(name string, args ...syntax.Expr) syntax.Expr {
	return &syntax.Call{Fun: &syntax.Ident{Name: name}, Args: args}
}

var binaryOps = map[BinaryOp]syntax.Op{
	Eq: syntax.OpEq, Lt: syntax.OpLt, Le: syntax.OpLe, Implies: syntax.OpImplies, Iff: syntax.OpIff, In: syntax.OpIn,
	Subset: syntax.OpSubset, Union: syntax.OpUnion, Intersect: syntax.OpIntersect, Difference: syntax.OpDiff,
}

func (e *expresser) binary(t *BinaryTerm) syntax.Expr {
	x, y := e.term(t.X), e.term(t.Y)
	switch t.Op {
	case Min:
		return call("min", x, y)
	case Max:
		return call("max", x, y)
	case Append:
		return call("append", x, y)
	case Extend:
		return call("extend", x, y)
	case Truncate:
		return &syntax.Slice{X: x, Lo: &syntax.Number{Value: 1}, Hi: y}
	}
	if isFlexible(t.X) && !isFlexible(t.Y) { // n > 0 rather than 0 < n
		switch t.Op {
		case Lt:
			return &syntax.Binary{Op: syntax.OpGt, X: y, Y: x}
		case Le:
			return &syntax.Binary{Op: syntax.OpGe, X: y, Y: x}
		}
	}
	return &syntax.Binary{Op: binaryOps[t.Op], X: x, Y: y}
}

// nary joins the operands; a conjunction or disjunction that says where a
// value lies is a membership.
func (e *expresser) nary(t *Nary) syntax.Expr {
	if subject := subjectOf(t); subject != nil {
		if d := e.domain(t, func(x Term) bool { return equal(x, subject) }); d != nil {
			return &syntax.Binary{Op: syntax.OpIn, X: e.term(subject), Y: d}
		}
	}
	op := syntax.OpOr
	if t.And {
		op = syntax.OpAnd
	}
	var out syntax.Expr
	for _, x := range t.Args {
		if out == nil {
			out = e.term(x)
		} else {
			out = &syntax.Binary{Op: op, X: out, Y: e.term(x)}
		}
	}
	if out == nil {
		return &syntax.Bool{Value: t.And}
	}
	return out
}

// subjectOf is the v of v ∈ 1..n or v ∈ {a, b}, if t may be one of these.
func subjectOf(t *Nary) Term {
	if t.And {
		if len(t.Args) == 2 {
			// Of anything but a variable, x ∈ 1..n would bind x by a LET first.
			if b, ok := t.Args[0].(*BinaryTerm); ok && b.Op == Le {
				if v, ok := b.Y.(*Var); ok {
					return v
				}
			}
		}
		return nil
	}
	if len(t.Args) == 0 {
		return nil
	}
	if b, ok := t.Args[0].(*BinaryTerm); ok && b.Op == Eq && (b.X.Sort() != BoolSort || len(t.Args) == 1) {
		return b.X
	}
	return nil
}

// domain is the D of which t says that something lies in it; subject tells that
// something. It is nil if t says something else.
func (e *expresser) domain(t Term, subject func(Term) bool) syntax.Expr {
	switch t := t.(type) {
	case *BinaryTerm:
		if t.Op == In && subject(t.X) {
			return e.term(t.Y)
		}
	case *Nary:
		if !t.And {
			var elems []syntax.Expr
			for _, x := range t.Args {
				b, ok := x.(*BinaryTerm)
				if !ok || b.Op != Eq || !subject(b.X) {
					return nil
				}
				elems = append(elems, e.term(b.Y))
			}
			return &syntax.SetLit{Elems: elems}
		}
		if len(t.Args) == 2 {
			lo, ok1 := t.Args[0].(*BinaryTerm)
			hi, ok2 := t.Args[1].(*BinaryTerm)
			if ok1 && ok2 && lo.Op == Le && hi.Op == Le && subject(lo.Y) && subject(hi.X) {
				return &syntax.Range{Lo: e.term(lo.X), Hi: e.term(hi.Y)}
			}
		}
	}
	return nil
}

// isFlexible reports whether t, printed, takes its sort from its place.
func isFlexible(t Term) bool {
	switch t := t.(type) {
	case *Lit:
		return t.Of.Kind == NaturalKind
	case *Default:
		return t.Of.Kind != RecordKind && t.Of.Kind != MessageKind
	case *Shift:
		return isFlexible(t.X)
	case *Ite:
		return isFlexible(t.Then) && isFlexible(t.Else)
	case *BinaryTerm:
		return (t.Op == Min || t.Op == Max) && isFlexible(t.X) && isFlexible(t.Y)
	}
	return false
}

func (e *expresser) shift(t *Shift) syntax.Expr {
	op, by := syntax.OpAdd, t.Delta
	if by < 0 {
		op, by = syntax.OpSub, -by
	}
	return &syntax.Binary{Op: op, X: e.term(t.X), Y: &syntax.Number{Value: by}}
}

// record is a record's or message's value. A ghost field that was left out
// stays so if its default value has no name.
func (e *expresser) record(t *RecordTerm) syntax.Expr {
	r := &syntax.RecordLit{Type: &syntax.Ident{Name: t.Of.Name}}
	for i, f := range t.Of.Fields {
		x := t.Fields[i]
		if d, ok := x.(*Default); x == nil || ok && f.Ghost && (d.Of.Kind == ElementKind || d.Of.Kind == QuorumKind) {
			continue
		}
		r.Fields = append(r.Fields, syntax.FieldInit{Name: &syntax.Ident{Name: f.Name}, X: e.term(x)})
	}
	return r
}

// let is LET, or the membership of a value that is no variable.
func (e *expresser) let(t *LetTerm) syntax.Expr {
	is := func(x Term) bool {
		v, ok := x.(*Var)
		return ok && v.To == t.Var
	}
	if !mentionsBeside(t.Body, t.Var) {
		if d := e.domain(t.Body, is); d != nil {
			return &syntax.Binary{Op: syntax.OpIn, X: e.term(t.X), Y: d}
		}
	}
	out := &syntax.Let{}
	var body Term = t
	for l, ok := body.(*LetTerm); ok; l, ok = body.(*LetTerm) {
		if len(out.Binds) > 0 && !mentionsBeside(l.Body, l.Var) && e.domain(l.Body, func(x Term) bool {
			v, ok := x.(*Var)
			return ok && v.To == l.Var
		}) != nil {
			break // a membership, see above
		}
		x := e.term(l.X)
		out.Binds = append(out.Binds, syntax.Binding{Name: e.bind(l.Var), X: x})
		body = l.Body
	}
	out.Body = e.term(body)
	e.unbind(len(out.Binds))
	return out
}

func stepIs(t *StepIs) syntax.Expr {
	step := &syntax.Ident{Name: "step"}
	if len(t.Actions) == 1 {
		return &syntax.Binary{Op: syntax.OpEq, X: step, Y: &syntax.Ident{Name: t.Actions[0].Name}}
	}
	set := &syntax.SetLit{}
	for _, a := range t.Actions {
		set.Elems = append(set.Elems, &syntax.Ident{Name: a.Name})
	}
	return &syntax.Binary{Op: syntax.OpIn, X: step, Y: set}
}
