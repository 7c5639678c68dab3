package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// claim is a sentence of the conclusion.
type claim struct {
	text  string
	style style
}

// claims say in words, made from data, what the check proved of a system, on
// which assumptions, and what it did not prove.
func claims(sys *proofs.SystemReport) []claim {
	var out []claim
	say := func(s style, format string, args ...any) {
		out = append(out, claim{fmt.Sprintf(format, args...), s})
	}
	byVerdict := map[proofs.Verdict][]*proofs.PropertyResult{}
	for _, r := range sys.Properties {
		if r.Property.Kind != protocol.Literal {
			byVerdict[r.Verdict] = append(byVerdict[r.Verdict], r)
		}
	}
	partial := isPartial(sys)
	proved := byVerdict[proofs.Proved]
	switch {
	case partial:
		say(yellow, "Only a part of the obligations was asked, so nothing is claimed of the reachable states.")
	case len(proved) > 0:
		say(green, "%s", holds(sys, proved))
	default:
		say(red, "No property is proved without conditions.")
	}
	if !partial {
		for _, g := range byLacking(byVerdict[proofs.Conditional]) {
			say(yellow, "Conditional on %s: %s.", enumerate(ranges(g.lacking)), enumerate(named(g.properties)))
		}
	}
	for _, r := range byVerdict[proofs.Refuted] {
		say(red, "%s.", refuted(sys, r))
	}
	if u := byVerdict[proofs.Unknown]; len(u) > 0 {
		say(yellow, "Unknown: %s.", enumerate(ranges(ids(u))))
	}
	for _, r := range sys.Results {
		switch {
		case r.Property != nil || r.Verdict == proofs.Proved:
		case r.Kind == proofs.Possible:
			say(red, "It is not shown that there is an initial state: all of this may be vacuous.")
		default:
			say(red, "It is not shown that %s can happen: what is said of it may be vacuous.", r.Action.Name)
		}
	}
	for _, r := range sys.Properties {
		if r.Property.Kind == protocol.Literal && r.Verdict != proofs.Refuted {
			say(red, "%s, a literal claim that should be false, is not refuted.", r.Property.ID)
		}
	}
	if left := notAsked(sys); len(left) > 0 && !partial {
		say(yellow, "Not asked: %s.", few(left, counted(len(sys.System.Properties), "property")))
	}
	return out
}

// holds is what is proved of the reachable states and steps.
func holds(sys *proofs.SystemReport, proved []*proofs.PropertyResult) string {
	var states, steps []*proofs.PropertyResult
	for _, r := range proved {
		if r.Property.TwoState {
			steps = append(steps, r)
		} else {
			states = append(states, r)
		}
	}
	var parts []string
	if len(states) > 0 {
		names := named(states)
		parts = append(parts, enumerate(names)+" "+verb(names)+" in every state")
	}
	if len(steps) > 0 {
		names := named(steps)
		text := enumerate(names) + " "
		if len(states) == 0 {
			text += verb(names) + " "
		}
		parts = append(parts, text+"in every step")
	}
	text := strings.Join(parts, ", and ")
	if len(parts) > 1 {
		text += ","
	}
	text += fmt.Sprintf(" that %s reaches within %s", sys.System.Name, enumerate(scopeParts(sys.System, sys.Scope)))
	if len(sys.System.Messages) > 0 {
		text += ", each step from a state with " + messageBound(sys.Scope)
	}
	if a := claimAssumptions(sys.System); len(a) > 0 {
		text += ", assuming that " + enumerate(a)
	}
	return text + "."
}

func verb(names []string) string {
	if len(names) == 1 && !strings.ContainsAny(names[0], "– ") {
		return "holds"
	}
	return "hold"
}

// claimAssumptions are those of the assumptions that are about the system.
func claimAssumptions(sys *protocol.System) []string {
	var out []string
	for _, s := range sys.Sorts {
		if s.Kind == protocol.QuorumKind {
			out = append(out, "quorums are the majorities of "+s.Elem.Name)
		}
	}
	for _, a := range sys.Axioms {
		out = append(out, a.Name)
	}
	if len(sys.Messages) > 0 {
		out = append(out, "messages can be lost, repeated and reordered but not forged")
	}
	return out
}

