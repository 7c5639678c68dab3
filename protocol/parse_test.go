package protocol_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
)

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A form says how a piece of the language becomes a spec. The piece's lines
// stay lines of the spec, so that errors can be told by their line.
var forms = map[string]func(prelude, text string) string{
	"spec":     func(_, text string) string { return text },
	"sections": func(prelude, text string) string { return prelude + text },
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

func chunks(t testing.TB, file string) (out []chunk) {
	t.Helper()
	parts := strings.Split(readFile(t, file), "\n=== ")
	for _, part := range parts[1:] {
		head, text, _ := strings.Cut(part, "\n")
		form, title, ok := strings.Cut(head, ": ")
		if !ok || forms[form] == nil {
			t.Fatalf("%s: bad chunk %q", file, head)
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

// checkDiagnostics parses a spec and compares its diagnostics with those that
// its comments announce.
func checkDiagnostics(t *testing.T, text string) {
	t.Helper()
	sys, got := protocol.Parse("test.yaml", []byte(text))
	checkSpans(t, text, got)
	if sys == nil && !got.HasErrors() {
		t.Error("neither a system nor an error")
	}
	byLine := map[int]diag.List{}
	for _, d := range got {
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
func checkSpans(t testing.TB, text string, errs diag.List) {
	t.Helper()
	known := map[diag.Code]bool{}
	for _, info := range diag.Codes() {
		known[info.Code] = true
	}
	valid := func(s diag.Span) bool {
		return s.IsValid() && 0 <= s.Start && s.Start <= s.End && s.End <= len(text) && string(s.File.Text) == text
	}
	for _, d := range errs {
		if !known[d.Code] || !valid(d.Span) || d.Message == "" || strings.HasSuffix(d.Message, ".") {
			t.Errorf("bad diagnostic %s at %d-%d", d, d.Span.Start, d.Span.End)
		}
		for _, l := range d.Labels {
			if !valid(l.Span) {
				t.Errorf("bad label of %s", d)
			}
		}
	}
}
