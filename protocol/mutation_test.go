package protocol_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
)

const mutable = `protocol: p
sorts:
  Server: {finite: true, prefix: n}
  Value:  {prefix: v}
  Term:   {natural: true}
  Index:  {natural: true, index: true}
records:
  Entry: {term: Term, value: Value}
state:
  term: Server → Term
  top:  Server → Index
  log:  Server → Seq(Entry)
display:
  Entry: term
  log: {top: "|"}
definitions:
  next:
    params: {t: Term}
    returns: Term
    formula: t + 1
actions:
  Step:
    source: somewhere
    do: |
      with i ∈ Server
      require top[i] > 0 ∧ term[i] > 0
      let t == next(term[i])
      term[i] := t
  Rest:
    do: |
      with i ∈ Server
invariants:
  I1:
    by: {Step: [L1], Rest: [L1, L2]}
    formula: |
      ∀ i ∈ Server: term[i] ≥ 0
  I2: {formula: "step = Rest ∨ (∃ i ∈ Server: term'[i] > 0)"}
lemmas:
  L1:
    patterns: term[i]
    formula: |
      ∀ i ∈ Server: term[i] ≥ 0
  L2: {by: [L1], formula: "∀ i ∈ Server: top[i] ≥ 0"}
literals:
  C1: {formula: "∀ i ∈ Server: term[i] = 0", refuted_by: steps}
  C2: {formula: "∀ i ∈ Server: term[i] = 0", refuted_by: rests}
  C3: {formula: "∀ i ∈ Server: term[i] = 0", refuted_by: rests}
scenarios:
  steps:
    scope: {Server: 2, Value: 1, Term: 2, Index: 1}
    steps: Step(i = n1)
  rests:
    scope: {Server: 2, Value: 1, Term: 2, Index: 1}
    steps: |
      Rest(i = n1)
      Step(i = n1)
  leaps:
    mutation: Leap
    title: Two at once
    source: nowhere
    note: none
    scope: {Server: 2, Value: 1, Term: 2, Index: 1}
    steps: |
      …
      Leap(j = n2)
      Step
    breaks: C1
    ends: |
      term[n2] = 2
mutations:
  Leap:
    title: A leap
    source: nowhere
    note: none
    actions:
      Leap: {source: here, do: "with j ∈ Server"}
      Step: |
        - term[i] > 0
        + require ∧ t > 0
                  ∧ term[i] = 0
      Rest: drop
    definitions:
      next: {formula: t + 2}
  Tops:
    state: {top: Server → Term, new: Term}
    init: |
      new := 1
    actions:
      Step: {do: "with i ∈ Server"}
    sorts: {Value: {prefix: w}}
    lemmas:
      L1: drop
      L2: |
        - i
        + i
`

func mutated(t *testing.T, sys *protocol.System, name string) *protocol.System {
	t.Helper()
	m := sys.MutationNamed(name)
	if m == nil {
		t.Fatalf("no mutation %s", name)
	}
	out, errs := sys.Mutated(m)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return out
}

func parseText(t *testing.T, text string) *protocol.System {
	t.Helper()
	sys, errs := protocol.Parse("test.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return sys
}

func TestMutated(t *testing.T) {
	t.Parallel()
	sys := parseText(t, mutable)
	before := dump(sys)
	leap := mutated(t, sys, "Leap")
	want := `Step  # somewhere
  with i ∈ Server
  require top[i] > 0
  let t == next(term[i])
  term[i] := t
  require t > 0
  require term[i] = 0
  unchanged: top, log
Leap  # here
  with j ∈ Server
  unchanged: term, top, log
`
	if d := cmp.Diff(want, leap.Actions[0].Expanded()+leap.Actions[1].Expanded()); d != "" || len(leap.Actions) != 2 {
		t.Error(d)
	}
	if d := cmp.Diff("t + 2", syntax.FormatExpr(protocol.Express(leap.Defs[0].Body))); d != "" {
		t.Error(d)
	}
	if leap.Mutation != sys.MutationNamed("Leap") || leap.Mutation.Title != "A leap" || leap.Mutation.Cites != "nowhere" || leap.Mutation.Note != "none" {
		t.Errorf("%+v", leap.Mutation)
	}
	if sys.Mutation != nil || len(sys.Mutations) != 2 || dump(sys) != before {
		t.Error("the spec's own system has changed")
	}
	if leap.Action("Step") == sys.Action("Step") || leap.Property("I1") == sys.Property("I1") {
		t.Error("the systems share objects")
	}
}

// Scenarios belong to the system that they are about.
func TestScenariosOfMutations(t *testing.T) {
	t.Parallel()
	sys := parseText(t, mutable)
	leap := mutated(t, sys, "Leap")
	names := func(s *protocol.System) (out []string) {
		for _, x := range s.Scenarios {
			out = append(out, x.Name)
		}
		return out
	}
	if d := cmp.Diff([]string{"steps", "rests"}, names(sys)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"leaps"}, names(leap)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"leaps"}, leap.Mutation.Scenarios); d != "" {
		t.Error(d)
	}
	if x := mutated(t, sys, "Tops"); len(x.Scenarios) > 0 || len(x.Mutation.Scenarios) > 0 {
		t.Errorf("%v of Tops", names(x))
	}
	s := leap.Scenario("leaps")
	if s.Mutation != leap.Mutation || s.Title != "Two at once" || s.Cites != "nowhere" || s.Note != "none" || s.Breaks != leap.Property("C1") {
		t.Errorf("%+v", s)
	}
	if len(s.Steps) != 3 || s.Steps[0].Action != nil || s.Steps[1].Action != leap.Action("Leap") || s.Steps[1].Args[0] == nil ||
		s.Steps[2].Action != leap.Action("Step") || len(s.Steps[2].Args) != 1 || s.Steps[2].Args[0] != nil {
		t.Errorf("%+v", s.Steps)
	}
	if d := cmp.Diff("term[n2] = 2", syntax.FormatExpr(protocol.Express(s.Ends))); d != "" {
		t.Error(d)
	}
	if sys.Scenario("steps").Breaks != nil || sys.Scenario("steps").Ends != nil || sys.Scenario("leaps") != nil {
		t.Error("the protocol as it is has a scenario of a mutation")
	}
}

