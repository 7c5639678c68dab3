package proofs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// Each lemma of KRaft is used by the last proof of something else; and without it, as
// far as that is asked here, that is refuted by a counterexample which the
// evaluator has replayed.
func TestKRaftLemmasAreNeeded(t *testing.T) {
	t.Parallel()
	sys, lock := parse(t, spec(t, "kraft.yaml")), proofs.ParseLock([]byte(spec(t, "kraft.lock")))
	for _, p := range sys.Properties {
		if p.Kind == protocol.Lemma && len(usersOf(lock, p.ID)) == 0 {
			t.Errorf("no proof uses %s", p.ID)
		}
	}
	if testing.Short() {
		t.Skip("the searches take half a minute")
	}
	for lemma, user := range map[string]string{
		"voteComplete":         "winnerComplete",
		"ackKept":              "voteComplete",
		"fetchIsAck":           "endOffsetIsAck",
		"logAgrees":            "I3",
		"fetchRequestInFlight": "NoIllegalState.fetch",
		"committedIsAcked":     "winnerCommitted",
	} {
		t.Run(lemma, func(t *testing.T) {
			cfg := config(t, "z3")
			cfg.Scope = nil
			cfg.Locks = map[string]proofs.Lock{sys.Name: lock}
			cfg.Without = map[string]bool{lemma: true}
			rep, chains, err := proofs.Search(t.Context(), sys, user, cfg, false)
			if err != nil {
				t.Fatal(err)
			}
			if rep.Systems[0].FirstRefuted(chains) == nil {
				t.Errorf("without %s, %s holds", lemma, user)
			}
		})
	}
}

// usersOf lists the properties whose proofs used a lemma, the lemma itself left out.
func usersOf(lock proofs.Lock, lemma string) []string {
	var out []string
	for id, e := range lock {
		user, _, _ := strings.Cut(id, "/")
		if user != lemma && slices.Contains(e.Hypotheses, lemma) && !slices.Contains(out, user) {
			out = append(out, user)
		}
	}
	slices.Sort(out)
	return out
}
