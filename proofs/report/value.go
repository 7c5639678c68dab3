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
	st *state.Structure
}

// value is v in one line: as a spec would write it, but sets without blanks.
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
	case protocol.RecordKind, protocol.MessageKind:
		return sort.Name + p.fields(sort, v)
	case protocol.UnionKind:
		return p.value(sort.Union[v.N], state.Value{Kids: v.Kids})
	case protocol.OptionKind:
		if v.N == 0 {
			return "Nil"
		}
		return p.value(sort.Elem, v.Kids[0])
	case protocol.SeqKind:
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
	return "{" + p.join(len(sort.Fields), ", ", func(k int) string {
		f := sort.Fields[k]
		return f.Name + ": " + p.value(f.Sort, v.Kids[k])
	}) + "}"
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
