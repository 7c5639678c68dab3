package syntax

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/protocol/diag"
)

// The parser climbs precedences over the tokens of one formula, statement,
// type or step. It goes on after an error, so that one run reports all of
// them, by two rules:
//
//   - A token that does not fit is reported once and not consumed. The
//     functions on the way out find it again and stay silent. A function whose
//     part is missing returns nil.
//   - A closing bracket, the end of a statement and the end of the text end
//     the silence: what comes before them is skipped.
//
// Hence what the parser returns is complete, or it is nil; there is no node
// for a part that could not be read. Mistakes that lose nothing, such as a
// chained comparison, are reported and leave a tree.

// maxDepth is how deeply formulas and types may be nested.
const maxDepth = 500

// ParseExpr parses the bytes [start,end) of a file as one formula. Line breaks
// are white space, except that bullets (∧ or ∨ in front of an operand) end
// where the next bullet of their column begins, as in TLA+. The formula is nil
// if a part of it could not be read.
func ParseExpr(f *diag.File, start, end int) (Expr, diag.List) {
	p := newParser(f, start, end, "formula")
	e := p.expr()
	p.finish()
	return e, p.errs.Sorted()
}

// ParseTypeDecl parses the bytes [start,end) of a file as a type, perhaps with
// "ghost" or "volatile" in front. Its Type is nil if a part of it could not be read.
func ParseTypeDecl(f *diag.File, start, end int) (TypeDecl, diag.List) {
	p := newParser(f, start, end, "type")
	d := p.typeDecl()
	p.finish()
	return d, p.errs.Sorted()
}

// ParseBody parses the bytes [start,end) of a file as statements, one a line.
// A line that is indented deeper than the statement's first line continues the
// statement, and so does a line inside brackets. Statements that could not be
// read are missing in the result.
func ParseBody(f *diag.File, start, end int) ([]Stmt, diag.List) {
	var body []Stmt
	errs := parseLines(f, start, end, "statement", beginsStmt, func(p *parser) {
		if s := p.stmt(); s != nil {
			body = append(body, s)
		}
	})
	return body, errs
}

// ParseScenario parses the bytes [start,end) of a file as the steps of a scenario,
// one a line, with the same rules for lines as ParseBody. Steps that could not be
// read are missing in the result.
func ParseScenario(f *diag.File, start, end int) ([]ScenarioStep, diag.List) {
	var steps []ScenarioStep
	errs := parseLines(f, start, end, "step", beginsStep, func(p *parser) {
		if s, ok := p.scenarioStep(); ok {
			steps = append(steps, s)
		}
	})
	return steps, errs
}

// ParsePatterns parses the bytes [start,end) of a file as patterns, one a line. A line
// that is indented deeper than the pattern's first line continues the pattern.
// Patterns that could not be read are missing in the result.
func ParsePatterns(f *diag.File, start, end int) ([]Pattern, diag.List) {
	var patterns []Pattern
	always := func(*diag.File, []token) bool { return true }
	errs := parseLines(f, start, end, "pattern", always, func(p *parser) {
		if x, ok := p.pattern(); ok {
			patterns = append(patterns, x)
		}
	})
	return patterns, errs
}

type parser struct {
	file   *diag.File
	what   string // what is parsed, for messages
	tokens []token
	pos    int
	errs   diag.List

	failed int         // position of the last token reported as unexpected, or -1
	open   []tokenKind // the closing brackets that are awaited
	margin int         // a line that begins at this column or left of it ends the bullet
	depth  int
}

func newParser(f *diag.File, start, end int, what string) *parser {
	tokens, errs := scan(f, start, end)
	return &parser{file: f, what: what, tokens: tokens, errs: errs, failed: -1}
}

