package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// Encoder makes the terms of one system in one scope. It belongs to one
// goroutine, as its builder does.
type Encoder struct {
	sys      *protocol.System
	scope    Scope
	st       *state.Structure
	b        *smt.Builder
	symmetry map[*protocol.Sort]bool

	yes      *sym
	literals []*sym
	quorums  map[*protocol.Sort][]*sym
	calls    map[callKey]*sym
	ranges   []*smt.Term // what makes the fresh values canonical and in scope
	names    map[string]bool
}

// NewEncoder makes an encoder with a builder of its own.
func NewEncoder(sys *protocol.System, scope Scope) *Encoder {
	e := &Encoder{sys: sys, scope: scope, st: scope.Structure(sys), b: smt.NewBuilder(), symmetry: sys.SymmetricSorts(),
		quorums: map[*protocol.Sort][]*sym{}, calls: map[callKey]*sym{}}
	e.yes = &sym{bits: number{e.b.True()}}
	e.literals = []*sym{nothing, e.yes}
	return e
}

// Builder is the builder of all the encoder's terms.
func (e *Encoder) Builder() *smt.Builder { return e.b }

// Structure is the finite interpretation that the scope describes.
func (e *Encoder) Structure() *state.Structure { return e.st }

// State is one symbolic state.
type State struct {
	e *Encoder
	s *symState
	// Assumptions hold of every state of the scope: ranges and axioms.
	Assumptions []*smt.Term
}

// Formula is a one-state formula in the state.
func (s *State) Formula(t protocol.Term) *smt.Term {
	return s.e.formula(t, &frame{pre: s.s})
}

// Decode reads the state out of a model of its assumptions. A state that comes
// from Init, or a post-state, cannot be decoded: it is a function of others.
func (s *State) Decode(m *solver.Model) *state.State {
	return s.e.decodeState(s.s, m)
}

// AnyState is an arbitrary state of the scope. Unsat of its assumptions with ¬P
// proves that P holds in every state of the scope.
func (e *Encoder) AnyState() *State {
	e.reset()
	s := e.freshState(nil, nil)
	return &State{e: e, s: s, Assumptions: e.assumptions(s)}
}

// InitState is the initial state. Unsat of its assumptions with ¬P proves that P
// holds initially.
func (e *Encoder) InitState() *State {
	e.reset()
	s := &symState{vars: make([]*sym, len(e.sys.State)), msgs: make([][]slot, len(e.sys.Messages))}
	for i := range s.vars {
		s.vars[i] = nothing
	}
	next, inScope := e.perform(e.sys.Init, s, &frame{pre: s, action: e.sys.Init})
	return &State{e: e, s: next, Assumptions: append(e.assumptions(next), inScope...)}
}

// Step is an arbitrary step of one action: an arbitrary pre-state of the scope,
// parameters for which the guards hold, and the post-state, which is in scope.
type Step struct {
	Pre    *State
	Action *protocol.Action
	// Guards say that the action is enabled with its parameters, and that
	// the post-state is in the scope.
	Guards []*smt.Term

	params []*sym
	bound  *frame // the parameters and lets
	post   *symState
}

// Step makes a step of the action. Unsat of Pre.Assumptions and Guards with
// ¬Post(P) proves that the action never leads from the scope into ¬P within it.
//
// Elements of a symmetric sort are interchangeable, and so are the messages of a
// type: of all the steps that differ in names only, one is enough. The first
// parameter of a symmetric sort is its first element, the next one of the first
// two, and so on, where a subset and the elements outside count apart; a received
// message is in the first slot of its type.
func (e *Encoder) Step(a *protocol.Action) *Step {
	e.reset()
	st := &Step{Action: a}
	f := &frame{action: a}
	names := newNames(e)
	received := map[*protocol.Sort]*sym{} // the content of the first slot
	for i, p := range a.Params {
		var v *sym
		switch p.Sort.Kind {
		case protocol.MessageKind, protocol.UnionKind:
			v = e.freshMessage(a, p.Binding, names)
			if p.Sort.Kind == protocol.UnionKind {
				v.bits = e.below(len(p.Sort.Union), p.Name+":type")
			} else if firstMessage(a) == i {
				received[p.Sort] = v
			}
		case protocol.ElementKind:
			v = names.element(p.Sort, placeOf(a, p.Binding, nil), p.Name)
		default:
			v = e.fresh(p.Sort, p.Name)
		}
		st.params = append(st.params, v)
		f.bind(p.Binding, v)
	}
	pre := e.freshState(received, receivable(a))
	f.pre = pre
	st.Pre = &State{e: e, s: pre}
	for i, p := range a.Params {
		if p.Sort.Kind == protocol.MessageKind || p.Sort.Kind == protocol.UnionKind {
			e.ranges = append(e.ranges, e.wasSent(p.Sort, st.params[i], pre, firstMessage(a) == i))
		}
	}
	st.Guards = append(st.Guards, e.guards(a, f)...)
	post, inScope := e.performIn(a, pre, f)
	st.Guards = append(st.Guards, inScope...)
	st.post, st.bound = post, f
	st.Pre.Assumptions = e.assumptions(pre)
	return st
}

