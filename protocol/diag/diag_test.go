package diag_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol/diag"
)

func TestPositions(t *testing.T) {
	t.Parallel()
	const text = "ab\n∀x ⇒ y\r\n\nlast"
	f := diag.NewFile("f", []byte(text))
	for _, c := range []struct {
		at           string // the offset is where this begins
		line, column int
	}{
		{"ab", 1, 1}, {"b\n", 1, 2}, {"\n∀", 1, 3}, {"∀", 2, 1}, {"x", 2, 2}, {"⇒", 2, 4}, {"y", 2, 6},
		{"\r", 2, 7}, {"\nlast", 3, 1}, {"last", 4, 1}, {"t", 4, 4},
	} {
		offset := strings.Index(text, c.at)
		if line, column := f.Position(offset); line != c.line || column != c.column {
			t.Errorf("%q is at %d:%d, want %d:%d", c.at, line, column, c.line, c.column)
		}
		if got := f.Offset(c.line, c.column); got != offset {
			t.Errorf("%d:%d is offset %d, want %d", c.line, c.column, got, offset)
		}
	}
	for n, want := range []string{"", "ab", "∀x ⇒ y", "", "last", ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
	if f.Line(-1) != "" {
		t.Error("there is a line -1")
	}
}

func TestPositionsOutside(t *testing.T) {
	t.Parallel()
	f := diag.NewFile("f", []byte("ab\n∀∀\n"))
	for _, c := range [][3]int{
		{0, 0, 0}, {1, 99, 2}, {2, 3, 9}, {2, 99, 9}, {3, 1, 10}, {3, 7, 10}, {9, 1, 10}, {-1, -1, 0},
	} {
		if got := f.Offset(c[0], c[1]); got != c[2] {
			t.Errorf("%d:%d is offset %d, want %d", c[0], c[1], got, c[2])
		}
	}
	for _, c := range [][3]int{{-5, 1, 1}, {10, 3, 1}, {99, 3, 1}} {
		if line, column := f.Position(c[0]); line != c[1] || column != c[2] {
			t.Errorf("offset %d is at %d:%d, want %d:%d", c[0], line, column, c[1], c[2])
		}
	}
	if line, column := diag.NewFile("empty", nil).Position(0); line != 1 || column != 1 {
		t.Errorf("an empty file begins at %d:%d", line, column)
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	f, g := diag.NewFile("f", []byte("one\ntwo")), diag.NewFile("g", []byte("three"))
	var none diag.Span
	for _, c := range []struct {
		span        diag.Span
		place, text string
	}{
		{f.Span(4, 7), "f:2:1", "two"},
		{f.Span(-3, 99), "f:1:1", "one\ntwo"},
		{f.Span(5, 2), "f:2:2", ""},
		{diag.Span{File: f, Start: 6, End: 99}, "f:2:3", "o"},
		{none, "-", ""},
		{diag.Join(f.Span(5, 6), f.Span(0, 1)), "f:1:1", "one\ntw"},
		{diag.Join(none, f.Span(0, 1)), "f:1:1", "o"},
		{diag.Join(f.Span(0, 1), none), "f:1:1", "o"},
		{diag.Join(f.Span(0, 1), g.Span(1, 3)), "f:1:1", "o"},
		{diag.Join(none, none), "-", ""},
	} {
		if c.span.String() != c.place || c.span.Text() != c.text {
			t.Errorf("got %s %q, want %s %q", c.span, c.span.Text(), c.place, c.text)
		}
	}
	if none.IsValid() || !f.Span(0, 0).IsValid() {
		t.Error("only the zero span is invalid")
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	f, g := diag.NewFile("f", []byte("0123456789")), diag.NewFile("g", []byte("0123456789"))
	label := []diag.Label{{Span: f.Span(0, 1), Text: "here"}}
	l := diag.List{
		{Code: "KP2", Span: g.Span(1, 2), Message: "e"},
		{Code: "KP2", Span: f.Span(5, 6), Message: "d"},
		{Code: "KP1", Span: f.Span(5, 6), Message: "b", Labels: label},
		{Code: "KP1", Span: f.Span(5, 6), Message: "c", Severity: diag.Warning},
		{Code: "KP1", Span: f.Span(5, 6), Message: "b", Labels: slices.Clone(label)},
		{Code: "KP9", Message: "a"},
		{Code: "KP2", Span: f.Span(5, 6), Message: "d", Help: "other"},
	}
	var got string
	for _, d := range l.Sorted() {
		got += d.Message
	}
	if got != "abcdde" {
		t.Errorf("sorted: %s", got)
	}
	if l[0].Message != "e" {
		t.Error("Sorted changes the list")
	}
	if got, want := l.Error(), "error[KP9]: a (and 6 more)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := l[:1].Error(), "g:1:2: error[KP2]: e"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !l.HasErrors() || l[3:4].HasErrors() || diag.List(nil).HasErrors() {
		t.Error("HasErrors is wrong")
	}
	if diag.List(nil).Error() == "" || len(diag.List(nil).Sorted()) != 0 {
		t.Error("the empty list is wrong")
	}
}

// TestCodes checks that the table has every constant of codes.go, in order and
// once.
func TestCodes(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []diag.Code
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil && regexp.MustCompile(`^KP\d{4}$`).MatchString(text) {
			constants = append(constants, diag.Code(text))
		}
		return true
	})
	slices.Sort(constants)
	var table []diag.Code
	for _, info := range diag.Codes() {
		table = append(table, info.Code)
		if info.Title == "" {
			t.Errorf("%s has no title", info.Code)
		}
	}
	if !slices.Equal(table, constants) {
		t.Errorf("the table has  %v\nthe constants %v", table, constants)
	}
	if len(slices.Compact(constants)) != len(table) {
		t.Error("a code has two constants")
	}
}
