package syntax_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// parsers are the entry points by the name they have in tests. Each returns
// whether there is a result, and the diagnostics.
var parsers = map[string]func(f *diag.File, start, end int) (bool, diag.List){
	"expr": func(f *diag.File, start, end int) (bool, diag.List) {
		e, errs := syntax.ParseExpr(f, start, end)
		return e != nil, errs
	},
	"body": func(f *diag.File, start, end int) (bool, diag.List) {
		b, errs := syntax.ParseBody(f, start, end)
		return len(b) > 0, errs
	},
	"type": func(f *diag.File, start, end int) (bool, diag.List) {
		d, errs := syntax.ParseTypeDecl(f, start, end)
		return d.Type != nil, errs
	},
	"patch": func(f *diag.File, start, end int) (bool, diag.List) {
		p, errs := syntax.ParsePatch(f, start, end)
		return len(p) > 0, errs
	},
	"scenario": func(f *diag.File, start, end int) (bool, diag.List) {
		r, errs := syntax.ParseScenario(f, start, end)
		return len(r) > 0, errs
	},
	"pattern": func(f *diag.File, start, end int) (bool, diag.List) {
		p, errs := syntax.ParsePatterns(f, start, end)
		return len(p) > 0, errs
	},
}

func TestErrors(t *testing.T) {
	t.Parallel()
	const name = "testdata/errors.txt"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := diag.NewFile(name, text)
	starts := regexp.MustCompile(`(?m)^=== (\w+): (.*)\n`).FindAllSubmatchIndex(text, -1)
	for i, m := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		parse := parsers[string(text[m[2]:m[3]])]
		t.Run(string(text[m[2]:m[5]]), func(t *testing.T) {
			t.Parallel()
			checkErrors(t, f, m[1], end, parse)
		})
	}
}

// checkErrors parses a part of a file and compares the diagnostics with the
// patterns in its ERROR comments.
func checkErrors(t *testing.T, f *diag.File, start, end int, parse func(*diag.File, int, int) (bool, diag.List)) {
	t.Helper()
	some, errs := parse(f, start, end)
	if !some && len(errs) == 0 {
		t.Error("neither a result nor an error")
	}
	byLine := map[int][]diag.Diagnostic{}
	for _, d := range errs {
		line, _ := f.Position(d.Span.Start)
		byLine[line] = append(byLine[line], d)
	}
	first, _ := f.Position(start)
	last, _ := f.Position(end)
	for line := first; line <= last; line++ {
		if line == last && end < len(f.Text) {
			break // the next chunk's
		}
		want := wantedErrors(t, f.Line(line))
		for i := range max(len(want), len(byLine[line])) {
			switch got := byLine[line]; {
			case i >= len(got):
				t.Errorf("line %d: no error that matches %s", line, want[i])
			case i >= len(want):
				t.Errorf("line %d: unexpected error %s", line, describe(got[i]))
			case !want[i].MatchString(describe(got[i])):
				t.Errorf("line %d: got error %s\nwant a match of %s", line, describe(got[i]), want[i])
			}
		}
	}
}

func wantedErrors(t *testing.T, line string) (patterns []*regexp.Regexp) {
	t.Helper()
	_, rest, _ := strings.Cut(line, "# ERROR ")
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		if rest[0] != '"' {
			t.Fatalf("bad pattern %s", rest)
		}
		text, after, _ := strings.Cut(rest[1:], `"`)
		patterns = append(patterns, regexp.MustCompile(text))
		rest = after
	}
	return patterns
}

// describe is a diagnostic as the patterns see it.
func describe(d diag.Diagnostic) string {
	s := fmt.Sprintf("%s: %s %s; %s", d.Span.Text(), d.Code, d.Message, d.Help)
	for _, l := range d.Labels {
		s += fmt.Sprintf(" {%s: %s}", l.Text, l.Span.Text())
	}
	return s
}

func TestNestingTooDeep(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "f(", "x[", "{", "¬", "a ⇒ ", "∀ i ∈ S: ", "IF a THEN b ELSE ", "LET a == ", "∧ ", "M{a: ", "[i ∈ "} {
		text := strings.Repeat(unit, 10_000)
		_, errs := parseExpr(text)
		if len(errs) != 1 || errs[0].Code != diag.NestingTooDeep {
			t.Errorf("many %q: got %v", unit, errs)
		}
	}
	_, errs := syntax.ParseTypeDecl(diag.NewFile("t", []byte(strings.Repeat("Set(", 10_000))), 0, 40_000)
	if len(errs) != 1 || errs[0].Code != diag.NestingTooDeep {
		t.Errorf("nested types: got %v", errs)
	}
	for _, text := range []string{
		strings.Repeat("(", 499) + "a" + strings.Repeat(")", 499),
		strings.Repeat("a ∧ ", 20_000) + "a",
		"a" + strings.Repeat("!", 20_000),
	} {
		if _, errs := parseExpr(text); len(errs) > 0 {
			t.Errorf("%.20s…: %v", text, errs)
		}
	}
}

// TestCodeExamples sees to it that the example of each syntax code provokes
// just this code.
func TestCodeExamples(t *testing.T) {
	t.Parallel()
	for _, info := range diag.Codes() {
		if !strings.HasPrefix(string(info.Code), "KP01") || info.Code == diag.NestingTooDeep {
			continue
		}
		provoked := false
		for _, parse := range parsers {
			_, errs := parse(diag.NewFile("example", []byte(info.Example)), 0, len(info.Example))
			provoked = provoked || len(errs) == 1 && errs[0].Code == info.Code
		}
		if !provoked {
			t.Errorf("%s: %s does not provoke it", info.Code, strconv.Quote(info.Example))
		}
	}
}

func parseExpr(text string) (syntax.Expr, diag.List) {
	return syntax.ParseExpr(diag.NewFile("test", []byte(text)), 0, len(text))
}
