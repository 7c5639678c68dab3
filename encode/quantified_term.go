package encode

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// openState is a state of the quantified encoding: the values of the variables,
// and for each message type which messages were sent.
type openState struct {
	vars []*open
	sent []func(m *smt.Term) *smt.Term
}

// scopeOf is what a term is read in: the states, the step, the bound variables,
// the innermost first. It is never changed, so that a function's value may be
// asked for later.
type scopeOf struct {
	pre, post *openState
	action    *protocol.Action
	vars      *boundOpen
	under     bool // below a quantifier, a comprehension or a function literal
}

type boundOpen struct {
	to    *protocol.Binding
	v     *open
	outer *boundOpen
}

func (s scopeOf) bind(b *protocol.Binding, v *open) scopeOf {
	s.vars = &boundOpen{to: b, v: v, outer: s.vars}
	return s
}

// quantified binds a variable that stands for all values.
func (s scopeOf) quantified(b *protocol.Binding, v *open) scopeOf {
	s = s.bind(b, v)
	s.under = true
	return s
}

func (s scopeOf) lookup(b *protocol.Binding) *open {
	for v := s.vars; v != nil; v = v.outer {
		if v.to == b {
			return v.v
		}
	}
	panic("unbound variable " + b.Name)
}

// formula is a Boolean term's meaning.
func (u *Quantified) formula(t protocol.Term, s scopeOf) *smt.Term { return u.term(t, s).term }

// term is a term's meaning.
func (u *Quantified) term(t protocol.Term, s scopeOf) *open {
	switch t := t.(type) {
	case *protocol.Lit:
		return u.scalar(u.literal(t))
	case *protocol.Default:
		return u.defaultOf(t.Of)
	case *protocol.Var:
		return s.lookup(t.To)
	case *protocol.SubsortTerm:
		return u.subset(t.Of)
	case *protocol.StateRead:
		if t.Primed {
			return s.post.vars[t.State.Index]
		}
		return s.pre.vars[t.State.Index]
	case *protocol.Apply:
		return u.term(t.Fun, s).at(u.term(t.Arg, s).term)
	case *protocol.At:
		return u.term(t.Seq, s).at(u.term(t.Index, s).term)
	case *protocol.Select:
		return u.selectField(t, s)
	case *protocol.UnaryTerm:
		return u.unary(t, s)
	case *protocol.BinaryTerm:
		return u.binary(t, s)
	case *protocol.Nary:
		args := make([]*smt.Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = u.formula(a, s)
		}
		if t.And {
			return u.scalar(u.b.And(args...))
		}
		return u.scalar(u.b.Or(args...))
	case *protocol.Shift:
		return u.scalar(u.shift(u.term(t.X, s).term, t.Delta))
	case *protocol.Ite:
		return u.choose(u.formula(t.Cond, s), u.term(t.Then, s), u.term(t.Else, s))
	case *protocol.Quant:
		return u.scalar(u.quant(t, s))
	case *protocol.SetTerm:
		elems := make([]*smt.Term, len(t.Elems))
		for i, e := range t.Elems {
			elems[i] = u.term(e, s).term
		}
		return &open{at: func(x *smt.Term) *open {
			any := make([]*smt.Term, len(elems))
			for i, e := range elems {
				any[i] = u.b.Eq(x, e)
			}
			return u.scalar(u.b.Or(any...))
		}}
	case *protocol.SetOf:
		return &open{at: func(x *smt.Term) *open { return u.term(t.Cond, s.quantified(t.Var, u.scalar(x))) }}
	case *protocol.FuncTerm:
		return &open{at: func(x *smt.Term) *open { return u.term(t.Body, s.quantified(t.Var, u.scalar(x))) }}
	case *protocol.SeqTerm:
		out := u.defaultOf(t.Of)
		for _, e := range t.Elems {
			out = u.append(out, u.term(e, s))
		}
		return out
	case *protocol.RecordTerm:
		out := &open{fields: make([]*open, len(t.Fields))}
		for i, f := range t.Fields {
			out.fields[i] = u.term(f, s)
		}
		if t.Of.Kind == protocol.MessageKind {
			return u.message(t.Of, out, s)
		}
		return out
	case *protocol.LetTerm:
		return u.term(t.Body, s.bind(t.Var, u.term(t.X, s)))
	case *protocol.Call:
		inner := s
		for i, a := range t.Args {
			inner = inner.bind(t.Def.Params[i], u.term(a, s))
		}
		return u.term(t.Def.Body, inner)
	case *protocol.StepIs:
		for _, a := range t.Actions {
			if a == s.action {
				return u.scalar(u.b.True())
			}
		}
		return u.scalar(u.b.False())
	}
	panic("unhandled term")
}

