package smt

import (
	"fmt"
	"strings"
)

// Op says what a term is made of.
type Op uint8

const (
	OpTrue  Op = iota // true
	OpFalse           // false
	OpConst           // an uninterpreted constant, with a name
	OpNot             // negation
	OpAnd             // conjunction of two or more
	OpOr              // disjunction of two or more
	OpIte             // if-then-else, of any sort
	OpEq              // equality of two terms of one sort
	OpBVLit           // a bit-vector literal, with a value
	OpBVAdd           // sum modulo 2^width
	OpBVUlt           // unsigned less than
	OpBVUle           // unsigned less than or equal
)

// opNames has the SMT-LIB 2 name of each operator; leaves have none of their own.
var opNames = [...]string{
	OpTrue: "true", OpFalse: "false", OpConst: "const", OpNot: "not", OpAnd: "and", OpOr: "or",
	OpIte: "ite", OpEq: "=", OpBVLit: "bvlit", OpBVAdd: "bvadd", OpBVUlt: "bvult", OpBVUle: "bvule",
}

// String returns the operator's name in SMT-LIB 2; for a constant and a
// literal, a word for what it is.
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}

// Term is a well-sorted expression. Terms of one [Builder] are equal exactly
// if their pointers are.
type Term struct {
	args []*Term
	leaf *leaf // constants and literals only
	neg  *Term // the negation, once it was asked for
	id   uint32
	sort Sort
	op   Op
	bv   bool // of a bit-vector sort, or some argument is
}

// leaf is what only terms without arguments have.
type leaf struct {
	name  string
	value uint64
}

// ID returns the number of t in its Builder. Numbers are dense, start at 0, and
// an argument's is lower than its term's, so that a slice serves as a memo table.
func (t *Term) ID() uint32 { return t.id }

// Op returns the outermost operator.
func (t *Term) Op() Op { return t.op }

// Sort returns the sort of t.
func (t *Term) Sort() Sort { return t.sort }

// Args returns the arguments, none for a leaf. The caller must not change them.
func (t *Term) Args() []*Term { return t.args }

// HasBitVec reports whether t or a term below it is of a bit-vector sort.
func (t *Term) HasBitVec() bool { return t.bv }

// Name returns the name of a constant, and "" for any other term.
func (t *Term) Name() string {
	if t.op != OpConst {
		return ""
	}
	return t.leaf.name
}

// Value returns the value of a bit-vector literal, and 0 for any other term.
func (t *Term) Value() uint64 {
	if t.op != OpBVLit {
		return 0
	}
	return t.leaf.value
}

// String returns t in SMT-LIB 2 without any sharing: for tests and messages,
// where terms are small. A large term goes to a [Printer].
func (t *Term) String() string {
	var sb strings.Builder
	t.writeTo(&sb)
	return sb.String()
}

func (t *Term) writeTo(sb *strings.Builder) {
	if len(t.args) == 0 {
		sb.Write(appendLeaf(nil, t))
		return
	}
	sb.WriteByte('(')
	sb.WriteString(t.op.String())
	for _, a := range t.args {
		sb.WriteByte(' ')
		a.writeTo(sb)
	}
	sb.WriteByte(')')
}
