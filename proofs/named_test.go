package proofs_test

import (
	"slices"
	"testing"

	"github.com/speckl/kraftprove/proofs"
)

const named = `protocol: named
sorts: {Node: {}, Term: {natural: true}}
state: {term: Node → Term, seen: Node → Term}
init: "term := [n ∈ Node ↦ 0]"
actions:
  Step:
    do: |
      with n ∈ Node
      term[n] := term[n] + 1
      seen[n] := term[n]
invariants:
  claim:
    implied: true
    by: [cut]
    formula: |
      ∀ n ∈ Node: seen[n] ≤ term[n]
lemmas:
  behind:
    formula: |
      ∀ n ∈ Node: seen[n] ≤ term[n]
theorems:
  cut:
    formula: |
      ∀ n ∈ Node: seen[n] ≤ term[n] ∧ term[n] ≤ term[n]
`

// What the spec names for a goal about one state is enough for a proof only as far as it
// holds itself: a claim from a false theorem is conditional on it, and one that does
// not follow is refuted, whatever is named.
func TestNamedHypothesesAreNotTrusted(t *testing.T) {
	t.Parallel()
	falseCut := replace(t, named, "seen[n] ≤ term[n] ∧ term[n] ≤ term[n]", "seen[n] ≤ term[n] ∧ term[n] = 0")
	for _, c := range []struct {
		name, spec string
		cut, claim proofs.Verdict
		lacks      bool
	}{
		{"a true theorem", named, proofs.Proved, proofs.Proved, false},
		{"a false theorem", falseCut, proofs.Refuted, proofs.Conditional, true},
		{"a false claim", replace(t, named, "    by: [cut]\n    formula: |\n      ∀ n ∈ Node: seen[n] ≤ term[n]",
			"    by: [cut]\n    formula: |\n      ∀ n ∈ Node: seen[n] < term[n]"), proofs.Proved, proofs.Refuted, false},
	} {
		for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
			cfg := config(t, "z3")
			cfg.Scope, cfg.Mode = nil, mode
			s := check(t, parse(t, c.spec), cfg)
			for _, p := range s.Properties {
				want := map[string]proofs.Verdict{"cut": c.cut, "claim": c.claim, "behind": proofs.Proved}[p.Property.ID]
				if p.Verdict != want {
					t.Errorf("%s, %v: %s is %v, want %v; lacking %v", c.name, mode, p.Property.ID, p.Verdict, want, p.Lacking)
				}
				if p.Property.ID == "claim" && slices.Contains(p.Lacking, "cut") != c.lacks {
					t.Errorf("%s, %v: claim lacks %v", c.name, mode, p.Lacking)
				}
			}
		}
	}
}
