package protocol_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
)

const voting = `protocol: p
sorts:
  Server: {finite: true, prefix: n}
  Term:   {natural: true}
state:
  term:    volatile Server → Term
  votes:   volatile Server → Set(Server)
  vote:    Server → Server?
  history: ghost Term → Server?
messages:
  Ask:    {from: Server, term: Term}
  Answer: {from: Server, term: Term, ok: Bool, seen: ghost Term}
actions:
  Vote:
    do: |
      receive m ∈ Ask
      with i ∈ Server, j ∈ votes[i] ∪ {i}
      let seen == history[m.term]
      let old == m.term < term[i]
      require ¬(m.term ≤ term[i] ∧ m.term > 3 ∨ old) ∨ (m.from ≠ i ∧ m.term > term[j])
      require j ∉ votes[i] ∪ votes[m.from] ∧ m.term < term[i]
      vote[i] := IF m.term ≥ term[i] ∧ vote[i] = Nil THEN m.from ELSE vote[i]
      votes[i] := votes[i] ∪ {j}
      history[m.term] := IF vote[i] = Nil THEN m.from ELSE seen
      send Answer{from: i, term: IF old THEN term[i] ELSE m.term, ok: ¬old, seen: IF old THEN 1 ELSE 0} if m.term < 3
      send Answer{from: j, term: m.term, ok: FALSE}
    survives: |
      - send Answer{from: j, term: m.term, ok: FALSE}   # nobody reads it
      - let old == …
      + let old == m.term<=term[i]                      # no matter
  Crash:
    do: |
      with i ∈ Server
      crash i
      votes[i] := IF vote[i] = Nil THEN {} ELSE {i}
mutations:
  Twice:
    survives: as it may
    actions:
      Crash: |
        - votes[i] := …
invariants:
  I: {formula: "∀ i ∈ Server: term[i] ≥ 0"}
`

// The mutants of an action are these, in this order, and nothing else.
func TestMutants(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("p.yaml", []byte(voting))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	var got []string
	for _, m := range sys.Mutants() {
		text := m.Name + " " + m.Span.Text()[:strings.IndexAny(m.Span.Text()+" ", " ")] + ": " + strings.Join(m.Changes[0].Lines, " ")
		if m.Survives != "" {
			text += " # " + m.Survives
		}
		got = append(got, text)
	}
	want := strings.Split(strings.TrimSpace(mutantsOfVote), "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s\n%s", d, strings.Join(got, "\n"))
	}
	if m := sys.MutationNamed("Twice"); m.Mutant || m.Survives != "as it may" {
		t.Errorf("%+v", m)
	}
}

const mutantsOfVote = `
Vote/1 m.term: - let old == … + let old == m.term ≤ term[i] # no matter
Vote/2 require: - require ¬(m.term ≤ term[i] ∧ m.term > 3 ∨ old) ∨ m.from ≠ i ∧ m.term > term[j]
Vote/3 m.term: - m.term ≤ term[i] ∧ m.term > 3
Vote/4 m.term: - m.term ≤ term[i] + m.term < term[i]
Vote/5 old: - m.term ≤ term[i] ∧ m.term > 3 ∨ old + m.term ≤ term[i] ∧ m.term > 3
Vote/6 m.from: - m.from ≠ i
Vote/7 m.term: - m.term > term[j]
Vote/8 m.term: - m.term > term[j] + m.term ≥ term[j]
Vote/9 j: - j ∉ votes[i] ∪ votes[m.from]
Vote/10 votes[i]: - votes[i] ∪ votes[m.from] + votes[i]
Vote/11 votes[i]: - votes[i] ∪ votes[m.from] + votes[m.from]
Vote/12 m.term: - j ∉ votes[i] ∪ votes[m.from] ∧ m.term < term[i] + j ∉ votes[i] ∪ votes[m.from]
Vote/13 m.term: - j ∉ votes[i] ∪ votes[m.from] ∧ m.term < term[i] + j ∉ votes[i] ∪ votes[m.from] ∧ m.term ≤ term[i]
Vote/14 vote[i]: - vote[i] := …
Vote/15 IF: - vote[i] := … + vote[i] := m.from
Vote/16 m.term: - m.term ≥ term[i]
Vote/17 m.term: - m.term ≥ term[i] + m.term > term[i]
Vote/18 vote[i]: - m.term ≥ term[i] ∧ vote[i] = Nil + m.term ≥ term[i]
Vote/19 votes[i]: - votes[i] := …
Vote/20 votes[i]: - votes[i] := … + votes[i] := {j}
Vote/21 send: - send Answer{from: i, term: IF old THEN term[i] ELSE m.term, ok: ¬old, seen: IF old THEN 1 ELSE 0} if m.term < 3
Vote/22 IF: - IF old THEN term[i] ELSE m.term + term[i]
Vote/23 IF: - IF old THEN term[i] ELSE m.term + m.term
Vote/24 m.term: - send Answer{from: i, term: IF old THEN term[i] ELSE m.term, ok: ¬old, seen: IF old THEN 1 ELSE 0} if m.term < 3 + send Answer{from: i, term: IF old THEN term[i] ELSE m.term, ok: ¬old, seen: IF old THEN 1 ELSE 0}
Vote/25 m.term: - send Answer{from: i, term: IF old THEN term[i] ELSE m.term, ok: ¬old, seen: IF old THEN 1 ELSE 0} if m.term < 3 + send Answer{from: i, term: IF old THEN term[i] ELSE m.term, ok: ¬old, seen: IF old THEN 1 ELSE 0} if m.term ≤ 3
Vote/26 send: - send Answer{from: j, term: m.term, ok: FALSE} # nobody reads it
Crash/1 crash: - crash i
Crash/2 votes[i]: - votes[i] := …
Crash/3 IF: - votes[i] := … + votes[i] := {}
Crash/4 IF: - votes[i] := … + votes[i] := {i}
`