func (u *Quantified) literal(t *protocol.Lit) *smt.Term {
	switch t.Of.Kind {
	case protocol.BoolKind:
		return u.b.Bool(t.Value != 0)
	case protocol.NaturalKind:
		return u.b.IntLit(int64(t.Value))
	case protocol.EnumKind:
		return u.b.Enum(u.sort(t.Of), t.Of.Consts[t.Value])
	default:
		panic("a literal of sort " + t.Of.Name)
	}
}

// selectField is a record's or a message's field; of a union, the field of the type
// that the message has.
func (u *Quantified) selectField(t *protocol.Select, s scopeOf) *open {
	x := u.term(t.X, s)
	switch t.X.Sort().Kind {
	case protocol.RecordKind:
		return x.fields[t.Field.Index]
	case protocol.UnionKind:
		var out *open
		for _, m := range slices.Backward(x.oneOf) {
			field := u.fieldOf(m.typ.Field(t.Field.Name))([]*smt.Term{m.term})
			if out != nil {
				field = u.choose(m.cond, field, out)
			}
			out = field
		}
		return out
	default:
		return u.fieldOf(t.Field)([]*smt.Term{x.term})
	}
}

// fieldOf is the function from messages to a field's values.
func (u *Quantified) fieldOf(f *protocol.Field) func([]*smt.Term) *open {
	get, ok := u.fields[f]
	if !ok {
		for _, m := range u.sys.Messages {
			if m.Field(f.Name) == f {
				get = u.fresh(f.Sort, m.Name+"."+f.Name, []smt.Sort{u.sort(m)})
			}
		}
		u.fields[f] = get
	}
	return get
}

// message is the message with the given fields, which there is.
func (u *Quantified) message(typ *protocol.Sort, content *open, s scopeOf) *open {
	if s.under {
		u.Unsupported = "a message literal under a bound variable"
		return u.defaultOf(typ)
	}
	u.serial++
	m := u.fresh(typ, fmt.Sprintf("message%d:%s", u.serial, typ.Name), nil)(nil)
	u.facts = append(u.facts, u.hasContent(typ, m.term, content))
	return m
}

func (u *Quantified) hasContent(typ *protocol.Sort, m *smt.Term, content *open) *smt.Term {
	all := make([]*smt.Term, len(typ.Fields))
	for i, f := range typ.Fields {
		all[i] = u.equal(f.Sort, u.fieldOf(f)([]*smt.Term{m}), content.fields[i])
	}
	return u.b.And(all...)
}

func (u *Quantified) shift(x *smt.Term, delta int) *smt.Term {
	if delta >= 0 {
		return u.b.Add(x, u.b.IntLit(int64(delta)))
	}
	k := u.b.IntLit(int64(-delta))
	return u.b.Ite(u.b.Le(k, x), u.b.Add(x, u.b.IntLit(int64(delta))), u.b.IntLit(0))
}

// quant keeps a quantifier. Nested quantifiers of one kind become one, so that a
// solver sees all variables when it looks for instances.
func (u *Quantified) quant(t *protocol.Quant, s scopeOf) *smt.Term {
	if one, ok := u.expand(t, s); ok {
		return one
	}
	var vars, guards []*smt.Term
	body := protocol.Term(t)
	for {
		if q, ok := body.(*protocol.Quant); ok && q.Forall == t.Forall && !finite(q.Var.Sort) && q.Var.Sort.Kind != protocol.UnionKind {
			x := u.b.Var(q.Var.Name, u.sort(q.Var.Sort))
			vars = append(vars, x)
			if g := u.domainGuard(q, x, s); g != nil {
				guards = append(guards, g)
			}
			s = s.quantified(q.Var, u.scalar(x))
			body = q.Body
			continue
		}
		if imp, ok := body.(*protocol.BinaryTerm); ok && t.Forall && imp.Op == protocol.Implies && startsForall(imp.Y) {
			guards = append(guards, u.formula(imp.X, s))
			body = imp.Y
			continue
		}
		break
	}
	if t.Forall {
		return u.b.Forall(vars, u.b.Implies(u.b.And(guards...), u.formula(body, s)))
	}
	return u.b.Exists(vars, u.b.And(append(guards, u.formula(body, s))...))
}

