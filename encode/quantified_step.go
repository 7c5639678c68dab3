package encode

import (
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// OpenState is an arbitrary state of the quantified encoding, or the initial one.
type OpenState struct {
	u *Quantified
	s *openState
}

// Formula is a one-state formula in the state.
func (s *OpenState) Formula(t protocol.Term) *smt.Term {
	return s.u.formula(t, scopeOf{pre: s.s})
}

// Facts are what holds of every state and of all terms made so far: naturals are
// not negative, quorums meet, axioms, and that there are the messages sent. They
// grow as terms are made, so ask for them last.
func (u *Quantified) Facts() []*smt.Term { return u.facts }

// AnyState is an arbitrary state. Unsat of Facts with ¬P proves that P holds in
// every state.
func (u *Quantified) AnyState() *OpenState {
	s := &openState{}
	for _, v := range u.sys.State {
		s.vars = append(s.vars, u.fresh(v.Sort, v.Name, nil)(nil))
	}
	for _, m := range u.sys.Messages {
		sent := u.function("sent:"+m.Name, []smt.Sort{u.sort(m)}, smt.Bool)
		s.sent = append(s.sent, func(x *smt.Term) *smt.Term { return u.b.Apply(sent, x) })
	}
	u.axioms(s)
	return &OpenState{u, s}
}

// InitState is the initial state. Unsat of Facts with ¬P proves that P holds initially.
func (u *Quantified) InitState() *OpenState {
	s := &openState{}
	for _, v := range u.sys.State {
		s.vars = append(s.vars, u.defaultOf(v.Sort))
	}
	for range u.sys.Messages {
		s.sent = append(s.sent, func(*smt.Term) *smt.Term { return u.b.False() })
	}
	sc := scopeOf{pre: s, action: u.sys.Init}
	sc, _ = u.guards(u.sys.Init, sc)
	next := u.perform(u.sys.Init, s, sc)
	u.axioms(next)
	return &OpenState{u, next}
}

func (u *Quantified) axioms(s *openState) {
	for _, a := range u.sys.Axioms {
		u.facts = append(u.facts, u.formula(a.Formula, scopeOf{pre: s}))
	}
}

// OpenStep is an arbitrary step of an action.
type OpenStep struct {
	Pre    *OpenState
	Action *protocol.Action
	// Variant names the types of the messages received, where the action leaves
	// them open; "" if it does not.
	Variant string
	// Guards say that the action is enabled with its parameters.
	Guards []*smt.Term

	post *openState
}

// Variants counts the steps that together are all steps of an action: one for
// each choice of the types of its messages.
func Variants(a *protocol.Action) int {
	n := 1
	for _, p := range a.Params {
		if p.Sort.Kind == protocol.UnionKind {
			n *= len(p.Sort.Union)
		}
	}
	return n
}

// Step makes an arbitrary step of the action, of the given variant. Unsat of Facts
// and Guards with ¬Post(P), for every variant, proves that the action never leads
// to ¬P.
func (u *Quantified) Step(a *protocol.Action, variant int) *OpenStep {
	st := &OpenStep{Action: a, Pre: u.AnyState()}
	pre := st.Pre.s
	sc := scopeOf{pre: pre, action: a}
	var chosen []string
	for _, p := range a.Params {
		typ := p.Sort
		if typ.Kind == protocol.UnionKind {
			n := len(typ.Union)
			typ = typ.Union[variant%n]
			variant /= n
			chosen = append(chosen, typ.Name)
		}
		v := u.fresh(typ, "param:"+p.Name, nil)(nil)
		if p.Sort.Kind == protocol.UnionKind {
			sc = sc.bind(p.Binding, u.ofUnion(typ, v.term))
		} else {
			sc = sc.bind(p.Binding, v)
		}
		if typ.Kind == protocol.MessageKind {
			st.Guards = append(st.Guards, pre.sent[typ.ID](v.term))
		}
	}
	st.Variant = strings.Join(chosen, ",")
	sc, guards := u.guards(a, sc)
	st.Guards = append(st.Guards, guards...)
	st.post = u.perform(a, pre, sc)
	return st
}

// Post is a one-state formula in the post-state.
func (s *OpenStep) Post(t protocol.Term) *smt.Term {
	return s.Pre.u.formula(t, scopeOf{pre: s.post, action: s.Action})
}

// TwoState is a formula about the step.
func (s *OpenStep) TwoState(t protocol.Term) *smt.Term {
	return s.Pre.u.formula(t, scopeOf{pre: s.Pre.s, post: s.post, action: s.Action})
}

// guards evaluates the guards and binds the lets on the way.
func (u *Quantified) guards(a *protocol.Action, s scopeOf) (scopeOf, []*smt.Term) {
	var out []*smt.Term
	for _, st := range a.Body {
		switch st := st.(type) {
		case *protocol.Let:
			s = s.bind(st.Var, u.term(st.X, s))
		case *protocol.Guard:
			out = append(out, u.formula(st.Cond, s))
		case *protocol.Update, *protocol.Send:
		}
	}
	return s, out
}

// perform is the state after the updates and sends of a.
func (u *Quantified) perform(a *protocol.Action, pre *openState, s scopeOf) *openState {
	post := &openState{vars: append([]*open(nil), pre.vars...), sent: append(pre.sent[:0:0], pre.sent...)}
	for _, up := range a.Updates {
		path := make([]*smt.Term, len(up.Path))
		for i, p := range up.Path {
			path[i] = u.term(p, s).term
		}
		post.vars[up.State.Index] = u.update(pre.vars[up.State.Index], path, u.term(up.Value, s))
	}
	for _, snd := range a.Sends {
		typ := snd.Message.Of
		m := u.term(snd.Message, s).term
		live := u.b.True()
		if snd.Cond != nil {
			live = u.formula(snd.Cond, s)
		}
		before := post.sent[typ.ID]
		post.sent[typ.ID] = func(x *smt.Term) *smt.Term { return u.b.Or(before(x), u.b.And(live, u.b.Eq(x, m))) }
	}
	return post
}

// update is a function value with the cell at path replaced.
func (u *Quantified) update(old *open, path []*smt.Term, v *open) *open {
	if len(path) == 0 {
		return v
	}
	return &open{at: func(x *smt.Term) *open {
		return u.choose(u.b.Eq(x, path[0]), u.update(old.at(x), path[1:], v), old.at(x))
	}}
}
