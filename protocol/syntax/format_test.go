package syntax_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// ignorePlaces compares trees by what they say, not by where it stands.
var ignorePlaces = cmp.Options{cmpopts.IgnoreTypes(diag.Span{}), cmpopts.EquateEmpty()}

// form is a kind of text that can be parsed and printed. Its trees are slices
// so that several statements are one text.
type form struct {
	parse  func(f *diag.File, start, end int) (any, diag.List)
	format func(any) string
}

var (
	exprForm = form{
		func(f *diag.File, start, end int) (any, diag.List) { return syntax.ParseExpr(f, start, end) },
		func(x any) string { return syntax.FormatExpr(x.(syntax.Expr)) },
	}
	bodyForm = form{
		func(f *diag.File, start, end int) (any, diag.List) { return syntax.ParseBody(f, start, end) },
		func(x any) string { return lines(x.([]syntax.Stmt), syntax.FormatStmt) },
	}
	typeForm = form{
		func(f *diag.File, start, end int) (any, diag.List) { return syntax.ParseTypeDecl(f, start, end) },
		func(x any) string { return syntax.FormatTypeDecl(x.(syntax.TypeDecl)) },
	}
	patchForm = form{
		func(f *diag.File, start, end int) (any, diag.List) { return syntax.ParsePatch(f, start, end) },
		func(x any) string { return lines(x.([]syntax.Edit), syntax.FormatEdit) },
	}
	scenarioForm = form{
		func(f *diag.File, start, end int) (any, diag.List) { return syntax.ParseScenario(f, start, end) },
		func(x any) string { return lines(x.([]syntax.ScenarioStep), syntax.FormatScenarioStep) },
	}
)

func lines[T any](items []T, format func(T) string) string {
	texts := make([]string, len(items))
	for i, x := range items {
		texts[i] = format(x)
	}
	return strings.Join(texts, "\n")
}

func (form form) mustParse(t *testing.T, text string) any {
	t.Helper()
	x, errs := form.parse(diag.NewFile("test", []byte(text)), 0, len(text))
	if len(errs) > 0 {
		t.Fatalf("%s\n%v", text, errs)
	}
	return x
}

// checkFormat parses a text, compares its canonical form and checks that it is
// a text of the same tree that is printed as it stands.
func checkFormat(t *testing.T, form form, text, want string) {
	t.Helper()
	tree := form.mustParse(t, text)
	got := form.format(tree)
	if got != want {
		t.Errorf("%s\nis printed %s\nwant       %s", text, got, want)
	}
	again := form.mustParse(t, got)
	if d := cmp.Diff(tree, again, ignorePlaces); d != "" {
		t.Errorf("%s\nis printed %s, another tree (-parsed +reparsed):\n%s", text, got, d)
	}
	if second := form.format(again); second != got {
		t.Errorf("%s is printed %s", got, second)
	}
}

