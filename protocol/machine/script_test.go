package machine_test

import (
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// A script of the actions alone is filled; so is one with a gap.
func TestFill(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	st := state.NewStructure(sys, sys.Sizes(map[string]int{"Replica": 3, "Voter": 3, "Epoch": 1, "Offset": 2, "CorrelationId": 3, "Value": 1}))
	patterns := func(names ...string) []machine.Pattern {
		var out []machine.Pattern
		for _, n := range names {
			p := machine.Pattern{}
			if n != "…" {
				if p.Action = sys.Action(n); p.Action == nil {
					t.Fatal(n)
				}
			}
			out = append(out, p)
		}
		return out
	}
	elect := []string{"BecomeProspective", "SendPreVoteRequest", "HandlePreVoteRequest", "HandlePreVoteResponse", "BecomeCandidate",
		"SendVoteRequest", "LearnEpoch", "HandleVoteRequest", "HandleVoteResponse", "BecomeLeader"}
	e := semantics.NewEvaluator(st)
	p := sys.Property("K2.literal")
	for _, c := range []struct {
		name     string
		patterns []machine.Pattern
		breaks   *protocol.Property
		steps    int // of the run; 0: there is none
	}{
		{"elected", patterns(elect...), nil, 10},
		{"nothing", nil, nil, 0},
		{"commits and resigns", patterns(append(elect, "SendFetchRequest", "RejectFetchRequest", "LearnFromResponse",
			"SendFetchRequest", "HandleFetchRequest", "HandleFetchResponse", "Flush", "SendFetchRequest", "HandleFetchRequest",
			"AdvanceHighWatermark", "Resign")...), p, 21},
		{"with gaps", patterns(append(elect, "SendFetchRequest", "RejectFetchRequest", "…", "SendFetchRequest",
			"HandleFetchRequest", "HandleFetchResponse", "Flush", "…", "AdvanceHighWatermark", "Resign", "…")...), p, 20},
		{"elected without votes", patterns("BecomeProspective", "BecomeCandidate", "BecomeLeader"), nil, 0},
		{"resigns before it commits", patterns(append(elect, "Resign")...), p, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := machine.New(st)
			f := m.Fill(t.Context(), machine.Script{Patterns: c.patterns, Breaks: c.breaks}, machine.FillLimits{States: 2_000_000})
			if f.Found != (c.steps > 0 || len(c.patterns) == 0) || f.Found && len(f.Moves) != c.steps {
				t.Fatalf("found %v, %d steps, fits %d of %d, tried %d", f.Found, len(f.Moves), f.Fits, len(c.patterns), f.Tried)
			}
			if !f.Found && !f.All {
				t.Error("the search was cut short")
			}
			run, err := e.Perform(f.Moves)
			if err != nil {
				t.Fatal(err)
			}
			if c.breaks != nil && f.Found && e.FirstBroken(c.breaks, run) != len(f.Moves) {
				t.Error("the run does not break the property with its last step")
			}
			t.Logf("%d states", f.Tried)
		})
	}
}
