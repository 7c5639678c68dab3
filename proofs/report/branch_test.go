package report_test

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// decided is a report of branches.yaml in which each branch is taken, but for those
// that have another verdict here: that of a single V in a scope that has one.
func decided(t *testing.T, verdicts map[string]proofs.Verdict) *proofs.Report {
	t.Helper()
	f := fixtureOf(t, "branches.yaml")
	rep := f.report(t)
	sys := rep.Systems[0]
	single := encode.NewScope(f.sys, map[string]int{"V": 1})
	alone := *f
	alone.ev = semantics.NewEvaluator(single.Structure(f.sys))
	var steps []*state.Step
	for x := range 3 {
		for _, name := range []string{"Up", "Tell"} {
			steps = append(steps, f.step(t, name, f.with(f.ev.Init(), "x", num(x), 0), num(0)))
		}
	}
	for _, r := range sys.Results {
		if r.Kind == proofs.Fires {
			r.Witness = steps[r.Action.Index]
		}
	}
	for _, o := range proofs.Branches(f.sys) {
		r := &proofs.Result{Obligation: o, Verdict: proofs.Proved, Answer: proofs.Replayed}
		at := slices.IndexFunc(steps, func(s *state.Step) bool { return f.ev.Holds(o.Condition.Taken(s.Action, o.When), s) })
		if at >= 0 {
			r.Witness = steps[at]
		} else {
			r.In, r.Witness = &single, alone.step(t, "Up", f.ev.Init(), num(0))
		}
		r.Query = r.Witness.Action.Name + "/branches"
		if v, ok := verdicts[o.ID()]; ok {
			r.Verdict, r.Answer, r.Reason, r.Witness, r.In = v, proofs.NoAnswer, "timeout", nil, nil
			if v == proofs.Refuted {
				r.Answer, r.Reason = proofs.Unsat, "nothing takes it in this scope, nor with V=1 or P=1"
			}
		}
		sys.Results = append(sys.Results, r)
	}
	return rep
}

func (f *fixture) step(t *testing.T, action string, pre *state.State, args ...state.Value) *state.Step {
	t.Helper()
	a := f.sys.Action(action)
	out := f.ev.Do(a, args, pre)
	if out.Status != semantics.Enabled {
		t.Fatalf("%s: not enabled: %+v", action, out)
	}
	return &state.Step{Action: a, Args: args, Pre: pre, Post: out.Post}
}

var never = map[string]proofs.Verdict{"Tell/branch 2 true": proofs.Refuted, "Tell/branch 1 false": proofs.Refuted,
	"cut()/branch 1 true": proofs.Unknown, "Up/branch 1 true": proofs.Refuted}

func TestBranches(t *testing.T) {
	t.Parallel()
	for name, verdicts := range map[string]map[string]proofs.Verdict{"taken": nil, "never": never} {
		golden(t, "branches-"+name+".txt", func(w io.Writer) error {
			return report.Text(w, decided(t, verdicts), report.Options{Width: 80, Verbose: true})
		})
	}
	golden(t, "branches-witness.txt", func(w io.Writer) error {
		return report.Witnesses(w, decided(t, nil).Systems[0], report.Options{Width: 80})
	})
}

// TestBranchesInJSON checks what stands of a branch, and that of others nothing does.
func TestBranchesInJSON(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := report.JSON(&b, decided(t, never), tool); err != nil {
		t.Fatal(err)
	}
	type branch struct {
		Condition, Location, Of string
		Definition              *string
		When                    bool
	}
	var doc struct {
		Specs       []struct{ Claims []string }
		Summary     struct{ Unexpected int }
		Obligations []struct {
			ID, Kind, Verdict, Expected, Reason string
			Action                              *string
			Branch                              *branch
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatal(err)
	}
	cut := "cut"
	want := map[string]*branch{
		"Up/branch 1 false":   {"V = {p}", "branches.yaml:16", "if", nil, false},
		"Tell/branch 1 true":  {"x[p] > 0", "branches.yaml:20", "send", nil, true},
		"Tell/branch 2 true":  {"x[q] > 1", "branches.yaml:21", "if", nil, true},
		"cut()/branch 1 true": {"n > 1", "branches.yaml:11", "if", &cut, true},
	}
	for _, o := range doc.Obligations {
		if (o.Branch != nil) != (o.Kind == "branch") {
			t.Errorf("%s: kind %s, branch %v", o.ID, o.Kind, o.Branch)
		}
		if o.Branch == nil {
			continue
		}
		if o.Expected != "proved" || (o.Action == nil) != (o.Branch.Definition != nil) {
			t.Errorf("%s: expected %s, action %v, definition %v", o.ID, o.Expected, o.Action, o.Branch.Definition)
		}
		if w := want[o.ID]; w != nil {
			if diff := cmp.Diff(w, o.Branch); diff != "" {
				t.Errorf("%s (-want +got):\n%s", o.ID, diff)
			}
			delete(want, o.ID)
		}
	}
	if len(want) > 0 || doc.Summary.Unexpected != 4 {
		t.Errorf("missing: %v; %d unexpected, want 4", want, doc.Summary.Unexpected)
	}
	claim := "4 of 8 branches of 4 conditions can be taken: what is said of the others may be vacuous."
	if got := strings.Join(doc.Specs[0].Claims, "\n"); !strings.Contains(got, claim) {
		t.Errorf("no %q in\n%s", claim, got)
	}
}
