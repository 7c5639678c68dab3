package syntax

// tokenKind is the kind of a token. Twins such as ∧, /\ and "and" are one kind.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokInvalid           // reported by the scanner already
	tokIdent
	tokNumber
	tokPrime // one that follows no identifier

	// Brackets and punctuation.
	tokLParen
	tokRParen
	tokLBrack
	tokRBrack
	tokLBrace
	tokRBrace
	tokLAngle
	tokRAngle
	tokComma
	tokColon
	tokDot
	tokDots
	tokEllipsis
	tokMapsTo
	tokDefine
	tokAssign
	tokQuestion
	tokEmptySet

	// Operators.
	tokIff
	tokImplies
	tokArrow // an implication in formulas, a function in types
	tokOr
	tokAnd
	tokNot
	tokEq
	tokNe
	tokLt
	tokLe
	tokGt
	tokGe
	tokIn
	tokNotIn
	tokSubset
	tokUnion
	tokIntersect
	tokDiff
	tokAdd
	tokSub
	tokBang

	// Words.
	tokForall
	tokExists
	tokIF
	tokTHEN
	tokELSE
	tokLET
	tokIN
	tokTrue
	tokFalse
	tokNil
)

// token is a piece of the text. The bytes [start,end) of the file spell it.
type token struct {
	kind       tokenKind
	start, end int
	column     int  // in runes, 1-based
	first      bool // the first token on its line
	prime      bool // an identifier that a prime follows
	value      int  // of a number
}

// symbol is one spelling of a token.
type symbol struct {
	text string
	kind tokenKind
}

// symbols are the spellings without letters. The first one of a kind is the
// canonical one; the scanner takes the longest that fits.
var symbols = []symbol{
	{"(", tokLParen}, {")", tokRParen},
	{"[", tokLBrack}, {"]", tokRBrack},
	{"{", tokLBrace}, {"}", tokRBrace},
	{"⟨", tokLAngle}, {"<<", tokLAngle},
	{"⟩", tokRAngle}, {">>", tokRAngle},
	{",", tokComma}, {":", tokColon}, {".", tokDot}, {"..", tokDots},
	{"…", tokEllipsis}, {"...", tokEllipsis},
	{"↦", tokMapsTo}, {"|->", tokMapsTo},
	{"==", tokDefine}, {"≡", tokDefine},
	{":=", tokAssign}, {"?", tokQuestion}, {"∅", tokEmptySet}, {"'", tokPrime},
	{"⇔", tokIff}, {"<=>", tokIff},
	{"⇒", tokImplies}, {"=>", tokImplies},
	{"→", tokArrow}, {"->", tokArrow},
	{"∨", tokOr}, {`\/`, tokOr},
	{"∧", tokAnd}, {`/\`, tokAnd},
	{"¬", tokNot}, {"~", tokNot},
	{"=", tokEq}, {"≠", tokNe}, {"/=", tokNe}, {"!=", tokNe},
	{"<", tokLt}, {"≤", tokLe}, {"<=", tokLe},
	{">", tokGt}, {"≥", tokGe}, {">=", tokGe},
	{"∈", tokIn}, {"∉", tokNotIn}, {"⊆", tokSubset},
	{"∪", tokUnion}, {"∩", tokIntersect}, {`\`, tokDiff}, {"∖", tokDiff},
	{"+", tokAdd}, {"-", tokSub}, {"!", tokBang},
	{"∀", tokForall}, {"∃", tokExists},
}

// words are the reserved words.
var words = map[string]tokenKind{
	"or": tokOr, "and": tokAnd, "not": tokNot,
	"in": tokIn, "notin": tokNotIn, "subseteq": tokSubset,
	"union": tokUnion, "intersect": tokIntersect,
	"forall": tokForall, "exists": tokExists,
	"IF": tokIF, "THEN": tokTHEN, "ELSE": tokELSE, "LET": tokLET, "IN": tokIN,
	"TRUE": tokTrue, "true": tokTrue, "FALSE": tokFalse, "false": tokFalse,
	"Nil": tokNil,
}

// backslashWords are the words that follow a backslash, as in TLA+.
var backslashWords = map[string]tokenKind{
	"A": tokForall, "E": tokExists,
	"in": tokIn, "notin": tokNotIn, "subseteq": tokSubset,
	"union": tokUnion, "cup": tokUnion,
	"intersect": tokIntersect, "cap": tokIntersect,
}

// statementWords begin statements. They are ordinary names inside formulas.
var statementWords = []string{"with", "receive", "let", "require", "send", "crash"}

// String is the canonical spelling, as messages show it.
func (k tokenKind) String() string {
	switch k {
	case tokIdent:
		return "a name"
	case tokNumber:
		return "a number"
	case tokComma:
		return "a comma"
	case tokColon:
		return "a colon"
	case tokDot:
		return "a dot"
	case tokIF:
		return "IF"
	case tokTHEN:
		return "THEN"
	case tokELSE:
		return "ELSE"
	case tokLET:
		return "LET"
	case tokIN:
		return "IN"
	case tokTrue:
		return "TRUE"
	case tokFalse:
		return "FALSE"
	case tokNil:
		return "Nil"
	}
	for _, s := range symbols {
		if s.kind == k {
			return s.text
		}
	}
	return "the end"
}

// closer is the bracket that closes k, or tokInvalid if k opens nothing.
func (k tokenKind) closer() tokenKind {
	switch k {
	case tokLParen, tokLBrack, tokLBrace, tokLAngle:
		return k + 1
	}
	return tokInvalid
}

func (k tokenKind) closes() bool {
	switch k {
	case tokRParen, tokRBrack, tokRBrace, tokRAngle:
		return true
	}
	return false
}

// startsOperand reports whether an operand can begin with k.
func (k tokenKind) startsOperand() bool {
	switch k {
	case tokIdent, tokNumber, tokLParen, tokLBrack, tokLBrace, tokLAngle, tokEmptySet, tokNot,
		tokForall, tokExists, tokIF, tokLET, tokTrue, tokFalse, tokNil:
		return true
	}
	return false
}
