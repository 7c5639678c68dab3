package machine

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Successors lists the steps of an action from a state as plain data.
func (m *Machine) Successors(a *protocol.Action, s *State) []*state.Step {
	var out []*state.Step
	pre := m.Export(s)
	act := m.actions[a.Index]
	post := m.blank()
	for range m.steps(act, s, post, nil) {
		out = append(out, &state.Step{Action: a, Args: m.Args(a, m.args(act)), Pre: pre, Post: m.Export(post)})
	}
	return out
}

// Eval is the truth of each property of the checker: of a two-state one about the step from s to t by a, of others in s.
func (k *Checker) Eval(a *protocol.Action, s, t *State) map[*protocol.Property]bool {
	out := map[*protocol.Property]bool{}
	f := k.m.frame
	f.pre, f.post, f.step = s, t, a.Index
	for _, p := range k.props {
		out[p.decl] = p.holds(f)
	}
	return out
}

// Landmarks is how many states walks can go on from.
func (w *Walker) Landmarks() int { return len(w.known) }
