package encode

import (
	"math/bits"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// sym is a symbolic value: the shape of a state.Value with terms for its bits.
// A sym is never changed once made, and a missing kid or bit is the default.
//
//	Bool                                       bits[0]
//	element, enumeration, natural, quorum      bits: a number
//	set                                        bits[k]: element k is a member
//	optional                                   bits[0]: present; kids[0]: the value
//	sequence                                   bits: the length; kids: the cells
//	record, message, union (common fields)     kids by field
//	function                                   kids by argument
type sym struct {
	bits number
	kids []*sym
}

// nothing is the default value of every sort: no bit is true.
var nothing = &sym{}

func (v *sym) kid(i int) *sym {
	if i < len(v.kids) {
		return v.kids[i]
	}
	return nothing
}

func (e *Encoder) boolean(t *smt.Term) *sym {
	switch t {
	case e.b.True():
		return e.yes
	case e.b.False():
		return nothing
	}
	return &sym{bits: number{t}}
}

func (e *Encoder) truth(v *sym) *smt.Term { return e.bit(v.bits, 0) }

// maxShared bounds the numbers that have one sym each.
const maxShared = 64

// literal is the constant number v; small ones are shared, so that a cell read at
// a constant argument is found by pointer.
func (e *Encoder) literal(v int) *sym {
	if v > maxShared {
		return &sym{bits: e.constant(v)}
	}
	for len(e.literals) <= v {
		e.literals = append(e.literals, &sym{bits: e.constant(len(e.literals))})
	}
	return e.literals[v]
}

// equal is equality of values.
func (e *Encoder) equal(x, y *sym) *smt.Term {
	if x == y {
		return e.b.True()
	}
	eq := e.equalNumbers(x.bits, y.bits)
	if eq == e.b.False() {
		return eq
	}
	n := max(len(x.kids), len(y.kids))
	if n == 0 {
		return eq
	}
	eqs := make([]*smt.Term, 0, n+1)
	eqs = append(eqs, eq)
	for i := range n {
		k := e.equal(x.kid(i), y.kid(i))
		if k == e.b.False() {
			return k
		}
		eqs = append(eqs, k)
	}
	return e.b.And(eqs...)
}

// choose is IF c THEN x ELSE y.
func (e *Encoder) choose(c *smt.Term, x, y *sym) *sym {
	switch {
	case c == e.b.True() || x == y:
		return x
	case c == e.b.False():
		return y
	}
	out := &sym{}
	if n := max(len(x.bits), len(y.bits)); n > 0 {
		out.bits = make(number, n)
		for i := range n {
			out.bits[i] = e.b.Ite(c, e.bit(x.bits, i), e.bit(y.bits, i))
		}
	}
	if n := max(len(x.kids), len(y.kids)); n > 0 {
		out.kids = make([]*sym, n)
		for i := range n {
			out.kids[i] = e.choose(c, x.kid(i), y.kid(i))
		}
	}
	return out
}

// cellOrDefault is cells[index] for an index that may lie beyond the last: then the default.
func (e *Encoder) cellOrDefault(cells []*sym, index number) *sym {
	index = e.trim(index)
	if v, ok := e.known(index); ok {
		if v < len(cells) {
			return cells[v]
		}
		return nothing
	}
	if len(cells) == 0 {
		return nothing
	}
	w := min(len(index), bits.Len(uint(len(cells)-1)))
	padded := cells
	if len(cells) < 1<<w {
		padded = make([]*sym, 1<<w)
		copy(padded, cells)
		for i := len(cells); i < len(padded); i++ {
			padded[i] = nothing
		}
	}
	return e.choose(e.b.Or(index[w:]...), nothing, e.cell(padded, index[:w]))
}

// cell is cells[index] for an index that the range assumptions keep below
// len(cells); nil if there is no cell.
func (e *Encoder) cell(cells []*sym, index number) *sym {
	if len(cells) == 0 {
		return nil
	}
	if len(index) == 0 {
		return cells[0]
	}
	top := len(index) - 1
	half := min(1<<top, len(cells))
	low := e.cell(cells[:half], index[:top])
	if index[top] == e.b.False() {
		return low
	}
	high := e.cell(cells[half:], index[:top])
	if high == nil {
		return low
	}
	return e.choose(index[top], high, low)
}

// inScope says that every natural inside v, and every sequence's length, is at
// most the scope's maximum.
func (e *Encoder) inScope(s *protocol.Sort, v *sym) *smt.Term {
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.QuorumKind, protocol.SetKind:
		return e.b.True()
	case protocol.NaturalKind:
		return e.less(v.bits, e.constant(e.st.MaxNatural(s)), true)
	case protocol.OptionKind:
		return e.inScope(s.Elem, v.kid(0)) // Nil has the default behind it
	case protocol.SeqKind, protocol.FuncKind:
		all := make([]*smt.Term, 0, len(v.kids)+1)
		if s.Kind == protocol.SeqKind {
			all = append(all, e.less(v.bits, e.constant(e.st.MaxNatural(s.Domain)), true))
		}
		for _, k := range v.kids {
			all = append(all, e.inScope(s.Elem, k))
		}
		return e.b.And(all...)
	case protocol.RecordKind, protocol.MessageKind, protocol.UnionKind:
		all := make([]*smt.Term, 0, len(s.Fields))
		for i, f := range s.Fields {
			all = append(all, e.inScope(f.Sort, v.kid(i)))
		}
		return e.b.And(all...)
	case protocol.Invalid:
	}
	panic("no values of sort " + s.Name)
}
