package semantics

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// maxElements is how many elements a set can have.
const maxElements = 62

// bit is the set of element k alone; empty for what no set can have.
func bit(k int) int {
	if k < 0 || k >= maxElements {
		return 0
	}
	return 1 << k
}

func (e *evaluation) unary(t *protocol.UnaryTerm) state.Value {
	x := e.eval(t.X)
	switch t.Op {
	case protocol.Not:
		return truth(x.N == 0)
	case protocol.Len:
		return state.Value{N: len(x.Kids)}
	case protocol.Some:
		return state.Value{N: 1, Kids: []state.Value{x}}
	case protocol.Value:
		if x.N == 0 {
			return e.st.Default(t.Of)
		}
		return x.Kids[0]
	case protocol.IsQuorum:
		return truth(e.isQuorum(t.X.Sort().Elem, x.N))
	case protocol.MembersOf:
		return state.Value{N: e.members(t.X.Sort(), x.N)}
	}
	panic(fmt.Sprintf("unhandled operator %d", t.Op))
}

// isQuorum reports whether the set includes a quorum of elements of sort elem.
func (e *evaluation) isQuorum(elem *protocol.Sort, set int) bool {
	for _, q := range e.st.System.Sorts {
		if q.Kind != protocol.QuorumKind || q.Elem != elem {
			continue
		}
		for k := range e.st.Size(q) {
			if e.st.Quorum(q, k)&^set == 0 {
				return true
			}
		}
	}
	return false
}

// members is the set of members of a quorum; empty for the default quorum of a
// structure that has none.
func (e *evaluation) members(quorum *protocol.Sort, k int) int {
	if k < 0 || k >= e.st.Size(quorum) {
		return 0
	}
	return e.st.Quorum(quorum, k)
}

func (e *evaluation) binary(t *protocol.BinaryTerm) state.Value {
	x := e.eval(t.X)
	if t.Op == protocol.Implies && x.N == 0 {
		return truth(true)
	}
	y := e.eval(t.Y)
	switch t.Op {
	case protocol.Eq:
		return truth(x.Equal(y))
	case protocol.Lt:
		return truth(x.N < y.N)
	case protocol.Le:
		return truth(x.N <= y.N)
	case protocol.Implies: // x holds
		return y
	case protocol.Iff:
		return truth(x.N == y.N)
	case protocol.In:
		return truth(y.N&bit(x.N) != 0)
	case protocol.Subset:
		return truth(x.N&^y.N == 0)
	case protocol.Union:
		return state.Value{N: x.N | y.N}
	case protocol.Intersect:
		return state.Value{N: x.N & y.N}
	case protocol.Difference:
		return state.Value{N: x.N &^ y.N}
	case protocol.Min:
		return state.Value{N: min(x.N, y.N)}
	case protocol.Max:
		return state.Value{N: max(x.N, y.N)}
	case protocol.Append:
		return state.Value{Kids: append(slices.Clip(x.Kids), y)}
	case protocol.Truncate:
		return state.Value{Kids: x.Kids[:max(0, min(y.N, len(x.Kids)))]}
	case protocol.Extend:
		return state.Value{Kids: append(slices.Clip(x.Kids), y.Kids[min(len(x.Kids), len(y.Kids)):]...)}
	}
	panic(fmt.Sprintf("unhandled operator %d", t.Op))
}