func startsForall(t protocol.Term) bool {
	q, ok := t.(*protocol.Quant)
	return ok && q.Forall && !finite(q.Var.Sort) && q.Var.Sort.Kind != protocol.UnionKind
}

// finite sorts have few elements in every structure, and are expanded.
func finite(s *protocol.Sort) bool { return s.Kind == protocol.BoolKind || s.Kind == protocol.EnumKind }

// domainGuard is what a bound variable satisfies: a natural is not negative, a
// message was sent, a quorum is one.
func (u *Quantified) domainGuard(q *protocol.Quant, x *smt.Term, s scopeOf) *smt.Term {
	switch sort := q.Var.Sort; sort.Kind {
	case protocol.NaturalKind:
		return u.b.Le(u.b.IntLit(0), x)
	case protocol.QuorumKind:
		return u.b.Apply(u.isQuorum[sort], x)
	case protocol.MessageKind:
		return u.sentIn(q.Primed, sort, x, s)
	default:
		return nil
	}
}

func (u *Quantified) sentIn(primed bool, typ *protocol.Sort, m *smt.Term, s scopeOf) *smt.Term {
	if primed {
		return s.post.sent[typ.ID](m)
	}
	return s.pre.sent[typ.ID](m)
}

// expand writes a quantifier over a finite sort, or over the types of a union, as
// a conjunction or disjunction.
func (u *Quantified) expand(t *protocol.Quant, s scopeOf) (*smt.Term, bool) {
	var parts []*smt.Term
	switch sort := t.Var.Sort; sort.Kind {
	case protocol.BoolKind, protocol.EnumKind:
		n := max(2, len(sort.Consts))
		if sort.Kind == protocol.EnumKind {
			n = len(sort.Consts)
		}
		for k := range n {
			parts = append(parts, u.formula(t.Body, s.bind(t.Var, u.scalar(u.literal(&protocol.Lit{Of: sort, Value: k})))))
		}
	case protocol.UnionKind:
		for _, typ := range sort.Union {
			m := u.b.Var(t.Var.Name, u.sort(typ))
			sent, body := u.sentIn(t.Primed, typ, m, s), u.formula(t.Body, s.quantified(t.Var, u.ofUnion(typ, m)))
			if t.Forall {
				parts = append(parts, u.b.Forall([]*smt.Term{m}, u.b.Implies(sent, body)))
			} else {
				parts = append(parts, u.b.Exists([]*smt.Term{m}, u.b.And(sent, body)))
			}
		}
	default:
		return nil, false
	}
	if t.Forall {
		return u.b.And(parts...), true
	}
	return u.b.Or(parts...), true
}

func (u *Quantified) unary(t *protocol.UnaryTerm, s scopeOf) *open {
	x := u.term(t.X, s)
	switch t.Op {
	case protocol.Not:
		return u.scalar(u.b.Not(x.term))
	case protocol.Len:
		return u.scalar(x.term)
	case protocol.Some:
		return &open{has: u.b.True(), fields: []*open{x}}
	case protocol.Value:
		return x.fields[0]
	case protocol.IsQuorum:
		return u.scalar(u.includesQuorum(t.X.Sort(), x))
	case protocol.MembersOf:
		member := u.members[t.X.Sort()]
		return &open{at: func(e *smt.Term) *open { return u.scalar(u.b.Apply(member, x.term, e)) }}
	}
	panic("unhandled operator")
}

