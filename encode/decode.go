package encode

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

func (e *Encoder) decodeState(s *symState, m *solver.Model) *state.State {
	out := &state.State{Vars: make([]state.Value, len(s.vars)), Msgs: make([][]state.Value, len(s.msgs))}
	for i, v := range e.sys.State {
		out.Vars[i] = e.decode(v.Sort, s.vars[i], m)
	}
	for i, typ := range e.sys.Messages {
		for _, slot := range s.msgs[i] {
			if e.value(slot.sent, m) {
				out.AddMessage(typ, e.decode(typ, slot.value, m))
			}
		}
	}
	return out
}

// value of a bit in the model; a bit of a decoded value is a constant of the
// builder, true or false.
func (e *Encoder) value(t *smt.Term, m *solver.Model) bool {
	switch t {
	case e.b.True():
		return true
	case e.b.False():
		return false
	}
	return m.Bool(t)
}

func (e *Encoder) decodeNumber(n number, m *solver.Model) int {
	v := 0
	for i, b := range n {
		if e.value(b, m) {
			v |= 1 << i
		}
	}
	return v
}

// decode reads a value made by fresh.
func (e *Encoder) decode(s *protocol.Sort, v *sym, m *solver.Model) state.Value {
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.SetKind:
		return state.Value{N: e.decodeNumber(v.bits, m)}
	case protocol.OptionKind:
		if e.decodeNumber(v.bits, m) == 0 {
			return state.Value{}
		}
		return state.Value{N: 1, Kids: []state.Value{e.decode(s.Elem, v.kid(0), m)}}
	case protocol.SeqKind:
		n := e.decodeNumber(v.bits, m)
		if n == 0 {
			return state.Value{}
		}
		out := state.Value{Kids: make([]state.Value, n)}
		for i := range out.Kids {
			out.Kids[i] = e.decode(s.Elem, v.kid(i), m)
		}
		return out
	case protocol.FuncKind:
		out := state.Value{Kids: make([]state.Value, e.st.Size(s.Domain))}
		for i := range out.Kids {
			out.Kids[i] = e.decode(s.Elem, v.kid(i), m)
		}
		return out
	case protocol.RecordKind, protocol.MessageKind:
		out := state.Value{Kids: make([]state.Value, len(s.Fields))}
		for i, f := range s.Fields {
			out.Kids[i] = e.decode(f.Sort, v.kid(i), m)
		}
		return out
	case protocol.Invalid, protocol.UnionKind:
	}
	panic("no values of sort " + s.Name)
}

// decodeUnion reads a parameter that is a message of one of several types: the
// type is its own, the content that of a message sent with the same common fields.
func (e *Encoder) decodeUnion(u *protocol.Sort, v *sym, pre *symState, m *solver.Model) state.Value {
	k := e.decodeNumber(v.bits, m)
	typ := u.Union[k]
	for _, s := range pre.msgs[typ.ID] {
		if !e.value(s.sent, m) {
			continue
		}
		common, same := e.common(u, typ, s.value), true
		for i, f := range u.Fields {
			same = same && e.decode(f.Sort, v.kid(i), m).Equal(e.decode(f.Sort, common.kid(i), m))
		}
		if same {
			out := e.decode(typ, s.value, m)
			out.N = k
			return out
		}
	}
	panic("no message sent equals the parameter of sort " + u.Name)
}
