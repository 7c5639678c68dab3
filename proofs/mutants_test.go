package proofs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// unboundedConfig has cvc5 as the second solver.
func unboundedConfig(tb testing.TB) proofs.Config {
	tb.Helper()
	cfg := config(tb, "z3")
	cfg.Mode = proofs.Unbounded
	p, err := smtlib.Find("cvc5", "")
	if err != nil {
		missing(tb, err)
	}
	cfg.Second = proofs.Backend{Info: solver.Info{Name: "cvc5"}, New: func(l solver.Limits) (solver.Solver, error) {
		return smtlib.New(p, l, smtlib.Options{}), nil
	}}
	return cfg
}

// mutant is a system in which one action lacks one conjunct of its guards.
type mutant struct {
	name   string
	action string
	sys    *protocol.System
}

// withoutEachGuard drops every conjunct of every guard in turn.
func withoutEachGuard(sys *protocol.System) []mutant {
	var out []mutant
	for i, a := range sys.Actions {
		for j, s := range a.Body {
			g, ok := s.(*protocol.Guard)
			if !ok {
				continue
			}
			parts := conjuncts(g.Cond)
			for k := range parts {
				rest := slices.Delete(slices.Clone(parts), k, k+1)
				weak := *a
				weak.Body = slices.Clone(a.Body)
				weak.Body[j] = &protocol.Guard{Cond: &protocol.Nary{And: true, Args: rest}, Span: g.Span, Source: g.Source}
				m := *sys
				m.Actions = slices.Clone(sys.Actions)
				m.Actions[i] = &weak
				out = append(out, mutant{fmt.Sprintf("%s without %d.%d (%s)", a.Name, j, k, strings.Join(strings.Fields(g.Span.Text()), " ")), a.Name, &m})
			}
		}
	}
	return out
}

func conjuncts(t protocol.Term) []protocol.Term {
	if n, ok := t.(*protocol.Nary); ok && n.And {
		var out []protocol.Term
		for _, a := range n.Args {
			out = append(out, conjuncts(a)...)
		}
		return out
	}
	return []protocol.Term{t}
}

// What a finite scope refutes is proved for all sizes by nobody. The two modes
// share the typed model only: each encodes it in a way of its own.
func TestModesAgreeOnMutants(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a minute")
	}
	broken := 0
	for _, m := range withoutEachGuard(parse(t, raft(t))) {
		only := func(o proofs.Obligation) bool {
			return o.Action != nil && o.Action.Name == m.action && o.Property != nil
		}
		bounded := config(t, "z3")
		bounded.Only = only
		refuted := map[string]bool{}
		for _, r := range check(t, m.sys, bounded).Results {
			refuted[r.ID()] = r.Verdict == proofs.Refuted
		}
		// Of what is refuted, ask the first rungs and no more: they must not prove it.
		open := unboundedConfig(t)
		open.Only = func(o proofs.Obligation) bool { return only(o) && refuted[o.ID()] }
		for _, r := range check(t, m.sys, open).Results {
			if r.Verdict == proofs.Proved {
				t.Errorf("%s: %s is refuted in a scope and %v in mode %v by %s", m.name, r.ID(), r.Verdict, r.Mode, r.Rung)
			}
			if r.Verdict == proofs.Refuted {
				broken++
			}
		}
	}
	if broken < 20 {
		t.Errorf("only %d obligations are refuted over all mutants: the mutants do not bite", broken)
	}
}
