package smt

import (
	"fmt"
	"strings"
	"unique"
)

// Sort is a type of the logic. Sorts are comparable with ==, also those of
// different builders; the zero Sort is no sort at all.
type Sort struct {
	decl unique.Handle[sortDecl]
}

// sortDecl is what makes a sort. Equal declarations are one sort.
type sortDecl struct {
	kind   sortKind
	width  uint16 // of a bit-vector sort
	name   string // of a declared sort
	values string // of an enumeration, in order, each followed by valueEnd
}

type sortKind uint8

const (
	boolKind sortKind = iota
	bitVecKind
	intKind
	uninterpretedKind
	enumerationKind
)

// valueEnd ends the name of a value in a sortDecl; no name has it.
const valueEnd = "|"

// Bool is the sort of formulas.
var Bool = makeSort(sortDecl{kind: boolKind})

// Int is the sort of integers.
var Int = makeSort(sortDecl{kind: intKind})

// MaxWidth is the largest width of a bit-vector: its values fit into a uint64.
const MaxWidth = 64

// BitVec returns the sort of bit-vectors of the given width, 1 to [MaxWidth].
func BitVec(width int) Sort {
	if width < 1 || width > MaxWidth {
		panic(fmt.Sprintf("smt: bit-vector of width %d", width))
	}
	return makeSort(sortDecl{kind: bitVecKind, width: uint16(width)})
}

// Uninterpreted returns the sort of the given name, of which nothing is known
// but that it is not empty.
func Uninterpreted(name string) Sort {
	checkName(name)
	return makeSort(sortDecl{kind: uninterpretedKind, name: name})
}

// Enumeration returns the sort of the given name whose values are the given
// ones, at least one, all different. See [Builder.Enum].
//
// A [Printer] declares what it meets: in one Builder no two sorts may have the
// same name, and no value that of another enumeration's value or of a function.
func Enumeration(name string, values ...string) Sort {
	checkName(name)
	var sb strings.Builder
	have := map[string]bool{}
	for _, v := range values {
		checkName(v)
		if have[v] {
			panic(fmt.Sprintf("smt: enumeration %s has %s twice", name, v))
		}
		have[v] = true
		sb.WriteString(v + valueEnd)
	}
	if len(values) == 0 {
		panic(fmt.Sprintf("smt: enumeration %s has no value", name))
	}
	return makeSort(sortDecl{kind: enumerationKind, name: name, values: sb.String()})
}

func makeSort(d sortDecl) Sort { return Sort{unique.Make(d)} }

// Width returns the width of a bit-vector sort, and 0 for any other sort.
func (s Sort) Width() int {
	if s == (Sort{}) {
		return 0
	}
	return int(s.decl.Value().width)
}

// Values returns the names of an enumeration's values, and nil for any other
// sort.
func (s Sort) Values() []string {
	if s == (Sort{}) || s.kind() != enumerationKind {
		return nil
	}
	all := s.decl.Value().values
	return strings.Split(strings.TrimSuffix(all, valueEnd), valueEnd)
}

// String returns the sort as SMT-LIB 2 writes it.
func (s Sort) String() string { return (*names)(nil).sort(s) }

// sort returns the sort as SMT-LIB 2 writes it.
func (n *names) sort(s Sort) string {
	if s == (Sort{}) {
		return "<invalid>"
	}
	switch d := s.decl.Value(); d.kind {
	case boolKind:
		return "Bool"
	case bitVecKind:
		return fmt.Sprintf("(_ BitVec %d)", d.width)
	case intKind:
		return "Int"
	case uninterpretedKind, enumerationKind:
		return string(n.appendSymbol(nil, d.name))
	}
	panic("smt: unhandled sort kind")
}

func (s Sort) kind() sortKind { return s.decl.Value().kind }

// declared reports whether a script must declare s before it uses it.
func (s Sort) declared() bool { return s.kind() >= uninterpretedKind }

// mask returns the largest value of a bit-vector sort.
func (s Sort) mask() uint64 { return ^uint64(0) >> (MaxWidth - s.decl.Value().width) }
