// Package report shows what a check found: as text for a terminal and as JSON
// for programs. Its writers are pure functions of their inputs: the same report
// gives the same bytes.
package report

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Options say how text looks.
type Options struct {
	Width   int  // in runes; 0 means 100
	Color   bool // ANSI codes, which only stress what the text says anyway
	Verbose bool // nothing is folded, and queries are listed
}

// style is how a piece of text is stressed when there is colour.
type style uint8

const (
	plain style = iota
	bold
	dim
	green
	red
	yellow
)

// ansi starts a style.
func (s style) ansi() string {
	switch s {
	case plain:
		return ""
	case bold:
		return "\x1b[1m"
	case dim:
		return "\x1b[2m"
	case green:
		return "\x1b[32m"
	case red:
		return "\x1b[31m"
	case yellow:
		return "\x1b[33m"
	}
	panic("unhandled style")
}

// span is a piece of a line in one style.
type span struct {
	text  string
	style style
}

// line is a line of text without its end.
type line []span

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += runes(s.text)
	}
	return n
}

// add appends a piece to the line.
func (l *line) add(text string, s style) {
	if text != "" {
		*l = append(*l, span{text, s})
	}
}

// pad appends blanks up to a column.
func (l *line) pad(column int) {
	l.add(strings.Repeat(" ", max(0, column-l.width())), plain)
}

// page collects lines for a writer.
type page struct {
	width  int
	color  bool
	indent int
	gap    bool // the last line is blank
	out    strings.Builder
}

func newPage(o Options) *page {
	p := &page{width: o.Width, color: o.Color}
	if p.width <= 0 {
		p.width = 100
	}
	return p
}

// room is what a line may take at the present indent.
func (p *page) room() int { return p.width - p.indent }

// write adds a line, without blanks at its end.
func (p *page) write(l line) {
	for len(l) > 0 {
		last := &l[len(l)-1]
		last.text = strings.TrimRight(last.text, " ")
		if last.text != "" {
			break
		}
		l = l[:len(l)-1]
	}
	p.gap = len(l) == 0
	if !p.gap {
		p.out.WriteString(strings.Repeat(" ", p.indent))
	}
	for _, s := range l {
		if !p.color || s.style == plain {
			p.out.WriteString(s.text)
			continue
		}
		p.out.WriteString(s.style.ansi() + s.text + "\x1b[0m")
	}
	p.out.WriteByte('\n')
}

// blank leaves a line blank, unless the last one is.
func (p *page) blank() {
	if !p.gap {
		p.write(nil)
	}
}

func (p *page) text(s style, text string) { p.write(line{{text, s}}) }

// entry writes a head and, beginning in a column, words that are wrapped there.
func (p *page) entry(head span, column int, words []string, s style) {
	l := line{head}
	l.pad(column)
	for i, part := range fill(words, p.room()-column) {
		if i > 0 {
			l = line{}
			l.pad(column)
		}
		l.add(part, s)
		p.write(l)
	}
}

// paragraph writes wrapped text.
func (p *page) paragraph(s style, text string) {
	for _, part := range fill(strings.Fields(text), p.room()) {
		p.text(s, part)
	}
}

// flush gives everything to w.
func (p *page) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.out.String())
	return err
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// fill joins words by blanks into lines of at most width runes; a word that is
// longer than that is broken at its blanks, if it has some, or cut.
func fill(words []string, width int) []string {
	width = max(width, 8)
	var out []string
	at := ""
	for _, w := range words {
		if at != "" && runes(at)+1+runes(w) <= width {
			at += " " + w
			continue
		}
		if at != "" {
			out = append(out, at)
		}
		if inner := strings.Fields(w); len(inner) > 1 && runes(w) > width {
			lines := fill(inner, width)
			out = append(out, lines[:len(lines)-1]...)
			w = lines[len(lines)-1]
		}
		for runes(w) > width {
			r := []rune(w)
			out = append(out, string(r[:width]))
			w = string(r[width:])
		}
		at = w
	}
	return append(out, at)
}

// units are the parts of a list in one text, to be wrapped behind commas only, and
// in one pair of brackets at most: a value in a list of fields is not torn apart.
func units(text string) []string {
	var parts []string
	from, depth := 0, 0
	for i, r := range text {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == ' ' && i > 0 && text[i-1] == ',' && depth <= 1:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// listed puts separators behind all words but the last: "a,", "b,", "c".
func listed(words []string, sep string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		if i < len(words)-1 {
			w += sep
		}
		out[i] = w
	}
	return out
}

// enumerate is "a", "a and b", "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
