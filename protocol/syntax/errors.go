package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/speckl/kraftprove/protocol/diag"
)

// operandWanted is what unexpected is told where an operand is missing.
const operandWanted = "an expression"

// unexpected reports that the current token does not fit, unless that was said
// already. The token is not consumed.
func (p *parser) unexpected(expected string) {
	tok := p.tokens[p.pos]
	if p.failed == p.pos || tok.kind == tokInvalid {
		p.failed = p.pos
		return
	}
	p.failed = p.pos
	code, message := diag.UnexpectedToken, fmt.Sprintf("expected %s, found %s", expected, p.found(tok))
	switch tok.kind {
	case tokDots:
		code, message = diag.MisplacedRange, "a range is no value"
	case tokPrime:
		code, message = diag.MisplacedPrime, "this prime follows no variable"
	}
	p.report(code, p.at(tok), p.advice(tok, expected), "%s", message)
}

// found is how messages call a token that is there.
func (p *parser) found(tok token) string {
	switch tok.kind {
	case tokEOF:
		return "the end of the " + p.what
	case tokComma, tokColon, tokDot:
		return tok.kind.String()
	}
	return shorten(p.text(tok))
}

// advice is help for common slips, by the token that does not fit.
func (p *parser) advice(tok token, expected string) string {
	text := p.text(tok)
	operand := expected == operandWanted
	switch {
	case tok.kind == tokDots:
		return "a range stands right of ∈ or ∉, as the domain of a quantifier, or in s[a..b]"
	case tok.kind == tokDefine:
		return "write = to compare; == defines a name"
	case tok.kind == tokAssign:
		return "write = to compare; := changes a variable, in a statement of its own"
	case text == "if":
		return "only send takes an if behind it; a value is IF … THEN … ELSE …"
	case operand && tok.kind == tokSub:
		return "numbers are natural, there is no negation"
	case operand && (tok.kind == tokAnd || tok.kind == tokOr):
		return "put a list of bullets that is an operand in parentheses"
	case !operand && (text == `\A` || text == `\E`):
		return "put a space behind the \\ of a set difference"
	case p.isWord(tok) && !operand && expected == tokIdent.String():
		return text + " is a reserved word"
	case tok.first && p.pos > 0 && p.what == "statement":
		return "a line that is indented deeper continues the statement above it"
	}
	return ""
}

// unclosed reports that the current token does not close a bracket.
func (p *parser) unclosed(open token) {
	if p.tokens[p.pos].kind == tokEOF {
		if p.failed != p.pos {
			p.failed = p.pos
			p.report(diag.UnbalancedBracket, p.at(open), "", "this %s is never closed", p.text(open))
		}
		return
	}
	reported := len(p.errs)
	p.unexpected("an operator or " + open.kind.closer().String())
	if len(p.errs) > reported {
		p.label(open, "opened here")
	}
}

// label adds a remark to the last diagnostic.
func (p *parser) label(tok token, text string) {
	last := &p.errs[len(p.errs)-1]
	last.Labels = append(last.Labels, diag.Label{Span: p.at(tok), Text: text})
}

func (p *parser) unopened() {
	if p.failed == p.pos {
		return
	}
	tok := p.tokens[p.pos]
	p.report(diag.UnbalancedBracket, p.at(tok), "", "this %s closes nothing", p.text(tok))
}

func (p *parser) tooDeep() {
	p.report(diag.NestingTooDeep, p.at(p.tokens[p.pos]), "name parts of it with LET or in a definition",
		"more than %d levels of nesting", maxDepth)
}

func (p *parser) reserved(tok token) {
	p.report(diag.ReservedWord, p.at(tok), "choose another name",
		"%s is a reserved word and cannot be a name", p.text(tok))
}

// primedName reports a prime behind a name that is no variable's.
func (p *parser) primedName(name token) {
	p.report(diag.MisplacedPrime, p.file.Span(name.end, name.end+1),
		"a prime belongs behind the name of a state variable", "%s cannot have a prime", p.text(name))
}

