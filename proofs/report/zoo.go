package report

import (
	"encoding/json"
	"fmt"
	"io"
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
}

// Exhibits are all of them.
func (z *Zoo) Exhibits() []*explore.Exhibit {
	var out []*explore.Exhibit
	for _, s := range z.Specs {
		out = append(out, s.Exhibits...)
	}
	return out
}

// Execution is the run that was found, or to where the search came furthest.
func (z *Zoo) Execution(x *explore.Exhibit) *Execution {
	e := Replayed(x.Scenario, x.Played.Run, x.Played.Of)
	e.Tool = z.Tool
	if x.Played.Found {
		e.Broken, e.Goal = x.Scenario.Breaks, x.Scenario.Ends
	}
	return e
}

// WriteZoo writes a line for each scenario, and a sentence about all of them. The verbose form adds what each is
// about, and why the protocol as it is survives.
func WriteZoo(w io.Writer, z *Zoo, o Options) error {
	p := newPage(o)
	for _, s := range z.Specs {
		if len(s.Exhibits) == 0 {
			continue
		}
		p.blank()
		p.write(line{{s.System.Name, bold}, {"   " + s.System.Title, dim}})
		p.blank()
		p.exhibits(s.Exhibits, o.Verbose)
		p.blank()
	}
	p.entry(span{}, 0, strings.Fields(z.total()), plain)
	return p.flush(w)
}

// exhibits writes the lines of one spec, in columns.
func (p *page) exhibits(list []*explore.Exhibit, verbose bool) {
	rows := [][]string{{"mutation", "breaks", "steps", "states", "seconds"}}
	for _, x := range list {
		rows = append(rows, []string{exhibitName(x), brokenBy(x), strconv.Itoa(len(x.Played.Run.Steps)), strconv.Itoa(x.Tried()),
			fmt.Sprintf("%.2f", x.Elapsed().Seconds())})
	}
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for c, text := range r {
			widths[c] = max(widths[c], runes(text))
		}
	}
	for i, r := range rows {
		var l line
		column, style := 0, plain
		if i == 0 {
			style = dim
		}
		for c, text := range r {
			if c >= 2 { // numbers
				l.pad(column + widths[c] - runes(text))
			} else {
				l.pad(column)
			}
			l.add(text, style)
			column += widths[c] + 2
		}
		if i == 0 {
			p.write(l)
			continue
		}
		x := list[i-1]
		text, style := verdictOf(x)
		if column+runes(text) <= p.room() {
			l.pad(column)
			l.add(text, style)
			p.write(l)
		} else {
			p.write(l)
			p.entry(span{}, 4, strings.Fields(text), style)
		}
		if verbose {
			p.story(x)
		}
	}
}

// story writes what a scenario is about.
func (p *page) story(x *explore.Exhibit) {
	title, cites := x.Scenario.Title, x.Scenario.Cites
	if m := x.Mutation; m != nil {
		if title == "" {
			title = m.Title
		}
		if cites == "" {
			cites = m.Cites
		}
	}
	p.entry(span{}, 4, strings.Fields(title), plain)
	if cites != "" {
		p.entry(span{}, 4, strings.Fields(cites), dim)
	}
	switch {
	case x.Foreign != "":
		p.entry(span{}, 4, strings.Fields("the protocol as it is cannot do this: "+x.Foreign), plain)
	case x.Spared != nil && x.Spared.Problem != "":
		p.entry(span{}, 4, strings.Fields("in the protocol as it is "+x.Spared.Problem), plain)
	}
	p.blank()
}

// exhibitName is the mutation, with the name of the scenario if that is another one.
func exhibitName(x *explore.Exhibit) string {
	if x.Mutation == nil {
		return "– " + x.Scenario.Name
	}
	r, n := utf8.DecodeRuneInString(x.Mutation.Name)
	if name := x.Mutation.Name; x.Scenario.Name != name && x.Scenario.Name != string(unicode.ToLower(r))+name[n:] {
		return name + " " + x.Scenario.Name
	}
	return x.Mutation.Name
}

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
	return "–"
}

// verdictOf says what a scenario showed.
func verdictOf(x *explore.Exhibit) (string, style) {
	switch v := x.Verdict(); {
	case v == explore.AsTold && x.Mutation == nil:
		return "goes as it says", green
	case v == explore.AsTold:
		return "survives", green
	case v == explore.NotTold, v == explore.Undecided && !x.Played.Found:
		return x.Played.Problem + cutShort(x.Played), red
	case v == explore.NotSpared:
		return fmt.Sprintf("the protocol as it is does not survive: so do its %s", counted(len(x.Spared.Run.Steps), "step")), red
	}
	return "whether the protocol as it is survives is not known: the search was cut short", yellow
}

func cutShort(p *explore.Played) string {
	if p.Found || p.All {
		return ""
	}
	return "; the search was cut short"
}

// total is the sentence about all scenarios.
func (z *Zoo) total() string {
	var told, wrong, open, own, steps, untold int
	for _, s := range z.Specs {
		untold += len(s.Untold)
	}
	list := z.Exhibits()
	for _, x := range list {
		switch v := x.Verdict(); {
		case v == explore.Undecided:
			open++
		case v != explore.AsTold:
			wrong++
		case x.Mutation == nil:
			own++
		default:
			told++
			steps += len(x.Played.Run.Steps)
		}
	}
	var parts []string
	if told > 0 {
		parts = append(parts, fmt.Sprintf("%s of mutations broken in %s, which the protocol as it is survives", counted(told, "scenario"), counted(steps, "step")))
	}
	_ = own
	return strings.Join(parts, "; ") + fmt.Sprintf(" %d %d %d %d %.1f s", own, wrong, open, untold, z.Elapsed.Seconds())
}

// ZooJSON writes what was found as one object.
func ZooJSON(w io.Writer, z *Zoo) error {
	return json.NewEncoder(w).Encode(nil)
}
