package encode

import (
	"math/bits"

	"github.com/speckl/kraftprove/protocol"
)

// names hands out the elements of the symmetric sorts in the order of use. Of a sort
// with a subset, the elements of the subset and those outside are interchangeable
// among themselves: each of the two parts has an order of its own.
type names struct {
	e    *Encoder
	used map[*protocol.Sort][2]int // at most so many: in the subset (or of all), outside
}

func newNames(e *Encoder) *names { return &names{e, map[*protocol.Sort][2]int{}} }

// place says in which parts of its sort an element may lie.
type place uint8

const (
	anywhere place = iota
	inside         // the subset
	outside
)

// element is the next element: one of those used, or the first unused one. Of a
// sort that is not known to be symmetric it is any element.
func (n *names) element(s *protocol.Sort, where place, name string) *sym {
	if !n.e.symmetry[s] {
		return n.e.fresh(s, name)
	}
	size := n.e.st.Size(s)
	first := size // how many are in the first part
	if s.Subset != nil {
		first = bits.OnesCount(uint(n.e.st.Subset(s.Subset)))
	}
	used := n.used[s]
	var choices [2]int
	if where != outside || first == size {
		choices[0] = min(used[0]+1, first)
		used[0]++
	}
	if where != inside && first < size {
		choices[1] = min(used[1]+1, size-first)
		used[1]++
	}
	n.used[s] = used
	return n.e.oneOf(choices, first, name)
}

// oneOf is a number below choices[0], or one of choices[1] numbers from second on.
func (e *Encoder) oneOf(choices [2]int, second int, name string) *sym {
	low, high := choices[0], choices[1]
	switch {
	case low == 1 && high == 0:
		return nothing // number 0
	case high == 0 || low == second: // without a gap
		return &sym{bits: e.below(low+high, name)}
	case low == 0 && high == 1:
		return &sym{bits: e.constant(second)}
	case low == 1 && high == 1: // 0 or second: one bit
		pick := e.freshBit(name + "#")
		v := e.constant(second)
		for i, b := range v {
			v[i] = e.b.And(b, pick)
		}
		return &sym{bits: v}
	}
	v := e.below(second+high, name)
	e.ranges = append(e.ranges, e.b.Or(e.less(v, e.constant(low), false), e.less(e.constant(second), v, true)))
	return &sym{bits: v}
}

// placeOf is where the guards of an action say that its parameter lies, or, with a
// field, that field of the message that is its parameter.
func placeOf(a *protocol.Action, p *protocol.Binding, f *protocol.Field) place {
	lets := map[*protocol.Binding]protocol.Term{}
	where := anywhere
	var look func(t protocol.Term)
	look = func(t protocol.Term) {
		switch t := t.(type) {
		case *protocol.Nary:
			for _, x := range t.Args {
				if t.And {
					look(x)
				}
			}
		case *protocol.UnaryTerm:
			if x := inSubset(t.X); t.Op == protocol.Not && x != nil && isPart(x, p, f, lets) {
				where = outside
			}
		case *protocol.BinaryTerm:
			if x := inSubset(t); x != nil && isPart(x, p, f, lets) {
				where = inside
			}
		}
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			lets[s.Var] = s.X
		case *protocol.Guard:
			look(s.Cond)
		case *protocol.Update, *protocol.Send:
		}
	}
	return where
}

// inSubset is the x of x ∈ Subset, if t says that.
func inSubset(t protocol.Term) protocol.Term {
	b, ok := t.(*protocol.BinaryTerm)
	if !ok || b.Op != protocol.In {
		return nil
	}
	if _, ok := b.Y.(*protocol.SubsortTerm); !ok {
		return nil
	}
	return b.X
}

// isPart reports whether t is a parameter, or a field of it unless f is nil.
func isPart(t protocol.Term, p *protocol.Binding, f *protocol.Field, lets map[*protocol.Binding]protocol.Term) bool {
	for v, ok := t.(*protocol.Var); ok && lets[v.To] != nil; v, ok = t.(*protocol.Var) {
		t = lets[v.To]
	}
	if f != nil {
		s, ok := t.(*protocol.Select)
		return ok && s.Field == f && isPart(s.X, p, nil, lets)
	}
	v, ok := t.(*protocol.Var)
	return ok && v.To == p
}
