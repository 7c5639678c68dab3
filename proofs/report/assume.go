package report

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// Assumed is what proofs about a system take for granted, as sentences without a
// full stop.
type Assumed struct {
	Always    []string // in either mode
	Unbounded []string // where a proof is for all sizes
	Bounded   []string // where it is in a scope
}

// Assumptions lists what proofs about a system take for granted, in either mode and
// whatever the scope.
func Assumptions(sys *protocol.System) Assumed {
	var a Assumed
	for _, x := range sys.Axioms {
		text := "axiom " + x.Name
		if x.Formula != nil {
			text += ": " + formula(x.Formula, 0)
		}
		a.Always = append(a.Always, text)
	}
	for _, s := range sys.Sorts {
		if x := s.Subset; x != nil {
			a.Always = append(a.Always, fmt.Sprintf("%s is a non-empty set of elements of %s, the same in every state", x.Name, s.Name))
			a.Bounded = append(a.Bounded, fmt.Sprintf("the elements of %s are the first ones of %s; how many they are, the scope says", x.Name, s.Name))
		}
	}
	if len(sys.Messages) > 0 {
		a.Always = append(a.Always, "the network keeps the set of messages ever sent: a message can be lost, delayed, reordered and received any number of times, but neither changed nor forged; two messages with the same contents are one")
	}
	a.Always = append(a.Always,
		"a step is one action of the spec with some values of its parameters, done at once; replicas take no other steps; what the actions abstract from is not seen by the proof",
		"the solver is trusted when it answers unsat; its models are not: each is replayed by an evaluator that shares no code with the encoder",
	)
	if open := anyNumber(sys); open != "" {
		a.Unbounded = append(a.Unbounded, "nothing about sizes: a proof is for "+open)
	}
	for _, s := range sys.Sorts {
		if s.Kind == protocol.QuorumKind {
			within := ""
			if s.Within != nil {
				within = ", and all their members in it"
			}
			a.Unbounded = append(a.Unbounded, fmt.Sprintf("any two quorums (%s) have a member of %s in common%s; nothing else is known of them, so majorities are one case", s.Name, membersName(s), within))
			a.Bounded = append(a.Bounded, fmt.Sprintf("quorums (%s) are the majorities of %s in the scope", s.Name, membersName(s)))
		}
	}
	var naturals []string
	for _, s := range sys.Sorts {
		if s.Kind == protocol.NaturalKind {
			naturals = append(naturals, s.Name)
		}
	}
	if len(naturals) > 0 {
		a.Unbounded = append(a.Unbounded, "naturals ("+enumerate(naturals)+") are the mathematical ones: there is no greatest, and none overflows")
		a.Bounded = append(a.Bounded, "naturals ("+enumerate(naturals)+") end at the scope's greatest; a step beyond it is not covered")
	}
	a.Bounded = append(a.Bounded, "the sizes of the scope: a proof is for the steps whose two states lie in it and what such steps reach")
	return a
}

// within is the same for a scope that is known.
func (a Assumed) within(sys *protocol.System, scope encode.Scope) Assumed {
	last := len(a.Bounded) - 1
	a.Bounded = append(a.Bounded[:last:last], "a proof is for the steps whose two states lie in the scope ("+Scope(sys, scope)+") and what such steps reach")
	return a
}

// in is what is assumed by a check in the given mode.
func (a Assumed) in(mode proofs.Mode) Assumed {
	switch mode {
	case proofs.Bounded:
		a.Unbounded = nil
	case proofs.Unbounded:
		a.Bounded = nil
	case proofs.Auto, proofs.Both:
	}
	return a
}

// add adds what is not there yet.
func (a *Assumed) add(more Assumed) {
	join := func(to *[]string, from []string) {
		for _, s := range from {
			if !slices.Contains(*to, s) {
				*to = append(*to, s)
			}
		}
	}
	join(&a.Always, more.Always)
	join(&a.Unbounded, more.Unbounded)
	join(&a.Bounded, more.Bounded)
}
