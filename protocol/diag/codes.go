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

// KP00xx: the YAML around formulas.
const (
	NotYAML      Code = "KP0001"
	FileTooLarge Code = "KP0002"
	TabCharacter Code = "KP0003"
	YAMLFeature  Code = "KP0004"
	DuplicateKey Code = "KP0005"
	UnknownKey   Code = "KP0006"
)

// KP01xx: the text of formulas, statements, types, patches and scenarios.
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

// KP02xx: names and sorts.
const (
	UnknownName       Code = "KP0201"
	DuplicateName     Code = "KP0202"
	WrongArity        Code = "KP0203"
	SortMismatch      Code = "KP0204"
	InvalidName       Code = "KP0205"
	ReservedName      Code = "KP0206"
	HiddenName        Code = "KP0207"
	InvalidType       Code = "KP0208"
	CyclicDeclaration Code = "KP0209"
	AmbiguousSort     Code = "KP0210"
	Misplaced         Code = "KP0211"
	UpdatedTwice      Code = "KP0212"
	LosesNothing      Code = "KP0213"
)

// KP03xx: what a place may depend on, and what a property, a scenario or a mutation must name.
const (
	PrimeNotAllowed Code = "KP0301"
	StateNotAllowed Code = "KP0302"
	GhostLeak       Code = "KP0303"
	NoRefutation    Code = "KP0304"
	IncompleteScope Code = "KP0305"
	CircularProof   Code = "KP0306"
	SubsetTooLarge  Code = "KP0307"
	BadPattern      Code = "KP0308"
	BadDisplay      Code = "KP0309"
	BadPatch        Code = "KP0310"
	NoMutant        Code = "KP0311"
	TooManyQuorums  Code = "KP0312"
)

// KP04xx: warnings.
const (
	UnguardedElement Code = "KP0401"
	UnguardedValue   Code = "KP0402"
)

var codes = []CodeInfo{
	{NotYAML, "the file is no YAML, or a section has the wrong shape", "state: 3"},
	{FileTooLarge, "the file or one of its lines is too long", ""},
	{TabCharacter, "a tab", "state:\n\tepoch: Term"},
	{YAMLFeature, "a part of YAML that changes or hides text", "axioms:\n  A: {formula: 'TRUE'}"},
	{DuplicateKey, "a key that stands twice", "state: {a: Term, a: Index}"},
	{UnknownKey, "a key that the section does not have", "axioms:\n  A: {formla: TRUE}"},
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
	{UnknownName, "a name that nothing declares", `∀ i ∈ Server: curentTerm[i] ≥ 0`},
	{DuplicateName, "a name that is declared twice", "enums:\n  Vote: [Yes, No]\n  Answer: [Maybe, No]"},
	{WrongArity, "too many or too few indexes, arguments or fields", `∀ i, j ∈ Server: votedFor[i, j] = Nil`},
	{SortMismatch, "a value of another sort was expected", `∀ i ∈ Server: currentTerm[i] = Leader`},
	{InvalidName, "a key that cannot be a name", "enums:\n  2nd: [A, B]"},
	{ReservedName, "a word of the language used as a name", "enums:\n  Seq: [A, B]"},
	{HiddenName, "a variable that hides another declaration", `∀ i ∈ Server: ∃ i ∈ Term: i > 0`},
	{InvalidType, "a type that there is not", "records:\n  Pair: {both: Set(Term)}"},
	{CyclicDeclaration, "a declaration that uses itself", `records: {Tree: {left: "Tree?", right: "Tree?"}}`},
	{AmbiguousSort, "an expression whose sort nothing tells", `∀ i ∈ Server: Nil = Nil`},
	{Misplaced, "an expression or a statement at a place where it has no meaning", "receive m ∈ Vote ∪ Vote"},
	{UpdatedTwice, "a state variable with two updates in one action", "with i ∈ Server, j ∈ Server\nvotedFor[i] := j\nvotedFor[j] := Nil"},
	{LosesNothing, "a crash that resets nothing, or volatile state that none can reset", "with v ∈ Value\ncrash v"},
	{PrimeNotAllowed, "a prime where there is only one state, or on a name that has none", "with i ∈ Server\nrequire currentTerm'[i] = 3"},
	{StateNotAllowed, "state where only constants may stand", "axioms:\n  A: {formula: \"∃ i ∈ Server: currentTerm[i] > 0\"}"},
	{GhostLeak, "something real that depends on ghost state", "with i ∈ Server\nrequire leaderOf[currentTerm[i]] = Nil"},
	{NoRefutation, "a literal claim without a scenario that refutes it", "literals:\n  L: {formula: \"TRUE\"}"},
	{IncompleteScope, "a scenario that leaves a sort without a size", "actions: {A: {do: \"epoch := 1\"}}\nscenarios:\n  R: {scope: {Server: 3}, steps: \"A()\"}"},
	{CircularProof, "a hypothesis that is none, or a proof that goes in a circle", "theorems:\n  A: {formula: TRUE, by: [B]}\n  B: {formula: TRUE, by: [A]}"},
	{SubsetTooLarge, "a scope in which a subset is larger than its sort", "protocol: p\nsorts: {A: {}, B: {subset: A}}\nscope: {A: 2, B: 3}"},
	{BadPattern, "a pattern that does not fit its quantifier", "lemmas:\n  L: {formula: \"∀ i, j ∈ Server: i = j\", patterns: \"votedFor[i]\"}"},
	{BadDisplay, "a display that does not fit what it shows", "display: {Entry: term, log: {currentTerm: \"|\"}}"},
	{BadPatch, "a patch that does not fit what it changes", "actions: {A: {do: \"epoch := 1\"}}\nmutations: {M: {actions: {A: \"- epoch := 2\"}}}"},
	{NoMutant, "a survivor that is no mutant of its action, or for no reason", "actions: {A: {do: \"epoch := 1\", survives: \"- epoch := …\"}}"},
	{TooManyQuorums, "a scope with so many elements that their quorums cannot be listed", "protocol: p\nsorts: {A: {}, Q: {quorum: A}}\nscope: {A: 16}"},
	{UnguardedElement, "warning: an element that may be outside its sequence", `∀ i ∈ Server, k ∈ Index: log[i][k].term ≤ currentTerm[i]`},
	{UnguardedValue, "warning: the value of an optional that may be Nil", `∀ i ∈ Server: currentTerm[votedFor[i]!] > 0`},
}
