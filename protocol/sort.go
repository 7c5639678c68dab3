package protocol

import (
	"strconv"
	"strings"
)

// Kind tells the sorts apart.
type Kind uint8

// The kinds of sorts.
const (
	Invalid     Kind = iota // the sort of an ill-sorted term; fits everywhere
	BoolKind                // TRUE, FALSE
	ElementKind             // elements of a declared sort: Server, Value
	EnumKind                // one of the named constants
	NaturalKind             // ordered naturals: Term, Index
	QuorumKind              // quorums of an element sort; any two meet
	RecordKind              // named fields
	MessageKind             // a record in the network
	UnionKind               // a message of one of several types
	OptionKind              // Elem or Nil
	SetKind                 // sets of Elem
	SeqKind                 // finite sequences of Elem, indexed from 1 by Index
	FuncKind                // functions from Domain to Elem
)

// Sort is a type of the logic. Sorts are interned by their System: two sorts
// are equal exactly if their pointers are.
type Sort struct {
	Kind   Kind
	Name   string   // declared name; for composed sorts the written form
	Consts []string // EnumKind: the constants in order
	Prefix string   // ElementKind: elements are shown as prefix1, prefix2, …
	Finite bool     // ElementKind: finitely many in every structure
	Fields []*Field // RecordKind, MessageKind; UnionKind: the common fields
	Domain *Sort    // FuncKind: arguments; SeqKind: the index sort
	Elem   *Sort    // OptionKind, SetKind, SeqKind: element; FuncKind: result; QuorumKind: member
	Union  []*Sort  // UnionKind: the message types, in written order
	ID     int      // MessageKind: position among the system's message types
	Quorum *Sort    // ElementKind: the sort of its quorums, or nil
	Subset *Subsort // ElementKind: its subset, or nil
	Within *Subsort // QuorumKind: all members are in it; nil: they are any elements
	Index  bool     // NaturalKind: it indexes sequences
}

// Subsort is a subset of an element sort, as a spec declares it: a constant of the
// signature, not empty, and the same in every state. It is a term and no type. A
// scope says how many elements it has; they are the first ones of the sort.
type Subsort struct {
	Name string
	Of   *Sort // ElementKind
	Sort *Sort // Set(Of), the sort of the term
}

// Field is one field of a record or message.
type Field struct {
	Name  string
	Sort  *Sort
	Ghost bool // read by ghost updates and properties only
	Index int  // position in the record; in a union: position among the common fields
}

// subsetName is the name of an element sort's subset, or "".
func (s *Sort) subsetName() string {
	if s.Subset == nil {
		return ""
	}
	return s.Subset.Name
}

// String is the sort as it is written in a spec.
func (s *Sort) String() string { return s.Name }

// Field finds a field by name, or nil.
func (s *Sort) Field(name string) *Field {
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// IsScalar reports whether the sort's values are atoms of a finite scope:
// Boolean, element, enumeration constant, natural, quorum.
func (s *Sort) IsScalar() bool {
	switch s.Kind {
	case BoolKind, ElementKind, EnumKind, NaturalKind, QuorumKind:
		return true
	case Invalid, RecordKind, MessageKind, UnionKind, OptionKind, SetKind, SeqKind, FuncKind:
		return false
	}
	panic("unhandled sort kind")
}

// BoolSort and InvalidSort belong to every system.
var (
	BoolSort    = &Sort{Kind: BoolKind, Name: "Bool"}
	InvalidSort = &Sort{Kind: Invalid, Name: "invalid"}
)

// sortTable interns composed sorts.
type sortTable struct {
	named    map[string]*Sort
	composed map[string]*Sort
}

func newSortTable() *sortTable {
	return &sortTable{named: map[string]*Sort{"Bool": BoolSort}, composed: map[string]*Sort{}}
}

func (t *sortTable) compose(s Sort) *Sort {
	if got, ok := t.composed[s.Name]; ok {
		return got
	}
	n := new(Sort)
	*n = s
	t.composed[s.Name] = n
	return n
}

func (t *sortTable) option(elem *Sort) *Sort {
	name := elem.Name + "?"
	if elem.Kind == FuncKind {
		name = "(" + elem.Name + ")?"
	}
	return t.compose(Sort{Kind: OptionKind, Name: name, Elem: elem})
}

func (t *sortTable) set(elem *Sort) *Sort {
	return t.compose(Sort{Kind: SetKind, Name: "Set(" + elem.Name + ")", Elem: elem})
}

func (t *sortTable) seq(index, elem *Sort) *Sort {
	return t.compose(Sort{Kind: SeqKind, Name: "Seq(" + elem.Name + ")", Elem: elem, Domain: index})
}

func (t *sortTable) function(dom, elem *Sort) *Sort {
	left := dom.Name
	if dom.Kind == FuncKind {
		left = "(" + left + ")"
	}
	return t.compose(Sort{Kind: FuncKind, Name: left + " → " + elem.Name, Elem: elem, Domain: dom})
}

func (t *sortTable) union(types []*Sort) *Sort {
	names := make([]string, len(types))
	for i, m := range types {
		names[i] = m.Name
	}
	u := t.compose(Sort{Kind: UnionKind, Name: strings.Join(names, " ∪ ")})
	if u.Union == nil {
		u.Union = types
		for _, f := range types[0].Fields {
			common := &Field{Name: f.Name, Sort: f.Sort, Ghost: f.Ghost, Index: len(u.Fields)}
			shared := true
			for _, m := range types[1:] {
				g := m.Field(f.Name)
				if g == nil || g.Sort != f.Sort {
					shared = false
					break
				}
				common.Ghost = common.Ghost || g.Ghost
			}
			if shared {
				u.Fields = append(u.Fields, common)
			}
		}
	}
	return u
}

// ElementName is how the k-th element (from 0) of an element sort is written: n1, v2.
func ElementName(s *Sort, k int) string { return s.Prefix + strconv.Itoa(k+1) }

// elementNumber is the k, from 1, of which name is the name of the k-th element of s, or 0.
func elementNumber(name string, s *Sort) int {
	rest, ok := strings.CutPrefix(name, s.Prefix)
	if n, err := strconv.Atoi(rest); s.Kind == ElementKind && ok && err == nil && strconv.Itoa(n) == rest {
		return max(n, 0)
	}
	return 0
}