// parseLines calls parse for each statement or step. What begins one for sure,
// even inside a bracket, begins tells from the tokens that follow.
func parseLines(
	f *diag.File, start, end int, what string, begins func(*diag.File, []token) bool, parse func(*parser),
) diag.List {
	tokens, errs := scan(f, start, end)
	tokens = tokens[:len(tokens)-1]
	for len(tokens) > 0 {
		n := lineLength(tokens, func(rest []token) bool { return begins(f, rest) })
		last := tokens[n-1].end
		part := append(slices.Clone(tokens[:n]), token{kind: tokEOF, start: last, end: last})
		tokens = tokens[n:]
		p := &parser{file: f, what: what, tokens: part, failed: -1}
		parse(p)
		p.finish()
		errs = append(errs, p.errs...)
	}
	return errs.Sorted()
}

// lineLength is the number of tokens of the first statement or step. Inside a
// bracket, which may have been forgotten to be closed, only what surely begins
// another one ends it.
func lineLength(tokens []token, begins func([]token) bool) int {
	depth := 0
	for i, tok := range tokens {
		if i > 0 && tok.first && tok.column <= tokens[0].column && (depth == 0 || begins(tokens[i:])) {
			return i
		}
		switch {
		case tok.kind.closer() != tokInvalid:
			depth++
		case tok.kind.closes() && depth > 0:
			depth--
		}
	}
	return len(tokens)
}

// beginsStmt reports whether the tokens, the first of which begins a line, are
// a statement and not a part of a formula.
func beginsStmt(f *diag.File, tokens []token) bool {
	if isStatementWord(f, tokens[0]) {
		return len(tokens) > 1 && tokens[1].kind.startsOperand()
	}
	for _, tok := range tokens[1:] {
		if tok.first {
			break
		}
		if tok.kind == tokAssign {
			return true
		}
	}
	return false
}

// beginsStep is like beginsStmt, for a step of a scenario.
func beginsStep(_ *diag.File, tokens []token) bool {
	return tokens[0].kind == tokEllipsis ||
		len(tokens) > 1 && tokens[0].kind == tokIdent && tokens[1].kind == tokLParen
}

func isStatementWord(f *diag.File, tok token) bool {
	return tok.kind == tokIdent && slices.Contains(statementWords, string(f.Text[tok.start:tok.end]))
}

// kind is the kind of the current token, or tokEOF if the current bullet ends.
func (p *parser) kind() tokenKind {
	tok := p.tokens[p.pos]
	if tok.first && tok.column <= p.margin {
		return tokEOF
	}
	return tok.kind
}

// peek is the kind of the token behind the current one.
func (p *parser) peek() tokenKind {
	return p.tokens[min(p.pos+1, len(p.tokens)-1)].kind
}

// next consumes the current token, which is not the end.
func (p *parser) next() token {
	tok := p.tokens[p.pos]
	p.pos++
	return tok
}

// accept consumes a token of the kind if there is one.
func (p *parser) accept(kind tokenKind) bool {
	if p.kind() != kind {
		return false
	}
	p.pos++
	return true
}

// expect consumes a token of the kind or reports that it is missing.
func (p *parser) expect(kind tokenKind) bool {
	if p.accept(kind) {
		return true
	}
	p.unexpected(kind.String())
	return false
}

// finish expects the end of the text.
func (p *parser) finish() {
	switch kind := p.kind(); {
	case kind == tokEOF:
	case kind.closes():
		p.unopened()
	default:
		p.unexpected("an operator or the end of the " + p.what)
	}
}

// text is how a token is written in the file.
func (p *parser) text(tok token) string { return string(p.file.Text[tok.start:tok.end]) }

// at is a token's place.
func (p *parser) at(tok token) diag.Span { return p.file.Span(tok.start, tok.end) }

// since is the place from the token at a position up to the current token.
func (p *parser) since(from int) diag.Span {
	return p.file.Span(p.tokens[from].start, p.tokens[max(from, p.pos-1)].end)
}

// enter counts a level of nesting. Too many end the parse.
func (p *parser) enter() bool {
	p.depth++
	if p.depth <= maxDepth {
		return true
	}
	if p.kind() != tokEOF {
		p.tooDeep()
	}
	p.pos = len(p.tokens) - 1
	p.failed = p.pos
	return false
}

func (p *parser) leave() { p.depth-- }

