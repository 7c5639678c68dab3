package protocol_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/protocol/syntax"
)

const languageDoc = "../docs/language.md"

var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\w+))?\\n(.*?)^```$")

// TestLanguageExamples checks the examples of the reference. The first one is a
// spec, to which the others are added; "error" and a code announce a
// diagnostic, all others have none.
func TestLanguageExamples(t *testing.T) {
	t.Parallel()
	blocks := fence.FindAllStringSubmatch(readFile(t, languageDoc), -1)
	if len(blocks) < 10 || blocks[0][1] != "spec" {
		t.Fatalf("%d examples", len(blocks))
	}
	prelude := blocks[0][3]
	names := map[string]string{"spec": "spec", "formula": "formula", "action": "body", "sections": "sections"}
	for _, b := range blocks {
		kind, code, text := b[1], diag.Code(b[2]), b[3]
		if kind == "error" {
			if !provokes(prelude, text, code) {
				t.Errorf("not %s:\n%s", code, text)
			}
			continue
		}
		form := forms[names[kind]]
		if form == nil {
			t.Errorf("unknown kind of example %s", kind)
			continue
		}
		sys, errs := protocol.Parse("example.yaml", []byte(form(prelude, text)))
		if len(errs) > 0 {
			t.Errorf("%s\n%s", text, errs.Error())
			continue
		}
		for _, m := range sys.Mutations {
			if _, errs := sys.Mutated(m); len(errs) > 0 {
				t.Errorf("%s: %v", m.Name, errs)
			}
		}
		for _, p := range sys.Properties {
			if p.RefutedBy != nil && !refutes(t, sys, p) {
				t.Errorf("%s does not refute %s", p.RefutedBy.Name, p.ID)
			}
		}
	}
}

// refutes replays the scenario of a literal claim about one state.
func refutes(t *testing.T, sys *protocol.System, p *protocol.Property) bool {
	t.Helper()
	e := semantics.NewEvaluator(state.NewStructure(sys, p.RefutedBy.Scope))
	run, err := e.Replay(p.RefutedBy)
	if err != nil {
		t.Error(err)
		return false
	}
	return !e.Formula(p.Formula, run.Last())
}

// TestLanguageCodes compares the table of codes with the codes.
func TestLanguageCodes(t *testing.T) {
	t.Parallel()
	rows := tableRows(t, "## 11. Errors")
	codes := diag.Codes()
	for i, info := range codes {
		example := "–"
		if info.Example != "" {
			example = "`" + strings.NewReplacer("\n", "⏎", "\t", "⇥", "|", `\|`).Replace(info.Example) + "`"
		}
		want := []string{string(info.Code), info.Title, example}
		if i >= len(rows) || len(rows[i]) != 4 || rows[i][3] == "" || strings.Join(rows[i][:3], "\n") != strings.Join(want, "\n") {
			t.Errorf("the row of %s is not %q", info.Code, want)
		}
	}
	if len(rows) != len(codes) {
		t.Errorf("%d rows for %d codes", len(rows), len(codes))
	}
}

// TestLanguageOperators sees to it that the ASCII forms of the operators mean
// what their Unicode forms mean.
func TestLanguageOperators(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile("`([^`]+)`")
	canonical := func(text string) string {
		e, errs := syntax.ParseExpr(diag.NewFile("operator", []byte(text)), 0, len(text))
		if len(errs) > 0 {
			t.Errorf("%s: %v", text, errs)
			return ""
		}
		return syntax.FormatExpr(e)
	}
	for _, row := range tableRows(t, "## 3. Formulas") {
		if strings.HasPrefix(row[0], "`{a, b}`") {
			break // the end of the table of operators
		}
		unicode := map[string]bool{}
		for _, m := range code.FindAllStringSubmatch(row[0], -1) {
			unicode[canonical(m[1])] = true
		}
		for _, m := range code.FindAllStringSubmatch(row[1], -1) {
			if word := m[1]; word[0] == '\\' {
				continue // alone it is no formula
			}
			if got := canonical(m[1]); !unicode[got] {
				t.Errorf("%s means %s", m[1], got)
			}
		}
	}
}

// tableRows are the cells of the tables below a heading, header lines excepted.
func tableRows(t *testing.T, heading string) (rows [][]string) {
	t.Helper()
	_, text, ok := strings.Cut(readFile(t, languageDoc), heading+"\n")
	if !ok {
		t.Fatal("no heading", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		isRow := strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| ---")
		if !isRow || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| ---") {
			continue
		}
		line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
		var cells []string
		for _, cell := range strings.Split(line, "|") {
			cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", `\|`)))
		}
		rows = append(rows, cells)
	}
	return rows
}