// TestFormatExpr has formulas and their canonical form. A missing form is the
// formula itself.
func TestFormatExpr(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		// spellings
		{"forall i, j in S, q \\in T: a", "∀ i, j ∈ S, q ∈ T: a"},
		{`\A i \in S : \E j \in T : a`, "∀ i ∈ S: ∃ j ∈ T: a"},
		{"exists i in S: i notin T", "∃ i ∈ S: i ∉ T"},
		{`i \notin A \union B`, "i ∉ A ∪ B"},
		{`(A \cup B) \cap C \subseteq D intersect E`, "(A ∪ B) ∩ C ⊆ D ∩ E"},
		{"A subseteq B union C", "A ⊆ B ∪ C"},
		{"A ∖ B ⊆ A \\ C", `A \ B ⊆ A \ C`},
		{`~a /\ not b \/ ¬c and d or e`, "¬a ∧ ¬b ∨ ¬c ∧ d ∨ e"},
		{"a => b <=> c -> d", "a ⇒ b ⇔ c ⇒ d"},
		{"a → b ⇔ c", "a ⇒ b ⇔ c"},
		{"a /= b and c != d and e ≠ f", "a ≠ b ∧ c ≠ d ∧ e ≠ f"},
		{"a <= b and c >= d and e < f and g > h", "a ≤ b ∧ c ≥ d ∧ e < f ∧ g > h"},
		{"true and false and TRUE and FALSE", "TRUE ∧ FALSE ∧ TRUE ∧ FALSE"},
		{"<<a, b>> = <<>> and {} = ∅", "⟨a, b⟩ = ⟨⟩ ∧ {} = {}"},
		{"[i in S |-> [j in 1..3 |-> Nil]]", "[i ∈ S ↦ [j ∈ 1..3 ↦ Nil]]"},
		{"LET x ≡ 1, y == x + 1 IN x < y", "LET x == 1, y == x + 1 IN x < y"},
		{"007 = x0_1'", "7 = x0_1'"},
		{"größe = λ", ""},
		{"with = receive and let + require = send and if", "with = receive ∧ let + require = send ∧ if"},
		{"x!=y", "x ≠ y"},
		{"x! =y", "x! = y"},
		{"x!.f!![1] = m.g", ""},
		{"a # comment ∧ b\n  ∧ c# x", "a ∧ c"},

		// precedence
		{"a ∧ b ∨ c ∧ d", ""},
		{"a ∧ (b ∨ c) ∧ d", ""},
		{"(a ∧ b) ∧ c", "a ∧ b ∧ c"},
		{"a ∧ (b ∧ c)", ""},
		{"a ⇒ (b ⇒ c)", "a ⇒ b ⇒ c"},
		{"(a ⇒ b) ⇒ c", ""},
		{"(a ⇔ b) ⇔ c", "a ⇔ b ⇔ c"},
		{"a ⇔ (b ⇔ c)", ""},
		{"¬(a = b)", "¬a = b"},
		{"(¬a) = b", ""},
		{"a = ¬b", "a = (¬b)"},
		{"a = ¬b ∧ c", "a = (¬b) ∧ c"},
		{"¬¬a ∧ ¬(b ∧ c)", ""},
		{"(a = b) = (c ∈ d)", ""},
		{"a - (b - c) + d - e", ""},
		{"(a + b) - c", "a + b - c"},
		{`A \ (B \ C) \ D`, ""},
		{`(A \ B) ∪ C ∪ (D ∩ E)`, ""},
		{"A ∪ b + c", ""},
		{"(A ∪ b) + c", ""},
		{"x ∈ (a + 1)..len(s) - 1", "x ∈ a + 1..len(s) - 1"},
		{"x ∈ {1} ∪ {2}..3 ∧ y ∉ 1..2", ""},
		{"(f(x))[1, a ∧ b].g", "f(x)[1, a ∧ b].g"},
		{"(a ∪ b)[i] = (a ∪ b).f", ""},
		{"s[1..k + 1] = t[i ∪ j..k]", ""},
		{"f(a ⇒ b, ∀ x ∈ S: p, q)", ""},
		{"f'(x) = currentTerm'[i]", ""},
		{"Msg{from: i, ok: a ∧ b} = Empty{}", ""},
		{"{x ∈ S : p} = {x ∈ S} ∪ {x ∈ S, y}", ""},
		{"{x ∈ 1..3 : ∀ y ∈ T: x = y}", ""},

		// quantifiers, IF and LET
		{"a ∧ ∀ x ∈ S: b ∧ c", ""},
		{"(a ∧ ∀ x ∈ S: b) ∧ c", "a ∧ (∀ x ∈ S: b) ∧ c"},
		{"(∀ x ∈ S: p) ⇒ ∃ x ∈ S: p", ""},
		{"¬(∀ x ∈ S: p) ∧ ¬∃ x ∈ S: q", ""},
		{"(¬∀ x ∈ S: p) ∧ a", "¬(∀ x ∈ S: p) ∧ a"},
		{"x = IF a THEN IF b THEN c ELSE d ELSE IF e THEN f ELSE g + 1", ""},
		{"(IF a THEN b ELSE c) + 1", ""},
		{"(IF a THEN b ELSE c).f", ""},
		{"∀ x ∈ IF a THEN S ELSE T, y ∈ LET S == T, U == S IN U: p", ""},
		{"(LET x == a IN x) ∪ LET y == b IN y", ""},
		{"x ∈ a..IF b THEN c ELSE d", ""},
		{"x ∈ (IF b THEN c ELSE d)..a", ""},
		{"(x ∈ 1..IF b THEN c ELSE d) ∧ a", "x ∈ 1..(IF b THEN c ELSE d) ∧ a"},

		// bullets
		{"∧ a", "a"},
		{"∧ a ∧ b", "a ∧ b"},
		{"/\\ a\n/\\ b => c\n/\\ d", "a ∧ (b ⇒ c) ∧ d"},
		{"∧ a\n∧ ∃ x ∈ S: p\n∧ IF a THEN b ELSE c\n∧ d", "a ∧ (∃ x ∈ S: p) ∧ (IF a THEN b ELSE c) ∧ d"},
		{"∧ a ⇒\n   b\n  ∧ c\n∧ d", "(a ⇒ b ∧ c) ∧ d"},
		{"∧ a\n∧ ∨ b\n  ∨ c ∧ d\n∧ f(x,\ny)", "a ∧ (b ∨ c ∧ d) ∧ f(x, y)"},
		{"∀ x ∈ S:\n  ∨ p\n  ∨ q ⇒ r", "∀ x ∈ S: p ∨ (q ⇒ r)"},
		{"∨ a\n∨ b\n⇒ c", "a ∨ b ⇒ c"},
		{"a ⇒ (∧ b\n      ∧ c)", "a ⇒ b ∧ c"},
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		checkFormat(t, exprForm, c[0], want)
	}
}

func TestFormatOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		form       form
		text, want string
	}{
		{bodyForm, "", ""},
		{bodyForm, "with i,j in S, q in 1..2", "with i, j ∈ S, q ∈ 1..2"},
		{bodyForm, "  receive m in A union B\n  let x ≡ a\n", "receive m ∈ A ∪ B\nlet x == a"},
		{bodyForm, "require /\\ a\n        /\\ b => c", "require a ∧ (b ⇒ c)"},
		{bodyForm, "x[i].f[j, k] := IF a\n THEN b\n ELSE c\nx := y", "x[i].f[j, k] := IF a THEN b ELSE c\nx := y"},
		{bodyForm, "send M{\na: 1,\nsend: 2\n} if a\n\n# comment\nsend N{}", "send M{a: 1, send: 2} if a\nsend N{}"},
		{bodyForm, "crash  m.to\ncrash IF a THEN b\n ELSE c\nx := crash", "crash m.to\ncrash IF a THEN b ELSE c\nx := crash"},
		{typeForm, "Server", "Server"},
		{typeForm, "volatile  Server -> Role", "volatile Server → Role"},
		{typeForm, "volatile ghost A", "ghost volatile A"},
		{typeForm, "volatile (volatile)?", "volatile volatile?"},
		{typeForm, "ghost Server -> Term → Server?", "ghost Server → Term → Server?"},
		{typeForm, "(A → B) -> Set((A → B)?)??", "(A → B) → Set((A → B)?)??"},
		{typeForm, "A →\n(B → Seq(Entry))", "A → B → Seq(Entry)"},
		{patchForm, "-require a and (b /\\ c)\n+\n  f[i] := 3", "- require a ∧ (b ∧ c)\n+ f[i] := 3"},
		{patchForm, "- a <= b\n+ a <\n  b\n- g: x - 1\n+g:2", "- a ≤ b\n+ a < b\n- g: x - 1\n+ g: 2"},
		{patchForm, "- f[ i ] := ...\n- send M{ … }\n- let x ≡ …\n+ let x ≡ y", "- f[i] := …\n- send M{…}\n- let x == …\n+ let x == y"},
		{patchForm, "- (send)\n- crash i\n- (let) = 1\n- let' = 1\n+ require ∧ a\n          ∧ b", "- (send)\n- crash i\n- (let = 1)\n- let' = 1\n+ require a ∧ b"},
		{scenarioForm, "Restart\nTimeout( i=s1 )", "Restart()\nTimeout(i = s1)"},
		{scenarioForm, "...\nRestart\n…  # any", "…\nRestart()\n…"},
		{scenarioForm, "Deliver(m = M{a: 1},\nq = {s1, s2})\nRestart()", "Deliver(m = M{a: 1}, q = {s1, s2})\nRestart()"},
	} {
		checkFormat(t, c.form, c.text, c.want)
	}
}

func TestFormatExprWidth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, indent int
		text          string
		want          []string
	}{
		{80, 0, "a ∧ b", []string{"a ∧ b"}},
		{0, 0, "∀ i ∈ Server: aaaaaaaaaaaaaa ∧ bbbbbbbbbbbbbbbbbbbb", []string{"∀ i ∈ Server: aaaaaaaaaaaaaa ∧ bbbbbbbbbbbbbbbbbbbb"}},
		{60, 0, "∀ i, j ∈ Server: state[i] = Leader ∧ state[j] = Leader ∧ currentTerm[i] = currentTerm[j] ⇒ i = j", []string{
			"∀ i, j ∈ Server:",
			"  state[i] = Leader",
			"  ∧ state[j] = Leader",
			"  ∧ currentTerm[i] = currentTerm[j]",
			"  ⇒ i = j",
		}},
		{40, 4, "aaaaaaaaaaaaaaaa ∧ (bbbbbbbbbbbbbbbbbbbb ∨ cccccccccccccccccccc)", []string{
			"aaaaaaaaaaaaaaaa",
			"    ∧ (bbbbbbbbbbbbbbbbbbbb",
			"       ∨ cccccccccccccccccccc)",
		}},
		{30, 0, "x = IF condition THEN firstValue ELSE secondValue", []string{
			"x",
			"= IF condition",
			"  THEN firstValue",
			"  ELSE secondValue",
		}},
		{30, 0, "LET one == first, two == second IN definition(one, two, one)", []string{
			"LET one == first,",
			"    two == second",
			"IN definition(one, two, one)",
		}},
		{30, 0, "Message{from: i, to: j, term: currentTerm[i]}", []string{
			"Message{",
			"  from: i,",
			"  to: j,",
			"  term: currentTerm[i]",
			"}",
		}},
		{20, 0, "{someone ∈ Server : state[someone] = Leader}", []string{
			"{someone ∈ Server :",
			"  state[someone]",
			"  = Leader}",
		}},
	} {
		tree := exprForm.mustParse(t, c.text).(syntax.Expr)
		got := syntax.FormatExprWidth(tree, c.width, c.indent)
		if d := cmp.Diff(c.want, strings.Split(got, "\n")); d != "" {
			t.Errorf("%s, width %d (-want +got):\n%s", c.text, c.width, d)
		}
		if d := cmp.Diff(tree, exprForm.mustParse(t, got), ignorePlaces); d != "" {
			t.Errorf("%s is another tree (-parsed +reparsed):\n%s", got, d)
		}
	}
}
