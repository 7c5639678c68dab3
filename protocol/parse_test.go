package protocol_test

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

func readFile(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// A form says how a piece of the language becomes a spec. The piece's lines
// stay lines of the spec, so that errors can be told by their line.
var forms = map[string]func(prelude, text string) string{
	"spec":     func(_, text string) string { return text },
	"sections": func(prelude, text string) string { return prelude + text },
	"declarations": func(prelude, text string) string { // only the sorts of the prelude
		sorts, _, _ := strings.Cut(prelude, "enums:")
		return sorts + text
	},
	"body": func(prelude, text string) string {
		return prelude + "actions:\n  A:\n    do: |\n" + indent(text)
	},
	"formula": func(prelude, text string) string {
		return prelude + twoActions + "invariants:\n  P:\n    formula: |\n" + indent(text)
	},
	"formulas": func(prelude, text string) string {
		var b strings.Builder
		b.WriteString(prelude + twoActions + "invariants:\n")
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			fmt.Fprintf(&b, "  P%d:\n    formula: |\n      %s\n", i, line)
		}
		return b.String()
	},
}

const twoActions = "actions:\n  A: {do: \"epoch := 1\"}\n  B: {do: \"epoch := 2\"}\n"

func indent(text string) string {
	return "      " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n      ") + "\n"
}

// chunk is one case of a file of cases.
type chunk struct{ form, title, text string }

func chunks(tb testing.TB, file string) (out []chunk) {
	tb.Helper()
	parts := strings.Split(readFile(tb, file), "\n=== ")
	for _, part := range parts[1:] {
		head, text, _ := strings.Cut(part, "\n")
		form, title, ok := strings.Cut(head, ": ")
		if !ok || forms[form] == nil {
			tb.Fatalf("%s: bad chunk %q", file, head)
		}
		out = append(out, chunk{form, title, text + "\n"})
	}
	return out
}

func TestErrors(t *testing.T) {
	t.Parallel()
	prelude := readFile(t, "testdata/prelude.yaml")
	for _, c := range chunks(t, "testdata/errors.txt") {
		t.Run(c.form+": "+c.title, func(t *testing.T) {
			t.Parallel()
			checkDiagnostics(t, forms[c.form](prelude, c.text))
		})
	}
}

// checkDiagnostics parses a spec and compares its diagnostics, and those of its mutations if
// it has no errors itself, with those that its comments announce.
func checkDiagnostics(t *testing.T, text string) {
	t.Helper()
	sys, got := protocol.Parse("test.yaml", []byte(text))
	if !got.HasErrors() {
		for _, m := range sys.Mutations {
			_, errs := sys.Mutated(m)
			got = append(got, errs...)
		}
	}
	checkSpans(t, text, got)
	if sys == nil && !got.HasErrors() {
		t.Error("neither a system nor an error")
	}
	byLine := map[int]diag.List{}
	for _, d := range got {
		if strings.HasSuffix(d.Message, ".") {
			t.Errorf("wording: %s", d.Message)
		}
		line, _ := d.Span.File.Position(d.Span.Start)
		byLine[line] = append(byLine[line], d)
	}
	for i, line := range strings.Split(text, "\n") {
		rest := announced(t, line)
		for _, d := range byLine[i+1] {
			at := -1
			for k, w := range rest {
				if w.matches(d) {
					at = k
					break
				}
			}
			if at < 0 {
				t.Errorf("%d: %s\nunexpected %s[%s] %q", i+1, line, d.Severity, d.Code, describe(d))
				continue
			}
			rest = append(rest[:at:at], rest[at+1:]...)
		}
		for _, w := range rest {
			t.Errorf("%d: %s\nno %s %s %s", i+1, line, w.severity, w.code, w.pattern)
		}
	}
}

// wanted is a diagnostic that a comment announces.
type wanted struct {
	severity diag.Severity
	code     diag.Code
	pattern  *regexp.Regexp
}

func (w wanted) matches(d diag.Diagnostic) bool {
	return w.severity == d.Severity && w.code == d.Code && w.pattern.MatchString(describe(d))
}

var (
	announcement = regexp.MustCompile(`# ((?:ERROR|WARNING) .*)$`)
	oneWanted    = regexp.MustCompile(`^(ERROR |WARNING )?(KP\d{4}) "([^"]*)" *`)
)

func announced(t *testing.T, line string) (out []wanted) {
	t.Helper()
	m := announcement.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	severity := diag.Error
	for rest := m[1]; rest != ""; {
		w := oneWanted.FindStringSubmatch(rest)
		if w == nil {
			t.Fatalf("bad announcement %s", rest)
		}
		rest = rest[len(w[0]):]
		switch w[1] {
		case "ERROR ":
			severity = diag.Error
		case "WARNING ":
			severity = diag.Warning
		}
		out = append(out, wanted{severity, diag.Code(w[2]), regexp.MustCompile(w[3])})
	}
	return out
}

