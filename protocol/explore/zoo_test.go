package explore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
)

// lightZoo is light with scenarios that name something new, that go on without the mutation, too, and that are not told right.
func lightZoo() string {
	text := strings.Replace(light, "scenarios:\n", `  Flash:
    title: All lamps at once
    actions:
      Flash:
        do: |
          with i ∈ Lamp
          on := [j ∈ Lamp ↦ TRUE]
scenarios:
  flash:
    mutation: Flash
    scope: {Lamp: 2}
    steps: |
      Flash
    breaks: one
  flashed:
    mutation: Flash
    scope: {Lamp: 2}
    steps: |
      Switch
      …
    ends: |
      ∀ j ∈ Lamp: on[j]
`, 1)
	return text + `  anyway:
    mutation: Harmless
    scope: {Lamp: 2}
    steps: |
      Switch
      …
    ends: |
      ∀ j ∈ Lamp: ¬on[j]
  wrong:
    scope: {Lamp: 2}
    steps: |
      Switch
    ends: |
      ∀ j ∈ Lamp: ¬on[j]
`
}

func zoo(t *testing.T, ctx context.Context, o explore.ZooOptions) map[string]string {
	t.Helper()
	sys, errs := protocol.Parse("light.yaml", []byte(lightZoo()))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	list, errs := explore.Zoo(ctx, sys, sys.Mutations, true, o)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	out := map[string]string{}
	for _, x := range list {
		text := [...]string{explore.AsTold: "as told", explore.NotTold: "not told", explore.NotSpared: "not spared",
			explore.Undecided: "undecided"}[x.Verdict()]
		switch {
		case x.Foreign != "":
			text += ": " + x.Foreign
		case x.Verdict() == explore.NotTold:
			text += ": " + x.Played.Problem
		case x.Spared != nil && x.Spared.Problem != "":
			text += ": " + x.Spared.Problem
		}
		if x.Mutation != nil {
			text = x.Mutation.Name + " " + text
		}
		out[x.Scenario.Name] = text
	}
	return out
}

func TestZoo(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"both":    "Careless as told: no run fits its step 2, Switch",
		"gap":     "Careless as told: no run fits it and ends as it says",
		"late":    "Careless not told: one is broken already by step 2",
		"never":   "Harmless not told: no run fits its step 2, Switch",
		"anyway":  "Harmless not spared",
		"flash":   "Flash as told: there is no action Flash",
		"flashed": "Flash as told: no run fits it and ends as it says",
		"plain":   "as told",
		"wrong":   "not told: no run fits it and ends as it says",
	}
	for _, workers := range []int{0, 3} {
		if d := cmp.Diff(want, zoo(t, t.Context(), explore.ZooOptions{Workers: workers})); d != "" {
			t.Errorf("with %d workers (-want +got):\n%s", workers, d)
		}
	}
}

// Whatever is cut short proves nothing.
func TestZooLimits(t *testing.T) {
	t.Parallel()
	got := zoo(t, t.Context(), explore.ZooOptions{Limits: explore.PlayLimits{States: 1}})
	for name, text := range got {
		if strings.Contains(text, "as told") && name != "flash" {
			t.Errorf("%s: %s", name, text)
		}
	}
	if got["both"] != "Careless undecided" {
		t.Errorf("both: %s", got["both"])
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if got := zoo(t, stopped, explore.ZooOptions{}); len(got) > 0 {
		t.Errorf("played after the end: %v", got)
	}
}

// A mutation that is no protocol is not played.
func TestZooOfWrongMutation(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("light.yaml", []byte(strings.Replace(light, "  Harmless:\n", "  Harmless:\n    state: {on: drop}\n", 1)))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	if list, errs := explore.Zoo(t.Context(), sys, sys.Mutations, true, explore.ZooOptions{}); len(list) > 0 || !errs.HasErrors() {
		t.Errorf("%d scenarios played, %v", len(list), errs)
	}
}
