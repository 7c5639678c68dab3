package report

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/state"
)

// What random walks and explorations have in common: a search through the executions of a
// protocol in a structure, with properties that are tested on the way.

// searched writes which system is searched, in which sizes; remarks stand on lines of their own.
func (p *page) searched(st *state.Structure, properties []*protocol.Property, remarks ...string) {
	sys := st.System
	tested := "no property"
	if len(properties) > 0 {
		tested = counted(len(properties), kindOf(properties))
	}
	p.write(line{{sys.Name, bold}, {"   " + tested + ", " + counted(len(sys.Actions), "action"), plain}})
	column := runes(sys.Name) + 3
	p.entry(span{}, column, units(strings.Join(scopeParts(sys, scopeOf(st)), ", ")), plain)
	for _, r := range remarks {
		p.entry(span{}, column, strings.Fields(r), plain)
	}
	p.blank()
}

// kindOf is what all properties are: "lemma"; or "property".
func kindOf(properties []*protocol.Property) string {
	for _, q := range properties {
		if q.Kind != properties[0].Kind {
			return "property"
		}
	}
	switch properties[0].Kind {
	case protocol.Invariant:
		return "headline property"
	case protocol.Lemma:
		return "lemma"
	case protocol.Theorem:
		return "theorem"
	case protocol.Literal:
		return "literal claim"
	}
	panic("unhandled kind of property")
}

// holding is what is found of properties that nothing broke: "170 properties hold", "K1 holds".
func holding(properties []*protocol.Property) string {
	if len(properties) == 1 {
		return properties[0].ID + " holds"
	}
	return counted(len(properties), kindOf(properties)) + " hold"
}

// scopeOf is the sizes of a structure.
func scopeOf(st *state.Structure) encode.Scope {
	scope := encode.Scope{Sizes: map[string]int{}}
	for _, s := range st.System.Sorts {
		switch s.Kind {
		case protocol.ElementKind:
			scope.Sizes[s.Name] = st.Size(s)
			if s.Subset != nil {
				scope.Sizes[s.Subset.Name] = bits.OnesCount(uint(st.Subset(s.Subset)))
			}
		case protocol.NaturalKind:
			scope.Sizes[s.Name] = st.MaxNatural(s)
		default:
		}
	}
	return scope
}

// tally is how often something happened.
type tally struct {
	name   string
	counts []int
}

// tallied writes the actions with their counts, most first, as many side by side as fit, to be
// read downwards; and those that were never taken.
func (p *page) tallied(actions []*protocol.Action, head []string, counts ...[]int) {
	var list []tally
	var never []string
	for _, a := range actions {
		if counts[0][a.Index] == 0 {
			never = append(never, a.Name)
			continue
		}
		t := tally{name: a.Name}
		for _, c := range counts {
			t.counts = append(t.counts, c[a.Index])
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b tally) int { return b.counts[0] - a.counts[0] })
	if len(list) > 0 {
		p.grid(head, list)
	}
	if len(never) > 0 {
		p.entry(span{"never taken", yellow}, 14, listed(never, ","), plain)
	}
}

// grid writes a table with few columns side by side with itself.
func (p *page) grid(head []string, list []tally) {
	for blocks := len(list); ; blocks-- {
		height := (len(list) + blocks - 1) / blocks
		widths := make([][]int, (len(list)+height-1)/height)
		total := -runes(gap)
		for b := range widths {
			widths[b] = gridWidths(head, list[b*height:min(len(list), (b+1)*height)])
			for _, w := range widths[b] {
				total += w + runes(gap)
			}
		}
		if total > p.room() && blocks > 1 {
			continue
		}
		for row := -1; row < height; row++ {
			var l line
			column := 0
			for b, width := range widths {
				at := b*height + row
				for c, w := range width {
					switch {
					case c == 0 && row < 0:
						l.pad(column)
						l.add(head[0], dim)
					case c == 0 && at < len(list):
						l.pad(column)
						l.add(list[at].name, plain)
					case row < 0:
						l.pad(column + w - runes(head[c]))
						l.add(head[c], dim)
					case at < len(list):
						text := grouped(list[at].counts[c-1])
						l.pad(column + w - runes(text))
						l.add(text, plain)
					}
					column += w + runes(gap)
				}
			}
			p.write(l)
		}
		return
	}
}

func gridWidths(head []string, list []tally) []int {
	out := make([]int, len(head))
	for c, h := range head {
		out[c] = runes(h)
	}
	for _, t := range list {
		out[0] = max(out[0], runes(t.name))
		for c, n := range t.counts {
			out[c+1] = max(out[c+1], runes(grouped(n)))
		}
	}
	return out
}

// brokenBy writes the run of a violation.
func (p *page) brokenBy(e *Execution, verbose bool) error {
	t, err := newTrace(e)
	if err != nil {
		return err
	}
	p.blank()
	t.text(p, verbose)
	return nil
}

// ofViolation is the run of a violation as one to be shown.
func ofViolation(v *explore.Violation, from string, tool ToolInfo) *Execution {
	return &Execution{Run: v.Run, Title: "A run that breaks " + v.Property.ID, From: from, Broken: v.Property, Tool: tool}
}