// describe is a diagnostic as the patterns see it.
func describe(d diag.Diagnostic) string {
	s := fmt.Sprintf("%s: %s; %s", d.Span.Text(), d.Message, d.Help)
	for _, l := range d.Labels {
		s += fmt.Sprintf(" {%s: %s}", l.Text, l.Span.Text())
	}
	return s
}

// checkSpans sees to it that every diagnostic can be shown.
func checkSpans(tb testing.TB, text string, errs diag.List) {
	tb.Helper()
	known := map[diag.Code]bool{}
	for _, info := range diag.Codes() {
		known[info.Code] = true
	}
	valid := func(s diag.Span) bool {
		return s.IsValid() && 0 <= s.Start && s.Start <= s.End && s.End <= len(text) && string(s.File.Text) == text
	}
	for _, d := range errs {
		if !known[d.Code] || !valid(d.Span) || d.Message == "" {
			tb.Errorf("bad diagnostic %s at %d-%d", d, d.Span.Start, d.Span.End)
		}
		for _, l := range d.Labels {
			if !valid(l.Span) {
				tb.Errorf("bad label of %s", d)
			}
		}
	}
}

// TestStrangeFiles has what cannot stand in errors.txt: the first diagnostic,
// its line and how many there are.
func TestStrangeFiles(t *testing.T) {
	t.Parallel()
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }
	bomb := "protocol: p\na: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	const prelude = "protocol: p\nsorts: {T: {natural: true}}\nstate: {x: T}\n"
	chain := prelude + "definitions:\n  d0: {formula: x > 0}\n"
	for k := range 60 {
		chain += fmt.Sprintf("  d%d: {formula: \"d%d ∧ d%d\"}\n", k+1, k, k)
	}
	for _, c := range []struct {
		name, text string
		line       int
		pattern    string
		count      int
	}{
		{"empty", "", 1, `KP0001 : the spec is empty; start with`, 1},
		{"only comments", "# raft\n\n# spec\n", 1, `KP0001 : the spec is empty`, 1},
		{"null", "~\n", 1, `KP0001 : the spec is empty`, 1},
		{"a list", "- a\n- b\n", 1, `KP0001 - a: a spec is a mapping`, 1},
		{"a word", "raft\n", 1, `KP0001 raft: a spec is a mapping`, 1},
		{"large", "protocol: p\n" + strings.Repeat("# filling\n", 1<<20), 1, `KP0002 : the spec has 10485772 bytes, at most 1048576 are read`, 1},
		{"long line", "protocol: p\ntitle: " + strings.Repeat("x", 10000), 2, `KP0002 t: this line has 10007 bytes, at most 4000`, 1},
		{"tabs", "protocol: p\nstate:\n\tx: Bool\n\ty: Bool\n", 3, `KP0003 \t: a tab: YAML and the layout of statements count spaces; indent with spaces`, 2},
		{"many tabs", strings.Repeat("\tx: 3\t\n", 100), 1, `KP0003`, 5},
		{"NUL", "protocol: p\x00\n", 1, `KP0001 \x00: control character U\+0000; delete it`, 1},
		{"binary", "\x7fELF\x02\x01\x01\x00\xff\xfe\x00\n\xff\xff\n", 1, `KP0001 \x7f: control character U\+007F`, 2},
		{"Latin 1", "protocol: p\ntitle: caf\xe9\n", 2, `KP0001 .: this byte is not UTF-8; save the file as UTF-8`, 1},
		{"UTF-16", "\xff\xfep\x00r\x00", 1, `KP0001 .: this byte is not UTF-8`, 1},
		{"byte order mark", "\ufeffprotocol: p\n", 1, `KP0001 \x{feff}: a byte order mark; save the file as UTF-8 without it`, 1},
		{"old Mac", "protocol: p\rstate: {}\r", 1, `KP0001 \r: U\+000D, which YAML takes for the end of a line`, 1},
		{"line separator", "protocol: p\u2028state: {}\n", 1, `U\+2028, which YAML`, 1},
		{"carriage returns", strings.ReplaceAll(prelude+"init: |\n  x := y\n  x := 3\n", "\n", "\r\n"), 5, `KP0201 y: y is not declared`, 2},
		{"two documents", "protocol: p\n---\nprotocol: q\n", 2, `KP0001 ---: a spec file holds one YAML document`, 1},
		{"document end", "protocol: p\n...\nstate: {x: Foo}\n", 2, `KP0001 \.\.\.: a spec file holds one YAML document`, 1},
		{"garbage behind the end", "protocol: p\n...\n]\n", 2, `KP0001 \.\.\.: a spec file`, 1},
		{"directive", "%YAML 1.1\n---\nprotocol: p\n", 0, ``, 0},
		{"unquoted formula", prelude + "invariants:\n  I:\n    formula: ∀ i ∈ T: i > 0\n", 6,
			`KP0001 formula: ∀ i ∈ T: i > 0: not YAML: mapping values are not allowed in this context; write a formula in a literal block`, 1},
		{"unquoted formula in the first line", "x: ∀ i ∈ T: i > 0\n", 1, `KP0001 x: ∀ i ∈ T: i > 0: not YAML: mapping`, 1},
		{"unclosed bracket", prelude + "scope: {T: 3\ninvariants:\n  I:\n    formula: TRUE\n", 4, `KP0001 scope: \{T: 3: not YAML: .*; check the indentation, quotes and brackets`, 1},
		{"unclosed quote", prelude + "title: \"a\ninvariants:\n  I:\n    formula: TRUE\n", 4, `KP0001 title: .a: not YAML`, 1},
		{"question mark in braces", "protocol: p\nmessages:\n  M: {x: T?}\n", 3, `inside braces YAML wants quotes around a type with a question mark: "Server\?"`, 1},
		{"outdented line of a block", "protocol: p\ninit: |\n      x := 3\n   y := 4\n", 4, `KP0001 y := 4: not YAML`, 1},
		{"bad indentation", "protocol: p\nstate:\n    x: T\n  y: T\n", 4, `KP0001 y: T: not YAML`, 1},
		{"plain scalar over two lines", prelude + "invariants:\n  I:\n    formula: x > 0 ∧\n      x > 1\n", 6, `KP0004 x > 0 ∧: a plain scalar over several lines; use a literal block`, 1},
		{"quoted scalar over two lines", prelude + "invariants:\n  I:\n    formula: \"x > 0 ∧\n      x > 1\"\n", 6, `KP0004 .x > 0 ∧: a quoted scalar with a backslash or a line break`, 1},
		{"alias bomb", bomb, 2, `KP0006`, 0},
		{"alias of itself", "protocol: p\nstate: &a {x: *a}\n", 2, `KP0004 `, 2},
		{"deep YAML", "protocol: p\nstate: " + deep("[", "]", 1000) + "\n", 2, `KP0001 \[.*: nested deeper than 32 levels`, 1},
		{"deeper YAML", "protocol: p\nstate: " + deep("{a: ", "}", 700) + "\n", 2, `nested deeper`, 1},
		{"deep YAML, unclosed", "protocol: p\n" + strings.Repeat(strings.Repeat("[", 3000)+"\n", 100), 2, `not YAML`, 1},
		{"deep indentation", "protocol: p\n" + func() (s string) {
			for k := range 500 {
				s += strings.Repeat(" ", k) + "a:\n"
			}
			return s
		}(), 34, `nested deeper`, 1},
		{"deep formula", prelude + "invariants:\n  I:\n    formula: |\n      " + deep("(", ")", 1900) + "\n", 7, `KP0113`, 1},
		{"deep sets", prelude + "invariants:\n  I:\n    formula: |\n      x ∈ " + deep("{", "}", 300) + "\n", 7, `KP0210`, 1},
		{"deep sets of something", prelude + "invariants:\n  I:\n    formula: |\n      x ∈ " + strings.Repeat("{", 300) + "x" + strings.Repeat("}", 300) + "\n", 7, `KP0204`, 1},
		{"deep membership", prelude + "invariants:\n  I:\n    formula: |\n      " + strings.Repeat("(", 60) + "x = 3" + strings.Repeat(") ∈ {TRUE, FALSE}", 60) + "\n", 0, ``, 0},
		{"deep type", prelude[:12] + "state:\n  x: " + deep("Set(", ")", 600) + "\n", 3, `KP0113`, 1},
		{"wide formula", prelude + "invariants:\n  I:\n    formula: |\n" + strings.Repeat("      x > 0 ∧ (x > 1 ∨ x < 3) ∧\n", 10000) + "      x > 2\n", 0, ``, 0},
		{"many sections", "protocol: p\n" + strings.Repeat("x: y: z\n", 50000), 2, `KP0001 x: y: z: not YAML`, 1},
		{"many unknown keys", "protocol: p\n" + func() (s string) {
			for k := range 20000 {
				s += fmt.Sprintf("x%d: y\n", k)
			}
			return s
		}(), 2, `KP0006`, 20000},
		{"many bounds", "protocol: p\nsorts: {T: {natural: true, index: true}}\nstate: {s: Seq(T)}\ninvariants:\n  I:\n    formula: |\n      ∀ v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 ∈ T:\n" + func() (s string) {
			for k := range 10 {
				for l := range 10 {
					s += fmt.Sprintf("      v%d ≤ v%d ⇒\n", l, k)
				}
			}
			return s
		}() + "      s[v3] = 0\n", 0, `KP0401`, 1},
		{"definitions that grow", chain, 0, `KP0208 d\d+: definition d\d+, written out, has more than`, 1},
		{"no such sort size", "protocol: p\nsorts: {S: {}}\nscope: {S: 99999999999999999999}\n", 3, `KP0001 9+: the size of S is a number from 1 to 62, not 9+`, 1},
		{"large number", prelude + "init: x := 99999999999999999999\n", 4, `KP0102`, 1},
		{"large constant", prelude + "init: x := 2147483647\n", 0, ``, 0},
		{"no end of line", "protocol: p", 0, ``, 0},
		{"empty key", "protocol: p\n: x\n", 2, `KP0001 : x: not YAML`, 1},
		{"key without value", "protocol: p\nstate:\n  ? x\n", 3, `KP0001 x: expected a type`, 1},
		{"numbers as names", "protocol: p\nenums: {E: [1, true, ~]}\n", 2, `KP0205 1: "1" is not a name`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, errs := protocol.Parse("test.yaml", []byte(c.text))
			if took := time.Since(start); took > 3*time.Second { // on a busy machine; alone it is far less than one
				t.Errorf("took %v", took)
			}
			checkSpans(t, c.text, errs)
			if c.pattern == "" {
				if len(errs) > 0 {
					t.Errorf("got %v", errs)
				}
				return
			}
			if len(errs) == 0 || c.count > 0 && len(errs) != c.count {
				t.Fatalf("got %d diagnostics, want %d: %v", len(errs), c.count, errs)
			}
			line, _ := errs[0].Span.File.Position(errs[0].Span.Start)
			got := string(errs[0].Code) + " " + describe(errs[0])
			if c.line != 0 && line != c.line || !regexp.MustCompile(`(?s)`+c.pattern).MatchString(got) {
				t.Errorf("got %d: %.300q\nwant %d: %s", line, got, c.line, c.pattern)
			}
		})
	}
}

