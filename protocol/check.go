package protocol

import (
	"slices"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// context says what a formula may mention, by the place where it stands.
type context struct {
	what     string // for messages: "a guard", "an axiom"
	noState  bool   // axioms: no state, no messages
	primes   bool   // two-state properties
	elements *Scope // scenarios: n1, v2 name elements
	partial  bool   // steps of scenarios: a message literal may leave fields out
}

// Scope is the sizes in which element names such as n1 are read.
type Scope struct{ Sizes map[string]int }

// operand is a checked expression. Ghost says that its value depends on ghost
// state. Of an operand of InvalidSort nothing more is reported.
type operand struct {
	t     Term
	ghost bool
}

var invalid = operand{t: &Default{Of: InvalidSort}}

func (o operand) sort() *Sort { return o.t.Sort() }
func (o operand) bad() bool   { return o.t.Sort() == InvalidSort }

// exprs checks expressions of one formula or body.
type exprs struct {
	*checker
	ctx    context
	locals []*Binding
	primed bool // the formula reads the post-state or the step
	state  bool // the formula reads the pre-state
}

func (x *exprs) bind(b *Binding)  { x.locals = append(x.locals, b) }
func (x *exprs) unbind(count int) { x.locals = x.locals[:len(x.locals)-count] }

// local finds a bound variable, the innermost first.
func (x *exprs) local(name string) *Binding {
	for i := len(x.locals) - 1; i >= 0; i-- {
		if x.locals[i].Name == name {
			return x.locals[i]
		}
	}
	return nil
}

// newBinding makes a variable, and reports a name that hides another.
func (x *exprs) newBinding(id *syntax.Ident, s *Sort, ghost bool) *Binding {
	b := &Binding{Name: id.Name, Sort: s, Ghost: ghost, Span: id.Sp}
	switch {
	case id.Prime:
		x.primedName(id)
	case reserved[id.Name]:
		x.reservedName(id.Sp, id.Name)
	default:
		if old := x.local(id.Name); old != nil {
			x.hides(id.Sp, id.Name, old.Span)
		} else if g := x.globals[id.Name]; g != nil {
			x.hides(id.Sp, id.Name, g.span)
		}
	}
	return b
}

// formula checks a Boolean expression.
func (x *exprs) formula(e syntax.Expr) operand { return x.expr(e, BoolSort) }

// expr checks e; want is the sort that its place asks for, or nil. A value fits
// an optional of its sort, and a quorum fits the set of its members.
func (x *exprs) expr(e syntax.Expr, want *Sort) operand {
	o := x.plain(e, want)
	if want == nil || o.bad() || want == InvalidSort {
		return o
	}
	if fit, ok := x.fit(o, want); ok {
		return fit
	}
	x.mismatch(e.Span(), o.sort(), want)
	return invalid
}

// fit converts o to the sort want where that loses nothing.
func (x *exprs) fit(o operand, want *Sort) (operand, bool) {
	have := o.sort()
	switch {
	case have == want || have == InvalidSort || want == InvalidSort:
		return o, true
	case want.Kind == OptionKind && want.Elem == have:
		return operand{&UnaryTerm{Op: Some, X: o.t, Of: want}, o.ghost}, true
	case want.Kind == SetKind && have.Kind == QuorumKind && have.Elem == want.Elem:
		return operand{&UnaryTerm{Op: MembersOf, X: o.t, Of: want}, o.ghost}, true
	}
	return o, false
}

// isNil reports whether e is written Nil.
func isNil(e syntax.Expr) bool {
	_, ok := e.(*syntax.Nil)
	return ok
}

// flexible reports whether e takes its sort from its place: a numeral, Nil, an
// empty set or sequence, and what is made of nothing else.
func flexible(e syntax.Expr) bool {
	all := func(es ...syntax.Expr) bool {
		return !slices.ContainsFunc(es, func(e syntax.Expr) bool { return !flexible(e) })
	}
	switch e := e.(type) {
	case *syntax.Number, *syntax.Nil:
		return true
	case *syntax.SetLit:
		return all(e.Elems...)
	case *syntax.SeqLit:
		return all(e.Elems...)
	case *syntax.FuncLit:
		return flexible(e.Body)
	case *syntax.If:
		return all(e.Then, e.Else)
	case *syntax.Binary:
		return (e.Op == syntax.OpAdd || e.Op == syntax.OpSub) && all(e.X, e.Y)
	case *syntax.Call:
		switch e.Fun.Name {
		case "min", "max", "extend":
			return all(e.Args...)
		case "append", "truncate":
			return len(e.Args) > 0 && flexible(e.Args[0])
		}
	}
	return false
}

// pair checks two expressions that must have one sort; each may take it from
// the other.
func (x *exprs) pair(a, b syntax.Expr, want *Sort) (operand, operand, bool) {
	if want == nil && flexible(a) {
		if flexible(b) {
			x.sortUnknown(diag.Join(a.Span(), b.Span()), "this")
			return invalid, invalid, false
		}
		y, z, ok := x.pair(b, a, nil)
		return z, y, ok
	}
	first := x.expr(a, want)
	if want == nil {
		want = first.sort() // InvalidSort silences what is wrong with b in this place
		if isNil(b) && want.Kind != OptionKind && want != InvalidSort {
			if want.Kind == UnionKind {
				x.unionIn(a.Span(), "an optional value")
				return invalid, invalid, false
			}
			want = x.sorts.option(want)
			first, _ = x.fit(first, want)
		}
	}
	second := x.plain(b, want)
	if first.bad() || second.bad() {
		return first, second, false
	}
	if fit, ok := x.fit(second, want); ok {
		return first, fit, true
	}
	if fit, ok := x.fit(first, second.sort()); ok {
		return fit, second, true
	}
	x.mismatch(b.Span(), second.sort(), want)
	return first, second, false
}

// plain checks e without converting it; want only guides flexible expressions.
func (x *exprs) plain(e syntax.Expr, want *Sort) operand {
	switch e := e.(type) {
	case *syntax.Ident:
		return x.ident(e)
	case *syntax.Number:
		return x.number(e, want)
	case *syntax.Bool:
		return operand{t: &Lit{Of: BoolSort, Value: oneIf(e.Value)}}
	case *syntax.Nil:
		return x.nilValue(e, want)
	case *syntax.Index:
		return x.indexed(e)
	case *syntax.Slice:
		return x.slice(e)
	case *syntax.Field:
		return x.field(e)
	case *syntax.Call:
		return x.call(e, want)
	case *syntax.Unary:
		return x.unary(e)
	case *syntax.Binary:
		return x.binary(e, want)
	case *syntax.Range:
		x.misplaced(e.Sp, "a range a..b", "it may stand behind ∈ and as the domain of a variable")
		return invalid
	case *syntax.If:
		return x.ifThenElse(e, want)
	case *syntax.Let:
		return x.letIn(e, want)
	case *syntax.Quant:
		return x.quant(e)
	case *syntax.SetLit:
		return x.setLit(e, want)
	case *syntax.SetOf:
		return x.setOf(e)
	case *syntax.SeqLit:
		return x.seqLit(e, want)
	case *syntax.FuncLit:
		return x.funcLit(e, want)
	case *syntax.RecordLit:
		return x.recordLit(e, false)
	case nil:
		return invalid // the parser has reported it
	}
	panic("unhandled expression")
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (x *exprs) ident(e *syntax.Ident) operand {
	if b := x.local(e.Name); b != nil {
		if e.Prime {
			x.primedName(e)
		}
		if b.Sort == InvalidSort {
			return invalid
		}
		return operand{&Var{b}, b.Ghost}
	}
	if e.Name == "step" {
		x.misplaced(e.Sp, "step", "it may stand in a two-state property, as step ∈ {Action} or step = Action")
		return invalid
	}
	g := x.globals[e.Name]
	switch {
	case g == nil:
		if el, ok := x.element(e.Name); ok {
			return operand{t: el}
		}
		x.unknownName(e)
		return invalid
	case g.state != nil:
		return x.stateRead(e, g.state)
	case e.Prime:
		x.primedName(e)
		return invalid
	case g.sort == InvalidSort:
		return invalid
	case g.subset != nil:
		return operand{t: &SubsortTerm{g.subset}}
	case g.enum != nil:
		return operand{t: &Lit{Of: g.enum, Value: g.value}}
	case g.def != nil:
		if d := x.useDef(e.Sp, g.def); d != nil {
			if len(d.Params) > 0 {
				x.arity(e.Sp, e.Name, len(d.Params), 0, d.Span, "argument")
				return invalid
			}
			return x.callDef(e.Sp, d, nil, false)
		}
		return invalid
	}
	x.sortAsValue(e.Sp, e.Name)
	return invalid
}

// element reads n1, v2 in a scenario.
func (x *exprs) element(name string) (*Lit, bool) {
	if x.ctx.elements == nil {
		return nil, false
	}
	for _, s := range x.sys.Sorts {
		if n := elementNumber(name, s); n > 0 && n <= x.ctx.elements.Sizes[s.Name] {
			return &Lit{Of: s, Value: n - 1}, true
		}
	}
	return nil, false
}

func (x *exprs) stateRead(e *syntax.Ident, v *StateVar) operand {
	switch {
	case x.ctx.noState:
		x.stateIn(e.Sp, e.Name, x.ctx.what)
		return invalid
	case e.Prime && !x.ctx.primes:
		x.primeIn(e, x.ctx.what)
		return invalid
	case v.Sort == InvalidSort:
		return invalid
	}
	if e.Prime {
		x.primed = true
	} else {
		x.state = true
	}
	return operand{&StateRead{State: v, Primed: e.Prime}, v.Ghost}
}

func (x *exprs) number(e *syntax.Number, want *Sort) operand {
	if want != nil && want.Kind == OptionKind {
		want = want.Elem
	}
	switch {
	case want == nil:
		x.sortUnknown(e.Sp, "the number")
		return invalid
	case want == InvalidSort:
		return invalid
	case want.Kind != NaturalKind:
		x.mismatchText(e.Sp, "a number", want)
		return invalid
	}
	return operand{t: &Lit{Of: want, Value: e.Value}}
}

func (x *exprs) nilValue(e *syntax.Nil, want *Sort) operand {
	switch {
	case want == nil:
		x.sortUnknown(e.Sp, "Nil")
		return invalid
	case want == InvalidSort:
		return invalid
	case want.Kind != OptionKind:
		x.mismatchText(e.Sp, "Nil", want)
		return invalid
	}
	return operand{t: &Default{Of: want}}
}

func (x *exprs) indexed(e *syntax.Index) operand {
	f := x.expr(e.X, nil)
	for _, a := range e.Args {
		if f.bad() {
			return invalid
		}
		s := f.sort()
		switch s.Kind {
		case FuncKind, SeqKind:
		default:
			x.notIndexable(e, f)
			return invalid
		}
		if len(e.Args) > 1 {
			x.indexArity(e, f)
			return invalid
		}
		i := x.expr(a, s.Domain)
		if i.bad() {
			return invalid
		}
		if s.Kind == FuncKind {
			f = operand{&Apply{Fun: f.t, Arg: i.t}, f.ghost || i.ghost}
		} else {
			at := &At{Seq: f.t, Index: i.t}
			x.reads[at] = read{at: e.Sp, of: e.X.Span(), index: a.Span()}
			f = operand{at, f.ghost || i.ghost}
		}
	}
	return f
}

func (x *exprs) slice(e *syntax.Slice) operand {
	s := x.expr(e.X, nil)
	if s.bad() {
		return invalid
	}
	if s.sort().Kind != SeqKind {
		x.notSequence(e.X.Span(), s.sort())
		return invalid
	}
	if n, ok := e.Lo.(*syntax.Number); !ok || n.Value != 1 {
		x.sliceStart(e.Lo.Span())
		return invalid
	}
	hi := x.expr(e.Hi, s.sort().Domain)
	if hi.bad() {
		return invalid
	}
	return operand{&BinaryTerm{Op: Truncate, X: s.t, Y: hi.t, Of: s.sort()}, s.ghost || hi.ghost}
}

func (x *exprs) field(e *syntax.Field) operand {
	r := x.expr(e.X, nil)
	if r.bad() {
		return invalid
	}
	s := r.sort()
	switch s.Kind {
	case RecordKind, MessageKind, UnionKind:
	default:
		x.notRecord(e, s)
		return invalid
	}
	f := s.Field(e.Name.Name)
	if f == nil {
		x.noField(e, s)
		return invalid
	}
	if f.Sort == InvalidSort {
		return invalid
	}
	return operand{&Select{X: r.t, Field: f}, r.ghost || f.Ghost}
}

func (x *exprs) unary(e *syntax.Unary) operand {
	if e.Op == syntax.OpNot {
		o := x.formula(e.X)
		if o.bad() {
			return invalid
		}
		return operand{&UnaryTerm{Op: Not, X: o.t, Of: BoolSort}, o.ghost}
	}
	o := x.expr(e.X, nil)
	if o.bad() {
		return invalid
	}
	if o.sort().Kind != OptionKind {
		x.notOption(e.Sp, o.sort())
		return invalid
	}
	v := &UnaryTerm{Op: Value, X: o.t, Of: o.sort().Elem}
	x.reads[v] = read{at: e.Sp, of: e.X.Span()}
	return operand{v, o.ghost}
}

func (x *exprs) ifThenElse(e *syntax.If, want *Sort) operand {
	c := x.formula(e.Cond)
	a, b, ok := x.pair(e.Then, e.Else, want)
	if c.bad() || !ok {
		return invalid
	}
	return operand{&Ite{Cond: c.t, Then: a.t, Else: b.t, Source: e.Cond}, c.ghost || a.ghost || b.ghost}
}

func (x *exprs) letIn(e *syntax.Let, want *Sort) operand {
	var terms []operand
	for _, b := range e.Binds {
		o := x.expr(b.X, nil)
		x.bind(x.newBinding(b.Name, o.sort(), o.ghost))
		terms = append(terms, o)
	}
	vars := append([]*Binding(nil), x.locals[len(x.locals)-len(terms):]...)
	body := x.expr(e.Body, want)
	x.unbind(len(terms))
	for i := len(terms) - 1; i >= 0; i-- {
		if terms[i].bad() || body.bad() {
			return invalid
		}
		body = operand{&LetTerm{Var: vars[i], X: terms[i].t, Body: body.t}, body.ghost}
	}
	return body
}
