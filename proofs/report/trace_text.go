package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/protocol"
)

// A run as text is a list of steps. Below each stand, replica by replica, the cells
// that it changed, and the messages (+) that it sent:
//
//	12  HandleVoteRequest(m = VoteRequest n1→n2 of step 11)
//	      n2  votedFor Nil → n1
//	      +   VoteResponse{from: n2, to: n1, term: 1}
//
// Then comes the state at the end, and why the property is false in it. The verbose
// form has tables below the steps, ghosts too, and the messages received (=).

// text writes the run.
func (t *trace) text(p *page, verbose bool) {
	t.top(p)
	t.start(p, verbose)
	for _, x := range t.steps {
		t.head(p, x)
		p.indent += t.numberWidth() + 4
		v := t.stepView(x, verbose)
		if verbose {
			v.changed(p)
		} else {
			v.deltas(p)
		}
		t.traffic(p, x, verbose)
		p.indent -= t.numberWidth() + 4
		if verbose {
			p.blank()
		}
	}
	p.blank()
	t.end(p, verbose)
	t.conclusion(p)
}

// top writes what the run shows and how it was come by.
func (t *trace) top(p *page) {
	const hang = 8
	style := bold
	if t.Broken != nil {
		style = red
	}
	p.entry(span{"RUN", style}, hang, strings.Fields(t.heading()), bold)
	parts := []string{counted(len(t.steps), "step") + " of " + t.sys.Name}
	if t.From != "" {
		parts = append(parts, t.From)
	}
	p.entry(span{"from", dim}, hang, strings.Fields(strings.Join(parts, ", ")), dim)
	p.entry(span{"scope", dim}, hang, units(strings.Join(scopeParts(t.sys, t.scope()), ", ")), dim)
	if t.Broken != nil {
		text := t.Broken.ID
		if t.Broken.Title != "" {
			text += ": " + t.Broken.Title
		}
		p.entry(span{"breaks", dim}, hang, strings.Fields(text), plain)
	}
	p.blank()
}

// numberWidth is the width of the column of step numbers.
func (t *trace) numberWidth() int { return runes(strconv.Itoa(len(t.steps))) }

// start writes the first state: on a line what is not at its default value, or tables.
func (t *trace) start(p *page, verbose bool) {
	width := t.numberWidth() + 2
	head := span{fmt.Sprintf("%*d  start", t.numberWidth(), 0), bold}
	v := newPlainView(t.page, t.Run.Init, t.Run.Init)
	if verbose {
		p.write(line{head})
		p.indent += width + 2
		v.all = true
		v.tables(p)
		p.messages(v)
		p.indent -= width + 2
		p.blank()
		return
	}
	var items []string
	for _, s := range t.sys.State {
		initial := t.Run.Init.Vars[s.Index]
		if s.Ghost || initial.Equal(t.Run.Structure.Default(s.Sort)) {
			continue
		}
		v.read[s] = [][]int{nil}
		if s.Sort.Kind == protocol.FuncKind {
			items = append(items, s.Name+" "+v.entries(s, s.Sort, nil))
		} else {
			items = append(items, s.Name+" "+v.value(s.Sort, initial))
		}
	}
	n := 0
	for _, m := range t.Run.Init.Msgs {
		n += len(m)
	}
	if n > 0 {
		items = append(items, counted(n, "message")+" sent before")
	}
	items = append(items, "all else 0, Nil, empty or what comes first")
	if len(items) == 1 {
		items = []string{"everything is 0, Nil, empty or what comes first"}
	}
	p.entry(head, width+8, listed(items, ","), dim)
}

// head writes the number of a step, its action, and its note.
func (t *trace) head(p *page, x *event) {
	width := t.numberWidth() + 2
	number := span{fmt.Sprintf("%*d", t.numberWidth(), x.number), dim}
	note := ""
	if x.note != "" {
		note = "# " + x.note
	}
	call := t.call(x)
	if width+runes(call) <= p.room() {
		l := line{number, {"  ", plain}, {call, bold}}
		if width+runes(note) <= p.room() {
			p.aside(l, width, span{note, dim})
			return
		}
		p.write(l)
	} else {
		p.entry(number, width, units(call), bold)
	}
	if note != "" {
		p.entry(span{}, width, strings.Fields(note), dim)
	}
}

// stepView is a view of a step in which just its changes are needed, and the marks of
// sequences.
func (t *trace) stepView(x *event, all bool) *view {
	v := newPlainView(t.page, x.Pre, x.Post)
	for s, marks := range t.sys.Display.Marks {
		if !s.Ghost || all {
			for _, m := range marks {
				v.read[m.State] = [][]int{nil}
			}
		}
	}
	return v
}

// isChanged reports whether the step changes some of what lies at path.
func (v *view) isChanged(s *protocol.StateVar, path ...int) bool {
	return !at(v.pre.Vars[s.Index], path).Equal(at(v.post.Vars[s.Index], path))
}

// indexes are the sorts that index state variables: element sorts, then others.
func indexes(sys *protocol.System) []*protocol.Sort {
	var out []*protocol.Sort
	for _, s := range sys.State {
		if s.Sort.Kind == protocol.FuncKind && !slices.Contains(out, s.Sort.Domain) {
			out = append(out, s.Sort.Domain)
		}
	}
	slices.SortStableFunc(out, func(a, b *protocol.Sort) int { return rank(a) - rank(b) })
	return out
}

