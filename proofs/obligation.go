// Package proofs turns a protocol into obligations, has a solver decide them,
// and says what follows: which properties are proved, which are refuted by which
// step, and what leans on what. It knows no terminal, no flag and no back end.
package proofs

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
)

// Kind says which question an obligation asks.
type Kind uint8

// The kinds of obligations. Axioms are hypotheses of each; Inv is the conjunction
// of the inductive properties.
const (
	Initiation     Kind = iota // P/init: Init ∧ ¬P has no model
	Consecution                // P/A: Inv ∧ A(s, s′) ∧ ¬P(s′) has no model
	TwoState                   // P/A: Inv ∧ A(s, s′) ∧ ¬P(s, s′) has no model
	Implication                // P/implied: Inv ∧ ¬P has no model
	Possible                   // init/possible: Axioms ∧ Init has a model
	Fires                      // A/fires: Inv ∧ A(s, s′) has a model
	LiteralIsFalse             // P/literal: a run from Init ends in ¬P, so the claim is refuted
	Majorities                 // Q/n: two majorities of n elements that are no quorums have no model
	Branch                     // A/branch n true: Inv ∧ A(s, s′) ∧ the step takes the branch has a model
)

// String is the kind's name in reports.
func (k Kind) String() string {
	switch k {
	case Initiation:
		return "initiation"
	case Consecution:
		return "consecution"
	case TwoState:
		return "two-state"
	case Implication:
		return "implication"
	case Possible:
		return "possible"
	case Fires:
		return "fires"
	case LiteralIsFalse:
		return "literal"
	case Majorities:
		return "majorities"
	case Branch:
		return "branch"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Obligation is one question.
type Obligation struct {
	Kind     Kind
	Property *protocol.Property // nil for Possible, Fires, Majorities and Branch
	Action   *protocol.Action   // of Consecution, TwoState, Fires, and of a Branch that is not a definition's
	Quorums  *protocol.Sort     // of Majorities
	Members  int                // of Majorities: of how many elements; 0 for any number

	Condition *protocol.Condition // of Branch
	When      bool                // of Branch: what the condition is

	// Untouched says that the action changes nothing that the property reads,
	// so that the property holds afterwards because it held before.
	Untouched bool
}

// ID names the obligation within its protocol: I2/BecomeLeader.
func (o Obligation) ID() string {
	switch o.Kind {
	case Initiation:
		return o.Property.ID + "/init"
	case Consecution, TwoState:
		return o.Property.ID + "/" + o.Action.Name
	case Implication:
		return o.Property.ID + "/implied"
	case Possible:
		return "init/possible"
	case Fires:
		return o.Action.Name + "/fires"
	case LiteralIsFalse:
		return o.Property.ID + "/literal"
	case Majorities:
		if o.Members == 0 {
			return o.Quorums.Name + "/any"
		}
		return fmt.Sprintf("%s/%d", o.Quorums.Name, o.Members)
	case Branch:
		owner := "" // an action and a definition may have one name
		if o.Condition.Def != nil {
			owner = o.Condition.Def.Name + "()"
		} else {
			owner = o.Condition.Action.Name
		}
		return fmt.Sprintf("%s/branch %d %t", owner, o.Condition.Number, o.When)
	}
	panic("unhandled kind")
}

// Expected is the verdict that a sound spec gets: a false literal claim is refuted.
func (o Obligation) Expected() Verdict {
	if o.Kind == LiteralIsFalse {
		return Refuted
	}
	return Proved
}

// Plan lists the obligations of a system: for each property in declared order
// initiation and then each action, and after the properties what shows that the
// proof is not vacuous. Properties named in without are left out. For all sizes the
// proof rests on a theory of quorums, any two of which meet; so it is asked as well
// whether majorities are such quorums, of each small number of elements and of any.
//
// If all of them are proved, every property holds in every reachable state of
// the scope (two-state properties: of every reachable step): by induction on the
// length of a run, Inv holds initially and is kept by each action, and the rest
// follows from Inv in one state or for one step.
func Plan(sys *protocol.System, mode Mode, without map[string]bool) []Obligation {
	var out []Obligation
	writes := make([]protocol.Footprint, len(sys.Actions))
	for i, a := range sys.Actions {
		writes[i] = protocol.Writes(a)
	}
	for _, p := range sys.Properties {
		switch {
		case without[p.ID]:
		case p.Kind == protocol.Literal:
			out = append(out, Obligation{Kind: LiteralIsFalse, Property: p})
		case p.Implied:
			out = append(out, Obligation{Kind: Implication, Property: p})
		case p.TwoState:
			for _, a := range sys.Actions {
				out = append(out, Obligation{Kind: TwoState, Property: p, Action: a})
			}
		default:
			out = append(out, Obligation{Kind: Initiation, Property: p})
			reads := protocol.Reads(p.Formula)
			for i, a := range sys.Actions {
				out = append(out, Obligation{Kind: Consecution, Property: p, Action: a, Untouched: !reads.Meets(writes[i])})
			}
		}
	}
	out = append(out, Obligation{Kind: Possible})
	for _, a := range sys.Actions {
		out = append(out, Obligation{Kind: Fires, Action: a})
	}
	for _, q := range sys.Sorts {
		if q.Kind == protocol.QuorumKind && mode != Bounded {
			for n := range mostMembers {
				out = append(out, Obligation{Kind: Majorities, Quorums: q, Members: n + 1})
			}
			out = append(out, Obligation{Kind: Majorities, Quorums: q})
		}
	}
	return out
}

// mostMembers is up to how many elements the majorities are looked at one by one.
const mostMembers = 9

// ofAllSizes reports whether the unbounded mode decides the obligation itself,
// rather than showing it by one state, step or run.
func (o Obligation) ofAllSizes() bool {
	switch o.Kind {
	case Initiation, Consecution, TwoState, Implication, Majorities:
		return true
	case Possible, Fires, LiteralIsFalse, Branch:
	}
	return false
}