// Each mutant is a protocol that differs in its action only, and no two are the same.
func TestMutantsAreMutations(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("p.yaml", []byte(voting))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	seen := map[string]string{sys.Action("Vote").Expanded(): "Vote", sys.Action("Crash").Expanded(): "Crash"}
	for _, m := range sys.Mutants() {
		changed, errs := sys.Mutated(m)
		if errs.HasErrors() {
			t.Errorf("%s: %v", m.Name, errs)
			continue
		}
		for i, a := range changed.Actions {
			text := a.Expanded()
			switch {
			case a.Name != m.Changes[0].Name && text != sys.Actions[i].Expanded():
				t.Errorf("%s changes %s", m.Name, a.Name)
			case a.Name == m.Changes[0].Name && seen[text] != "":
				t.Errorf("%s is %s", m.Name, seen[text])
			case a.Name == m.Changes[0].Name:
				seen[text] = m.Name
			}
		}
	}
}

// The patch of a mutant, as it is shown, is one that a spec may have as a mutation or under survives.
func TestMutantsCanBePasted(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("p.yaml", []byte(voting))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	before, _, _ := strings.Cut(voting, "    survives: |\n")
	_, after, _ := strings.Cut(voting, "  Crash:\n")
	var survives, mutations strings.Builder
	var names []string
	for _, m := range sys.Mutants() {
		if m.Changes[0].Name != "Vote" {
			continue
		}
		name := strings.ReplaceAll(m.Name, "/", ".")
		names = append(names, name)
		mutations.WriteString("  " + name + ":\n    actions:\n      Vote: |\n")
		for _, l := range m.Changes[0].Lines {
			survives.WriteString("      " + l + "\n")
			mutations.WriteString("        " + l + "\n")
		}
		survives.WriteString("        # reason\n")
	}
	text := before + "    survives: |\n" + strings.ReplaceAll(survives.String(), "\n        # reason", " # reason") + "  Crash:\n" +
		strings.Replace(after, "mutations:\n", "mutations:\n"+mutations.String(), 1)
	pasted, errs := protocol.Parse("p.yaml", []byte(text))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	for i, m := range pasted.Mutants() {
		if explained := m.Survives != ""; explained != (m.Changes[0].Name == "Vote") {
			t.Errorf("%s: explained is %v", m.Name, explained)
		}
		if i >= len(names) {
			continue
		}
		a, _ := pasted.Mutated(m)
		b, errs := pasted.Mutated(pasted.MutationNamed(names[i]))
		if errs.HasErrors() || a.Action("Vote").Expanded() != b.Action("Vote").Expanded() {
			t.Errorf("%s is not what it says: %v", m.Name, errs)
		}
	}
	if !slices.Contains(names, "Vote.1") {
		t.Error("no mutants")
	}
}

// A survivor without a reason is an error at its place.
func TestSurvivorWithoutReason(t *testing.T) {
	t.Parallel()
	_, errs := protocol.Parse("p.yaml", []byte(strings.Replace(voting, "  # nobody reads it", "", 1)))
	if len(errs) == 0 || errs[0].Code != "KP0311" || !strings.HasPrefix(errs[0].Span.Text(), "- send Answer{from: j") || !strings.Contains(errs[0].Help, "#") {
		t.Errorf("%v", errs)
	}
}
