package report

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// A sequence diagram has a lifeline for each replica that takes part. A step is an
// arrow for each message that it receives, and a note on what the replica does. It is
// drawn in two languages, from this one.

// diagram is what both languages draw.
type diagram struct {
	names []string // of the lifelines, by column
	rows  []diagramRow
	end   verdictBox
}

// diagramRow is a step.
type diagramRow struct {
	number  int
	remark  string // the note of the step: a heading
	column  int    // the replica that acts; -1 if one cannot tell
	arrows  []arrow
	call    string   // the action, without what the diagram shows
	effects []string // changes that most matter
}

// arrow is a message from one lifeline to another; lost, one that nobody receives.
type arrow struct {
	from, to int
	typ      string
	fields   string
	lost     bool
}

// verdictBox is how the run ends.
type verdictBox struct {
	broken bool
	lines  []string // the first is a title; there may be none
}

// diagram makes the diagram of a run, with messages that nobody receives if lost.
func (t *trace) diagram(lost bool) diagram {
	var d diagram
	columns := t.columns(lost)
	v := newPlainView(t.plain, t.Run.Init, t.Run.Init)
	for _, k := range columns {
		d.names = append(d.names, v.rowName(t.replicas, k))
	}
	column := func(k int) int { return slices.Index(columns, k) }
	for _, x := range t.steps {
		r := diagramRow{number: x.number, remark: x.note, column: column(x.actor), call: t.shortCall(x), effects: t.effects(x)}
		for _, m := range x.got {
			if from := t.sender(m); from >= 0 && x.actor >= 0 {
				r.arrows = append(r.arrows, arrow{column(from), r.column, m.typ.Name, t.telling(m), false})
			}
		}
		for _, m := range x.sent {
			from, to := t.sender(m), t.party(m, "to")
			if lost && from >= 0 && to >= 0 && !t.isReceived(m) {
				r.arrows = append(r.arrows, arrow{column(from), column(to), m.typ.Name, t.telling(m), true})
			}
		}
		d.rows = append(d.rows, r)
	}
	d.end = t.verdictBox()
	return d
}

// columns are the replicas that take part.
func (t *trace) columns(lost bool) []int {
	in := map[int]bool{}
	for _, x := range t.steps {
		in[x.actor] = true
		for _, m := range x.got {
			in[t.sender(m)] = true
		}
		for _, m := range x.sent {
			if lost && !t.isReceived(m) {
				in[t.sender(m)], in[t.party(m, "to")] = true, true
			}
		}
	}
	var out []int
	if t.replicas == nil {
		return nil
	}
	for k := range t.Run.Structure.Size(t.replicas) {
		if in[k] {
			out = append(out, k)
		}
	}
	return out
}

func (t *trace) isReceived(m envelope) bool {
	return slices.ContainsFunc(t.steps, func(x *event) bool {
		return slices.ContainsFunc(x.got, func(g envelope) bool { return g.typ == m.typ && g.msg.Equal(m.msg) })
	})
}

// shortCall is the action with the arguments that are neither the replica that acts
// nor messages that arrows show.
func (t *trace) shortCall(x *event) string {
	var args []string
	acts := false
	for k, a := range x.Action.Params {
		typ, m := message(a.Sort, x.Args[k])
		switch {
		case !acts && a.Sort == t.replicas && x.Args[k].N == x.actor:
			acts = true
		case typ != nil && x.actor >= 0 && t.sender(origin(x.got, typ, m)) >= 0:
		default:
			args = append(args, a.Name+" = "+t.page.value(a.Sort, x.Args[k]))
		}
	}
	if len(args) == 0 {
		return x.Action.Name
	}
	return x.Action.Name + "(" + strings.Join(args, ", ") + ")"
}

// effects are the changes that most matter, ghosts aside: of enumerations, of the
// clock, of sequences that the spec says how to draw and of their marks, and of what
// the broken instance reads.
func (t *trace) effects(x *event) []string {
	var out []string
	for _, c := range x.changes {
		if c.of.Ghost || len(c.path) > 1 || !t.matters(c) {
			continue
		}
		name := c.of.Name
		if len(c.path) == 1 && (c.of.Sort.Domain != t.replicas || c.path[0] != x.actor) {
			name = t.cellName(c)
		}
		out = append(out, name+" → "+t.page.value(c.sort, c.now))
	}
	return out
}

