package proofs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/specs"
)

// deciding has a condition of each sort, and each of its branches can be taken.
const deciding = `
protocol: deciding
sorts: {N: {natural: true}, P: {finite: true, prefix: p}, V: {subset: P}}
scope: {N: 3, P: 2, V: 2, Messages: 1}
state:
  x: P → N
  told: P → N
  g: ghost N
messages:
  M: {p: P, n: N}
definitions:
  cut: {params: {n: N}, formula: "IF n > 1 THEN 1 ELSE n", returns: N}
actions:
  Up:
    do: |
      with p ∈ P
      require x[p] < 2
      x[p] := IF x[p] = 0 THEN 2 ELSE cut(x[p] + 1)
      g := IF g = 0 THEN 1 ELSE 0
  Tell:
    do: |
      with p ∈ P
      send M{p: p, n: cut(x[p])} if x[p] > 0
      told := [q ∈ P ↦ IF x[q] > 1 THEN x[q] ELSE told[q]]
lemmas:
  Small:
    formula: |
      ∀ p ∈ P: x[p] ≤ 2
`

// asked are the verdicts of the branches of a spec.
func asked(t *testing.T, text string, cfg proofs.Config) (*proofs.SystemReport, map[string]*proofs.Result) {
	t.Helper()
	cfg.Branches = true
	s := check(t, parse(t, text), cfg)
	out := map[string]*proofs.Result{}
	for _, r := range s.Results {
		if r.Kind == proofs.Branch {
			out[r.ID()] = r
			taken(t, s, r)
		}
	}
	return s, out
}

// taken checks the step that takes a branch once more, from outside the driver.
func taken(t *testing.T, s *proofs.SystemReport, r *proofs.Result) {
	t.Helper()
	if (r.Verdict == proofs.Proved) != (r.Witness != nil) {
		t.Errorf("%s is %v; it has a step: %t", r.ID(), r.Verdict, r.Witness != nil)
	}
	if r.Witness == nil {
		return
	}
	scope := s.Scope
	if r.In != nil {
		scope = *r.In
	}
	ev, w := semantics.NewEvaluator(scope.Structure(s.System)), r.Witness
	for _, p := range s.System.Properties {
		if p.Inductive() && !ev.Formula(p.Formula, w.Pre) {
			t.Errorf("%s: the pre-state breaks %s", r.ID(), p.ID)
		}
	}
	if out := ev.Do(w.Action, w.Args, w.Pre); out.Status != semantics.Enabled || !out.Post.Equal(w.Post) {
		t.Errorf("%s: the evaluator does not perform the step", r.ID())
	}
	if !ev.Holds(r.Condition.Taken(w.Action, r.When), w) || r.Answer != proofs.Replayed {
		t.Errorf("%s: the step does not take the branch (%v)", r.ID(), r.Answer)
	}
}

// A branch that nothing takes is refuted, and no other one is. Each change makes a
// branch impossible; without any, all are taken.
func TestImpossibleBranches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, never string }{
		{"nothing changed", "", "", ""},
		{"by a lemma", "IF x[q] > 1 THEN", "IF x[q] > 2 THEN", "Tell/branch 2 true"},
		{"by a guard", "IF x[p] = 0 THEN", "IF x[p] < 2 THEN", "Up/branch 1 false"},
		{"by the scope's end", "      g := IF g = 0 THEN 1 ELSE 0\n", "      g := IF g = 4 THEN 1 ELSE 0\n", "Up/branch 2 true"},
		{"of a send", "if x[p] > 0", "if x[p] ≤ 2", "Tell/branch 1 false"},
		{"of a definition, by all its uses", "IF n > 1 THEN", "IF n > 2 THEN", "cut()/branch 1 true"},
		{"by the IF around it", "IF g = 0 THEN 1 ELSE 0", "IF g = 0 THEN 1 ELSE IF g > 0 THEN 0 ELSE 1", "Up/branch 3 false"},
		{"for a bound variable", "IF x[q] > 1 THEN", "IF (∃ r ∈ P: r = q) THEN", "Tell/branch 2 false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := deciding
			if c.old != "" {
				text = replace(t, text, c.old, c.new)
			}
			s, got := asked(t, text, config(t, "z3"))
			if len(got) < 10 {
				t.Errorf("only %d branches", len(got))
			}
			for id, r := range got {
				want := proofs.Proved
				if id == c.never {
					want = proofs.Refuted
				}
				if r.Verdict != want || r.Expected() != proofs.Proved {
					t.Errorf("%s is %v (%s), want %v", id, r.Verdict, r.Reason, want)
				}
				if id == c.never && (r.Answer != proofs.Unsat || r.Reason != "nothing takes it in this scope, nor with V=1 or P=1") {
					t.Errorf("%s: %v, %s", id, r.Answer, r.Reason)
				}
			}
			if got[c.never] == nil && c.never != "" {
				t.Errorf("there is no %s", c.never)
			}
			for _, p := range s.Properties {
				if p.Verdict != proofs.Proved {
					t.Errorf("%s is %v", p.Property.ID, p.Verdict)
				}
			}
		})
	}
}

