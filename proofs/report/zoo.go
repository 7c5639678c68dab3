package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
)

// Zoo is the scenarios of some specs, played.
type Zoo struct {
	Specs   []*ZooSpec
	Elapsed time.Duration
	Stopped bool // by the user: not all were played
	Tool    ToolInfo
}

// ZooSpec is those of one spec.
type ZooSpec struct {
	System   *protocol.System
	Exhibits []*explore.Exhibit
	Untold   []*protocol.Mutation // those without a scenario
	Coverage *explore.Coverage    // what happens in them; nil if not all of the spec were played
}

// Exhibits are all of them.
func (z *Zoo) Exhibits() []*explore.Exhibit {
	var out []*explore.Exhibit
	for _, s := range z.Specs {
		out = append(out, s.Exhibits...)
	}
	return out
}

// Execution is the run that was found; if there is none, the one that the search came furthest with.
func (z *Zoo) Execution(x *explore.Exhibit) *Execution {
	e := Replayed(x.Scenario, x.Played.Run, x.Played.Of)
	e.Tool = z.Tool
	if x.Played.Found {
		e.Broken, e.Goal = x.Scenario.Breaks, x.Scenario.Ends
	} else {
		e.From += ", as far as the search came"
	}
	return e
}

// WriteZoo writes a line for each scenario, what of a spec happens in none of them, and what is to be said of all. The
// verbose form adds what each is about, and why the protocol as it is survives.
func WriteZoo(w io.Writer, z *Zoo, o Options) error {
	p := newPage(o)
	p.gap = true // nothing is above
	for _, s := range z.Specs {
		if len(s.Exhibits) == 0 {
			continue
		}
		p.blank()
		p.write(line{{s.System.Name, bold}, {"   " + s.System.Title, dim}})
		bugs := slices.IndexFunc(s.Exhibits, func(x *explore.Exhibit) bool { return x.Mutation == nil })
		if bugs < 0 {
			bugs = len(s.Exhibits)
		}
		p.exhibits([]string{"mutation", "breaks", "steps", "states", "seconds", "the protocol as it is"}, s.Exhibits[:bugs], o.Verbose)
		p.exhibits([]string{"scenario", "refutes", "steps", "states", "seconds", ""}, s.Exhibits[bugs:], o.Verbose)
		p.blank()
		if s.Coverage != nil {
			p.coverage(s.Coverage)
			p.blank()
		}
	}
	for _, said := range z.totals() {
		p.entry(span{}, 0, strings.Fields(said.text), said.style)
	}
	return p.flush(w)
}

// exhibits writes a table.
func (p *page) exhibits(head []string, list []*explore.Exhibit, verbose bool) {
	if len(list) == 0 {
		return
	}
	rows := [][]string{head}
	for _, x := range list {
		text, _ := verdictOf(x)
		rows = append(rows, []string{exhibitName(x), brokenBy(x), strconv.Itoa(len(x.Played.Run.Steps)), strconv.Itoa(x.Tried()),
			strconv.FormatFloat(x.Elapsed().Seconds(), 'f', 2, 64), text})
	}
	const numbers, verdict = 2, 5 // columns from which on there are numbers, and after them
	widths := make([]int, verdict)
	for _, r := range rows {
		for c := range widths {
			widths[c] = max(widths[c], runes(r[c]))
		}
	}
	p.blank()
	for i, r := range rows {
		var l line
		column, style := 0, dim
		if i > 0 {
			style = plain
		}
		for c, width := range widths {
			if c >= numbers {
				l.pad(column + width - runes(r[c]))
			} else {
				l.pad(column)
			}
			l.add(r[c], style)
			column += width + 2
		}
		if i == 0 {
			if column+runes(r[verdict]) <= p.room() {
				l.pad(column)
				l.add(r[verdict], dim)
			}
			p.write(l)
			continue
		}
		_, style = verdictOf(list[i-1])
		if column+runes(r[verdict]) <= p.room() {
			l.pad(column)
			l.add(r[verdict], style)
			p.write(l)
		} else {
			p.write(l)
			p.entry(span{}, 4, strings.Fields(r[verdict]), style)
		}
		if verbose {
			p.story(list[i-1])
		}
	}
}

// coverage says that all of a spec happens in its scenarios, or lists what does not.
func (p *page) coverage(c *explore.Coverage) {
	actions, branches := c.Counts()
	idle, untaken := c.Missing()
	if len(idle)+len(untaken) == 0 {
		text := fmt.Sprintf("All %s", counted(actions, "action"))
		if branches > 0 {
			text += fmt.Sprintf(" and all %s", counted(branches, "branch"))
		}
		p.paragraph(green, text+" happen in these scenarios.")
		return
	}
	var some []string
	if len(idle) > 0 {
		some = append(some, fmt.Sprintf("%d of %s", len(idle), counted(actions, "action")))
	}
	if len(untaken) > 0 {
		some = append(some, fmt.Sprintf("%d of %s", len(untaken), counted(branches, "branch")))
	}
	happen := "happen"
	if len(idle)+len(untaken) == 1 {
		happen = "happens"
	}
	p.paragraph(yellow, fmt.Sprintf("%s never %s in these scenarios:", enumerate(some), happen))
	for _, a := range idle {
		p.entry(span{}, 2, strings.Fields(fmt.Sprintf("%s: %s", place(a.Span), a.Name)), plain)
	}
	for _, u := range untaken {
		p.entry(span{}, 2, strings.Fields(fmt.Sprintf("%s: %s is never %t", place(u.Condition.Span()), decision(u.Condition), u.Value)), plain)
	}
}

