package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Quantified makes the terms of one system with every sort left open: any
// number of elements, any natural, any number of messages. Quantifiers stay.
//
// A state variable becomes functions, one for each scalar inside its values:
// log: Server → Seq(Entry) is a length, a term and a value, of a server and an
// index. Elements and quorums have sorts of their own, naturals are integers, an
// enumeration is a datatype. A message type is a sort with a function for each
// field; its elements are all the messages there could be, and a predicate says
// which were sent. Of quorums it is known that any two have a member in common.
//
// It serves queries whose unsat counts: every model of the intended query is a
// model of the encoded one. What lies behind Nil and beyond a sequence's length,
// which is the default value, is left open in the pre-state; what actions and
// terms make of it keeps to the default, so the default is one way to fill it.
// The elements of a message's sort include one for each content that the action
// sends. A sat answer proves nothing.
//
// It belongs to one goroutine, as its builder does.
type Quantified struct {
	sys   *protocol.System
	b     *smt.Builder
	sorts map[*protocol.Sort]smt.Sort
	named map[string]bool
	facts []*smt.Term // what holds of the functions declared so far

	serial int

	// Unsupported says what some term has that this encoding cannot express;
	// then its queries mean nothing. "" if all could be expressed.
	Unsupported string

	fields   map[*protocol.Field]func(args []*smt.Term) *open // of messages
	members  map[*protocol.Sort]*smt.Func
	isQuorum map[*protocol.Sort]*smt.Func
	subsets  map[*protocol.Subsort]*smt.Func
	defaults map[*protocol.Sort]*smt.Term
}

// NewQuantified makes an encoder with a builder of its own.
func NewQuantified(sys *protocol.System) *Quantified {
	u := &Quantified{sys: sys, b: smt.NewBuilder(), sorts: map[*protocol.Sort]smt.Sort{}, named: map[string]bool{},
		fields: map[*protocol.Field]func([]*smt.Term) *open{}, members: map[*protocol.Sort]*smt.Func{},
		isQuorum: map[*protocol.Sort]*smt.Func{}, subsets: map[*protocol.Subsort]*smt.Func{}, defaults: map[*protocol.Sort]*smt.Term{}}
	for _, s := range sys.Sorts {
		if s.Subset != nil {
			u.subsetTheory(s.Subset)
		}
	}
	for _, q := range sys.Sorts {
		if q.Kind == protocol.QuorumKind {
			u.quorumTheory(q)
		}
	}
	return u
}

// Builder is the builder of all the encoder's terms.
func (u *Quantified) Builder() *smt.Builder { return u.b }

// open is a value: the terms of its scalars. Functions, sets and the elements of
// sequences are given by what they yield for an argument.
//
//	scalar, message      term
//	optional             has, and the value in fields[0]
//	record               fields
//	sequence             term: the length; at: the elements
//	function             at
//	set                  at: a truth value
//	union                oneOf: the first whose condition holds, else the last
type open struct {
	term   *smt.Term
	has    *smt.Term
	fields []*open
	at     func(x *smt.Term) *open
	oneOf  []unionCase
}

// unionCase is what a message of a union may be.
type unionCase struct {
	cond *smt.Term
	typ  *protocol.Sort
	term *smt.Term
}

func (u *Quantified) scalar(t *smt.Term) *open { return &open{term: t} }

// ofUnion is a message of a type, as one of a union.
func (u *Quantified) ofUnion(typ *protocol.Sort, m *smt.Term) *open {
	return &open{oneOf: []unionCase{{u.b.True(), typ, m}}}
}

// sort is the SMT sort of a scalar or of a message.
func (u *Quantified) sort(s *protocol.Sort) smt.Sort {
	if t, ok := u.sorts[s]; ok {
		return t
	}
	var t smt.Sort
	switch s.Kind {
	case protocol.BoolKind:
		t = smt.Bool
	case protocol.NaturalKind:
		t = smt.Int
	case protocol.EnumKind:
		t = smt.Enumeration(s.Name, s.Consts...)
	case protocol.ElementKind, protocol.QuorumKind, protocol.MessageKind:
		t = smt.Uninterpreted(s.Name)
	default:
		panic("no SMT sort for " + s.Name)
	}
	u.sorts[s] = t
	return t
}

// function declares a function; two values that shared a name would be equal.
func (u *Quantified) function(name string, params []smt.Sort, result smt.Sort) *smt.Func {
	if u.named[name] {
		panic("two functions have the name " + name)
	}
	u.named[name] = true
	return u.b.Func(name, params, result)
}

