package explore_test

import (
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
)

const light = `protocol: light
scope: {Lamp: 2}
sorts:
  Lamp: {finite: true, prefix: l}
state:
  on: Lamp → Bool
actions:
  Switch:
    do: |
      with i ∈ Lamp
      require ∀ j ∈ Lamp: ¬on[j]
      on[i] := TRUE
  Off:
    do: |
      with i ∈ Lamp
      require on[i]
      on[i] := FALSE
invariants:
  one:
    formula: |
      ∀ i, j ∈ Lamp: on[i] ∧ on[j] ⇒ i = j
mutations:
  Careless:
    actions:
      Switch: |
        - require ∀ j ∈ Lamp: ¬on[j]
  Harmless:
    actions:
      Off: |
        - require on[i]
scenarios:
  both:
    mutation: Careless
    scope: {Lamp: 2}
    steps: |
      Switch(i = l1)
      Switch
    breaks: one
  gap:
    mutation: Careless
    scope: {Lamp: 3}
    steps: |
      Switch(i = l1)
      …
    breaks: one
    ends: |
      on[l3]
  late:
    mutation: Careless
    scope: {Lamp: 2}
    steps: |
      Switch(i = l1)
      Switch(i = l2)
      Switch(i = l1)
    breaks: one
  never:
    mutation: Harmless
    scope: {Lamp: 2}
    steps: |
      Switch
      Switch
    breaks: one
  plain:
    scope: {Lamp: 2}
    steps: |
      Switch(i = l2)
      …
      Switch(i = l1)
    ends: |
      on[l1] ∧ ¬on[l2]
`

func TestPlay(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("light.yaml", []byte(light))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	systems := []*protocol.System{sys}
	for _, m := range sys.Mutations {
		mutated, errs := sys.Mutated(m)
		if errs.HasErrors() {
			t.Fatal(errs)
		}
		systems = append(systems, mutated)
	}
	want := map[string]struct {
		steps    int
		problem  string
		survives bool
	}{
		"both":  {2, "", true},
		"gap":   {2, "", true},
		"late":  {3, "one is broken already by step 2", true},
		"never": {1, "no run fits its step 2, Switch", true},
		"plain": {3, "", false},
	}
	for _, s := range systems {
		for _, x := range s.Scenarios {
			w := want[x.Name]
			p := explore.Play(t.Context(), s, x, explore.PlayLimits{})
			if p.Problem != w.problem || len(p.Run.Steps) != w.steps || len(p.Of) != w.steps {
				t.Errorf("%s: %d steps, %v, problem %q", x.Name, len(p.Run.Steps), p.Of, p.Problem)
			}
			delete(want, x.Name)
			if s.Mutation == nil {
				continue
			}
			spared, errs := sys.Spared(sys.MutationNamed(s.Mutation.Name))
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			if ok, q := explore.Survives(t.Context(), spared, spared.Scenario(x.Name), 5, explore.PlayLimits{}); ok != w.survives {
				t.Errorf("%s survives: %v, by a run of %d steps", x.Name, ok, len(q.Run.Steps))
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

// A scenario without holes that refutes a literal claim is filled by itself.
func TestPlayLiterals(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"raft.yaml", "kraft.yaml"} {
		sys := load(t, name)
		for _, s := range sys.Scenarios {
			p := explore.Play(t.Context(), sys, s, explore.PlayLimits{})
			if p.Problem != "" || len(p.Run.Steps) != len(s.Steps) {
				t.Errorf("%s: %s (%d of %d steps)", s.Name, p.Problem, len(p.Run.Steps), len(s.Steps))
			}
		}
	}
}
