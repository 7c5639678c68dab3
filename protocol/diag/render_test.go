package diag_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol/diag"
)

const spec = `protocol: raft
state:
  votedFor: Server → Server?
  wide: 漢字 x	tab e` + "\u0301" + `! end
invariants: |
  ∀ i ∈ Server: a ⇒
    votedFor[i, j] = Nil
`

// at is the place of a text in a file.
func at(f *diag.File, text string) diag.Span {
	start := strings.Index(string(f.Text), text)
	if start < 0 {
		panic("no " + text)
	}
	return f.Span(start, start+len(text))
}

func TestRender(t *testing.T) {
	t.Parallel()
	f, other := diag.NewFile("raft.yaml", []byte(spec)), diag.NewFile("other.yaml", []byte("x: 1\n"))
	long := diag.NewFile("long.yaml", []byte(
		strings.Repeat("a ∧ ", 2500)+"culprit"+strings.Repeat(" ∨ b", 2500)+"\nnext"))
	for _, c := range []struct {
		name string
		d    diag.Diagnostic
		want string
	}{
		{"label and help", diag.Diagnostic{
			Code: "KP0203", Span: at(f, "votedFor[i, j]"), Message: "votedFor takes 1 index, got 2",
			Labels: []diag.Label{{at(f, "votedFor"), "declared here"}}, Help: "leave one out",
		}, `
error[KP0203]: votedFor takes 1 index, got 2
  raft.yaml:7:5
    7 |     votedFor[i, j] = Nil
      |     ^^^^^^^^^^^^^^
    3 |   votedFor: Server → Server?
      |   -------- declared here
help: leave one out
`},
		{"symbols are one column", diag.Diagnostic{
			Code: "KP1", Span: at(f, "a ⇒"), Message: "m", Severity: diag.Warning,
			Labels: []diag.Label{{at(f, "∀"), ""}, {at(other, "x"), "there"}, {diag.Span{}, "nowhere"}},
		}, `
warning[KP1]: m
  raft.yaml:6:17
    6 |   ∀ i ∈ Server: a ⇒
      |                 ^^^
      |   -
  other.yaml:1:1
    1 | x: 1
      | - there
  nowhere
`},
		{"wide, tab and combining", diag.Diagnostic{
			Code: "KP1", Span: at(f, "字"), Message: "m", Labels: []diag.Label{{at(f, "tab"), "t"}, {at(f, "! end"), "e"}},
		}, `
error[KP1]: m
  raft.yaml:4:10
    4 |   wide: 漢字 x  tab e` + "\u0301" + `! end
      |           ^^
      |                 --- t
      |                      ----- e
`},
		{"several lines", diag.Diagnostic{Code: "KP1", Span: at(f, "a ⇒\n    voted"), Message: "m"}, `
error[KP1]: m
  raft.yaml:6:17
    6 |   ∀ i ∈ Server: a ⇒
      |                 ^^^
`},
		{"no width, at the end of a line", diag.Diagnostic{Code: "KP1", Span: f.Span(14, 14), Message: "m"}, `
error[KP1]: m
  raft.yaml:1:15
    1 | protocol: raft
      |               ^
`},
		{"outside the file", diag.Diagnostic{Code: "KP1", Span: diag.Span{File: other, Start: 90, End: 10}, Message: "m"}, `
error[KP1]: m
  other.yaml:2:1
    2 |
      | ^
`},
		{"no place", diag.Diagnostic{Code: "KP1", Message: "one\ntwo\x1b[31m"}, `
error[KP1]: one
  two�[31m
`},
		{"a long line", diag.Diagnostic{
			Code: "KP1", Span: at(long, "culprit"), Message: "m", Labels: []diag.Label{{at(long, "b"), "b"}, {long.Span(0, 1), "a"}},
		}, `
error[KP1]: m
  long.yaml:1:10001
    1 | …a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ culprit ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ b ∨ …
      |                          ^^^^^^^
      |                                    - b
    1 | a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧ a ∧…
      | - a
`},
	} {
		var out strings.Builder
		if err := diag.Render(&out, diag.List{c.d}, diag.RenderOptions{}); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(strings.TrimPrefix(c.want, "\n"), out.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func TestRenderMany(t *testing.T) {
	t.Parallel()
	var l diag.List
	for i := range 120 {
		l = append(l, diag.Diagnostic{Code: "KP1", Message: fmt.Sprintf("number %d", i)})
	}
	for _, c := range []struct {
		limit int
		want  string
	}{
		{0, "error[KP1]: number 49\n\n… and 70 more\n"},
		{2, "error[KP1]: number 0\n\nerror[KP1]: number 1\n\n… and 118 more\n"},
		{120, "error[KP1]: number 119\n"},
	} {
		var out strings.Builder
		if err := diag.Render(&out, l, diag.RenderOptions{Max: c.limit}); err != nil {
			t.Error(err)
		}
		if !strings.HasSuffix(out.String(), c.want) {
			t.Errorf("limit %d: got …%s", c.limit, out.String()[max(0, out.Len()-80):])
		}
	}
}

func TestRenderColor(t *testing.T) {
	t.Parallel()
	f := diag.NewFile("raft.yaml", []byte(spec))
	l := diag.List{{Code: "KP1", Span: at(f, "raft"), Message: "m", Help: "h"}}
	var out strings.Builder
	if err := diag.Render(&out, l, diag.RenderOptions{Color: true}); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"\x1b[1;31merror[KP1]\x1b[0m: m\n", "\x1b[1;31m^^^^\x1b[0m\n", "\x1b[36mhelp\x1b[0m: h"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestRenderWriteError(t *testing.T) {
	t.Parallel()
	if err := diag.Render(brokenWriter{}, diag.List{{Message: "m"}}, diag.RenderOptions{}); err == nil {
		t.Error("the write error is lost")
	}
}

// FuzzRender renders a diagnostic about any place in any text. The marker must
// not leave the source line by more than a column.
func FuzzRender(f *testing.F) {
	f.Add([]byte(spec), 20, 30, 5, 9)
	f.Add([]byte(strings.Repeat("漢\t", 200)), 300, 301, 0, 500)
	f.Add([]byte("\xff\x00\u0301"), 0, 9, 1, 2)
	f.Fuzz(func(t *testing.T, text []byte, start, end, from, to int) {
		file := diag.NewFile("fuzz", text)
		d := diag.Diagnostic{
			Code: "KP1", Message: "m", Span: diag.Span{File: file, Start: start, End: end},
			Labels: []diag.Label{{diag.Span{File: file, Start: from, End: to}, "l"}},
		}
		var out strings.Builder
		if err := diag.Render(&out, diag.List{d}, diag.RenderOptions{}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if _, marker, ok := strings.Cut(line, "      | "); ok && utf8.RuneCountInString(marker) > 103 {
				t.Errorf("a marker of %d columns", utf8.RuneCountInString(marker))
			}
		}
	})
}
