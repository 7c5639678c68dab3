package protocol_test

import (
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

const lamps = `protocol: lamps
sorts:
  Lamp: {finite: true, prefix: l}
state:
  on: Lamp → Bool
init: |
  on := [i ∈ Lamp ↦ TRUE]
actions:
  Off:
    do: |
      with i ∈ Lamp
      on[i] := FALSE
mutations:
  Dark:
    init: |
      on := [i ∈ Lamp ↦ FALSE]
`

func TestGoal(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("lamps.yaml", []byte(lamps))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	dark, errs := sys.Mutated(sys.Mutations[0])
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	sizes := map[string]int{"Lamp": 2}
	for text, want := range map[string]string{
		"on[l1] ∧ ¬on[l2]":        "false",
		"∀ i ∈ Lamp: on[i]":       "true",
		"forall i in Lamp: on[i]": "true",
		"on[l3]":                  "l3",
		"on[l1] ∧":                "--goal:1:",
		"on'[l1]":                 "on' may not stand in a goal",
		"on":                      "Bool",
		"lit[l1]":                 "lit",
	} {
		other, goal, errs := sys.Goal("--goal", text, sizes)
		if want != "true" && want != "false" {
			if !errs.HasErrors() || goal != nil || !strings.Contains(errs.Error(), want) {
				t.Errorf("%s: %v, want %s", text, errs, want)
			}
			continue
		}
		if errs.HasErrors() {
			t.Errorf("%s: %v", text, errs)
			continue
		}
		e := semantics.NewEvaluator(state.NewStructure(other, sizes))
		if got := e.Formula(goal, e.Init()); got != (want == "true") {
			t.Errorf("%s is %v", text, got)
		}
	}
	other, goal, errs := dark.Goal("--goal", "∃ i ∈ Lamp: on[i]", sizes)
	if errs.HasErrors() || other.Mutation != dark.Mutation {
		t.Fatal(errs)
	}
	if e := semantics.NewEvaluator(state.NewStructure(other, sizes)); e.Formula(goal, e.Init()) {
		t.Error("the mutation is forgotten")
	}
}
