package smt

import "fmt"

// Op says what a term is made of.
type Op uint8

// The operators, the leaves among them.
const (
	OpTrue    Op = iota // true
	OpFalse             // false
	OpConst             // an uninterpreted constant, with a name
	OpNot               // negation
	OpAnd               // conjunction of two or more
	OpOr                // disjunction of two or more
	OpIte               // if-then-else, of any sort
	OpEq                // equality of two terms of one sort
	OpBVLit             // a bit-vector literal, with a value
	OpBVAdd             // sum modulo 2^width
	OpBVUlt             // unsigned less than
	OpBVUle             // unsigned less than or equal
	OpIntLit            // an integer literal, with a value
	OpAdd               // sum of two integers
	OpLt                // less than, of integers
	OpLe                // less than or equal, of integers
	OpEnum              // a value of an enumeration, with a name
	OpApp               // a function applied to one or more arguments
	OpVar               // a variable, to be bound by a quantifier
	OpForall            // its arguments: variables, body, patterns
	OpExists            // likewise
	OpPattern           // terms of a quantifier's pattern; of no sort
)

// opNames has the SMT-LIB 2 name of each operator; leaves have none of their own.
var opNames = [...]string{
	OpTrue: "true", OpFalse: "false", OpConst: "const", OpNot: "not", OpAnd: "and", OpOr: "or",
	OpIte: "ite", OpEq: "=", OpBVLit: "bvlit", OpBVAdd: "bvadd", OpBVUlt: "bvult", OpBVUle: "bvule",
	OpIntLit: "intlit", OpAdd: "+", OpLt: "<", OpLe: "<=", OpEnum: "enum", OpApp: "app",
	OpVar: "var", OpForall: "forall", OpExists: "exists", OpPattern: "pattern",
}

// String returns the operator's name in SMT-LIB 2; for a constant, a literal
// and the like, a word for what it is.
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
	info *info // of leaves, applications and terms with free variables
	neg  *Term // the negation, once it was asked for
	sort Sort
	id   uint32
	op   Op
	has  content
}

// info is what only some terms have.
type info struct {
	name  string  // of a variable or a value of an enumeration
	value uint64  // of a literal
	fn    *Func   // of a constant or application
	free  []*Term // the variables that are free in it, by number, each once
}

// content says what is to be found in a term.
type content uint8

const (
	bitVecs     content = 1 << iota // a term of a bit-vector sort
	firstOrder                      // a term of a sort that is neither Bool nor a bit-vector, or an application
	quantifiers                     // a quantifier
	open                            // a free variable
)

// ID returns the number of t in its Builder. Numbers are dense, start at 0, and
// an argument's is lower than its term's, so that a slice serves as a memo table.
func (t *Term) ID() uint32 { return t.id }

// Op returns the outermost operator.
func (t *Term) Op() Op { return t.op }

// Sort returns the sort of t.
func (t *Term) Sort() Sort { return t.sort }

// Args returns the arguments, none for a leaf. The caller must not change them.
func (t *Term) Args() []*Term { return t.args }

// Propositional reports whether t has nothing but Bool constants and
// connectives.
func (t *Term) Propositional() bool { return t.has == 0 }

// HasBitVec reports whether t or a term below it is of a bit-vector sort.
func (t *Term) HasBitVec() bool { return t.has&bitVecs != 0 }

// FirstOrder reports whether t has more than bit-vectors, Bool constants and
// connectives: integers, declared sorts, functions or quantifiers.
func (t *Term) FirstOrder() bool { return t.has&(firstOrder|quantifiers) != 0 }

// Quantified reports whether t or a term below it is a quantifier.
func (t *Term) Quantified() bool { return t.has&quantifiers != 0 }

// Name returns the name of a constant, variable, applied function or value of
// an enumeration, and "" for any other term.
func (t *Term) Name() string {
	switch {
	case t.info == nil:
		return ""
	case t.info.fn != nil:
		return t.info.fn.name
	}
	return t.info.name
}

// Value returns the value of a bit-vector literal, and 0 for any other term.
func (t *Term) Value() uint64 {
	if t.op != OpBVLit {
		return 0
	}
	return t.info.value
}

// Int returns the value of an integer literal, and 0 for any other term.
func (t *Term) Int() int64 {
	if t.op != OpIntLit {
		return 0
	}
	return int64(t.info.value)
}

// Func returns the function of an application or constant, and nil for any
// other term.
func (t *Term) Func() *Func {
	if t.info == nil {
		return nil
	}
	return t.info.fn
}

// Free returns the variables that are free in t, by number. The caller must not
// change the list.
func (t *Term) Free() []*Term {
	if t.has&open == 0 {
		return nil
	}
	return t.info.free
}

// String returns t in SMT-LIB 2 without any sharing: for tests and messages,
// where terms are small. A large term goes to a [Printer].
func (t *Term) String() string { return string((*names)(nil).appendTerm(nil, t)) }