// deltas writes the cells that a step changes, ghosts aside, a line for each replica.
func (v *view) deltas(p *page) {
	write := func(name string, items []string) {
		if len(items) > 0 {
			p.entry(span{name + " ", plain}, v.deltaColumn(), listed(items, ","), plain)
		}
	}
	for _, index := range indexes(v.st.System) {
		for k := range v.st.Size(index) {
			var items []string
			for _, s := range v.st.System.State {
				if !s.Ghost && s.Sort.Kind == protocol.FuncKind && s.Sort.Domain == index && v.isChanged(s, k) {
					items = append(items, s.Name+" "+v.cell(s, s.Sort.Elem, []int{k}).text)
				}
			}
			name := v.key(index, k)
			if index.Kind != protocol.ElementKind {
				name = index.Name + " " + name
			}
			write(name, items)
		}
	}
	var items []string
	for _, s := range v.st.System.State {
		if !s.Ghost && s.Sort.Kind != protocol.FuncKind && v.isChanged(s) {
			items = append(items, s.Name+" "+v.cell(s, s.Sort, nil).text)
		}
	}
	write("global", items)
}

// deltaColumn is where changes and messages begin.
func (v *view) deltaColumn() int {
	width := 3
	for _, index := range indexes(v.st.System) {
		if index.Kind == protocol.ElementKind {
			width = max(width, runes(v.key(index, v.st.Size(index)-1)))
		}
	}
	return width + 1
}

// changed writes the changes of a step as tables, with the rows and columns only that
// changed.
func (v *view) changed(p *page) {
	for _, index := range indexes(v.st.System) {
		t := table{head: []string{index.Name}, quiet: true}
		var columns []*protocol.StateVar
		for _, s := range v.st.System.State {
			if s.Sort.Kind == protocol.FuncKind && s.Sort.Domain == index && v.isChanged(s) {
				columns = append(columns, s)
				t.head = append(t.head, s.Name)
			}
		}
		for k := range v.st.Size(index) {
			if !slices.ContainsFunc(columns, func(s *protocol.StateVar) bool { return v.isChanged(s, k) }) {
				continue
			}
			row := []span{{v.rowName(index, k), plain}}
			for _, s := range columns {
				if v.isChanged(s, k) {
					row = append(row, v.cell(s, s.Sort.Elem, []int{k}))
				} else {
					row = append(row, span{notNeeded, dim})
				}
			}
			t.rows = append(t.rows, row)
		}
		t.write(p)
	}
	var items []string
	for _, s := range v.st.System.State {
		if s.Sort.Kind != protocol.FuncKind && v.isChanged(s) {
			items = append(items, s.Name+" = "+v.cell(s, s.Sort, nil).text)
		}
	}
	if len(items) > 0 {
		p.entry(span{"global", dim}, 10, listed(items, ","), plain)
	}
}

// traffic writes the messages of a step.
func (t *trace) traffic(p *page, x *event, verbose bool) {
	v := newPlainView(t.page, x.Pre, x.Post)
	column := v.deltaColumn()
	for _, m := range x.got {
		if verbose || m.step == 0 { // else a step above shows it
			p.entry(span{"=", plain}, column, units(t.page.value(m.typ, m.msg)), plain)
		}
	}
	for _, m := range x.sent {
		p.entry(span{"+", bold}, column, units(t.page.value(m.typ, m.msg)), plain)
	}
	if x.Pre.Equal(x.Post) {
		p.text(dim, "nothing changes")
	}
}

// end writes the last state: of real variables those that the run changed, or that the
// broken instance reads; or everything.
func (t *trace) end(p *page, verbose bool) {
	if len(t.steps) == 0 && (verbose || t.broken == nil) {
		return
	}
	v := newPlainView(t.page, t.final(), t.final())
	v.all = verbose
	if t.broken != nil {
		v.read = maps.Clone(t.broken.read)
	}
	for _, x := range t.steps {
		for _, c := range x.changes {
			switch {
			case c.of.Ghost:
			case len(c.path) < 2:
				v.read[c.of] = [][]int{nil}
			case !at(t.Run.Init.Vars[c.of.Index], c.path).Equal(at(t.final().Vars[c.of.Index], c.path)):
				v.read[c.of] = append(v.read[c.of], c.path)
			}
		}
	}
	p.text(bold, "at the end")
	p.indent += 2
	folded := v.tables(p)
	if legend := v.strips.legend(t.sys); legend != "" {
		p.entry(span{"logs", dim}, 10, units(legend), dim)
	}
	if len(folded) > 0 {
		words := append(units(strings.Join(folded, ", ")), strings.Fields("(like ·: as at the start, or ghosts; all with -v)")...)
		p.entry(span{"folded", dim}, 10, words, dim)
	}
	p.indent -= 2
	p.blank()
}

// conclusion writes what holds at the end, and what does not.
func (t *trace) conclusion(p *page) {
	if t.Goal != nil {
		p.entry(span{"holds", green}, 8, strings.Fields(formula(t.Goal, 0)), plain)
	}
	if t.broken != nil {
		p.broken(t.broken)
	}
}
