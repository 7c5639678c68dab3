package encode

import (
	"fmt"
	"math/bits"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// fresh makes a value of sort s out of new constants, and adds to e.ranges what
// makes it a canonical value of the scope. The name is for transcripts.
func (e *Encoder) fresh(s *protocol.Sort, name string) *sym {
	switch s.Kind {
	case protocol.BoolKind:
		return &sym{bits: e.below(2, name)} // "name#0", as name may be a word of SMT-LIB
	case protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind:
		return &sym{bits: e.below(e.st.Size(s), name)}
	case protocol.SetKind:
		v := &sym{bits: make(number, e.st.Size(s.Elem))}
		for k := range v.bits {
			v.bits[k] = e.freshBit(fmt.Sprintf("%s.%s", name, e.elementName(s.Elem, k)))
		}
		return v
	case protocol.OptionKind:
		present := e.freshBit(name + "?")
		v := &sym{bits: number{present}, kids: []*sym{e.fresh(s.Elem, name+"!")}}
		e.defaultUnless(present, v.kids[0])
		return v
	case protocol.SeqKind:
		n := e.st.MaxNatural(s.Domain)
		v := &sym{bits: e.below(n+1, name+".len"), kids: make([]*sym, n)}
		for k := range v.kids {
			v.kids[k] = e.fresh(s.Elem, fmt.Sprintf("%s[%d]", name, k+1))
			e.defaultUnless(e.less(e.constant(k), v.bits, false), v.kids[k])
		}
		return v
	case protocol.FuncKind:
		v := &sym{kids: make([]*sym, e.st.Size(s.Domain))}
		for k := range v.kids {
			v.kids[k] = e.fresh(s.Elem, fmt.Sprintf("%s[%s]", name, e.elementName(s.Domain, k)))
		}
		return v
	case protocol.RecordKind, protocol.MessageKind, protocol.UnionKind:
		v := &sym{kids: make([]*sym, len(s.Fields))}
		for i, f := range s.Fields {
			v.kids[i] = e.fresh(f.Sort, name+"."+f.Name)
		}
		return v
	case protocol.Invalid:
	}
	panic("no values of sort " + s.Name)
}

// freshBit is a new constant. Two values that shared a name would be equal, and
// the proof one of nothing.
func (e *Encoder) freshBit(name string) *smt.Term {
	if e.names[name] {
		panic("two values have the name " + name)
	}
	e.names[name] = true
	return e.b.Const(name, smt.Bool)
}

// below is a number of new constants that is less than n.
func (e *Encoder) below(n int, name string) number {
	w := bits.Len(uint(n - 1))
	v := make(number, w)
	for i := range v {
		v[i] = e.freshBit(fmt.Sprintf("%s#%d", name, i))
	}
	if n != 1<<w {
		e.ranges = append(e.ranges, e.less(v, e.constant(n), false))
	}
	return v
}

// defaultUnless adds that v is the default value where live is false.
func (e *Encoder) defaultUnless(live *smt.Term, v *sym) {
	for _, b := range v.bits {
		e.ranges = append(e.ranges, e.b.Or(live, e.b.Not(b)))
	}
	for _, k := range v.kids {
		e.defaultUnless(live, k)
	}
}

func (e *Encoder) elementName(s *protocol.Sort, k int) string {
	switch s.Kind {
	case protocol.ElementKind:
		return protocol.ElementName(s, k)
	case protocol.EnumKind:
		return s.Consts[k]
	default:
		return fmt.Sprint(k)
	}
}
