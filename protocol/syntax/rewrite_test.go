package syntax_test

import (
	"testing"

	"github.com/speckl/kraftprove/protocol/syntax"
)

func formula(t *testing.T, text string) syntax.Expr {
	t.Helper()
	if text == "" {
		return nil
	}
	return exprForm.mustParse(t, text).(syntax.Expr)
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a ∧ b ∧ c", "a /\\ (b and c)", true},
		{"∧ a\n∧ b", "a ∧ b", true},
		{"a ∧ b", "b ∧ a", false},
		{"a ∧ b", "a ∨ b", false},
		{"a ∧ b", "a", false},
		{"a ∧ (b ∨ c ∨ d)", "a ∧ ((b ∨ c) ∨ d)", true},
		{"f[i]", "f[ i ]", true},
		{"f'[i]", "f[i]", false},
		{"a - (b - c)", "a - b - c", false},
		{"∀ i, j ∈ S: x!", "∀ i ∈ S, j ∈ S: x!", false},
		{"∀ i ∈ S: x!", "∃ i ∈ S: x!", false},
		{"∀ i ∈ S: x!", "∀ j ∈ S: x!", false},
		{"M{a: 1, b: 2}", "M{a: 1, b: 2}", true},
		{"M{a: 1, b: 2}", "M{b: 2, a: 1}", false},
		{"M{a: 1}", "N{a: 1}", false},
		{"LET x == 1 IN x", "LET y == 1 IN x", false},
		{"LET x == 1 IN IF a THEN Nil ELSE TRUE", "LET x == 1 IN IF a THEN Nil ELSE true", true},
		{"TRUE", "FALSE", false},
		{"1", "2", false},
		{"Nil", "n", false},
		{"r.a", "r.b", false},
		{"f(a)", "g(a)", false},
		{"f(a)", "f(a, a)", false},
		{"x!", "¬x", false},
		{"{x ∈ S : p}", "{y ∈ S : p}", false},
		{"{x ∈ S : p}", "{x ∈ S : p}", true},
		{"[x ∈ S ↦ p]", "[y ∈ S ↦ p]", false},
		{"[x ∈ S ↦ p]", "[x in S |-> p]", true},
		{"⟨a, b⟩", "{a, b}", false},
		{"s[1..k]", "s[1..k]", true},
		{"x ∈ 1..3", "x ∈ 1..4", false},
	} {
		if got := syntax.Equal(formula(t, c.a), formula(t, c.b)); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
		if got := syntax.Equal(formula(t, c.b), formula(t, c.a)); got != c.want {
			t.Errorf("%s and %s: %t", c.b, c.a, got)
		}
	}
}

