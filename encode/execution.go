package encode

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// Taken is a step of a run that a model shows.
type Taken struct {
	Action *protocol.Action
	// Args are by position in Action.Params. Of messages they have the fields that the
	// unrolling has, see Project.
	Args []state.Value
	// Post is the state after the step as the unrolling has it, see Project.
	Post *state.State
}

// Decode reads a run of at most k steps out of a model of Query.
func (u *Unrolling) Decode(model *solver.Model, k int) []Taken {
	e := u.e
	var out []Taken
	for t, m := range u.moments[:k] {
		for _, a := range e.sys.Actions {
			if e.value(m.acts[a.Index], model) {
				out = append(out, Taken{a, u.decodeArgs(a, m, model), u.decodeState(u.states[t+1], model)})
			}
		}
	}
	return out
}

func (u *Unrolling) decodeArgs(a *protocol.Action, m *moment, model *solver.Model) []state.Value {
	e := u.e
	args := make([]state.Value, len(a.Params))
	for i, p := range a.Params {
		at := u.params.seats[p.Binding]
		if !at.message {
			args[i] = e.decode(p.Sort, u.params.value(a, i, m), model)
			continue
		}
		for k, pick := range m.received[at.n].picks {
			if !e.value(pick, model) {
				continue
			}
			for n, typ := range typesOf(p.Sort) {
				if e.value(u.slots[k].live[typ], model) {
					args[i] = u.decodeMessage(typ, u.params.messageOf(typ, u.slots[k].lanes), model)
					if p.Sort.Kind == protocol.UnionKind {
						args[i].N = n
					}
				}
			}
		}
	}
	return args
}

func (u *Unrolling) decodeMessage(typ *protocol.Sort, v *sym, model *solver.Model) state.Value {
	out := state.Value{Kids: make([]state.Value, len(typ.Fields))}
	for i, f := range typ.Fields {
		if u.cone.fields[typ][f] {
			out.Kids[i] = u.e.decode(f.Sort, v.kid(i), model)
		}
	}
	return out
}

func (u *Unrolling) decodeState(s *symState, model *solver.Model) *state.State {
	out := &state.State{Vars: make([]state.Value, len(s.vars)), Msgs: make([][]state.Value, len(s.msgs))}
	for i, v := range u.e.sys.State {
		if u.cone.vars[v] {
			out.Vars[i] = u.e.decode(v.Sort, s.vars[i], model)
		}
	}
	for i, typ := range u.e.sys.Messages {
		for _, slot := range s.msgs[i] {
			if u.e.value(slot.sent, model) {
				out.AddMessage(typ, u.decodeMessage(typ, slot.value, model))
			}
		}
	}
	return out
}

// Project is what the unrolling has of a state: the zero Value stands for variables and
// fields of messages that it leaves out, and messages of types left out are not there.
func (u *Unrolling) Project(s *state.State) *state.State {
	out := &state.State{Vars: make([]state.Value, len(s.Vars)), Msgs: make([][]state.Value, len(s.Msgs))}
	for i, v := range u.e.sys.State {
		if u.cone.vars[v] {
			out.Vars[i] = s.Vars[i]
		}
	}
	for i, typ := range u.e.sys.Messages {
		if u.cone.fields[typ] == nil {
			continue
		}
		for _, m := range s.Msgs[i] {
			out.AddMessage(typ, u.ProjectMessage(typ, m))
		}
	}
	return out
}

// ProjectMessage is what the unrolling has of a message.
func (u *Unrolling) ProjectMessage(typ *protocol.Sort, m state.Value) state.Value {
	out := state.Value{N: m.N, Kids: make([]state.Value, len(typ.Fields))}
	for i, f := range typ.Fields {
		if u.cone.fields[typ][f] {
			out.Kids[i] = m.Kids[i]
		}
	}
	return out
}
