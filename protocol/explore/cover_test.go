package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
)

// coverLight is light with a condition that is true only of two lamps that are on, and with mutations that states or
// parameters differ under.
func coverLight() string {
	return strings.NewReplacer("  on: Lamp → Bool\n", `  on: Lamp → Bool
  last: Lamp?
`, "      on[i] := FALSE\n", `      on[i] := FALSE
      last := IF ∃ j ∈ Lamp: j ≠ i ∧ on[j] THEN last ELSE i
`, "scenarios:\n", `  Counted:
    state: {count: Lamp → Bool}
  Pair:
    actions:
      Switch:
        do: |
          with i ∈ Lamp, j ∈ Bool
          on[i] := TRUE
  Split:
    sorts:
      Lit: {subset: Lamp}
scenarios:
  before:
    mutation: Careless
    scope: {Lamp: 2}
    steps: |
      Switch(i = l1)
      Off(i = l1)
      Switch(i = l1)
      Switch(i = l2)
    breaks: one
  after:
    mutation: Careless
    scope: {Lamp: 2}
    steps: |
      Switch(i = l1)
      Switch(i = l2)
      Off(i = l1)
    ends: |
      on[l2] ∧ last = Nil
  counted:
    mutation: Counted
    scope: {Lamp: 2}
    steps: |
      Switch
      Off
  pair:
    mutation: Pair
    scope: {Lamp: 2}
    steps: |
      Switch(i = l1, j = TRUE)
      Off
  split:
    mutation: Split
    scope: {Lamp: 2, Lit: 1}
    steps: |
      Switch
      Off
  unfit:
    scope: {Lamp: 2}
    steps: |
      Switch
      Off
      Off
`).Replace(light)
}

// What happens in the steps of the protocol as it is counts, and of a mutated one what comes before the mutation shows.
func TestCovered(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("light.yaml", []byte(coverLight()))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	all, errs := explore.Zoo(t.Context(), sys, sys.Mutations, true, explore.ZooOptions{})
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	never := []string{"Switch", "Off", "Off 1 false", "Off 1 true"}
	for _, c := range []struct {
		played  []string
		missing []string
	}{
		{nil, never},
		{[]string{"plain"}, []string{"Off 1 true"}},
		{[]string{"both"}, []string{"Off", "Off 1 false", "Off 1 true"}},
		{[]string{"before"}, []string{"Off 1 true"}},
		{[]string{"after"}, []string{"Off", "Off 1 false", "Off 1 true"}},
		{[]string{"after", "before", "plain"}, []string{"Off 1 true"}},
		{[]string{"counted"}, never},
		{[]string{"pair"}, never},
		{[]string{"split"}, never},
		{[]string{"unfit"}, never},
	} {
		t.Run(strings.Join(c.played, " "), func(t *testing.T) {
			t.Parallel()
			var some []*explore.Exhibit
			for _, x := range all {
				if slices.Contains(c.played, x.Scenario.Name) {
					some = append(some, x)
				}
			}
			if len(some) != len(c.played) {
				t.Fatalf("%d scenarios", len(some))
			}
			cover := explore.Covered(sys, some)
			if d := cmp.Diff(c.missing, missing(cover)); d != "" {
				t.Errorf("missing (-want +got):\n%s", d)
			}
			if a, b := cover.Counts(); a != 2 || b != 2 {
				t.Errorf("%d actions, %d branches", a, b)
			}
		})
	}
}

func missing(c *explore.Coverage) []string {
	var out []string
	actions, branches := c.Missing()
	for _, a := range actions {
		out = append(out, a.Name)
	}
	for _, b := range branches {
		out = append(out, fmt.Sprintf("%s %d %t", b.Condition.Action.Name, b.Condition.Number, b.Value))
	}
	return out
}