// misplacedPrime reports and consumes a prime behind an operand.
func (p *parser) misplacedPrime(from int, x Expr) {
	help := "put it directly behind the variable's name"
	if name := p.tokens[from]; x != nil && name.kind == tokIdent && !name.prime && p.pos > from+1 {
		rest := string(p.file.Text[name.end:p.tokens[p.pos-1].end])
		help = "write " + shorten(p.text(name)+"'"+rest)
	}
	tok := p.next()
	p.report(diag.MisplacedPrime, p.at(tok), help, "a prime follows a variable, not an expression")
}

func (p *parser) mixedBullets(first, other token) {
	p.report(diag.MixedBullets, p.at(other), "use the same operator, or indent and parenthesise one part",
		"the bullets of one list differ: %s after %s", p.text(other), p.text(first))
	p.label(first, "the list begins here")
}

// chainedComparison reports a < b < c, all of which was read. The left operand
// began at a position.
func (p *parser) chainedComparison(from int, first, second token) {
	between := func(start, end int) string {
		return strings.TrimSpace(string(p.file.Text[start:end]))
	}
	a := between(p.tokens[from].start, first.start)
	b := between(first.end, second.start)
	c := between(second.end, max(second.end, p.tokens[p.pos-1].end))
	help := fmt.Sprintf("write %s %s %s ∧ %s %s %s", a, p.text(first), b, b, p.text(second), c)
	if utf8.RuneCountInString(help) > 80 || strings.Contains(help, "\n") || c == "" {
		help = "join two comparisons with ∧"
	}
	p.report(diag.ChainedComparison, p.at(second), help, "comparisons do not chain")
	p.label(first, "after this one")
}

func (p *parser) mixedSetOperators(first, second token) {
	p.report(diag.MixedSetOperators, p.at(second), "use parentheses",
		"%s and %s bind equally tightly", p.text(first), p.text(second))
	p.label(first, "the other operator")
}

// notADefinition reports = or := where == is expected.
func (p *parser) notADefinition() {
	tok := p.tokens[p.pos]
	p.report(diag.UnexpectedToken, p.at(tok), "a definition is written x == value",
		"expected ==, found %s", p.text(tok))
}

func (p *parser) noSign() {
	p.report(diag.UnexpectedToken, p.at(p.tokens[p.pos]), "begin each line of a patch with - for what is removed, or + for what is added",
		"expected - or +, found %s", p.found(p.tokens[p.pos]))
}

func (p *parser) openAddition(tok token) {
	p.report(diag.UnexpectedToken, p.at(tok), "write out what is added", "%s may stand in a line that is removed only", p.text(tok))
}

func (p *parser) misplacedEllipsis(tok token) {
	p.report(diag.UnexpectedToken, p.at(tok), "it may stand for all behind := or ==, or for all fields of a message: send M{…}",
		"%s does not stand for a part of a statement", p.text(tok))
}

// notDots reports the current ellipsis, which is taken for the dots of a range.
func (p *parser) notDots() {
	tok := p.tokens[p.pos]
	p.report(diag.InvalidCharacter, p.at(tok), "write .. for a range", "unknown symbol %s", p.text(tok))
}

// notAComprehension reports the current colon in a set.
func (p *parser) notAComprehension() {
	p.failed = p.pos
	p.report(diag.UnexpectedToken, p.at(p.tokens[p.pos]), "a comprehension is written {x ∈ S : condition}",
		"expected a comma or }, found a colon")
}

func (p *parser) notAChoice(place diag.Span) {
	p.report(diag.UnexpectedToken, place, "a comprehension is written {x ∈ S : condition}",
		"expected a name without a prime")
}

func (p *parser) notAStatement(e Expr) {
	if p.failed == p.pos {
		return
	}
	if p.kind() != tokEOF {
		p.unexpected("an operator or :=")
		return
	}
	help := "a statement begins with " + strings.Join(statementWords, ", ") + " or is an assignment x := value"
	if b, ok := e.(*Binary); ok && b.Op == OpEq {
		help = "write require in front to test it, or := to assign"
	}
	p.report(diag.NotAStatement, e.Span(), help, "this formula is no statement")
	p.failed = p.pos
}

func (p *parser) notAssignable(e Expr) {
	p.report(diag.NotAssignable, e.Span(), "", "expected a variable, an element or a field left of :=")
}

func (p *parser) primedTarget(x *Ident) {
	p.report(diag.NotAssignable, x.Sp, "write "+x.Name+"; := sets its value after the step",
		"%s' cannot be assigned", x.Name)
}
