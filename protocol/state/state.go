package state

import (
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// State is the value of every state variable, and the messages sent so far.
type State struct {
	Vars []Value   // by StateVar.Index
	Msgs [][]Value // by message type (Sort.ID): sorted, no two equal
}

// Step is one performed action: the pre-state, its parameters, the post-state.
type Step struct {
	Action *protocol.Action
	Args   []Value // by position in Action.Params
	Pre    *State
	Post   *State
}

// Run is an execution: a start state and steps, each from where the one before ended.
type Run struct {
	Structure *Structure
	Init      *State // nil if the structure has none
	Steps     []*Step
}

// Last is the state in which the run ends.
func (r *Run) Last() *State {
	if n := len(r.Steps); n > 0 {
		return r.Steps[n-1].Post
	}
	return r.Init
}

// Clone copies the state; values are shared, since they are never changed in place.
func (s *State) Clone() *State {
	c := &State{Vars: slices.Clone(s.Vars), Msgs: make([][]Value, len(s.Msgs))}
	copy(c.Msgs, s.Msgs)
	return c
}

// Equal reports whether two states of one system are the same.
func (s *State) Equal(t *State) bool {
	if !slices.EqualFunc(s.Vars, t.Vars, Value.Equal) || len(s.Msgs) != len(t.Msgs) {
		return false
	}
	for i := range s.Msgs {
		if !slices.EqualFunc(s.Msgs[i], t.Msgs[i], Value.Equal) {
			return false
		}
	}
	return true
}

// HasMessage reports whether the message v of type typ was sent.
func (s *State) HasMessage(typ *protocol.Sort, v Value) bool {
	_, ok := slices.BinarySearchFunc(s.Msgs[typ.ID], v, Value.Compare)
	return ok
}

// AddMessage adds v to the messages of type typ, in place of the list only:
// a list shared with another state is copied first.
func (s *State) AddMessage(typ *protocol.Sort, v Value) {
	list := s.Msgs[typ.ID]
	at, ok := slices.BinarySearchFunc(list, v, Value.Compare)
	if ok {
		return
	}
	next := make([]Value, 0, len(list)+1)
	next = append(next, list[:at]...)
	next = append(next, v)
	s.Msgs[typ.ID] = append(next, list[at:]...)
}
