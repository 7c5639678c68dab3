package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

// TestSeveralSystems writes what one property is to each of two systems.
func TestSeveralSystems(t *testing.T) {
	t.Parallel()
	var systems []*proofs.SystemReport
	for _, spec := range []string{"mini.yaml", "other.yaml"} {
		f := fixtureOf(t, spec)
		rep := f.report(t).Systems[0]
		for _, r := range rep.Results {
			if r.Property != nil && r.Property.ID == "I1" {
				r.Core = []string{"tally", "voteIsCast", "I1"}
			}
		}
		systems = append(systems, rep)
	}
	golden(t, "why-several.txt", func(w io.Writer) error {
		for i, s := range systems {
			if err := report.Heading(w, s.System, i, report.Options{}); err != nil {
				return err
			}
			if err := report.Why(w, s, s.System.Property("I1")); err != nil {
				return err
			}
		}
		return nil
	})
	golden(t, "why-several.dot", func(w io.Writer) error { return report.WhyDOT(w, systems, "I1") })
	golden(t, "why-one.dot", func(w io.Writer) error { return report.WhyDOT(w, systems[:1], "I1") })
}

// TestNoCTI says what was asked in vain, or what is unknown, and what else fails.
func TestNoCTI(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good, bad := f.report(t).Systems[0], f.broken(t).Systems[0]
	golden(t, "cti-none.txt", func(w io.Writer) error {
		q := f.sys.Property("I1")
		one := &proofs.SystemReport{System: f.sys, Scope: f.scope, Results: good.Results[:1]}
		for i, s := range []*proofs.SystemReport{good, one, bad} {
			asked := []report.Question{report.WholeProof, report.OwnObligations, report.WholeProof}[i]
			if err := report.NoCTI(w, s, q, asked, report.Options{Width: 80}); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		return report.AlsoBroken(w, bad, bad.Result("voteIsCast/GrantVote"), report.Options{})
	})
}

// TestNever names all actions that cannot happen in one sentence.
func TestNever(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var never []*proofs.Result
	for _, name := range []string{"CountVote", "Replicate"} {
		r := f.obligation(t, name+"/fires")
		r.Verdict, r.Answer = proofs.Refuted, proofs.Unsat
		never = append(never, r)
	}
	var b strings.Builder
	if err := report.JSON(&b, f.report(t, never...), tool); err != nil {
		t.Fatal(err)
	}
	if want := "It is not shown that CountVote and Replicate can happen: what is said of them may be vacuous."; strings.Count(b.String(), want) != 1 {
		t.Errorf("no %q", want)
	}
}

// TestNamesInWords has sorts whose names are several words.
func TestNamesInWords(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("p.yaml", []byte(`protocol: p
sorts:
  RaftReplica:   {prefix: n}
  Controller:    {subset: RaftReplica}
  HTTPEntry:     {prefix: h}
  CorrelationId: {natural: true}
  RequestID:     {natural: true}
  broker_epoch:  {natural: true}
  N:             {natural: true}
scope: {RaftReplica: 3, Controller: 1, HTTPEntry: 1}
`))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := report.Scope(sys, encode.NewScope(sys, nil))
	if want := "3 raft replicas, 1 controller among them, 1 HTTP entry, correlation ids 0…2, request IDs 0…2, broker epochs 0…2, ns 0…2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	a := report.Assumptions(sys)
	if want := "nothing about sizes: a proof is for any number of raft replicas, HTTP entries, correlation ids, request IDs, broker epochs and ns, " +
		"and any non-empty set of controllers among the raft replicas"; len(a.Unbounded) == 0 || a.Unbounded[0] != want {
		t.Errorf("got %v\nwant %s", a.Unbounded, want)
	}
}
