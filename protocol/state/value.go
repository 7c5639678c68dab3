// Package state holds states, steps and runs as plain data, shared by the
// evaluator and the encoder, which share no code otherwise.
package state

import (
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// Value is a value of some sort in a structure, in canonical form: two values
// of a sort are equal exactly if Equal says so.
//
//	Bool, element, enumeration, natural, quorum   N (0 or 1; position; number; position)
//	record, message                               Kids by field
//	union of messages                             N: position in Sort.Union; Kids: all fields of that message type
//	optional                                      N 0: Nil; N 1: Kids[0] is the value
//	set                                           N: bit k set if element k is a member
//	sequence                                      Kids in order
//	function                                      Kids by argument
type Value struct {
	N    int
	Kids []Value
}

// Equal reports whether v and w are the same value.
func (v Value) Equal(w Value) bool { return v.Compare(w) == 0 }

// Compare orders values: by N, then by length, then by kids.
func (v Value) Compare(w Value) int {
	if v.N != w.N {
		if v.N < w.N {
			return -1
		}
		return 1
	}
	if len(v.Kids) != len(w.Kids) {
		if len(v.Kids) < len(w.Kids) {
			return -1
		}
		return 1
	}
	for i := range v.Kids {
		if c := v.Kids[i].Compare(w.Kids[i]); c != 0 {
			return c
		}
	}
	return 0
}

// Structure says how many elements each sort has: a finite interpretation of a
// system's signature.
type Structure struct {
	System *protocol.System
	sizes  map[*protocol.Sort]int
	subset map[*protocol.Subsort]int // how many elements
	quorum map[*protocol.Sort][]int  // quorum sort → member sets as bits
}

// NewStructure has sizes[name] elements in each element sort, the first sizes[name]
// of them in its subset, and the values 0…sizes[name] in each natural sort. The
// quorums are the smallest majorities of their sort or subset.
// What is not named gets 1 element or the values 0…1.
func NewStructure(sys *protocol.System, sizes map[string]int) *Structure {
	s := &Structure{System: sys, sizes: map[*protocol.Sort]int{}, subset: map[*protocol.Subsort]int{}, quorum: map[*protocol.Sort][]int{}}
	s.sizes[protocol.BoolSort] = 2
	for _, e := range sys.Enums {
		s.sizes[e] = len(e.Consts)
	}
	for _, q := range sys.Sorts {
		n, ok := sizes[q.Name]
		if !ok {
			n = 1
		}
		switch q.Kind {
		case protocol.NaturalKind:
			s.sizes[q] = n + 1
		case protocol.ElementKind:
			s.sizes[q] = n
			if q.Subset != nil {
				s.subset[q.Subset] = max(1, min(sizes[q.Subset.Name], n))
			}
		default:
		}
	}
	for _, q := range sys.Sorts {
		if q.Kind == protocol.QuorumKind {
			members := s.sizes[q.Elem]
			if q.Within != nil {
				members = s.subset[q.Within]
			}
			s.quorum[q] = majorities(members)
			s.sizes[q] = len(s.quorum[q])
		}
	}
	return s
}

// Sizes are the sizes that make the structure, by name of sort and subset.
func (s *Structure) Sizes() map[string]int {
	out := map[string]int{}
	for _, x := range s.System.Sorts {
		switch x.Kind {
		case protocol.NaturalKind:
			out[x.Name] = s.MaxNatural(x)
		case protocol.ElementKind:
			out[x.Name] = s.Size(x)
			if x.Subset != nil {
				out[x.Subset.Name] = s.subset[x.Subset]
			}
		default:
		}
	}
	return out
}

// majorities lists the subsets of n elements that have just over half of them,
// as bit sets, in lexicographic order of their elements.
func majorities(n int) []int {
	var out []int
	need := n/2 + 1
	var pick func(from, have, bits int)
	pick = func(from, have, bits int) {
		if have == need {
			out = append(out, bits)
			return
		}
		for k := from; k < n; k++ {
			pick(k+1, have+1, bits|1<<k)
		}
	}
	pick(0, 0, 0)
	return out
}

// Size is the number of elements of a scalar sort.
func (s *Structure) Size(sort *protocol.Sort) int {
	n, ok := s.sizes[sort]
	if !ok {
		panic("no size for sort " + sort.Name)
	}
	return n
}

// MaxNatural is the greatest value of a natural sort in the structure.
func (s *Structure) MaxNatural(sort *protocol.Sort) int { return s.Size(sort) - 1 }

// Subset is the set of the elements of a subset, as bits.
func (s *Structure) Subset(x *protocol.Subsort) int { return 1<<s.subset[x] - 1 }

// Quorum is the set of members of the k-th quorum, as bits.
func (s *Structure) Quorum(sort *protocol.Sort, k int) int { return s.quorum[sort][k] }

// Default is the default value of a sort: FALSE, 0, the first element, Nil, empty.
func (s *Structure) Default(sort *protocol.Sort) Value {
	switch sort.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind,
		protocol.QuorumKind, protocol.OptionKind, protocol.SetKind, protocol.SeqKind:
		return Value{}
	case protocol.RecordKind, protocol.MessageKind:
		v := Value{Kids: make([]Value, len(sort.Fields))}
		for i, f := range sort.Fields {
			v.Kids[i] = s.Default(f.Sort)
		}
		return v
	case protocol.FuncKind:
		v := Value{Kids: make([]Value, s.Size(sort.Domain))}
		for i := range v.Kids {
			v.Kids[i] = s.Default(sort.Elem)
		}
		return v
	case protocol.Invalid, protocol.UnionKind:
	}
	panic("no default value of sort " + sort.Name)
}

// InScope reports whether every natural inside v lies in the structure.
func (s *Structure) InScope(sort *protocol.Sort, v Value) bool {
	switch sort.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind:
		return v.N >= 0 && v.N < s.Size(sort)
	case protocol.SetKind:
		return true
	case protocol.OptionKind:
		return v.N == 0 || s.InScope(sort.Elem, v.Kids[0])
	case protocol.SeqKind:
		if len(v.Kids) > s.MaxNatural(sort.Domain) {
			return false
		}
		return !slices.ContainsFunc(v.Kids, func(k Value) bool { return !s.InScope(sort.Elem, k) })
	case protocol.FuncKind:
		return !slices.ContainsFunc(v.Kids, func(k Value) bool { return !s.InScope(sort.Elem, k) })
	case protocol.RecordKind, protocol.MessageKind:
		for i, f := range sort.Fields {
			if !s.InScope(f.Sort, v.Kids[i]) {
				return false
			}
		}
		return true
	case protocol.UnionKind:
		return s.InScope(sort.Union[v.N], v)
	case protocol.Invalid:
	}
	panic("no values of sort " + sort.Name)
}