// story writes what a scenario is about.
func (p *page) story(x *explore.Exhibit) {
	told := []string{x.Scenario.Title}
	cites := []string{x.Scenario.Cites}
	if m := x.Mutation; m != nil {
		told = []string{m.Title, x.Scenario.Title}
		cites = []string{m.Cites, x.Scenario.Cites}
	}
	for _, text := range told {
		p.entry(span{}, 4, strings.Fields(text), plain)
	}
	cites = slices.DeleteFunc(cites, func(c string) bool { return c == "" })
	p.entry(span{}, 4, strings.Fields(strings.Join(cites, "; ")), dim)
	if why := spared(x); why != "" {
		p.entry(span{}, 4, strings.Fields("in the protocol as it is, "+why), plain)
	}
	p.blank()
}

// spared says why the protocol as it is survives; empty if it does not, or if that is not known.
func spared(x *explore.Exhibit) string {
	switch {
	case x.Foreign != "":
		return x.Foreign
	case x.Spared != nil && x.Verdict() == explore.AsTold:
		return x.Spared.Problem
	}
	return ""
}

// exhibitName is the mutation, with the name of the scenario if that is another one.
func exhibitName(x *explore.Exhibit) string {
	if x.Mutation == nil {
		return x.Scenario.Name
	}
	name := x.Mutation.Name
	first, n := utf8.DecodeRuneInString(name)
	if s := x.Scenario.Name; s != name && s != string(unicode.ToLower(first))+name[n:] {
		return name + " (" + s + ")"
	}
	return name
}

const none = "–"

// brokenBy is the property that a scenario breaks, or else the literal claim that it refutes.
func brokenBy(x *explore.Exhibit) string {
	s := x.Scenario
	if s.Breaks != nil {
		return s.Breaks.ID
	}
	for _, q := range x.Played.Run.Structure.System.Properties {
		if q.RefutedBy == s {
			return q.ID
		}
	}
	return none
}

// verdictOf says what a scenario showed.
func verdictOf(x *explore.Exhibit) (string, style) {
	switch x.Verdict() {
	case explore.AsTold:
		if x.Mutation == nil {
			return "as it says", green
		}
		return "survives", green
	case explore.NotTold:
		return x.Played.Problem, red
	case explore.NotSpared:
		return "does not survive: it goes the same way there, in " + counted(len(x.Spared.Run.Steps), "step"), red
	case explore.Undecided:
		if !x.Played.Found {
			return x.Played.Problem + ", before a limit was reached", yellow
		}
		return "not known: a limit was reached", yellow
	}
	panic("unhandled verdict")
}

// totals is what is to be said of all scenarios.
func (z *Zoo) totals() []span {
	var of [explore.Undecided + 1]int
	bugs, own, steps := 0, 0, 0
	for _, x := range z.Exhibits() {
		of[x.Verdict()]++
		switch {
		case x.Verdict() != explore.AsTold:
		case x.Mutation == nil:
			own++
		default:
			bugs++
			steps += len(x.Played.Run.Steps)
		}
	}
	var untold []string
	for _, s := range z.Specs {
		for _, m := range s.Untold {
			untold = append(untold, s.System.Name+"/"+m.Name)
		}
	}
	var out []span
	say := func(n int, s style, one, more string, args ...any) {
		if n == 1 {
			more = one
		}
		if n > 0 {
			out = append(out, span{fmt.Sprintf(more, append([]any{n}, args...)...), s})
		}
	}
	say(bugs, green, "%d scenario of a mutation breaks what it says, in %s; the protocol as it is survives.",
		"%d scenarios of mutations break what they say, in %s together; the protocol as it is survives each.", counted(steps, "step"))
	say(own, green, "%d scenario of the protocol as it is goes as it says.", "%d scenarios of the protocol as it is go as they say.")
	say(of[explore.NotTold], red, "%d scenario does not go as it says.", "%d scenarios do not go as they say.")
	say(of[explore.NotSpared], red, "%d scenario breaks the protocol as it is.", "%d scenarios break the protocol as it is.")
	say(of[explore.Undecided], yellow, "%d scenario is undecided; --time and --states set the limits.", "%d scenarios are undecided; --time and --states set the limits.")
	say(len(untold), plain, "%d mutation has no scenario: %s.", "%d mutations have no scenario: %s.", enumerate(untold))
	if z.Stopped {
		out = append(out, span{"Interrupted: the others were not played.", yellow})
	}
	if len(out) == 0 {
		out = append(out, span{"There is no scenario.", plain})
	}
	return out
}