// What helps only, and does not fit any more, is left out; claims never are.
func TestMutatedLeavesOut(t *testing.T) {
	t.Parallel()
	sys := parseText(t, mutable)
	leap, tops := mutated(t, sys, "Leap"), mutated(t, sys, "Tops")
	if sys.Property("C1").RefutedBy == nil || leap.Property("C1").RefutedBy == nil || leap.Property("C1").RefutedBy.Steps[0].Action != leap.Action("Step") {
		t.Error("a scenario that fits is missing")
	}
	if leap.Property("C2").RefutedBy != nil || leap.Property("C3").RefutedBy != nil {
		t.Error("a scenario has a step of an action that was dropped")
	}
	if by := leap.Property("I1").By(leap.Action("Step")); len(by) != 1 || by[0] != leap.Property("L1") || leap.Property("L1").Patterns == nil {
		t.Errorf("hints %v", by)
	}
	is := leap.Property("I2").Formula.(*protocol.Nary).Args[0].(*protocol.StepIs)
	if len(is.Actions) > 0 {
		t.Errorf("a step of %s", is.Actions[0].Name)
	}
	log := sys.State[2]
	if len(sys.Display.Marks[log]) != 1 || len(leap.Display.Marks[leap.State[2]]) != 1 || len(tops.Display.Marks[tops.State[2]]) != 0 || len(tops.Display.Fields) != 1 {
		t.Error("marks")
	}
	if by := tops.Property("I1").By(tops.Action("Step")); len(by) != 0 || tops.Property("L1") != nil {
		t.Errorf("hints %v", by)
	}
	if by := tops.Property("L2").By(nil); len(by) != 0 {
		t.Errorf("hints %v", by)
	}
	if v := tops.State[3]; v.Name != "new" || tops.State[1].Sort.Name != "Server → Term" || len(tops.Init.Updates) != 1 || tops.Sorts[1].Prefix != "w" {
		t.Error("not what Tops says")
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	sys := parseText(t, mutable)
	var got strings.Builder
	for _, m := range sys.Mutations {
		got.WriteString(m.Name + "\n")
		for _, c := range m.Changes {
			got.WriteString(" " + c.Section + " " + c.Name)
			if c.Dropped {
				got.WriteString(" dropped")
			}
			got.WriteString("\n")
			for _, l := range c.Lines {
				got.WriteString("  " + l + "\n")
			}
		}
	}
	want := `Leap
 definitions next
  - t + 1
  + t + 2
 actions Leap
  + with j ∈ Server
 actions Step
  - term[i] > 0
  + require t > 0 ∧ term[i] = 0
 actions Rest dropped
Tops
 sorts Value
  - {prefix: v}
  + {prefix: w}
 state top
  - Server → Index
  + Server → Term
 state new
  + Term
 init 
  + new := 1
 actions Step
  - require top[i] > 0 ∧ term[i] > 0
  - let t == next(term[i])
  - term[i] := t
 lemmas L1 dropped
 lemmas L2
  - i
  + i
`
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Error(d)
	}
}

// A loaded system may be mutated by several at once.
func TestMutatedConcurrently(t *testing.T) {
	t.Parallel()
	sys := parseText(t, mutable)
	var all sync.WaitGroup
	for range 4 {
		for _, m := range sys.Mutations {
			all.Go(func() {
				if _, errs := sys.Mutated(m); len(errs) > 0 {
					t.Error(errs)
				}
			})
		}
	}
	all.Wait()
}