// fresh is an arbitrary value of sort s that depends on arguments of the given sorts.
func (u *Quantified) fresh(s *protocol.Sort, name string, params []smt.Sort) func(args []*smt.Term) *open {
	// Each level has a slice of its own, so that siblings never share an array.
	with := func(x smt.Sort) []smt.Sort { return append(append([]smt.Sort(nil), params...), x) }
	and := func(args []*smt.Term, x *smt.Term) []*smt.Term { return append(append([]*smt.Term(nil), args...), x) }
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.MessageKind:
		f := u.function(name, params, u.sort(s))
		u.scalarFacts(s, f, params)
		return func(args []*smt.Term) *open { return u.scalar(u.b.Apply(f, args...)) }
	case protocol.OptionKind:
		has := u.function(name+"?", params, smt.Bool)
		val := u.fresh(s.Elem, name+"!", params)
		return func(args []*smt.Term) *open {
			return &open{has: u.b.Apply(has, args...), fields: []*open{val(args)}}
		}
	case protocol.RecordKind:
		parts := make([]func([]*smt.Term) *open, len(s.Fields))
		for i, f := range s.Fields {
			parts[i] = u.fresh(f.Sort, name+"."+f.Name, params)
		}
		return func(args []*smt.Term) *open {
			out := &open{fields: make([]*open, len(parts))}
			for i, p := range parts {
				out.fields[i] = p(args)
			}
			return out
		}
	case protocol.SeqKind:
		length := u.function(name+".len", params, smt.Int)
		u.scalarFacts(s.Domain, length, params)
		elem := u.fresh(s.Elem, name+"[]", with(smt.Int))
		return func(args []*smt.Term) *open {
			return &open{term: u.b.Apply(length, args...), at: func(k *smt.Term) *open { return elem(and(args, k)) }}
		}
	case protocol.SetKind:
		f := u.function(name, with(u.sort(s.Elem)), smt.Bool)
		return func(args []*smt.Term) *open {
			return &open{at: func(x *smt.Term) *open { return u.scalar(u.b.Apply(f, and(args, x)...)) }}
		}
	case protocol.FuncKind:
		f := u.fresh(s.Elem, name, with(u.sort(s.Domain)))
		return func(args []*smt.Term) *open {
			return &open{at: func(x *smt.Term) *open { return f(and(args, x)) }}
		}
	case protocol.Invalid, protocol.UnionKind:
	}
	panic("no values of sort " + s.Name)
}

// scalarFacts notes that a natural is not negative, and that a quorum is one.
func (u *Quantified) scalarFacts(s *protocol.Sort, f *smt.Func, params []smt.Sort) {
	vars := make([]*smt.Term, len(params))
	for i, p := range params {
		vars[i] = u.b.Var(fmt.Sprintf("x%d", i+1), p)
	}
	app := u.b.Apply(f, vars...)
	var fact *smt.Term
	switch s.Kind {
	case protocol.NaturalKind:
		fact = u.b.Le(u.b.IntLit(0), app)
	case protocol.QuorumKind:
		fact = u.b.Apply(u.isQuorum[s], app)
	default:
		return
	}
	if len(vars) > 0 {
		fact = u.b.Forall(vars, fact, []*smt.Term{app})
	}
	u.facts = append(u.facts, fact)
}

// subsetTheory declares a subset, which does not depend on the state, and says that
// it is not empty.
func (u *Quantified) subsetTheory(x *protocol.Subsort) {
	elem := u.sort(x.Of)
	u.subsets[x] = u.function("subset:"+x.Name, []smt.Sort{elem}, smt.Bool)
	some := u.function("some:"+x.Name, nil, elem)
	u.facts = append(u.facts, u.subset(x).at(u.b.Apply(some)).term)
}

// subset is the set of the elements of a subset.
func (u *Quantified) subset(x *protocol.Subsort) *open {
	return &open{at: func(e *smt.Term) *open { return u.scalar(u.b.Apply(u.subsets[x], e)) }}
}

// quorumTheory declares membership and says that any two quorums meet: a function
// names a member of both. The members of quorums of a subset are in it. The predicate that everything is a quorum has no
// meaning; it gives the solver a term by which to find the quorums at hand.
func (u *Quantified) quorumTheory(q *protocol.Sort) {
	quorum, elem := u.sort(q), u.sort(q.Elem)
	member := u.function("member:"+q.Name, []smt.Sort{quorum, elem}, smt.Bool)
	meet := u.function("meet:"+q.Name, []smt.Sort{quorum, quorum}, elem)
	is := u.function("quorum:"+q.Name, []smt.Sort{quorum}, smt.Bool)
	u.members[q], u.isQuorum[q] = member, is
	a, c := u.b.Var("a", quorum), u.b.Var("b", quorum)
	both := u.b.Apply(meet, a, c)
	u.facts = append(u.facts, u.b.Forall([]*smt.Term{a, c},
		u.b.And(u.b.Apply(member, a, both), u.b.Apply(member, c, both)),
		[]*smt.Term{u.b.Apply(is, a), u.b.Apply(is, c)}))
	if q.Within != nil {
		e := u.b.Var("e", elem)
		in := u.b.Apply(member, a, e)
		u.facts = append(u.facts, u.b.Forall([]*smt.Term{a, e}, u.b.Implies(in, u.subset(q.Within).at(e).term), []*smt.Term{in}))
	}
}

