package smt

import (
	"fmt"
	"strconv"
	"strings"
)

// Sexp is an s-expression as solvers print them.
type Sexp struct {
	Kind SexpKind
	Text string // an atom's text, without its quotes
	List []Sexp // a list's elements
}

// SexpKind says how an s-expression was written.
type SexpKind uint8

// The ways to write an s-expression.
const (
	SexpList   SexpKind = iota
	SexpSymbol          // a symbol, quoted or not; also numbers and keywords
	SexpString          // a string literal
)

// ParseSexps reads all s-expressions in text.
func ParseSexps(text string) ([]Sexp, error) {
	r := sexpReader{text: text}
	var open [][]Sexp // the lists around the current one
	var list []Sexp
	for {
		atom, tok := r.next()
		switch tok {
		case tokEnd:
			if len(open) > 0 {
				return nil, fmt.Errorf("s-expression ends inside %d open lists", len(open))
			}
			return list, nil
		case tokOpen:
			open = append(open, list)
			list = nil
		case tokClose:
			if len(open) == 0 {
				return nil, fmt.Errorf("s-expression has a surplus ')' at byte %d", r.pos-1)
			}
			list = append(open[len(open)-1], Sexp{List: list})
			open = open[:len(open)-1]
		case tokSymbol:
			list = append(list, Sexp{Kind: SexpSymbol, Text: atom})
		case tokString:
			list = append(list, Sexp{Kind: SexpString, Text: atom})
		case tokBad:
			return nil, fmt.Errorf("s-expression has an unclosed %c", atom[0])
		}
	}
}

// IsSymbol reports whether s is the given symbol.
func (s Sexp) IsSymbol(name string) bool { return s.Kind == SexpSymbol && s.Text == name }

// Bool returns the truth value that s denotes, if it denotes one.
func (s Sexp) Bool() (v, ok bool) {
	return s.IsSymbol("true"), s.IsSymbol("true") || s.IsSymbol("false")
}

// BV returns the bit-vector value that s denotes, if it denotes one of at most
// 64 bits: #b101, #x1f or (_ bv5 3).
func (s Sexp) BV() (v uint64, ok bool) {
	var err error
	switch {
	case s.Kind == SexpList && len(s.List) == 3 && s.List[0].IsSymbol("_") && strings.HasPrefix(s.List[1].Text, "bv"):
		v, err = strconv.ParseUint(s.List[1].Text[2:], 10, 64)
	case s.Kind == SexpSymbol && strings.HasPrefix(s.Text, "#b"):
		v, err = strconv.ParseUint(s.Text[2:], 2, 64)
	case s.Kind == SexpSymbol && strings.HasPrefix(s.Text, "#x"):
		v, err = strconv.ParseUint(s.Text[2:], 16, 64)
	default:
		return 0, false
	}
	return v, err == nil
}

type token uint8

const (
	tokEnd token = iota
	tokOpen
	tokClose
	tokSymbol
	tokString
	tokBad
)

type sexpReader struct {
	text string
	pos  int
}

// next returns the next token, and the text of an atom without its quotes.
func (r *sexpReader) next() (string, token) {
	r.skip()
	if r.pos == len(r.text) {
		return "", tokEnd
	}
	c := r.text[r.pos]
	switch c {
	case '(':
		r.pos++
		return "", tokOpen
	case ')':
		r.pos++
		return "", tokClose
	case '"':
		return r.quoted(c, tokString)
	case '|':
		return r.quoted(c, tokSymbol)
	}
	start := r.pos
	for r.pos < len(r.text) && !strings.ContainsRune(" \t\r\n()\";|", rune(r.text[r.pos])) {
		r.pos++
	}
	return r.text[start:r.pos], tokSymbol
}

// skip moves over white space and comments.
func (r *sexpReader) skip() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\r', '\n':
			r.pos++
		case ';':
			end := strings.IndexByte(r.text[r.pos:], '\n')
			if end < 0 {
				r.pos = len(r.text)
				return
			}
			r.pos += end
		default:
			return
		}
	}
}

// quoted reads up to the closing quote. In a string, a doubled quote stands for
// one.
func (r *sexpReader) quoted(quote byte, tok token) (string, token) {
	start := r.pos + 1
	doubled := false
	for i := start; i < len(r.text); i++ {
		if r.text[i] != quote {
			continue
		}
		if tok == tokString && i+1 < len(r.text) && r.text[i+1] == quote {
			doubled = true
			i++
			continue
		}
		r.pos = i + 1
		s := r.text[start:i]
		if doubled {
			s = strings.ReplaceAll(s, `""`, `"`)
		}
		return s, tok
	}
	return string(quote), tokBad
}
