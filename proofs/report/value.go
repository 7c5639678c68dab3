package report

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// printer renders values of one structure.
type printer struct {
	st     *state.Structure
	strips *strips // on a page for people; nil writes everything out
}

// value is v in one line: as a spec would write it, but sets without blanks. On a
// page, sequences of records are strips, and other records go without their
// type; see also isSparse.
func (p printer) value(sort *protocol.Sort, v state.Value) string {
	switch sort.Kind {
	case protocol.BoolKind:
		if v.N != 0 {
			return "TRUE"
		}
		return "FALSE"
	case protocol.ElementKind:
		return protocol.ElementName(sort, v.N)
	case protocol.EnumKind:
		return sort.Consts[v.N]
	case protocol.NaturalKind:
		return strconv.Itoa(v.N)
	case protocol.QuorumKind:
		return p.set(sort.Elem, p.st.Quorum(sort, v.N))
	case protocol.SetKind:
		return p.set(sort.Elem, v.N)
	case protocol.RecordKind:
		if p.strips != nil {
			return p.fields(sort, v)
		}
		return sort.Name + p.fields(sort, v)
	case protocol.MessageKind:
		return sort.Name + p.fields(sort, v)
	case protocol.UnionKind:
		return p.value(sort.Union[v.N], state.Value{Kids: v.Kids})
	case protocol.OptionKind:
		if v.N == 0 {
			return "Nil"
		}
		return p.value(sort.Elem, v.Kids[0])
	case protocol.SeqKind:
		if p.strips != nil && p.strips.draws(sort) {
			return p.strip(sort, v, nil, -1)
		}
		return "⟨" + p.join(len(v.Kids), ", ", func(k int) string { return p.value(sort.Elem, v.Kids[k]) }) + "⟩"
	case protocol.FuncKind:
		return "[" + p.join(len(v.Kids), ", ", func(k int) string {
			return p.key(sort.Domain, k) + " ↦ " + p.value(sort.Elem, v.Kids[k])
		}) + "]"
	case protocol.Invalid:
	}
	panic(fmt.Sprintf("no values of sort %s", sort))
}

// key is the k-th element of a scalar sort.
func (p printer) key(sort *protocol.Sort, k int) string { return p.value(sort, state.Value{N: k}) }

func (p printer) fields(sort *protocol.Sort, v state.Value) string {
	var parts []string
	short := p.strips != nil && isSparse(sort)
	for k, f := range sort.Fields {
		if !short || f.Sort.Kind != protocol.OptionKind || v.Kids[k].N != 0 {
			parts = append(parts, f.Name+": "+p.value(f.Sort, v.Kids[k]))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// isSparse reports whether messages of the type have several fields that may be Nil,
// of which a page leaves out those that are.
func isSparse(typ *protocol.Sort) bool {
	optional := 0
	for _, f := range typ.Fields {
		if f.Sort.Kind == protocol.OptionKind {
			optional++
		}
	}
	return typ.Kind == protocol.MessageKind && optional > 1
}

func (p printer) set(elem *protocol.Sort, members int) string {
	var names []string
	for rest := uint(members); rest != 0; rest &= rest - 1 {
		names = append(names, p.key(elem, bits.TrailingZeros(rest)))
	}
	return "{" + strings.Join(names, ",") + "}"
}

func (printer) join(n int, sep string, part func(int) string) string {
	parts := make([]string, n)
	for k := range parts {
		parts[k] = part(k)
	}
	return strings.Join(parts, sep)
}

// message is a union's or a message sort's value as a message type and a
// message, or nil for values of other sorts.
func message(sort *protocol.Sort, v state.Value) (*protocol.Sort, state.Value) {
	switch sort.Kind {
	case protocol.UnionKind:
		return sort.Union[v.N], state.Value{Kids: v.Kids}
	case protocol.MessageKind:
		return sort, v
	default:
		return nil, state.Value{}
	}
}