// defaultOf is the default value of a sort. Of elements, quorums and messages it
// is some constant.
func (u *Quantified) defaultOf(s *protocol.Sort) *open {
	switch s.Kind {
	case protocol.BoolKind:
		return u.scalar(u.b.False())
	case protocol.NaturalKind:
		return u.scalar(u.b.IntLit(0))
	case protocol.EnumKind:
		return u.scalar(u.b.Enum(u.sort(s), s.Consts[0]))
	case protocol.ElementKind, protocol.QuorumKind, protocol.MessageKind:
		t, ok := u.defaults[s]
		if !ok {
			t = u.fresh(s, "default:"+s.Name, nil)(nil).term
			u.defaults[s] = t
		}
		return u.scalar(t)
	case protocol.OptionKind:
		return &open{has: u.b.False(), fields: []*open{u.defaultOf(s.Elem)}}
	case protocol.RecordKind:
		out := &open{fields: make([]*open, len(s.Fields))}
		for i, f := range s.Fields {
			out.fields[i] = u.defaultOf(f.Sort)
		}
		return out
	case protocol.SetKind:
		return &open{at: func(*smt.Term) *open { return u.scalar(u.b.False()) }}
	case protocol.SeqKind:
		return &open{term: u.b.IntLit(0), at: func(*smt.Term) *open { return u.defaultOf(s.Elem) }}
	case protocol.FuncKind:
		return &open{at: func(*smt.Term) *open { return u.defaultOf(s.Elem) }}
	case protocol.Invalid, protocol.UnionKind:
	}
	panic("no default value of sort " + s.Name)
}

// choose is IF c THEN x ELSE y.
func (u *Quantified) choose(c *smt.Term, x, y *open) *open {
	switch {
	case c == u.b.True() || x == y:
		return x
	case c == u.b.False():
		return y
	}
	out := &open{}
	if x.term != nil {
		out.term = u.b.Ite(c, x.term, y.term)
	}
	if x.has != nil {
		out.has = u.b.Ite(c, x.has, y.has)
	}
	for i := range x.fields {
		out.fields = append(out.fields, u.choose(c, x.fields[i], y.fields[i]))
	}
	if x.at != nil {
		out.at = func(a *smt.Term) *open { return u.choose(c, x.at(a), y.at(a)) }
	}
	for _, m := range x.oneOf {
		out.oneOf = append(out.oneOf, unionCase{u.b.And(c, m.cond), m.typ, m.term})
	}
	out.oneOf = append(out.oneOf, y.oneOf...)
	return out
}

// equal is equality of values: of sequences by length and content, of functions
// and sets by what they yield for every argument.
func (u *Quantified) equal(s *protocol.Sort, x, y *open) *smt.Term {
	if x == y {
		return u.b.True()
	}
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.MessageKind:
		return u.b.Eq(x.term, y.term)
	case protocol.OptionKind:
		return u.b.And(u.b.Eq(x.has, y.has), u.b.Implies(x.has, u.equal(s.Elem, x.fields[0], y.fields[0])))
	case protocol.RecordKind:
		all := make([]*smt.Term, len(s.Fields))
		for i, f := range s.Fields {
			all[i] = u.equal(f.Sort, x.fields[i], y.fields[i])
		}
		return u.b.And(all...)
	case protocol.SetKind:
		return u.forall(u.sort(s.Elem), func(a *smt.Term) *smt.Term { return u.b.Eq(x.at(a).term, y.at(a).term) })
	case protocol.SeqKind:
		return u.b.And(u.b.Eq(x.term, y.term), u.forall(smt.Int, func(k *smt.Term) *smt.Term {
			return u.b.Implies(u.b.And(u.b.Le(u.b.IntLit(1), k), u.b.Le(k, x.term)), u.equal(s.Elem, x.at(k), y.at(k)))
		}))
	case protocol.FuncKind:
		return u.forall(u.sort(s.Domain), func(a *smt.Term) *smt.Term {
			same := u.equal(s.Elem, x.at(a), y.at(a))
			if s.Domain.Kind == protocol.NaturalKind {
				same = u.b.Implies(u.b.Le(u.b.IntLit(0), a), same)
			}
			return same
		})
	case protocol.Invalid, protocol.UnionKind:
	}
	panic("no values of sort " + s.Name)
}

func (u *Quantified) forall(s smt.Sort, body func(x *smt.Term) *smt.Term) *smt.Term {
	x := u.b.Var("x", s)
	return u.b.Forall([]*smt.Term{x}, body(x))
}
