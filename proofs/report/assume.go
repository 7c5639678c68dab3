package report

import (
	"fmt"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
)

// Assumptions lists what a proof about a system takes for granted, whatever
// the scope, as sentences without a full stop.
func Assumptions(sys *protocol.System) []string {
	var out []string
	for _, a := range sys.Axioms {
		text := "axiom " + a.Name
		if a.Formula != nil {
			text += ": " + formula(a.Formula, 0)
		}
		out = append(out, text)
	}
	for _, s := range sys.Sorts {
		if s.Kind == protocol.QuorumKind {
			out = append(out, fmt.Sprintf("quorums (%s) are the majorities of %s; any two meet", s.Name, s.Elem.Name))
		}
	}
	if len(sys.Messages) > 0 {
		out = append(out, "the network keeps the set of messages ever sent: a message can be lost, delayed, reordered and received any number of times, but neither changed nor forged; two messages with the same contents are one")
	}
	return append(out,
		"replicas follow the actions of the spec; each action is one atomic step, with the abstractions that the spec's model makes",
		"the solver is trusted when it answers unsat; its models are not: each is replayed by an evaluator that shares no code with the encoder",
	)
}

// scopeAssumption says what a proof in a scope covers.
func scopeAssumption(sys *protocol.System, scope encode.Scope) string {
	return "the proof covers the steps whose two states lie in the scope (" + Scope(sys, scope) + ") and what such steps reach"
}
