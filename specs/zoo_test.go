package specs_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// unreached is what happens in no scenario, by spec, since it cannot: docs/model-kraft.md says why.
var unreached = map[string][]string{
	"kraft": {
		"HandleDivergingFetchResponse: e = 0 is true",
		"HandleFetchSnapshotRequest: m.epoch > epoch[i] is true",
	},
}

// Each bug of a real system breaks, from the initial state, what docs/zoo.md says, in as many steps as it says, and
// not the protocol as it is. All other scenarios go as they say. Every action and every branch that can happen does in one of them.
func TestZoo(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/zoo.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kraft.yaml", "raft.yaml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sys := load(t, name)
			list, errs := explore.Zoo(t.Context(), sys, sys.Mutations, true, explore.ZooOptions{Workers: 2})
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			var missing []string
			actions, branches := explore.Covered(sys, list).Missing()
			for _, a := range actions {
				missing = append(missing, a.Name)
			}
			for _, b := range branches {
				owner := ""
				if d := b.Condition.Def; d != nil {
					owner = d.Name
				} else {
					owner = b.Condition.Action.Name
				}
				missing = append(missing, fmt.Sprintf("%s: %s is %t", owner, syntax.FormatExpr(b.Condition.Source), b.Value))
			}
			if d := cmp.Diff(unreached[sys.Name], missing); d != "" {
				t.Errorf("what never happens (-expected +found):\n%s", d)
			}
			told := map[*protocol.Mutation]bool{}
			var rows []string
			for _, x := range list {
				if x.Verdict() != explore.AsTold || x.Foreign != "" {
					t.Errorf("%s: verdict %d, %s%s", x.Scenario.Name, x.Verdict(), x.Played.Problem, x.Foreign)
				}
				if m := x.Mutation; m != nil && x.Scenario.Breaks != nil {
					told[m] = true
					rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %d |\n", m.Name, m.Cites, m.Title, x.Scenario.Breaks.ID, len(x.Played.Run.Steps)))
				}
			}
			for _, m := range sys.Mutations {
				if harmless := sys.Name == "kraft" && (m.Name == "AllPreVotesGranted" || m.Name == "NoEndQuorumEpoch" || m.Name == "EndOffsetNeverFalls"); told[m] == harmless {
					t.Errorf("%s has a scenario: %v", m.Name, told[m])
				}
			}
			_, written, _ := strings.Cut(string(doc), "<!-- "+sys.Name+" -->\n")
			table := regexp.MustCompile(`^(\|.*\n)*`).FindString(written)
			header := "| mutation | report | cause | breaks | steps |\n| --- | --- | --- | --- | --- |\n"
			if d := cmp.Diff(header+strings.Join(rows, ""), table); d != "" {
				t.Errorf("docs/zoo.md (-played +written):\n%s", d)
			}
		})
	}
}