// A branch that needs a single voter is taken in a scope that has one, and what needs a
// single element in one of those.
func TestBranchInAnotherScope(t *testing.T) {
	t.Parallel()
	for size, cond := range map[string]string{"V": "V = {p}", "P": "(∀ q ∈ P: q = p)"} {
		text := replace(t, deciding, "IF g = 0 THEN", "IF "+cond+" THEN")
		text = replace(t, text, "P: 2, V: 2", "P: 3, V: 2")
		s, got := asked(t, text, config(t, "z3"))
		for id, r := range got {
			elsewhere := id == "Up/branch 2 true"
			if r.Verdict != proofs.Proved || (r.In != nil) != elsewhere {
				t.Errorf("%s: %s is %v (%s), in %v", cond, id, r.Verdict, r.Reason, r.In)
			}
			if elsewhere && r.In != nil && (r.In.Sizes[size] != 1 || r.In.Sizes["N"] != s.Scope.Sizes["N"]) {
				t.Errorf("%s: %s is taken in %v", cond, id, r.In)
			}
		}
	}
}

// What is said of the branches of an action that cannot happen is that.
func TestBranchesOfDeadAction(t *testing.T) {
	t.Parallel()
	_, got := asked(t, replace(t, deciding, "require x[p] < 2", "require x[p] > 2"), config(t, "z3"))
	for id, r := range got {
		want := proofs.Proved
		if strings.HasPrefix(id, "Up/") {
			want = proofs.Refuted
		}
		if r.Verdict != want {
			t.Errorf("%s is %v (%s), want %v", id, r.Verdict, r.Reason, want)
		}
	}
}

// Without time, a branch is unknown and not refuted.
func TestUnknownBranches(t *testing.T) {
	t.Parallel()
	cfg := config(t, "z3")
	cfg.Timeout, cfg.Only = time.Millisecond, firesOrBranches
	_, got := asked(t, raft(t), cfg)
	unknown := 0
	for id, r := range got {
		switch r.Verdict {
		case proofs.Refuted:
			t.Errorf("%s is refuted (%v): %s", id, r.Answer, r.Reason)
		case proofs.Unknown:
			unknown++
			if r.Answer != proofs.NoAnswer || !strings.Contains(r.Reason, "timeout") {
				t.Errorf("%s: %v, %s", id, r.Answer, r.Reason)
			}
		default: // found in time
		}
	}
	if unknown == 0 {
		t.Error("no branch is unknown")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cfg.Branches, cfg.Only = true, nil
	rep, err := proofs.Run(ctx, []*protocol.System{parse(t, deciding)}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Systems[0].Results {
		if r.Kind == proofs.Branch && (r.Verdict != proofs.Unknown || r.Reason != "cancelled") {
			t.Errorf("%s is %v: %s", r.ID(), r.Verdict, r.Reason)
		}
	}
}

// Branches are asked once, whatever the mode, and only if they are asked for.
func TestBranchesOfModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Auto, proofs.Both} {
		cfg := config(t, "z3")
		cfg.Mode = mode
		for _, branches := range []bool{true, false} {
			cfg.Branches = branches
			rep, err := proofs.Run(t.Context(), []*protocol.System{parse(t, deciding)}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			different := map[*proofs.Result]bool{}
			for _, s := range rep.Systems {
				n := 0
				for i, r := range s.Results {
					if r.Kind == proofs.Branch {
						n++
						different[r] = true
					} else if n > 0 {
						t.Errorf("%v: %s stands behind a branch, at %d", mode, r.ID(), i)
					}
				}
				want := map[bool]int{true: 10}[branches]
				if n != want {
					t.Errorf("%v: %d branches, want %d", mode, n, want)
				}
			}
			if want := map[bool]int{true: 10}[branches]; len(different) != want {
				t.Errorf("%v: %d obligations, want %d", mode, len(different), want)
			}
		}
	}
}

func firesOrBranches(o proofs.Obligation) bool {
	return o.Kind == proofs.Fires || o.Kind == proofs.Branch
}

// onlyBranches asks of the actions of a spec that they fire, and take each branch.
func onlyBranches(t *testing.T, name string, scope map[string]int) map[string]*proofs.Result {
	t.Helper()
	text, err := specs.FS.ReadFile(name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(t, "z3")
	cfg.Scope = scope
	cfg.Only = firesOrBranches
	s, got := asked(t, string(text), cfg)
	if f := failures(s); len(f) > 0 {
		t.Errorf("%s: not as expected:\n%s", name, strings.Join(f, "\n"))
	}
	return got
}

func TestBranchesOfRaft(t *testing.T) {
	t.Parallel()
	got := onlyBranches(t, "raft", small)
	if len(got) != 22 {
		t.Errorf("%d branches, want 22", len(got))
	}
}

func TestBranchesOfKRaft(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	got := onlyBranches(t, "kraft", map[string]int{"Epoch": 3, "Offset": 2, "CorrelationId": 1, protocol.MessagesScope: 1})
	if len(got) < 90 {
		t.Errorf("%d branches, want 90 at least", len(got))
	}
}
