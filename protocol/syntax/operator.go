package syntax

import "fmt"

// precedence says how tightly an operator binds; higher is tighter.
type precedence uint8

const (
	precOpen precedence = iota // quantifiers, IF and LET: as far to the right as possible
	precIff
	precImplies
	precOr
	precAnd
	precNot
	precCompare
	precRange
	precSet
	precAdd
	precPostfix
	precAtom
)

// operators holds, for each operator, its canonical spelling, the tokens that
// spell it and its precedence.
var operators = [...]struct {
	text   string
	tokens []tokenKind
	prec   precedence
}{
	OpInvalid:   {"?", nil, precOpen},
	OpIff:       {"⇔", []tokenKind{tokIff}, precIff},
	OpImplies:   {"⇒", []tokenKind{tokImplies, tokArrow}, precImplies},
	OpOr:        {"∨", []tokenKind{tokOr}, precOr},
	OpAnd:       {"∧", []tokenKind{tokAnd}, precAnd},
	OpNot:       {"¬", nil, precNot},
	OpEq:        {"=", []tokenKind{tokEq}, precCompare},
	OpNe:        {"≠", []tokenKind{tokNe}, precCompare},
	OpLt:        {"<", []tokenKind{tokLt}, precCompare},
	OpLe:        {"≤", []tokenKind{tokLe}, precCompare},
	OpGt:        {">", []tokenKind{tokGt}, precCompare},
	OpGe:        {"≥", []tokenKind{tokGe}, precCompare},
	OpIn:        {"∈", []tokenKind{tokIn}, precCompare},
	OpNotIn:     {"∉", []tokenKind{tokNotIn}, precCompare},
	OpSubset:    {"⊆", []tokenKind{tokSubset}, precCompare},
	OpUnion:     {"∪", []tokenKind{tokUnion}, precSet},
	OpIntersect: {"∩", []tokenKind{tokIntersect}, precSet},
	OpDiff:      {`\`, []tokenKind{tokDiff}, precSet},
	OpAdd:       {"+", []tokenKind{tokAdd}, precAdd},
	OpSub:       {"-", []tokenKind{tokSub}, precAdd},
	OpValue:     {"!", nil, precPostfix},
}

// String is the canonical spelling.
func (op Op) String() string {
	if int(op) < len(operators) {
		return operators[op].text
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}

func (op Op) prec() precedence { return operators[op].prec }

// binaryOps are the binary operators by their tokens.
var binaryOps = func() map[tokenKind]Op {
	ops := map[tokenKind]Op{}
	for op, info := range operators {
		for _, kind := range info.tokens {
			ops[kind] = Op(op)
		}
	}
	return ops
}()