func TestReplaceExpr(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, old, by, want string
		found               syntax.Found
	}{
		{"require a ∧ b ∧ c", "b", "", "require a ∧ c", syntax.Found{Places: 1}},
		{"require a ∧ b", "b", "", "require a", syntax.Found{Places: 1}},
		{"require a ∧ b ∧ c ∧ d", "b ∧ c", "x", "require a ∧ x ∧ d", syntax.Found{Places: 1}},
		{"require a ∧ b ∧ c ∧ d", "b ∧ c ∧ d", "x ∨ y", "require a ∧ (x ∨ y)", syntax.Found{Places: 1}},
		{"require a ∧ b\nrequire c", "a ∧ b", "", "require c", syntax.Found{Places: 1}},
		{"require a\nrequire c", "a", "", "require c", syntax.Found{Places: 1}},
		{"require a ∨ b ∨ c", "b ∨ c", "", "require a", syntax.Found{Places: 1}},
		{"require a ∨ (b ∧ c) ∨ d", "b ∧ c", "", "require a ∨ d", syntax.Found{Places: 1}},
		{"require a ∧ (b ∨ c)", "b ∨ c", "x ∨ y", "require a ∧ (x ∨ y)", syntax.Found{Places: 1}},
		{"require a ∨ b ∧ c", "a ∨ b", "", "require a ∨ b ∧ c", syntax.Found{}},
		{"let x == a ∧ f ≤ d", "f <= d", "", "let x == a", syntax.Found{Places: 1}},
		{"let x == f ≤ d", "f ≤ d", "", "let x == f ≤ d", syntax.Found{Places: 1, Stuck: 1}},
		{"let x == IF a ∧ b THEN c ELSE d", "a ∧ b", "", "let x == IF a ∧ b THEN c ELSE d", syntax.Found{Places: 1, Stuck: 1}},
		{"let x == IF a ∧ b THEN c ELSE d", "a ∧ b", "e", "let x == IF e THEN c ELSE d", syntax.Found{Places: 1}},
		{"require a ∧ (b ∨ a)", "a", "z", "require z ∧ (b ∨ z)", syntax.Found{Places: 2}},
		{"require b\nf[n > m] := f[n]\nsend M{x: n} if n > m", "n", "k", "require b\nf[k > m] := f[k]\nsend M{x: k} if k > m", syntax.Found{Places: 4}},
		{"f[i] := f[i]", "f[i]", "0", "f[i] := 0", syntax.Found{Places: 1}},
		{"with i ∈ A, q ∈ Q\nreceive m ∈ B\ncrash i", "A", "C", "with i ∈ C, q ∈ Q\nreceive m ∈ B\ncrash i", syntax.Found{Places: 1}},
		{"receive m ∈ B\ncrash m.i", "m.i", "m.j", "receive m ∈ B\ncrash m.j", syntax.Found{Places: 1}},
		{
			"let x == {a[k], ⟨k⟩, [y ∈ k ↦ k], {y ∈ k : k}, k.f, k!, ¬k, s[k..k], R{f: k}, LET z == k IN k, ∀ y ∈ k: g(k) + k, IF k THEN k ELSE k, y ∈ k..k}", "k", "l",
			"let x == {a[l], ⟨l⟩, [y ∈ l ↦ l], {y ∈ l : l}, l.f, l!, ¬l, s[l..l], R{f: l}, LET z == l IN l, ∀ y ∈ l: g(l) + l, IF l THEN l ELSE l, y ∈ l..l}",
			syntax.Found{Places: 22},
		},
	} {
		body := bodyForm.mustParse(t, c.body).([]syntax.Stmt)
		got, found := syntax.ReplaceExpr(body, formula(t, c.old), formula(t, c.by))
		if bodyForm.format(got) != c.want || found != c.found {
			t.Errorf("%s, %s by %s: %s, %v", c.body, c.old, c.by, bodyForm.format(got), found)
		}
		if again := bodyForm.format(bodyForm.mustParse(t, c.body)); again != bodyForm.format(body) {
			t.Errorf("the body was changed in place: %s", bodyForm.format(body))
		}
	}
}

func TestReplaceField(t *testing.T) {
	t.Parallel()
	field := func(text string) *syntax.FieldInit {
		return patchForm.mustParse(t, "- "+text).([]syntax.Edit)[0].Field
	}
	body := bodyForm.mustParse(t, "send M{a: f, b: f, c: N{a: g}} if M{a: f} = x").([]syntax.Stmt)
	for _, c := range []struct {
		old   string
		by    *syntax.FieldInit
		want  string
		count int
	}{
		{"b: f", field("b: n"), "send M{a: f, b: n, c: N{a: g}} if M{a: f} = x", 1},
		{"a: g", nil, "send M{a: f, b: f, c: N{}} if M{a: f} = x", 1},
		{"a: f", field("z: 1"), "send M{z: 1, b: f, c: N{a: g}} if M{z: 1} = x", 2},
		{"b: g", nil, "send M{a: f, b: f, c: N{a: g}} if M{a: f} = x", 0},
	} {
		got, found := syntax.ReplaceField(body, *field(c.old), c.by)
		if bodyForm.format(got) != c.want || found.Places != c.count {
			t.Errorf("%s: %s, %v", c.old, bodyForm.format(got), found)
		}
	}
}

func TestEditMatches(t *testing.T) {
	t.Parallel()
	body := bodyForm.mustParse(t, `with i, j ∈ S
receive m ∈ M
let x == 3
require a /\ b
f[i] := 1
send M{a: 1} if b
send N{a: 1}
crash i`).([]syntax.Stmt)
	text := `- with i, j ∈ S
- receive m ∈ M
- let x == 3
- require a ∧ b
- f[i] := 1
- send M{a: 1} if b
- send N{a: 1}
- crash i`
	for i, e := range patchForm.mustParse(t, text).([]syntax.Edit) {
		for j, s := range body {
			if e.Matches(s) != (i == j) {
				t.Errorf("%s and %s", syntax.FormatEdit(e), syntax.FormatStmt(s))
			}
		}
	}
	open := map[string]int{"- let x == …": 2, "- let y == …": -1, "- f[i] := …": 4, "- f[j] := …": -1, "- f := …": -1, "- send M{…}": 5, "- send N{…}": 6, "- send O{…}": -1, "- send N{a: 1} if b": -1}
	for text, want := range open {
		e := patchForm.mustParse(t, text).([]syntax.Edit)[0]
		for j, s := range body {
			if e.Matches(s) != (j == want) {
				t.Errorf("%s and %s", text, syntax.FormatStmt(s))
			}
		}
	}
}