// refuted says how a property was refuted. A counterexample refutes induction
// or implication; that the property is false follows for an initial state only.
func refuted(sys *proofs.SystemReport, r *proofs.PropertyResult) string {
	var actions []string
	at := map[proofs.Kind]bool{}
	for _, res := range sys.Results {
		if res.Property != r.Property || res.Verdict != proofs.Refuted {
			continue
		}
		at[res.Kind] = true
		if res.Action != nil {
			actions = append(actions, res.Action.Name)
		}
	}
	var parts []string
	if at[proofs.Initiation] {
		parts = append(parts, "does not hold initially")
	}
	if at[proofs.Implication] {
		parts = append(parts, "does not follow from the lemmas")
	}
	if len(actions) > 0 {
		v := "break"
		if len(actions) == 1 {
			v = "breaks"
		}
		parts = append(parts, fmt.Sprintf("is not kept: %s %s it", enumerate(actions), v))
	}
	return r.Property.ID + " " + enumerate(parts)
}

// lackingGroup are properties that lean on the same unproved ones.
type lackingGroup struct {
	lacking    []string
	properties []*proofs.PropertyResult
}

func byLacking(props []*proofs.PropertyResult) []*lackingGroup {
	var out []*lackingGroup
	for _, r := range props {
		at := slices.IndexFunc(out, func(g *lackingGroup) bool { return slices.Equal(g.lacking, r.Lacking) })
		if at < 0 {
			at = len(out)
			out = append(out, &lackingGroup{lacking: r.Lacking})
		}
		out[at].properties = append(out[at].properties, r)
	}
	return out
}

// few is a list of ids, or, if they are many, their number of all.
func few(ids []string, all string) string {
	const most = 5
	if short := ranges(ids); len(short) <= most {
		return enumerate(short)
	}
	return fmt.Sprintf("%d of %s", len(ids), all)
}

// notAsked are the properties of which nothing was asked.
func notAsked(sys *proofs.SystemReport) []string {
	asked := map[*protocol.Property]bool{}
	for _, r := range sys.Results {
		asked[r.Property] = true
	}
	var out []string
	for _, q := range sys.System.Properties {
		if !asked[q] {
			out = append(out, q.ID)
		}
	}
	return out
}

// isPartial reports whether obligations of the plan are missing, other than
// those of properties that are left out altogether.
func isPartial(sys *proofs.SystemReport) bool {
	without := map[string]bool{}
	for _, id := range notAsked(sys) {
		without[id] = true
	}
	return len(proofs.Plan(sys.System, without)) != len(sys.Results)
}

// numbers counts the obligations by how they were decided; the time is told here
// if it is that of one system only.
func numbers(rep *proofs.Report, sys *proofs.SystemReport) string {
	var unsat, untouched, shown, literals, refuted, unknown int
	for _, r := range sys.Results {
		switch {
		case r.Verdict == proofs.Unknown:
			unknown++
		case r.Kind == proofs.LiteralIsFalse && r.Verdict == proofs.Refuted:
			literals++
		case r.Verdict == proofs.Refuted:
			refuted++
		case r.Answer == proofs.Untouched:
			untouched++
		case r.Answer == proofs.Unsat:
			unsat++
		default:
			shown++
		}
	}
	parts := []string{fmt.Sprintf("%s UNSAT by %s", counted(unsat, "obligation"), rep.Solver), fmt.Sprintf("%d untouched", untouched)}
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	add(refuted, "%d refuted")
	add(unknown, "%d unknown")
	add(shown, "%d shown possible by replay")
	if literals > 0 {
		parts = append(parts, counted(literals, "literal claim")+" refuted by replay")
	}
	text := strings.Join(parts, ", ")
	if len(rep.Systems) == 1 {
		text += "; " + duration(rep.Elapsed)
	}
	return text
}
