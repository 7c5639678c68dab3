package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver/smt"
)

// Interpretation fixes all that a quantified encoding leaves open to a finite
// structure, so that a solver computes what its terms mean there: constants are the
// elements of each sort and there are no others, functions have a value at each of
// them, and behind a scope's end, a sequence's length and Nil is the default. Two
// messages of one content are one.
type Interpretation struct {
	u        *Quantified
	st       *state.Structure
	elems    map[*protocol.Sort][]*smt.Term
	messages map[*protocol.Sort][]interpreted
	facts    []*smt.Term
}

// interpreted is a message's content and its constant.
type interpreted struct {
	content state.Value
	term    *smt.Term
}

// Interpret begins an interpretation of the encoder's sorts.
func (u *Quantified) Interpret(st *state.Structure) *Interpretation {
	in := &Interpretation{u: u, st: st, elems: map[*protocol.Sort][]*smt.Term{}, messages: map[*protocol.Sort][]interpreted{}}
	for _, kind := range []protocol.Kind{protocol.ElementKind, protocol.QuorumKind} {
		for _, s := range u.sys.Sorts {
			if s.Kind == kind {
				in.universe(s)
			}
		}
	}
	for _, m := range u.sys.Messages {
		in.message(m, st.Default(m), u.defaultOf(m).term)
	}
	return in
}

// universe makes the constants of a sort, what is fixed of its elements, and that
// there are no others.
func (in *Interpretation) universe(s *protocol.Sort) {
	u := in.u
	x := u.b.Var("x", u.sort(s))
	var any []*smt.Term
	for k := range in.st.Size(s) {
		c := u.b.Const(fmt.Sprintf("element:%s:%d", s.Name, k), u.sort(s))
		for _, other := range in.elems[s] {
			in.fact(u.b.Not(u.b.Eq(c, other)))
		}
		in.elems[s] = append(in.elems[s], c)
		any = append(any, u.b.Eq(x, c))
		if s.Kind == protocol.QuorumKind {
			in.fact(u.b.Apply(u.isQuorum[s], c))
			for e, elem := range in.elems[s.Elem] {
				in.fact(u.b.Eq(u.b.Apply(u.members[s], c, elem), u.b.Bool(in.st.Quorum(s, k)>>e&1 == 1)))
			}
		}
		if s.Subset != nil {
			in.fact(u.b.Eq(u.subset(s.Subset).at(c).term, u.b.Bool(in.st.Subset(s.Subset)>>k&1 == 1)))
		}
	}
	in.fact(u.b.Forall([]*smt.Term{x}, u.b.Or(any...)))
	in.fact(u.b.Eq(u.defaultOf(s).term, in.elems[s][0]))
}

func (in *Interpretation) fact(f *smt.Term) { in.facts = append(in.facts, f) }

// message gives a constant its content.
func (in *Interpretation) message(typ *protocol.Sort, content state.Value, c *smt.Term) {
	in.messages[typ] = append(in.messages[typ], interpreted{content, c})
	for _, f := range typ.Fields {
		in.fact(in.is(f.Sort, in.u.fieldOf(f)([]*smt.Term{c}), content.Kids[f.Index]))
	}
}

// constant is the message of the given content.
func (in *Interpretation) constant(typ *protocol.Sort, content state.Value) *smt.Term {
	for _, m := range in.messages[typ] {
		if m.content.Equal(content) {
			return m.term
		}
	}
	c := in.u.b.Const(fmt.Sprintf("content:%s:%d", typ.Name, len(in.messages[typ])), in.u.sort(typ))
	in.message(typ, content, c)
	return c
}

// is says that x, of sort s, is the value v.
func (in *Interpretation) is(s *protocol.Sort, x *open, v state.Value) *smt.Term {
	b := in.u.b
	var all []*smt.Term
	switch s.Kind {
	case protocol.BoolKind:
		return b.Eq(x.term, b.Bool(v.N == 1))
	case protocol.NaturalKind, protocol.EnumKind, protocol.ElementKind, protocol.QuorumKind:
		return b.Eq(x.term, in.scalar(s, v.N))
	case protocol.MessageKind:
		return b.Eq(x.term, in.constant(s, v))
	case protocol.OptionKind:
		inside := in.st.Default(s.Elem)
		if v.N == 1 {
			inside = v.Kids[0]
		}
		return b.And(b.Eq(x.has, b.Bool(v.N == 1)), in.is(s.Elem, x.fields[0], inside))
	case protocol.RecordKind:
		for i, f := range s.Fields {
			all = append(all, in.is(f.Sort, x.fields[i], v.Kids[i]))
		}
	case protocol.SetKind:
		for k := range in.st.Size(s.Elem) {
			all = append(all, b.Eq(x.at(in.scalar(s.Elem, k)).term, b.Bool(v.N>>k&1 == 1)))
		}
	case protocol.SeqKind:
		all = append(all, b.Eq(x.term, b.IntLit(int64(len(v.Kids)))), in.outside(1, b.IntLit(int64(len(v.Kids))), s.Elem, x))
		for i, kid := range v.Kids {
			all = append(all, in.is(s.Elem, x.at(b.IntLit(int64(i+1))), kid))
		}
	case protocol.FuncKind:
		for i, kid := range v.Kids {
			all = append(all, in.is(s.Elem, x.at(in.scalar(s.Domain, i)), kid))
		}
		if s.Domain.Kind == protocol.NaturalKind {
			all = append(all, in.outside(0, b.IntLit(int64(in.st.MaxNatural(s.Domain))), s.Elem, x))
		}
	default:
		panic("no values of sort " + s.Name)
	}
	return b.And(all...)
}

