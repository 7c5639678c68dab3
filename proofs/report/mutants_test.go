package report_test

import (
	"bytes"
	"cmp"
	"io"
	"testing"
	"time"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

// mutantReport has one mutant of each outcome.
func mutantReport(t *testing.T) *proofs.MutantReport {
	t.Helper()
	f := newFixture(t)
	rep := &proofs.MutantReport{System: f.sys, Scope: f.scope, Elapsed: 3 * time.Second}
	rep.Solver.Name, rep.Solver.Version = "z3", "4.8.12"
	mutants := f.sys.Mutants()
	headline, lemma := f.sys.Property("I1"), f.sys.Property("voteIsCast")
	if len(mutants) < 7 || headline == nil || lemma == nil {
		t.Fatalf("%d mutants, %v, %v", len(mutants), headline, lemma)
	}
	action := func(m *protocol.Mutation) *protocol.Action { return f.sys.Action(m.Changes[0].Name) }
	for i, r := range []proofs.MutantResult{
		{Verdict: proofs.Refuted, Property: headline},
		{Verdict: proofs.Refuted, Property: lemma},
		{Verdict: proofs.Proved},
		{Verdict: proofs.Proved, Mutation: &protocol.Mutation{Survives: "nobody reads it, whatever it says, and nobody will ever read it as long as this line is too long for a page"}},
		{Verdict: proofs.Refuted, Property: lemma, Mutation: &protocol.Mutation{Survives: "so we thought"}},
		{Verdict: proofs.Unknown, Reason: "timeout"},
		{},
	} {
		m := *mutants[i]
		if r.Mutation != nil {
			m.Survives = r.Mutation.Survives
		}
		r.Mutation = &m
		if r.Property != nil {
			r.Action = action(&m)
		}
		if i != 6 {
			r.Mutated = f.sys
		}
		rep.Results = append(rep.Results, &r)
	}
	named := &protocol.Mutation{Name: "Forgets", Title: "A server forgets its vote", Changes: []protocol.Change{{Section: "init", Lines: []string{"+ epoch := 1"}}}}
	rep.Results = append(rep.Results, &proofs.MutantResult{Mutation: named, Mutated: f.sys, Verdict: proofs.Refuted, Property: headline})
	return rep
}

func TestMutants(t *testing.T) {
	t.Parallel()
	rep := mutantReport(t)
	for name, o := range map[string]report.Options{"mutants.txt": {}, "mutants-verbose.txt": {Verbose: true, Width: 60}} {
		golden(t, name, func(w io.Writer) error {
			var b bytes.Buffer
			err := report.Mutants(io.MultiWriter(w, &b), rep, o)
			checkWidth(t, b.String(), cmp.Or(o.Width, 100))
			return err
		})
	}
}

func TestMutantsByRun(t *testing.T) {
	t.Parallel()
	rep := mutantReport(t)
	rep.ByRun = true
	rep.Results = rep.Results[5:6]
	golden(t, "mutants-run.txt", func(w io.Writer) error { return report.Mutants(w, rep, report.Options{}) })
}
