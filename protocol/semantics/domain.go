package semantics

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// domain is what a bound variable or a parameter ranges over, in order: the
// values of a scalar sort, or the messages sent.
type domain struct {
	size  int
	sent  [][]state.Value // messages by type; nil for scalars
	union bool            // sent has the types of a union, in its order
}

// domain is the range of a variable of the sort; messages are those of the
// post-state if primed.
func (e *evaluation) domain(sort *protocol.Sort, primed bool) domain {
	switch sort.Kind {
	case protocol.MessageKind:
		sent := e.state(primed).Msgs[sort.ID : sort.ID+1]
		return domain{size: len(sent[0]), sent: sent}
	case protocol.UnionKind:
		d := domain{sent: make([][]state.Value, len(sort.Union)), union: true}
		for i, m := range sort.Union {
			d.sent[i] = e.state(primed).Msgs[m.ID]
			d.size += len(d.sent[i])
		}
		return d
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind:
		return domain{size: e.st.Size(sort)}
	case protocol.Invalid, protocol.RecordKind, protocol.OptionKind, protocol.SetKind, protocol.SeqKind, protocol.FuncKind:
	}
	panic("no variable ranges over sort " + sort.Name)
}

// at is the k-th value, from 0.
func (d domain) at(k int) state.Value {
	if d.sent == nil {
		return state.Value{N: k}
	}
	i := 0
	for k >= len(d.sent[i]) {
		k -= len(d.sent[i])
		i++
	}
	v := d.sent[i][k]
	if d.union {
		return state.Value{N: i, Kids: v.Kids}
	}
	return v
}

// message is a value of a message or union sort as a message of its own type.
func message(sort *protocol.Sort, v state.Value) (*protocol.Sort, state.Value) {
	if sort.Kind == protocol.UnionKind {
		return sort.Union[v.N], state.Value{Kids: v.Kids}
	}
	return sort, v
}

func isMessage(sort *protocol.Sort) bool {
	return sort.Kind == protocol.MessageKind || sort.Kind == protocol.UnionKind
}

// noteMessage records that a variable of the sort takes the value v.
func (e *evaluation) noteMessage(sort *protocol.Sort, v state.Value, primed bool) {
	if e.record == nil || e.record.Message == nil || !isMessage(sort) {
		return
	}
	typ, msg := message(sort, v)
	e.record.Message(typ, msg, primed)
}