// outside says that x has the default for all naturals but those from lo to hi.
func (in *Interpretation) outside(lo int64, hi *smt.Term, elem *protocol.Sort, x *open) *smt.Term {
	b := in.u.b
	k := b.Var("k", smt.Int)
	out := b.And(b.Le(b.IntLit(0), k), b.Or(b.Lt(k, b.IntLit(lo)), b.Lt(hi, k)))
	return b.Forall([]*smt.Term{k}, b.Implies(out, in.is(elem, x.at(k), in.st.Default(elem))))
}

// canonical says that x, of sort s, has the default behind Nil and beyond lengths.
func (in *Interpretation) canonical(s *protocol.Sort, x *open) *smt.Term {
	b := in.u.b
	var all []*smt.Term
	switch s.Kind {
	case protocol.OptionKind:
		return b.Ite(x.has, in.canonical(s.Elem, x.fields[0]), in.is(s.Elem, x.fields[0], in.st.Default(s.Elem)))
	case protocol.RecordKind:
		for i, f := range s.Fields {
			all = append(all, in.canonical(f.Sort, x.fields[i]))
		}
	case protocol.SeqKind:
		k := b.Var("k", smt.Int)
		inside := b.And(b.Le(b.IntLit(1), k), b.Le(k, x.term))
		all = append(all, in.outside(1, x.term, s.Elem, x), b.Forall([]*smt.Term{k}, b.Implies(inside, in.canonical(s.Elem, x.at(k)))))
	case protocol.FuncKind:
		a := b.Var("a", in.u.sort(s.Domain))
		all = append(all, b.Forall([]*smt.Term{a}, in.canonical(s.Elem, x.at(a))))
	default:
	}
	return b.And(all...)
}

// scalar is the term of a scalar's value.
func (in *Interpretation) scalar(s *protocol.Sort, n int) *smt.Term {
	switch s.Kind {
	case protocol.ElementKind, protocol.QuorumKind:
		return in.elems[s][n]
	default:
		return in.u.literal(&protocol.Lit{Of: s, Value: n})
	}
}

// equals says that a state's variables are those of v, and which messages were sent.
func (in *Interpretation) equals(s *openState, v *state.State) *smt.Term {
	b := in.u.b
	var all []*smt.Term
	for i, x := range in.u.sys.State {
		all = append(all, in.is(x.Sort, s.vars[i], v.Vars[i]))
	}
	for i, typ := range in.u.sys.Messages {
		m := b.Var("m", in.u.sort(typ))
		var any []*smt.Term
		for _, content := range v.Msgs[i] {
			any = append(any, b.Eq(m, in.constant(typ, content)))
		}
		all = append(all, b.Forall([]*smt.Term{m}, b.Eq(s.sent[i](m), b.Or(any...))))
	}
	return b.And(all...)
}

// Pin fixes a state.
func (in *Interpretation) Pin(s *OpenState, v *state.State) { in.fact(in.equals(s.s, v)) }

// Equals says that a state is v.
func (in *Interpretation) Equals(s *OpenState, v *state.State) *smt.Term { return in.equals(s.s, v) }

// Is says that a term has the value v in a state.
func (in *Interpretation) Is(s *OpenState, t protocol.Term, v state.Value) *smt.Term {
	return in.is(t.Sort(), in.u.term(t, scopeOf{pre: s.s}), v)
}

// PostEquals says that the state after the step is v.
func (in *Interpretation) PostEquals(s *OpenStep, v *state.State) *smt.Term {
	return in.equals(s.post, v)
}

// Arguments fixes the parameters of a step; of a message, the variant has its type.
func (in *Interpretation) Arguments(s *OpenStep, args []state.Value) {
	for i, p := range s.Action.Params {
		typ, v := p.Sort, args[i]
		if typ.Kind == protocol.UnionKind {
			typ, v = typ.Union[v.N], state.Value{Kids: v.Kids}
		}
		x := in.u.b.Const("param:"+p.Name, in.u.sort(typ))
		in.fact(in.is(typ, in.u.scalar(x), v))
	}
}

// Facts are all that is fixed, and what holds of every state, in the end: that there
// are no messages but those that were given or that terms have made.
func (in *Interpretation) Facts() []*smt.Term {
	u := in.u
	for _, typ := range u.sys.Messages {
		var made []*smt.Term
		for k := range u.serial {
			if name := fmt.Sprintf("message%d:%s", k+1, typ.Name); u.named[name] {
				made = append(made, u.b.Const(name, u.sort(typ)))
			}
		}
		var all []*smt.Term
		for _, m := range in.messages[typ] {
			all = append(all, m.term)
		}
		for _, m := range made {
			content := &open{}
			for _, f := range typ.Fields {
				x := u.fieldOf(f)([]*smt.Term{m})
				in.fact(in.canonical(f.Sort, x))
				content.fields = append(content.fields, x)
			}
			for _, other := range all {
				in.fact(u.b.Implies(u.hasContent(typ, other, content), u.b.Eq(m, other)))
			}
			all = append(all, m)
		}
		x := u.b.Var("x", u.sort(typ))
		var any []*smt.Term
		for _, m := range all {
			any = append(any, u.b.Eq(x, m))
		}
		in.fact(u.b.Forall([]*smt.Term{x}, u.b.Or(any...)))
	}
	return append(append([]*smt.Term(nil), u.facts...), in.facts...)
}