// bracketed consumes an opening bracket, what inside parses and the closing
// bracket; it skips what inside leaves over. Bullets outside do not count
// inside.
func (p *parser) bracketed(inside func()) {
	open := p.next()
	closer := open.kind.closer()
	margin := p.margin
	p.margin = 0
	p.open = append(p.open, closer)
	inside()
	p.open = p.open[:len(p.open)-1]
	if !p.accept(closer) {
		p.unclosed(open)
		p.skipTo(closer)
	}
	p.margin = margin
}

// skipTo goes behind the closing bracket, or to the closing bracket of an
// outer pair, or to the end.
func (p *parser) skipTo(closer tokenKind) {
	depth := 0
	for {
		kind := p.tokens[p.pos].kind
		switch {
		case kind == tokEOF:
			p.failed = p.pos // the outer brackets are missing for the same reason
			return
		case kind.closer() != tokInvalid:
			depth++
		case kind.closes() && depth > 0:
			depth--
		case kind == closer:
			p.pos++
			return
		case slices.Contains(p.open, kind):
			return
		}
		p.pos++
	}
}

// list parses elements with commas between them.
func (p *parser) list(element func()) {
	element()
	for p.accept(tokComma) {
		element()
	}
}

// name parses a name that is declared or selected here. What describes it.
func (p *parser) name(what string) *Ident {
	switch tok := p.tokens[p.pos]; {
	case p.kind() == tokIdent:
		p.pos++
		if tok.prime {
			tok.end--
			p.primedName(tok)
		}
		return &Ident{Name: p.text(tok), Sp: p.at(tok)}
	case p.kind() != tokEOF && p.isWord(tok) && !p.peek().startsOperand():
		p.pos++
		p.reserved(tok)
		return &Ident{Name: p.text(tok), Sp: p.at(tok)}
	}
	p.unexpected(what)
	return nil
}

// isWord reports whether a token is a reserved word.
func (p *parser) isWord(tok token) bool {
	_, ok := words[p.text(tok)]
	return ok
}

// binding parses x == e.
func (p *parser) binding() (Binding, bool) {
	name := p.name("a name")
	switch p.kind() {
	case tokEq, tokAssign:
		p.notADefinition()
		p.pos++
	default:
		if !p.expect(tokDefine) {
			return Binding{}, false
		}
	}
	x := p.expr()
	return Binding{Name: name, X: x}, name != nil && x != nil
}

// fieldInits parses f: e, g: e, … up to a closing bracket, with the given
// token between name and value.
func (p *parser) fieldInits(between tokenKind, what string) (fields []FieldInit, ok bool) {
	if p.kind().closes() {
		return nil, true
	}
	ok = true
	p.list(func() {
		name := p.name(what)
		if !p.expect(between) {
			ok = false
			return
		}
		x := p.expr()
		ok = ok && name != nil && x != nil
		fields = append(fields, FieldInit{Name: name, X: x})
	})
	return fields, ok
}

// scenarioStep parses Action(x = e, …), or … alone.
func (p *parser) scenarioStep() (ScenarioStep, bool) {
	from := p.pos
	if p.accept(tokEllipsis) {
		return ScenarioStep{Sp: p.since(from)}, true
	}
	step := ScenarioStep{Action: p.name("an action, or …")}
	ok := step.Action != nil
	if p.kind() == tokLParen {
		p.bracketed(func() {
			var complete bool
			step.Args, complete = p.fieldInits(tokEq, "a parameter")
			ok = ok && complete
		})
	}
	step.Sp = p.since(from)
	return step, ok
}

// pattern parses terms with commas between them.
func (p *parser) pattern() (Pattern, bool) {
	from := p.pos
	var out Pattern
	ok := true
	p.list(func() {
		x := p.expr()
		ok = ok && x != nil
		out.Terms = append(out.Terms, x)
	})
	out.Sp = p.since(from)
	return out, ok
}

func (p *parser) report(code diag.Code, place diag.Span, help, format string, args ...any) {
	p.errs = append(p.errs, diag.Diagnostic{
		Code: code, Span: place, Message: fmt.Sprintf(format, args...), Help: help,
	})
}
