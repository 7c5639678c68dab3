package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
)

// lamps is the scenarios of testdata/zoo.yaml, played; the time that it took is left out.
func lamps(t *testing.T, states int, mutations ...string) *report.Zoo {
	t.Helper()
	return lampsWith(t, "", states, mutations...)
}

// lampsWith has more scenarios.
func lampsWith(t *testing.T, more string, states int, mutations ...string) *report.Zoo {
	t.Helper()
	text, err := os.ReadFile("testdata/zoo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sys, errs := protocol.Parse("zoo.yaml", append(text, more...))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	chosen := sys.Mutations
	if len(mutations) > 0 {
		chosen = nil
		for _, name := range mutations {
			chosen = append(chosen, sys.MutationNamed(name))
		}
	}
	s := &report.ZooSpec{System: sys}
	s.Exhibits, errs = explore.Zoo(t.Context(), sys, chosen, len(mutations) == 0, explore.ZooOptions{Limits: explore.PlayLimits{States: states}})
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	for _, x := range s.Exhibits {
		x.Played.Elapsed = 0
		if x.Spared != nil {
			x.Spared.Elapsed = 0
		}
	}
	if len(mutations) == 0 {
		s.Coverage = explore.Covered(sys, s.Exhibits)
	}
	for _, m := range chosen {
		if len(m.Scenarios) == 0 {
			s.Untold = append(s.Untold, m)
		}
	}
	return &report.Zoo{Specs: []*report.ZooSpec{s}, Tool: tool}
}

func TestZoo(t *testing.T) {
	t.Parallel()
	all := lamps(t, 100)
	golden(t, "zoo.txt", func(w io.Writer) error { return report.WriteZoo(w, all, report.Options{}) })
	golden(t, "zoo-verbose.txt", func(w io.Writer) error { return report.WriteZoo(w, all, report.Options{Verbose: true}) })
	golden(t, "zoo-color.txt", func(w io.Writer) error {
		return report.WriteZoo(w, lamps(t, 100, "Flash"), report.Options{Color: true})
	})
	golden(t, "zoo.json", func(w io.Writer) error { return report.ZooJSON(w, all) })
	limited := lamps(t, 1, "Careless")
	limited.Stopped = true
	golden(t, "zoo-limited.txt", func(w io.Writer) error { return report.WriteZoo(w, limited, report.Options{}) })
	golden(t, "zoo-none.txt", func(w io.Writer) error { return report.WriteZoo(w, lamps(t, 0, "Idle"), report.Options{}) })
	var narrow bytes.Buffer
	if err := report.WriteZoo(&narrow, all, report.Options{Width: 60, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	checkWidth(t, narrow.String(), 60)
}

// If all of a spec happens, it says so; if only branches do not, it speaks of these alone.
func TestZooCoverage(t *testing.T) {
	t.Parallel()
	const off = `  off:
    scope: {Lamp: 2}
    steps: |
      Switch(i = l1)
      Off(i = l1)
`
	for more, want := range map[string]string{
		off:                         "\n1 of 4 branches never happens in these scenarios:\n  zoo.yaml:18: IF on[i] is never false\n\n",
		off + "      Off(i = l1)\n": "\nAll 2 actions and all 4 branches happen in these scenarios.\n\n",
	} {
		var b bytes.Buffer
		if err := report.WriteZoo(&b, lampsWith(t, more, 100), report.Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %q in\n%s", want, b.String())
		}
	}
}

// The run of a scenario is shown as any other; of one that does not go as it says, how far the search came.
func TestZooExecution(t *testing.T) {
	t.Parallel()
	z := lamps(t, 100, "Careless")
	golden(t, "zoo-run.txt", func(w io.Writer) error {
		e := z.Execution(z.Exhibits()[0])
		e.From = regexp.MustCompile(`zoo.yaml:\d+`).ReplaceAllString(e.From, "zoo.yaml")
		return report.WriteExecution(w, e, report.TextFormat, report.Options{})
	})
	never := lamps(t, 100, "Stuck")
	var b bytes.Buffer
	if err := report.WriteExecution(&b, never.Execution(never.Exhibits()[1]), report.TextFormat, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "as far as the search came") {
		t.Errorf("got\n%s", b.String())
	}
}

// TestZooJSONIsDocumented compares docs/zoo.md with what is written.
func TestZooJSONIsDocumented(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.ZooJSON(&b, lamps(t, 100)); err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	written, documented := map[string]bool{}, map[string]bool{}
	keys(document, "", written)
	doc, err := os.ReadFile("../../docs/zoo.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		documented[m[1]] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(written))); diff != "" {
		t.Errorf("keys (-documented +written):\n%s", diff)
	}
}