// includesQuorum says that all members of some quorum are in the set.
func (u *Quantified) includesQuorum(s *protocol.Sort, set *open) *smt.Term {
	var any []*smt.Term
	for _, q := range u.sys.Sorts {
		if q.Kind != protocol.QuorumKind || q.Elem != s.Elem {
			continue
		}
		x := u.b.Var("q", u.sort(q))
		all := u.forall(u.sort(q.Elem), func(e *smt.Term) *smt.Term {
			return u.b.Implies(u.b.Apply(u.members[q], x, e), set.at(e).term)
		})
		any = append(any, u.b.Exists([]*smt.Term{x}, u.b.And(u.b.Apply(u.isQuorum[q], x), all)))
	}
	return u.b.Or(any...)
}

// equation is t.X = t.Y; a message literal is compared by content, so that
// there need be no such message.
func (u *Quantified) equation(t *protocol.BinaryTerm, s scopeOf) *smt.Term {
	for _, sides := range [][2]protocol.Term{{t.X, t.Y}, {t.Y, t.X}} {
		lit, ok := sides[1].(*protocol.RecordTerm)
		if !ok || lit.Of.Kind != protocol.MessageKind {
			continue
		}
		content := &open{fields: make([]*open, len(lit.Fields))}
		for i, f := range lit.Fields {
			content.fields[i] = u.term(f, s)
		}
		return u.hasContent(lit.Of, u.term(sides[0], s).term, content)
	}
	return u.equal(t.X.Sort(), u.term(t.X, s), u.term(t.Y, s))
}

func (u *Quantified) binary(t *protocol.BinaryTerm, s scopeOf) *open {
	if t.Op == protocol.Eq {
		return u.scalar(u.equation(t, s))
	}
	x, y := u.term(t.X, s), u.term(t.Y, s)
	set := func(op func(a, c *smt.Term) *smt.Term) *open {
		return &open{at: func(e *smt.Term) *open { return u.scalar(op(x.at(e).term, y.at(e).term)) }}
	}
	switch t.Op {
	case protocol.Implies:
		return u.scalar(u.b.Implies(x.term, y.term))
	case protocol.Iff:
		return u.scalar(u.b.Iff(x.term, y.term))
	case protocol.Lt:
		return u.scalar(u.b.Lt(x.term, y.term))
	case protocol.Le:
		return u.scalar(u.b.Le(x.term, y.term))
	case protocol.In:
		return y.at(x.term)
	case protocol.Subset:
		return u.scalar(u.forall(u.sort(t.X.Sort().Elem), func(e *smt.Term) *smt.Term {
			return u.b.Implies(x.at(e).term, y.at(e).term)
		}))
	case protocol.Union:
		return set(func(a, c *smt.Term) *smt.Term { return u.b.Or(a, c) })
	case protocol.Intersect:
		return set(func(a, c *smt.Term) *smt.Term { return u.b.And(a, c) })
	case protocol.Difference:
		return set(func(a, c *smt.Term) *smt.Term { return u.b.And(a, u.b.Not(c)) })
	case protocol.Min:
		return u.scalar(u.b.Ite(u.b.Le(x.term, y.term), x.term, y.term))
	case protocol.Max:
		return u.scalar(u.b.Ite(u.b.Le(x.term, y.term), y.term, x.term))
	case protocol.Append:
		return u.append(x, y)
	case protocol.Truncate:
		return u.truncate(t.Of, x, y.term)
	case protocol.Extend:
		return u.extend(x, y)
	case protocol.Eq: // above
	}
	panic("unhandled operator")
}

// append puts v behind the last element.
func (u *Quantified) append(s, v *open) *open {
	n := u.shift(s.term, 1)
	return &open{term: n, at: func(k *smt.Term) *open { return u.choose(u.b.Eq(k, n), v, s.at(k)) }}
}

// extend is s, and the elements of t behind its length.
func (u *Quantified) extend(s, t *open) *open {
	return &open{term: u.b.Ite(u.b.Le(s.term, t.term), t.term, s.term), at: func(k *smt.Term) *open {
		return u.choose(u.b.Le(k, s.term), s.at(k), t.at(k))
	}}
}

// truncate keeps the first k elements.
func (u *Quantified) truncate(sort *protocol.Sort, s *open, k *smt.Term) *open {
	return &open{term: u.b.Ite(u.b.Le(s.term, k), s.term, k), at: func(i *smt.Term) *open {
		return u.choose(u.b.Le(i, k), s.at(i), u.defaultOf(sort.Elem))
	}}
}
