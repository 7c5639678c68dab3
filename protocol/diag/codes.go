package diag

import "slices"

// CodeInfo documents a code: what it reports, in a few words, and a piece of a
// specification that provokes it.
type CodeInfo struct {
	Code    Code
	Title   string
	Example string
}

// Codes lists every code in ascending order.
func Codes() []CodeInfo { return slices.Clone(codes) }

// A code is never given a new meaning. To add one, add its constant here and
// its row to the table below.

// KP01xx: the text of formulas, statements, types and runs.
const (
	InvalidCharacter  Code = "KP0101"
	InvalidNumber     Code = "KP0102"
	UnexpectedToken   Code = "KP0103"
	UnbalancedBracket Code = "KP0104"
	ReservedWord      Code = "KP0105"
	ChainedComparison Code = "KP0106"
	MixedSetOperators Code = "KP0107"
	MisplacedRange    Code = "KP0108"
	MisplacedPrime    Code = "KP0109"
	MixedBullets      Code = "KP0110"
	NotAStatement     Code = "KP0111"
	NotAssignable     Code = "KP0112"
	NestingTooDeep    Code = "KP0113"
)

var codes = []CodeInfo{
	{InvalidCharacter, "a character that means nothing here", `a & b`},
	{InvalidNumber, "a number that is too large or runs into a name", `x = 99999999999`},
	{UnexpectedToken, "something else was expected at this point", `∀ i Server: p(i)`},
	{UnbalancedBracket, "a bracket without its partner", `(a ∨ b`},
	{ReservedWord, "a reserved word used as a name", `∀ IF ∈ Server: p`},
	{ChainedComparison, "comparisons do not chain", `a < b < c`},
	{MixedSetOperators, "different set operators without parentheses", `A ∪ B \ C`},
	{MisplacedRange, "a range where no domain is expected", `x = 1..3`},
	{MisplacedPrime, "a prime that does not follow a variable", `x[i]' = y`},
	{MixedBullets, "different operators as bullets of one list", "∧ a\n∨ b"},
	{NotAStatement, "a line of a body that is no statement", `x = 1`},
	{NotAssignable, "the left side of := is not a cell of the state", `x + 1 := y`},
	{NestingTooDeep, "nested too deeply", ""},
}
