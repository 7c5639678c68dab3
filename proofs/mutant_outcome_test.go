package proofs_test

import (
	"context"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// locks is a lock service whose headline claim is derived from a lemma.
const locks = `protocol: locks
scope: {Node: 3}
sorts: {Node: {finite: true, prefix: n}}
state:
  owner: Node?
  holds: Set(Node)
  waits: Set(Node)
actions:
  Ask:
    do: |
      with i ∈ Node
      require i ∉ holds
      waits := waits ∪ {i}
    survives: |
      - require i ∉ holds     # who holds the lock may ask for it again
      - waits := …            # liveness
      - waits ∪ {i}
      + {i}                   # liveness: the others are forgotten
  Acquire:
    do: |
      with i ∈ Node
      require owner = Nil ∧ i ∈ waits
      owner := i
      holds := holds ∪ {i}
    survives: |
      - owner = Nil           # which is wrong
  Release:
    do: |
      with i ∈ Node
      require i ∈ holds
      owner := Nil
      holds := {}
invariants:
  oneHolder:
    implied: true
    formula: |
      ∀ i, j ∈ Node: i ∈ holds ∧ j ∈ holds ⇒ i = j
lemmas:
  holderOwns:
    formula: |
      ∀ i ∈ Node: i ∈ holds ⇔ owner = i
mutations:
  Seized:
    init: |
      holds := {i ∈ Node : TRUE}
  Held:
    survives: the lock is never free again
    actions: {Release: drop}
  Unknown:
    lemmas: {holderOwns: {formula: TRUE}}
  Alone:
    actions:
      Release: |
        + waits := IF holds = {j ∈ Node : TRUE} THEN {i} ELSE waits
        - holds := {}
        + holds := IF holds = {j ∈ Node : TRUE} THEN holds ELSE {}
  Twice:
    actions:
      Ask: |
        + owner := owner
scenarios:
  alone:
    mutation: Alone
    scope: {Node: 1}
    steps: |
      Acquire(i = n1)
  twice:
    mutation: Twice
    scope: {Node: 1}
    steps: |
      Acquire(i = n1)
`

// What becomes of a mutant is what its change does, to the headline claim before the lemma.
func TestMutantOutcomes(t *testing.T) {
	t.Parallel()
	sys := parse(t, locks)
	cfg := config(t, "z3")
	rep, err := proofs.Mutants(t.Context(), sys, append(sys.Mutants(), sys.Mutations...), proofs.MutantConfig{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rep.Results {
		got[r.Mutation.Name] = r.Outcome().String()
		if (r.CTI != nil) != (r.Verdict == proofs.Refuted) {
			t.Errorf("%s: %v, and a counterexample is %v", r.Mutation.Name, r.Verdict, r.CTI != nil)
		}
		if r.Property != nil {
			got[r.Mutation.Name] += " " + r.CTI.Obligation.ID()
		}
		if r.Scenario != nil {
			got[r.Mutation.Name] += ", " + r.Scenario.Name
		}
	}
	want := map[string]string{
		"Ask/1":     "explained",
		"Ask/2":     "explained",
		"Ask/3":     "explained",
		"Acquire/1": "explained, yet refuted oneHolder/Acquire",
		"Acquire/2": "survived", // - i ∈ waits
		"Acquire/3": "refuted by lemma holderOwns/Acquire",
		"Acquire/4": "refuted by lemma holderOwns/Acquire",
		"Acquire/5": "survived", // holds := {i}
		"Release/1": "survived", // - require i ∈ holds
		"Release/2": "refuted by lemma holderOwns/Release",
		"Release/3": "refuted by lemma holderOwns/Release",
		"Seized":    "refuted by headline oneHolder/init",
		"Held":      "explained",
		"Unknown":   "refuted by headline oneHolder/Acquire",
		"Alone":     "refuted by lemma holderOwns/Release, alone",
		"Twice":     "survived",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if rep.Count(proofs.Unexplained) != 4 || rep.Count(proofs.Odd) != 1 || rep.Count(proofs.ByHeadline) != 2 {
		t.Errorf("the counts are wrong")
	}
}

// A search that finds no run says nothing of a mutant, unless the spec explains it; what it finds is
// of the mutated system.
func TestMutantsByRun(t *testing.T) {
	t.Parallel()
	sys := parse(t, locks)
	var all []*protocol.Mutation
	for _, m := range sys.Mutants() {
		if c := m.Changes[0].Name; c == "Acquire" || c == "Ask" {
			all = append(all, m)
		}
	}
	rep, err := proofs.Mutants(t.Context(), sys, all, proofs.MutantConfig{Hunt: func(_ context.Context, mutated *protocol.System) (*protocol.Property, *state.Run) {
		if mutated.Mutation.Name == "Acquire/2" {
			return mutated.Property("oneHolder"), &state.Run{}
		}
		return nil, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]proofs.Outcome{}
	for _, r := range rep.Results {
		got[r.Mutation.Name] = r.Outcome()
	}
	want := map[string]proofs.Outcome{"Ask/1": proofs.Explained, "Ask/2": proofs.Explained, "Ask/3": proofs.Explained, "Acquire/1": proofs.Explained,
		"Acquire/2": proofs.ByHeadline, "Acquire/3": proofs.Undecided, "Acquire/4": proofs.Undecided, "Acquire/5": proofs.Undecided}
	if !maps.Equal(want, got) || !rep.ByRun {
		t.Errorf("got %v", got)
	}
}

// What was cancelled is unknown, whether it is explained or not; but for Ask, which changes nothing
// that a property reads, nobody has to be asked.
func TestMutantsCancelled(t *testing.T) {
	t.Parallel()
	sys := parse(t, locks)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rep, err := proofs.Mutants(ctx, sys, sys.Mutants(), proofs.MutantConfig{Config: config(t, "z3")})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Results {
		if asked := r.Mutation.Changes[0].Name != "Ask"; asked != (r.Outcome() == proofs.Undecided) {
			t.Errorf("%s is %s", r.Mutation.Name, r.Outcome())
		}
	}
}

// asExplained reports the mutants of a system with which it is not as the spec says.
func asExplained(t *testing.T, sys *protocol.System, mutants []*protocol.Mutation) {
	t.Helper()
	rep, err := proofs.Mutants(t.Context(), sys, mutants, proofs.MutantConfig{Config: config(t, "z3")})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Results {
		if o := r.Outcome(); o == proofs.Unexplained || o == proofs.Odd || o == proofs.Undecided {
			t.Errorf("%s is %s: %v", r.Mutation.Name, o, r.Mutation.Changes)
		}
	}
	if rep.Count(proofs.ByHeadline) < len(mutants)/5 || rep.Count(proofs.Explained) == 0 {
		t.Errorf("of %d mutants, %d break a headline claim, and %d are explained", len(mutants), rep.Count(proofs.ByHeadline), rep.Count(proofs.Explained))
	}
}

// Whatever is wrong with Raft breaks a property, or the spec says why it does not.
func TestRaftMutantsAreExplained(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	sys := parse(t, spec(t, "raft.yaml"))
	asExplained(t, sys, sys.Mutants())
}

// The same of KRaft, of every fiftieth mutant and what the spec names; kraftprove mutants looks at all.
func TestKRaftMutantsAreExplained(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	sys := parse(t, spec(t, "kraft.yaml"))
	var some []*protocol.Mutation
	for i, m := range sys.Mutants() {
		if i%50 == 0 {
			some = append(some, m)
		}
	}
	asExplained(t, sys, append(some, sys.Mutations...))
}