// Post is a one-state formula in the post-state.
func (s *Step) Post(t protocol.Term) *smt.Term {
	return s.Pre.e.formula(t, &frame{pre: s.post, action: s.Action})
}

// TwoState is a formula about the step.
func (s *Step) TwoState(t protocol.Term) *smt.Term {
	return s.Pre.e.formula(t, &frame{pre: s.Pre.s, post: s.post, action: s.Action})
}

// Holds is a formula about the pre-state in which the action's parameters and lets
// may be free. It serves queries whose sat counts once the evaluator has replayed it.
func (s *Step) Holds(t protocol.Term) *smt.Term { return s.Pre.e.formula(t, s.bound) }

// Decode reads the pre-state and the parameters out of a model.
func (s *Step) Decode(m *solver.Model) (*state.State, []state.Value) {
	e := s.Pre.e
	args := make([]state.Value, len(s.params))
	for i, p := range s.Action.Params {
		if p.Sort.Kind == protocol.UnionKind {
			args[i] = e.decodeUnion(p.Sort, s.params[i], s.Pre.s, m)
			continue
		}
		args[i] = e.decode(p.Sort, s.params[i], m)
	}
	return s.Pre.Decode(m), args
}

func (e *Encoder) reset() {
	e.ranges = nil
	e.names = map[string]bool{}
	e.calls = map[callKey]*sym{}
}

// assumptions are the ranges of all fresh values so far and the axioms.
func (e *Encoder) assumptions(s *symState) []*smt.Term {
	out := append([]*smt.Term(nil), e.ranges...)
	for _, a := range e.sys.Axioms {
		out = append(out, e.formula(a.Formula, &frame{pre: s}))
	}
	return out
}

// freshState is an arbitrary state whose first messages are the received ones.
// A type that the action may receive has one message at least.
func (e *Encoder) freshState(received map[*protocol.Sort]*sym, receivable map[*protocol.Sort]bool) *symState {
	s := &symState{vars: make([]*sym, len(e.sys.State)), msgs: make([][]slot, len(e.sys.Messages))}
	for i, v := range e.sys.State {
		s.vars[i] = e.fresh(v.Sort, v.Name)
	}
	for i, typ := range e.sys.Messages {
		n := e.scope.Messages
		if receivable[typ] {
			n = max(n, 1)
		}
		for k := range n {
			name := fmt.Sprintf("%s:%d", typ.Name, k+1)
			if v := received[typ]; k == 0 && v != nil {
				s.msgs[i] = append(s.msgs[i], slot{sent: e.b.True(), value: v})
				continue
			}
			sent := e.freshBit(name)
			v := e.fresh(typ, name)
			e.defaultUnless(sent, v)
			s.msgs[i] = append(s.msgs[i], slot{sent: sent, value: v})
		}
	}
	return s
}

// firstMessage is the position of the first parameter that is a message, or -1.
func firstMessage(a *protocol.Action) int {
	for i, p := range a.Params {
		if p.Sort.Kind == protocol.MessageKind || p.Sort.Kind == protocol.UnionKind {
			return i
		}
	}
	return -1
}

// receivable are the types of the messages that an action's parameters may be.
func receivable(a *protocol.Action) map[*protocol.Sort]bool {
	out := map[*protocol.Sort]bool{}
	for _, p := range a.Params {
		switch p.Sort.Kind {
		case protocol.MessageKind:
			out[p.Sort] = true
		case protocol.UnionKind:
			for _, m := range p.Sort.Union {
				out[m] = true
			}
		default:
		}
	}
	return out
}

