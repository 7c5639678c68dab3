package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RenderOptions say how Render writes. The zero value is plain text.
type RenderOptions struct {
	Color bool // with ANSI colours
	Max   int  // how many diagnostics are shown; 0 means 50
}

const (
	defaultMax  = 50
	windowWidth = 100 // columns of a source line that are shown
	tabWidth    = 4
)

// Render writes the diagnostics for a person to read, sorted and without
// repeats: the message, the source line with the place underlined, the labels
// and the help. Only the first opts.Max are shown; a last line tells how many
// more there are. The error is that of w.
func Render(w io.Writer, l List, opts RenderOptions) error {
	limit := opts.Max
	if limit <= 0 {
		limit = defaultMax
	}
	sorted := l.Sorted()
	r := renderer{w: bufio.NewWriter(w), color: opts.Color}
	for i, d := range sorted[:min(limit, len(sorted))] {
		if i > 0 {
			r.w.WriteByte('\n')
		}
		r.diagnostic(d)
	}
	if more := len(sorted) - limit; more > 0 {
		fmt.Fprintf(r.w, "\n… and %d more\n", more)
	}
	return r.w.Flush()
}

// renderer writes diagnostics. Write errors stay in w until it is flushed.
type renderer struct {
	w      *bufio.Writer
	color  bool
	gutter int // columns for line numbers
}

type style string

const (
	styleError   style = "\x1b[1;31m"
	styleWarning style = "\x1b[1;33m"
	styleLabel   style = "\x1b[34m"
	styleHelp    style = "\x1b[36m"
	styleReset   style = "\x1b[0m"
)

func (r *renderer) paint(s style, text string) string {
	if !r.color || text == "" {
		return text
	}
	return string(s) + text + string(styleReset)
}

func (r *renderer) diagnostic(d Diagnostic) {
	subject := styleError
	if d.Severity == Warning {
		subject = styleWarning
	}
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + string(d.Code) + "]"
	}
	fmt.Fprintf(r.w, "%s: %s\n", r.paint(subject, head), paragraph(d.Message))
	r.gutter = gutterWidth(d)
	var above snippet
	if d.Span.IsValid() {
		fmt.Fprintf(r.w, "  %s\n", printable(d.Span.String()))
		above = newSnippet(d.Span)
		r.source(above)
		r.marker(above, '^', subject, "")
	}
	for _, label := range d.Labels {
		if !label.Span.IsValid() {
			fmt.Fprintf(r.w, "  %s\n", paragraph(label.Text))
			continue
		}
		s, same := above.remark(label.Span)
		if !same {
			if label.Span.File != d.Span.File {
				fmt.Fprintf(r.w, "  %s\n", printable(label.Span.String()))
			}
			r.source(s)
		}
		r.marker(s, '-', styleLabel, label.Text)
		above = s
	}
	if d.Help != "" {
		fmt.Fprintf(r.w, "%s: %s\n", r.paint(styleHelp, "help"), paragraph(d.Help))
	}
}

// source writes the snippet's line behind its number.
func (r *renderer) source(s snippet) {
	text := strings.TrimRight(strings.Join(s.columns, ""), " ")
	number := r.paint(styleLabel, fmt.Sprintf("%*d |", r.gutter, s.line))
	fmt.Fprintln(r.w, strings.TrimRight(number+" "+text, " "))
}

// marker underlines the snippet's place and adds a remark.
func (r *renderer) marker(s snippet, mark rune, st style, text string) {
	line := strings.Repeat(string(mark), s.to-s.from)
	if text != "" {
		line += " " + paragraph(text)
	}
	bar := r.paint(styleLabel, strings.Repeat(" ", r.gutter)+" |")
	fmt.Fprintf(r.w, "%s %s%s\n", bar, strings.Repeat(" ", s.from), r.paint(st, line))
}

func gutterWidth(d Diagnostic) int {
	width := 5
	measure := func(s Span) {
		if s.IsValid() {
			line, _ := s.File.Position(s.Start)
			width = max(width, len(fmt.Sprint(line)))
		}
	}
	measure(d.Span)
	for _, label := range d.Labels {
		measure(label.Span)
	}
	return width
}

// snippet is the part of a source line that is shown. Its columns are those of
// the screen: a wide rune fills two, a combining one none, a tab several.
type snippet struct {
	file     *File
	line     int
	offset   int      // the line's byte offset in the file
	columns  []string // what stands in each column; "" behind a wide rune
	place    []int    // screen column of each byte of the line, and of its end
	start    int      // first screen column shown
	width    int      // columns of the whole line
	from, to int      // columns to underline, counted from start
}

// newSnippet is the first line of a span, cut around its start if it is long.
func newSnippet(span Span) snippet {
	span = span.clamped()
	line, _ := span.File.Position(span.Start)
	offset, _ := span.File.lineBounds(line)
	s := snippet{file: span.File, line: line, offset: offset}
	s.columns, s.place = layOut(span.File.Line(line))
	s.width = len(s.columns)
	s.underline(span)
	if s.width > windowWidth {
		s.cut()
	}
	return s
}

// remark is a snippet for a label. If the label's place can be underlined
// below what s shows already, the line need not be shown again.
func (s snippet) remark(span Span) (_ snippet, same bool) {
	other := newSnippet(span)
	if s.file != other.file || s.line != other.line {
		return other, false
	}
	s.underline(span.clamped())
	s.from -= s.start
	s.to -= s.start
	if s.from < 0 || s.to > max(windowWidth, len(s.columns)+1) {
		return other, false
	}
	return s, true
}

// underline sets from and to, in columns of the whole line. At least one
// column is underlined.
func (s *snippet) underline(span Span) {
	last := len(s.place) - 1
	s.from = s.place[min(span.Start-s.offset, last)]
	s.to = max(s.place[min(span.End-s.offset, last)], s.from+1)
}

// cut keeps a window of the line in which the underlined part starts.
func (s *snippet) cut() {
	const before = windowWidth / 4
	start := s.from - before
	if s.to <= windowWidth-1 {
		start = 0
	}
	start = max(0, min(start, s.width-windowWidth))
	end := start + windowWidth
	window := append([]string(nil), s.columns[start:end]...)
	if start > 0 {
		window[0] = "…"
		if window[1] == "" {
			window[1] = " "
		}
	}
	if end < s.width {
		window[len(window)-1] = "…"
		if s.columns[end-1] == "" {
			window[len(window)-2] = " "
		}
	}
	s.columns, s.start = window, start
	s.from -= start
	s.to = max(min(s.to-start, len(window)), s.from+1)
}

// layOut spreads a line over screen columns and finds the column of each of
// its bytes and of its end.
func layOut(line string) (columns []string, place []int) {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		at := len(columns)
		switch width := runeWidth(r); {
		case r == '\t':
			for range tabWidth - at%tabWidth {
				columns = append(columns, " ")
			}
		case width == 0 && at > 0:
			columns[at-1] += string(r)
			at--
		case width == 2:
			columns = append(columns, string(r), "")
		default:
			columns = append(columns, printable(string(r)))
		}
		for range size {
			place = append(place, at)
		}
		i += size
	}
	return columns, append(place, len(columns))
}

// runeWidth is the number of screen columns that a rune fills, near enough.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		r >= 0xFF01 && r <= 0xFF60,   // full-width forms
		r >= 0x1F300 && r <= 0x1FAFF: // pictographs
		return 2
	}
	return 1
}

// printable replaces what would disturb a terminal: control and invisible
// characters and bytes that are no UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// paragraph makes a message fit for the screen; further lines are indented.
func paragraph(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n  ")
}
