package syntax_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// TestChildren lists, for a formula, the texts of all its parts from the
// outside in. It checks the places of the parts as well.
func TestChildren(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want string // separated by bars
	}{
		{"a + 1", "a + 1|a|1"},
		{"(a ∨ b) ∧ (c)", "(a ∨ b) ∧ (c)|a ∨ b|a|b|c"},
		{"x'[i, Nil].f! = s[1..k]", "x'[i, Nil].f! = s[1..k]|x'[i, Nil].f!|x'[i, Nil].f|x'[i, Nil]|x'|i|Nil|s[1..k]|s|1|k"},
		{"∀ i, j ∈ S, k ∈ 1..2: ¬p", "∀ i, j ∈ S, k ∈ 1..2: ¬p|S|1..2|1|2|¬p|p"},
		{"IF a THEN b ELSE c", "IF a THEN b ELSE c|a|b|c"},
		{"LET x == a, y == b IN f(x, y)", "LET x == a, y == b IN f(x, y)|a|b|f(x, y)|x|y"},
		{"{x ∈ S : p} = ∅", "{x ∈ S : p} = ∅|{x ∈ S : p}|S|p|∅"},
		{"[x ∈ S ↦ {TRUE}]", "[x ∈ S ↦ {TRUE}]|S|{TRUE}|TRUE"},
		{"⟨M{f: a, g: b}⟩", "⟨M{f: a, g: b}⟩|M{f: a, g: b}|a|b"},
		{"∧ a\n∧ b", "∧ a\n∧ b|a|b"},
	} {
		// The formula stands inside a larger file.
		text := "formula: |\n" + c.text + "\nnext: ∀"
		start := strings.Index(text, c.text)
		e, errs := syntax.ParseExpr(diag.NewFile("test", []byte(text)), start, start+len(c.text))
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.text, errs)
			continue
		}
		if d := cmp.Diff(strings.Split(c.want, "|"), partTexts(e)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, d)
		}
	}
}

func partTexts(e syntax.Expr) []string {
	texts := []string{e.Span().Text()}
	for x := range syntax.Children(e) {
		texts = append(texts, partTexts(x)...)
	}
	return texts
}

func TestStatementPlaces(t *testing.T) {
	t.Parallel()
	want := []string{"with i ∈ S", "require (a\n)", "x[i] :=\n    b", "send M{a: 1} if b", "crash m.to"}
	text := "  " + strings.Join(want, "  # comment\n  ")
	f := diag.NewFile("test", []byte(text))
	body, errs := syntax.ParseBody(f, 0, len(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	for _, s := range body {
		got = append(got, s.Span().Text())
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	assign := body[2].(*syntax.Assign)
	if got := assign.Left.Span().String(); got != "test:4:3" {
		t.Errorf("the assignment is at %s", got)
	}
}

// TestIncomplete checks what is returned when there are errors: only what is
// complete.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	if e, _ := parseExpr("a ∧ (b ∨ )"); e != nil {
		t.Errorf("got %s", syntax.FormatExpr(e))
	}
	if e, errs := parseExpr("a < b < union[1]"); e == nil || len(errs) != 2 {
		t.Errorf("got %v, %v", e, errs)
	}
	text := "let x ==\nrequire x\nsend M{a}\ny := x"
	body, errs := syntax.ParseBody(diag.NewFile("test", []byte(text)), 0, len(text))
	if len(body) != 2 || len(errs) != 2 {
		t.Errorf("got %v, %v", body, errs)
	}
}
