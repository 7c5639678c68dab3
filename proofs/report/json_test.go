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

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
)

// everything is a report in which each key of the JSON form has a value somewhere.
func everything(t *testing.T) *proofs.Report {
	t.Helper()
	f := newFixture(t)
	cti := f.counterexamples(t)
	late := f.obligation(t, "tally/CountVote")
	late.Reason = "timeout"
	rep := f.report(t, cti["message"], cti["init"], late)
	sys := rep.Systems[0]
	sys.Result("I1/Timeout").Core = []string{"tally"}
	sys.Unneeded = []string{"logsGrow"}
	sys.Properties[0].Verdict = proofs.Conditional
	sys.Properties[0].LeansOn = []string{"commitWithinLog", "tally"}
	sys.Properties[0].Lacking = []string{"commitWithinLog"}
	return rep
}

var tool = report.ToolInfo{Name: "kraftprove", Version: "1.2.3"}

func TestJSON(t *testing.T) {
	t.Parallel()
	golden(t, "check.json", func(w io.Writer) error { return report.JSON(w, everything(t), tool) })
}

// TestJSONIsDocumented compares docs/json.md with what is written.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, everything(t), tool); err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	keys(document, "", written)
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		documented[m[1]] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(written))); diff != "" {
		t.Errorf("keys (-documented +written):\n%s", diff)
	}
}

// keys collects the paths of all keys. Values and messages are documented once;
// scopes and values have keys of their own.
func keys(x any, path string, out map[string]bool) {
	switch x := x.(type) {
	case []any:
		for _, e := range x {
			keys(e, path+"[]", out)
		}
	case map[string]any:
		if _, ok := x["value"]; ok {
			path = "value:"
			if _, ok := x["type"]; ok {
				path = "message:"
			}
		} else if path != "" {
			path += "."
		}
		for k, e := range x {
			out[path+k] = true
			if k != "scope" && k != "value" {
				keys(e, path+k, out)
			}
		}
	}
}

// TestJSONOfNothing checks that lists are there when they are empty.
func TestJSONOfNothing(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, &proofs.Report{}, tool); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Errorf("null in an empty report:\n%s", b.String())
	}
}
