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
	sys, errs, err := protocol.Load(os.DirFS("testdata"), "zoo.yaml")
	if err != nil || errs.HasErrors() {
		t.Fatal(err, errs)
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
