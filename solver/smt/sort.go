package smt

import "fmt"

// Sort is a type of the logic. Sorts are comparable with ==; the zero Sort is
// no sort at all.
type Sort struct {
	kind  sortKind
	width uint16
}

type sortKind uint8

const (
	invalidKind sortKind = iota
	boolKind
	bitVecKind
)

// Bool is the sort of formulas.
var Bool = Sort{kind: boolKind}

// MaxWidth is the largest width of a bit-vector: its values fit into a uint64.
const MaxWidth = 64

// BitVec returns the sort of bit-vectors of the given width, 1 to [MaxWidth].
func BitVec(width int) Sort {
	if width < 1 || width > MaxWidth {
		panic(fmt.Sprintf("smt: bit-vector of width %d", width))
	}
	return Sort{kind: bitVecKind, width: uint16(width)}
}

// Width returns the width of a bit-vector sort, and 0 for any other sort.
func (s Sort) Width() int { return int(s.width) }

// String returns the sort as SMT-LIB 2 writes it.
func (s Sort) String() string {
	switch s.kind {
	case invalidKind:
		return "<invalid>"
	case boolKind:
		return "Bool"
	case bitVecKind:
		return fmt.Sprintf("(_ BitVec %d)", s.width)
	}
	panic(fmt.Sprintf("smt: unhandled sort kind %d", s.kind))
}

// mask returns the largest value of a bit-vector sort.
func (s Sort) mask() uint64 { return ^uint64(0) >> (MaxWidth - s.width) }
