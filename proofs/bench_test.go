package proofs_test

import (
	"fmt"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// BenchmarkCheck proves all of Raft, cold, in growing scopes.
func BenchmarkCheck(b *testing.B) {
	sys := parse(b, raft(b))
	for _, s := range []struct{ server, term, index int }{{2, 3, 3}, {3, 2, 2}, {3, 3, 3}, {3, 4, 4}, {4, 3, 3}, {5, 3, 3}} {
		b.Run(fmt.Sprintf("Server=%d,Term=%d,Index=%d", s.server, s.term, s.index), func(b *testing.B) {
			cfg := config(b, "z3")
			cfg.Scope = map[string]int{"Server": s.server, "Term": s.term, "Index": s.index, "Value": 2, protocol.MessagesScope: 2}
			for b.Loop() {
				rep, err := proofs.Run(b.Context(), []*protocol.System{sys}, cfg)
				if err != nil {
					b.Fatal(err)
				}
				if f := failures(rep.Systems[0]); len(f) > 0 {
					b.Fatal(f)
				}
			}
		})
	}
}

// BenchmarkSearch finds and minimises the first counterexample after the deletion
// of a lemma, at the default scope.
func BenchmarkSearch(b *testing.B) {
	sys := parse(b, raft(b))
	for _, p := range sys.Properties {
		if p.Kind != protocol.Lemma {
			continue
		}
		b.Run(p.ID, func(b *testing.B) {
			cfg := config(b, "z3")
			cfg.Scope = nil
			cfg.Without = map[string]bool{p.ID: true}
			for b.Loop() {
				rep, chains, err := proofs.Search(b.Context(), sys, start(p.ID), cfg, false)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(chains)), "properties")
				if r := rep.Systems[0].FirstRefuted(chains); r == nil || r.CTI == nil {
					b.ReportMetric(0, "found")
				} else {
					b.ReportMetric(1, "found")
				}
			}
		})
	}
}

// start is a headline property whose proof leans on the lemma.
func start(lemma string) string {
	switch lemma {
	case "leaderCommitted", "commitAgrees":
		return "I2.real"
	}
	return "I2"
}
