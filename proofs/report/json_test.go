package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol/explore"
)

// everything is a report in which each key of the JSON form has a value somewhere.
func everything(t *testing.T) *proofs.Report {
	t.Helper()
	f := newFixture(t)
	cti := f.counterexamples(t)
	unproved := f.unproved(t, "tally/CountVote", "timeout")
	unproved.Held = &f.scope
	rep := f.open(t, proofs.Auto, cti["message"], cti["init"], unproved, f.fallen(t, "tally/GrantVote"))
	sys := rep.Systems[0]
	sys.Unneeded = []string{"logsGrow"}
	sys.Properties[0].Verdict = proofs.Conditional
	sys.Properties[0].LeansOn = []string{"commitWithinLog", "tally"}
	sys.Properties[0].Lacking = []string{"commitWithinLog"}
	run := elected(t)
	for _, r := range sys.Results {
		if r.CTI != nil {
			r.Reach = &proofs.Finding{System: f.sys, Config: proofs.FindConfig{Length: 200}, Property: run.Broken, Run: run.Run,
				By: "random walks, seed 0, walk 3 (9 steps as found)", Walks: &explore.Simulation{Walks: 3, Steps: 21}, WalkedIn: run.Run.Structure,
				Solved: &proofs.ReachResult{Scope: f.scope, Depth: 4}, Pre: &proofs.ReachResult{Scope: f.scope, Reached: proofs.Excluded, Depth: 2}}
			break
		}
	}
	for _, o := range proofs.Branches(f.sys) {
		sys.Results = append(sys.Results, &proofs.Result{Obligation: o, Verdict: proofs.Proved, Answer: proofs.Replayed, Query: "Replicate/fires"})
	}
	return rep
}

var tool = report.ToolInfo{Name: "kraftprove", Version: "1.2.3"}

func TestJSON(t *testing.T) {
	t.Parallel()
	golden(t, "check.json", func(w io.Writer) error { return report.JSON(w, everything(t), tool) })
}

// TestJSONIsDocumented compares docs/json.md with what is written.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, everything(t), tool); err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	keys(document, "", written)
	b.Reset()
	run := elected(t)
	run.Goal = run.Run.Structure.System.Property("I1").Formula
	if err := report.WriteExecution(&b, run, report.JSONFormat, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	keys(document, "run", written)
	b.Reset()
	if err := report.SimulationsJSON(&b, []*report.Simulation{simulations(t)["broken"]}, tool); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	keys(document, "simulate", written)
	b.Reset()
	if err := report.ExplorationJSON(&b, explorations(t)["broken"]); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	keys(document, "explore", written)
	b.Reset()
	if err := report.MutantsJSON(&b, []*proofs.MutantReport{mutantReport(t)}, tool); err != nil {
		t.Fatal(err)
	}
	document = nil
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	keys(document, "mutants", written)
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		documented[m[1]] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(written))); diff != "" {
		t.Errorf("keys (-documented +written):\n%s", diff)
	}
}

// keys collects the paths of all keys. Values, messages and runs are documented once;
// scopes and values have keys of their own.
func keys(x any, path string, out map[string]bool) {
	switch x := x.(type) {
	case []any:
		for _, e := range x {
			keys(e, path+"[]", out)
		}
	case map[string]any:
		if _, ok := x["value"]; ok {
			path = "value:"
			if _, ok := x["type"]; ok {
				path = "message:"
			}
		} else if path != "" {
			path += "."
		}
		for k, e := range x {
			out[path+k] = true
			run := strings.HasPrefix(path, "simulate.") || strings.HasPrefix(path, "explore.") || strings.HasSuffix(path, "reach.")
			if k != "scope" && k != "held_in" && k != "value" && (k != "run" || !run) {
				keys(e, path+k, out)
			}
		}
	}
}

// TestJSONOfBoth checks that what two checks share is written once, with the
// bounded one, and that a scope stands where a verdict holds in one.
func TestJSONOfBoth(t *testing.T) {
	t.Parallel()
	rep := newFixture(t).both(t)
	var b bytes.Buffer
	if err := report.JSON(&b, rep, tool); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Solvers []struct{ Name string }
		Specs   []struct{ Mode string }
		Summary struct {
			Obligations        int
			Unbounded, Bounded struct{ Proved, Refuted, Unknown, Unsat, Replayed int }
		}
		Assumptions struct{ Unbounded, Bounded []string }
		Obligations []struct {
			ID, Check, Mode, Verdict string
			Scope                    map[string]int
			Rung                     *string
			Tried                    []string
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, o := range doc.Obligations {
		n[o.ID]++
		if (o.Scope == nil) != (o.Mode == "unbounded") {
			t.Errorf("%s: mode %s, scope %v", o.ID, o.Mode, o.Scope)
		}
		if o.Rung != nil && (o.Mode != "unbounded" || o.Verdict != "proved") {
			t.Errorf("%s: mode %s, %s, by rung %s", o.ID, o.Mode, o.Verdict, *o.Rung)
		}
		if o.Check == "bounded" && (o.Rung != nil || len(o.Tried) > 0) {
			t.Errorf("%s: a bounded check tried %v", o.ID, o.Tried)
		}
	}
	got := []int{n["I1/init"], n["voteIsCast/GrantVote"], n["init/possible"], n["Timeout/fires"], n["I1.literal/literal"],
		len(doc.Solvers), len(doc.Specs)}
	if diff := cmp.Diff([]int{2, 2, 1, 1, 1, 2, 2}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	s := doc.Summary
	if s.Obligations != len(doc.Obligations) ||
		s.Unbounded.Unsat != 31 || s.Bounded.Unsat != 22 || s.Bounded.Unknown != 1 || s.Bounded.Replayed != 8 || s.Bounded.Refuted != 1 {
		t.Errorf("%d obligations, summary %+v", len(doc.Obligations), s)
	}
	if len(doc.Assumptions.Unbounded) == 0 || len(doc.Assumptions.Bounded) == 0 {
		t.Errorf("assumptions %+v", doc.Assumptions)
	}
}

// TestJSONOfNothing checks that lists are there when they are empty.
func TestJSONOfNothing(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, &proofs.Report{}, tool); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Errorf("null in an empty report:\n%s", b.String())
	}
}
