package semantics

import (
	"math/rand/v2"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// RandomState invents a state in the structure, with at most maxMessages
// messages of each type. Any such state can come out, small numbers and short
// sequences more often; it need not be reachable.
func (e *Evaluator) RandomState(r *rand.Rand, maxMessages int) *state.State {
	s := e.defaults()
	for _, v := range e.st.System.State {
		s.Vars[v.Index] = e.random(r, v.Sort)
	}
	for _, typ := range e.st.System.Messages {
		for range r.IntN(maxMessages + 1) {
			s.AddMessage(typ, e.random(r, typ))
		}
	}
	return s
}

// random invents a value in the structure.
func (e *Evaluator) random(r *rand.Rand, sort *protocol.Sort) state.Value {
	switch sort.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.QuorumKind:
		return state.Value{N: r.IntN(max(1, e.st.Size(sort)))}
	case protocol.NaturalKind:
		return state.Value{N: small(r, e.st.MaxNatural(sort))}
	case protocol.OptionKind:
		if r.IntN(3) == 0 {
			return state.Value{}
		}
		return state.Value{N: 1, Kids: []state.Value{e.random(r, sort.Elem)}}
	case protocol.SetKind:
		return state.Value{N: r.Int() & (1<<min(e.st.Size(sort.Elem), maxElements) - 1)}
	case protocol.SeqKind:
		v := state.Value{Kids: make([]state.Value, small(r, e.st.MaxNatural(sort.Domain)))}
		for i := range v.Kids {
			v.Kids[i] = e.random(r, sort.Elem)
		}
		return v
	case protocol.FuncKind:
		v := state.Value{Kids: make([]state.Value, e.st.Size(sort.Domain))}
		for i := range v.Kids {
			v.Kids[i] = e.random(r, sort.Elem)
		}
		return v
	case protocol.RecordKind, protocol.MessageKind:
		v := state.Value{Kids: make([]state.Value, len(sort.Fields))}
		for i, f := range sort.Fields {
			v.Kids[i] = e.random(r, f.Sort)
		}
		return v
	case protocol.UnionKind:
		i := r.IntN(len(sort.Union))
		return state.Value{N: i, Kids: e.random(r, sort.Union[i]).Kids}
	case protocol.Invalid:
	}
	panic("no values of sort " + sort.Name)
}

// small is a number in 0…n, a smaller one more often.
func small(r *rand.Rand, n int) int { return min(r.IntN(n+1), r.IntN(n+1)) }

// RandomWalk takes at most n steps from the initial state and shows each to
// visit, until visit returns false or nothing is enabled. Each enabled
// action is as likely as any other, and each of its steps is possible.
func (e *Evaluator) RandomWalk(r *rand.Rand, n int, visit func(*state.Step) bool) {
	s := e.Init()
	if s == nil {
		return
	}
	for range n {
		step := e.randomStep(r, s)
		if step == nil || !visit(step) {
			return
		}
		s = step.Post
	}
}

// randomStep is a step from s, or nil if there is none: the first action that
// is enabled, in random order, with its arguments tried from a random start.
func (e *Evaluator) randomStep(r *rand.Rand, s *state.State) *state.Step {
	actions := e.st.System.Actions
	for _, i := range r.Perm(len(actions)) {
		for step := range e.steps(s, actions[i], r.IntN) {
			return step
		}
	}
	return nil
}