func (t *trace) matters(c change) bool {
	if c.sort.Kind == protocol.EnumKind || c.sort == t.clock || t.page.strips.draws(c.sort) || t.broken != nil && t.broken.read[c.of] != nil {
		return true
	}
	for _, marks := range t.sys.Display.Marks {
		if slices.ContainsFunc(marks, func(m protocol.Mark) bool { return m.State == c.of }) {
			return true
		}
	}
	return false
}

// telling are the fields of a message that say most: that of the clock, what is true,
// an enumeration or a sequence; and one in which it differs from messages that would
// look alike.
func (t *trace) telling(m envelope) string {
	const most = 3
	var chosen []*protocol.Field
	add := func(f *protocol.Field) {
		if len(chosen) < most && !slices.Contains(chosen, f) {
			chosen = append(chosen, f)
		}
	}
	for _, f := range m.typ.Fields {
		if !f.Ghost && f.Sort == t.clock {
			add(f)
			break
		}
	}
	for _, f := range m.typ.Fields {
		if !f.Ghost && says(f.Sort, m.msg.Kids[f.Index]) {
			add(f)
		}
	}
	for _, f := range m.typ.Fields {
		alike := t.alike(m, chosen)
		if !f.Ghost && slices.ContainsFunc(alike, func(o state.Value) bool { return !o.Kids[f.Index].Equal(m.msg.Kids[f.Index]) }) {
			add(f)
		}
	}
	parts := make([]string, len(chosen))
	for k, f := range chosen {
		parts[k] = f.Name + " " + t.page.value(f.Sort, m.msg.Kids[f.Index])
	}
	return strings.Join(parts, ", ")
}

// says reports whether a field of the sort tells something by its value alone.
func says(sort *protocol.Sort, v state.Value) bool {
	switch sort.Kind {
	case protocol.BoolKind, protocol.EnumKind:
		return true
	case protocol.SeqKind:
		return len(v.Kids) > 0
	case protocol.OptionKind:
		return v.N != 0 && sort.Elem.Kind != protocol.ElementKind && sort.Elem.Kind != protocol.NaturalKind
	default:
		return false
	}
}

// alike are the other messages of the run, of one type, between the same replicas,
// that agree with m in some fields.
func (t *trace) alike(m envelope, in []*protocol.Field) []state.Value {
	var out []state.Value
	for _, o := range t.final().Msgs[m.typ.ID] {
		other := envelope{typ: m.typ, msg: o}
		if o.Equal(m.msg) || t.party(other, "from") != t.party(m, "from") || t.party(other, "to") != t.party(m, "to") {
			continue
		}
		if !slices.ContainsFunc(in, func(f *protocol.Field) bool { return !o.Kids[f.Index].Equal(m.msg.Kids[f.Index]) }) {
			out = append(out, o)
		}
	}
	return out
}

// verdictBox is what the run ends with.
func (t *trace) verdictBox() verdictBox {
	switch {
	case t.broken != nil:
		title := t.Broken.ID + " is broken"
		if t.Broken.Title != "" {
			title += ": " + t.Broken.Title
		}
		lines := []string{title}
		var bound []string
		for _, b := range t.broken.broken.Vars {
			bound = append(bound, b.Var.Name+" = "+t.broken.named(b.Var.Sort, b.Value))
		}
		if len(bound) > 0 {
			lines = append(lines, "with "+strings.Join(bound, ", "))
		}
		for _, l := range t.broken.literals {
			value := truth(l.after)
			if l.flipped() {
				value = truth(l.before) + " → " + value
			}
			lines = append(lines, l.text(0)+": "+value)
		}
		return verdictBox{true, lines}
	case t.Goal != nil:
		return verdictBox{false, []string{"holds: " + formula(t.Goal, 0)}}
	}
	return verdictBox{}
}