// TestCodes sees to it that each code is provoked by its example.
func TestCodes(t *testing.T) {
	t.Parallel()
	prelude := readFile(t, "testdata/prelude.yaml")
	for _, info := range diag.Codes() {
		example := info.Example
		switch info.Code {
		case diag.FileTooLarge:
			example = "title: " + strings.Repeat("x", 1<<20)
		case diag.NestingTooDeep:
			example = strings.Repeat("¬", 1000) + "TRUE"
		}
		if !provokes(prelude, example, info.Code) {
			t.Errorf("%s: nothing provokes it in %.80q", info.Code, example)
		}
	}
}

// provokes reports whether a text, in one of its forms, has no other
// diagnostic than those of one code.
func provokes(prelude, text string, code diag.Code) bool {
	for _, form := range forms {
		_, errs := protocol.Parse("test.yaml", []byte(form(prelude, text)))
		if len(errs) > 0 && !slices.ContainsFunc(errs, func(d diag.Diagnostic) bool { return d.Code != code }) {
			return true
		}
	}
	return false
}

func FuzzParse(f *testing.F) {
	prelude := readFile(f, "testdata/prelude.yaml")
	f.Add([]byte(prelude))
	f.Add([]byte(readFile(f, "../specs/raft.yaml")))
	f.Add([]byte(readFile(f, "testdata/terms.yaml")))
	f.Add([]byte(mutable))
	for _, c := range chunks(f, "testdata/errors.txt") {
		f.Add([]byte(forms[c.form](prelude, c.text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sys, errs := protocol.Parse("fuzz.yaml", text)
		checkSpans(t, string(text), errs)
		if sys == nil && !errs.HasErrors() {
			t.Error("neither a system nor an error")
		}
		if !errs.HasErrors() {
			for _, a := range sys.Actions {
				a.Expanded()
			}
			for _, p := range sys.Properties {
				syntax.FormatExpr(protocol.Express(p.Formula))
			}
			for _, m := range sys.Mutations {
				_, more := sys.Mutated(m)
				checkSpans(t, string(text), more)
				errs = append(errs, more...)
			}
		}
		if err := diag.Render(io.Discard, errs, diag.RenderOptions{}); err != nil {
			t.Error(err)
		}
	})
}
