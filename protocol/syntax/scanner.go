package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/speckl/kraftprove/protocol/diag"
)

// maxNumber is the largest number that can be written.
const maxNumber = 1<<31 - 1

// scanner cuts a part of a file into tokens.
type scanner struct {
	file   *diag.File
	base   int    // byte offset of the part in the file
	text   string // the part
	pos    int    // byte offset of the next rune in the part
	column int    // column of the next rune in its line of the file
	first  bool   // no token on this line so far
	tokens []token
	errs   diag.List
}

// scan is the tokens in the bytes [start,end) of a file, an end token last.
// What is no token is reported, and stands in the result as tokInvalid.
func scan(f *diag.File, start, end int) ([]token, diag.List) {
	place := f.Span(start, end)
	_, column := f.Position(place.Start)
	s := &scanner{
		file: f, base: place.Start, text: place.Text(), column: column, first: true,
	}
	last := place.Start
	for s.skipSpace() {
		s.next()
		last = s.base + s.pos
	}
	s.tokens = append(s.tokens, token{kind: tokEOF, start: last, end: last})
	return s.tokens, s.errs
}

// skipSpace goes to the next token and reports whether there is one.
func (s *scanner) skipSpace() bool {
	for s.pos < len(s.text) {
		switch r := s.peek(); {
		case r == '\n':
			s.advance(1)
			s.column, s.first = 1, true
		case r == '#':
			line, _, _ := strings.Cut(s.text[s.pos:], "\n")
			s.advance(len(line))
		case unicode.IsSpace(r):
			s.advance(utf8.RuneLen(r))
		default:
			return true
		}
	}
	return false
}

func (s *scanner) peek() rune {
	r, _ := utf8.DecodeRuneInString(s.text[s.pos:])
	return r
}

func (s *scanner) advance(bytes int) {
	s.column += utf8.RuneCountInString(s.text[s.pos : s.pos+bytes])
	s.pos += bytes
}

// next scans one token.
func (s *scanner) next() {
	switch r := s.peek(); {
	case isLetter(r):
		s.word()
	case isDigit(r):
		s.number()
	case r == '\\' && s.backslashWord():
	default:
		s.symbol()
	}
}

// add appends a token that the next bytes spell.
func (s *scanner) add(kind tokenKind, bytes int) *token {
	s.tokens = append(s.tokens, token{
		kind: kind, column: s.column, first: s.first,
		start: s.base + s.pos, end: s.base + s.pos + bytes,
	})
	s.first = false
	s.advance(bytes)
	return &s.tokens[len(s.tokens)-1]
}

func (s *scanner) word() {
	name := leading(s.text[s.pos:], isNameRune)
	if kind, ok := words[name]; ok {
		s.add(kind, len(name))
		return
	}
	tok := s.add(tokIdent, len(name))
	if strings.HasPrefix(s.text[s.pos:], "'") {
		tok.prime = true
		tok.end++
		s.advance(1)
	}
}

func (s *scanner) backslashWord() bool {
	name := leading(s.text[s.pos+1:], isNameRune)
	kind, ok := backslashWords[name]
	if ok {
		s.add(kind, 1+len(name))
	}
	return ok
}

func (s *scanner) number() {
	text := leading(s.text[s.pos:], isNameRune)
	tok := s.add(tokNumber, len(text))
	switch value, err := strconv.ParseInt(text, 10, 64); {
	case leading(text, isDigit) != text:
		s.report(*tok, diag.InvalidNumber, fmt.Sprintf("%s is neither a number nor a name", shorten(text)),
			"a name begins with a letter")
	case err != nil || value > maxNumber:
		s.report(*tok, diag.InvalidNumber,
			fmt.Sprintf("the number %s is too large; the largest is %d", shorten(text), maxNumber), "")
	default:
		tok.value = int(value)
	}
}

// bySize are the symbols, longest first.
var bySize = slices.SortedStableFunc(slices.Values(symbols), func(a, b symbol) int {
	return cmp.Compare(len(b.text), len(a.text))
})

func (s *scanner) symbol() {
	rest := s.text[s.pos:]
	for _, sym := range bySize {
		if strings.HasPrefix(rest, sym.text) {
			s.add(sym.kind, len(sym.text))
			return
		}
	}
	s.invalid(rest)
}

// foreign are symbols of other languages, what they are taken for and what to
// write instead.
var foreign = []struct {
	symbol
	help string
}{
	{symbol{"&&", tokAnd}, "write ∧ or /\\"},
	{symbol{"&", tokAnd}, "write ∧ or /\\"},
	{symbol{"||", tokOr}, "write ∨ or \\/"},
	{symbol{"|", tokOr}, "write ∨ or \\/"},
	{symbol{"≜", tokDefine}, "write == or ≡ for a definition"},
}

// invalid reports what is no token. A foreign symbol is taken for ours.
func (s *scanner) invalid(rest string) {
	for _, sym := range foreign {
		if strings.HasPrefix(rest, sym.text) {
			tok := s.add(sym.kind, len(sym.text))
			s.report(*tok, diag.InvalidCharacter, "unknown symbol "+sym.text, sym.help)
			return
		}
	}
	if rest[0] == '"' {
		s.quoted(rest)
		return
	}
	bad := leading(rest, isUnknown)
	if bad == "" {
		bad = rest[:1] // the lonely first half of a symbol
	}
	s.report(*s.add(tokInvalid, len(bad)), diag.InvalidCharacter, describe(bad), "")
}

// quoted reports a string, up to its closing quote or the end of the line.
func (s *scanner) quoted(rest string) {
	line, _, _ := strings.Cut(rest, "\n")
	size := len(line)
	if end := strings.IndexByte(line[1:], '"'); end >= 0 {
		size = end + 2
	}
	s.report(*s.add(tokInvalid, size), diag.InvalidCharacter, "there are no strings",
		"use a constant of an enumeration")
}

// isUnknown reports whether nothing that we know begins with r.
func isUnknown(r rune) bool {
	if isNameRune(r) || unicode.IsSpace(r) || r == '"' || r == '#' {
		return false
	}
	first := string(r)
	for _, sym := range symbols {
		if strings.HasPrefix(sym.text, first) {
			return false
		}
	}
	for _, sym := range foreign {
		if strings.HasPrefix(sym.text, first) {
			return false
		}
	}
	return true
}

// describe is the message about characters that mean nothing.
func describe(bad string) string {
	switch r, size := utf8.DecodeRuneInString(bad); {
	case r == utf8.RuneError && size <= 1:
		return "this is no valid UTF-8"
	case !unicode.IsPrint(r):
		return fmt.Sprintf("unknown character %U", r)
	case size == len(bad):
		return "unknown character " + bad
	}
	return "unknown characters " + shorten(bad)
}

func (s *scanner) report(tok token, code diag.Code, message, help string) {
	s.errs = append(s.errs, diag.Diagnostic{
		Code: code, Span: s.file.Span(tok.start, tok.end), Message: message, Help: help,
	})
}

// leading is the longest prefix of s whose runes all satisfy ok.
func leading(s string, ok func(rune) bool) string {
	end := strings.IndexFunc(s, func(r rune) bool { return !ok(r) })
	if end < 0 {
		return s
	}
	return s[:end]
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isNameRune(r rune) bool { return isLetter(r) || isDigit(r) }

// shorten makes a text of the file fit into a message.
func shorten(s string) string {
	const limit = 40
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}
