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
		var open, scoped []*proofs.PropertyResult
		for _, r := range proved {
			if r.Mode == proofs.Unbounded {
				open = append(open, r)
			} else {
				scoped = append(scoped, r)
			}
		}
		if len(open) > 0 {
			say(green, "%s", holds(sys, open, proofs.Unbounded))
		}
		switch {
		case len(scoped) == 0:
		case sys.Mode == proofs.Bounded:
			say(green, "%s", holds(sys, scoped, proofs.Bounded))
		default:
			say(yellow, "Proved in the scope only: %s", holds(sys, scoped, proofs.Bounded))
		}
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
	var never []string
	for _, r := range sys.Results {
		switch {
		case r.Property != nil || r.Verdict == proofs.Proved || r.Kind == proofs.Branch:
		case r.Kind == proofs.Possible:
			say(red, "It is not shown that there is an initial state: all of this may be vacuous.")
		case r.Kind == proofs.Majorities:
			say(red, "It is not proved that any two majorities of %s meet (%s).", membersName(r.Quorums), r.ID())
		default:
			never = append(never, r.Action.Name)
		}
	}
	switch len(never) {
	case 0:
	case 1:
		say(red, "It is not shown that %s can happen: what is said of it may be vacuous.", never[0])
	default:
		say(red, "It is not shown that %s can happen: what is said of them may be vacuous.", enumerate(never))
	}
	if text, style := branchClaim(sys); text != "" {
		say(style, "%s", text)
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

// holds is what is proved of the reachable states and steps, for all sizes or in
// the scope.
func holds(sys *proofs.SystemReport, proved []*proofs.PropertyResult, mode proofs.Mode) string {
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
	text += " that " + sys.System.Name + " reaches" + extent(sys, mode)
	if a := claimAssumptions(sys.System, mode); len(a) > 0 {
		text += ", assuming " + enumerate(a)
	}
	return text + "."
}

// extent says for which sizes a claim is made.
func extent(sys *proofs.SystemReport, mode proofs.Mode) string {
	text := ""
	if mode == proofs.Unbounded {
		if open := anyNumber(sys.System); open != "" {
			text = ", for " + open
		}
		return text
	}
	if sizes := scopeParts(sys.System, sys.Scope); len(sizes) > 0 {
		text = " within " + enumerate(sizes)
	}
	if len(sys.System.Messages) > 0 {
		text += ", each step from a state with " + messageBound(sys.Scope)
	}
	return text
}

func verb(names []string) string {
	if len(names) == 1 && !strings.ContainsAny(names[0], "– ") {
		return "holds"
	}
	return "hold"
}

// claimAssumptions are those of the assumptions that are about the system. A proof
// for all sizes knows less of quorums than one in a scope.
func claimAssumptions(sys *protocol.System, mode proofs.Mode) []string {
	var out []string
	for _, s := range sys.Sorts {
		switch {
		case s.Kind != protocol.QuorumKind:
		case mode == proofs.Unbounded:
			out = append(out, "that any two "+plural(noun(s.Name))+" meet")
		default:
			out = append(out, "that "+plural(noun(s.Name))+" are the majorities of "+membersName(s))
		}
	}
	for _, a := range sys.Axioms {
		out = append(out, "axiom "+a.Name)
	}
	if len(sys.Messages) > 0 {
		out = append(out, "that messages can be lost, repeated and reordered but not forged")
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
	asked := 0
	for _, r := range sys.Results {
		if r.Kind != proofs.Branch {
			asked++
		}
	}
	return len(proofs.Plan(sys.System, sys.Mode, without)) != asked
}

// numbers counts the obligations by how they were decided; the time is told here
// if it is that of one system only.
func numbers(rep *proofs.Report, sys *proofs.SystemReport) string {
	var unsat, untouched, shown, literals, refuted, unknown int
	for _, r := range sys.Results {
		switch {
		case r.Kind == proofs.Branch: // see branchClaim
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
	parts := []string{counted(unsat, "obligation") + " UNSAT " + bySolver(rep, sys)}
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	add(len(scopeOnly(sys)), "%d of them in the scope only")
	parts = append(parts, fmt.Sprintf("%d untouched", untouched))
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

// bySolver says which solver gave the answers that count: "by z3 4.8.12", or, of
// several, how many each.
func bySolver(rep *proofs.Report, sys *proofs.SystemReport) string {
	names := []string{rep.Solver.String()}
	n := map[string]int{}
	for _, r := range sys.Results {
		if r.Verdict != proofs.Proved || r.Answer != proofs.Unsat {
			continue
		}
		name := solverOf(rep, r)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		n[name]++
	}
	var parts []string
	for _, name := range names {
		if n[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d by %s", n[name], name))
		}
	}
	switch {
	case len(n) == 0:
		return "by " + names[0]
	case len(n) == 1:
		return strings.TrimLeft(parts[0], "0123456789 ")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// solverOf is the solver that answered, with its version.
func solverOf(rep *proofs.Report, r *proofs.Result) string {
	if r.Solver.Name != "" {
		return r.Solver.String()
	}
	return rep.Solver.String()
}

// scopeOnly are the obligations of an unbounded check that are proved in the scope
// and not for all sizes. What is shown possible is not among them.
func scopeOnly(sys *proofs.SystemReport) []*proofs.Result {
	var out []*proofs.Result
	for _, r := range sys.Results {
		if sys.Mode != proofs.Bounded && r.Verdict == proofs.Proved && r.Answer == proofs.Unsat && r.Mode == proofs.Bounded {
			out = append(out, r)
		}
	}
	return out
}