// wasSent says that a parameter is a message sent: the one in the first slot of
// its type, or in any slot.
func (e *Encoder) wasSent(s *protocol.Sort, v *sym, pre *symState, first bool) *smt.Term {
	types := s.Union
	if s.Kind == protocol.MessageKind {
		types = []*protocol.Sort{s}
	}
	content := &sym{kids: v.kids}
	var any []*smt.Term
	for k, typ := range types {
		chosen := e.equalNumbers(v.bits, e.constant(k))
		slots := pre.msgs[typ.ID]
		if first {
			slots = slots[:1]
		}
		for _, slot := range slots {
			any = append(any, e.b.And(chosen, slot.sent, e.equal(content, e.common(s, typ, slot.value))))
		}
	}
	return e.b.Or(any...)
}

// freshMessage is the content of a message that is a parameter, or the common fields of a union; its elements of
// symmetric sorts are named in the order of use, the receiver first.
func (e *Encoder) freshMessage(a *protocol.Action, p *protocol.Binding, names *names) *sym {
	v := &sym{kids: make([]*sym, len(p.Sort.Fields))}
	for _, f := range receiverFirst(p.Sort.Fields) {
		if f.Sort.Kind == protocol.ElementKind {
			v.kids[f.Index] = names.element(f.Sort, placeOf(a, p, f), p.Name+"."+f.Name)
		} else {
			v.kids[f.Index] = e.fresh(f.Sort, p.Name+"."+f.Name)
		}
	}
	return v
}

// receiverFirst puts the field that names who acts on a message first, so that it
// becomes a constant and the acting element's cells need no case split.
func receiverFirst(fields []*protocol.Field) []*protocol.Field {
	out := make([]*protocol.Field, 0, len(fields))
	for _, f := range fields {
		if f.Name == "to" {
			out = append(out, f)
		}
	}
	for _, f := range fields {
		if f.Name != "to" {
			out = append(out, f)
		}
	}
	return out
}

// guards evaluates the guards; lets are bound in f on the way.
func (e *Encoder) guards(a *protocol.Action, f *frame) []*smt.Term {
	var out []*smt.Term
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			f.bind(s.Var, e.term(s.X, f))
		case *protocol.Guard:
			out = append(out, e.formula(s.Cond, f))
		case *protocol.Update, *protocol.Send:
		}
	}
	return out
}

// perform binds the lets of a body without guards and performs it.
func (e *Encoder) perform(a *protocol.Action, pre *symState, f *frame) (*symState, []*smt.Term) {
	e.guards(a, f)
	return e.performIn(a, pre, f)
}

// performIn is the state after the updates and sends of a, and what keeps it in
// the scope.
func (e *Encoder) performIn(a *protocol.Action, pre *symState, f *frame) (*symState, []*smt.Term) {
	post := &symState{vars: append([]*sym(nil), pre.vars...), msgs: make([][]slot, len(pre.msgs))}
	for i := range pre.msgs {
		post.msgs[i] = pre.msgs[i][:len(pre.msgs[i]):len(pre.msgs[i])]
	}
	var inScope []*smt.Term
	for _, u := range a.Updates {
		v := e.term(u.Value, f)
		sort := u.State.Sort
		path := make([]number, len(u.Path))
		for i, p := range u.Path {
			path[i] = e.term(p, f).bits
			if sort.Domain.Kind == protocol.NaturalKind {
				inScope = append(inScope, e.less(path[i], e.constant(e.st.Size(sort.Domain)), false))
			}
			sort = sort.Elem
		}
		inScope = append(inScope, e.inScope(sort, v))
		post.vars[u.State.Index] = e.update(u.State.Sort, pre.vars[u.State.Index], path, v)
	}
	for _, s := range a.Sends {
		live := e.b.True()
		if s.Cond != nil {
			live = e.formula(s.Cond, f)
		}
		v := e.term(s.Message, f)
		inScope = append(inScope, e.b.Implies(live, e.inScope(s.Message.Of, v)))
		id := s.Message.Of.ID
		post.msgs[id] = append(post.msgs[id], slot{sent: live, value: v})
	}
	return post, inScope
}

// update is a function value with the cell at path replaced.
func (e *Encoder) update(s *protocol.Sort, old *sym, path []number, v *sym) *sym {
	if len(path) == 0 {
		return v
	}
	size := e.st.Size(s.Domain)
	out := &sym{kids: make([]*sym, size)}
	for k := range out.kids {
		here := e.equalNumbers(path[0], e.constant(k))
		if here == e.b.False() {
			out.kids[k] = old.kid(k)
			continue
		}
		out.kids[k] = e.choose(here, e.update(s.Elem, old.kid(k), path[1:], v), old.kid(k))
	}
	return out
}
