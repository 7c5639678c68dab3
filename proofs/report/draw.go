package report

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

const notNeeded = "·"

// tables draws the state: a table for each sort that indexes state variables,
// element sorts first, and one for what is indexed by nothing. It returns the
// names of the columns and rows that nobody needs.
func (v *view) tables(p *page) (folded []string) {
	var indexes []*protocol.Sort
	scalars := slices.ContainsFunc(v.st.System.Sorts, func(s *protocol.Sort) bool { return s.Subset != nil })
	for _, s := range v.st.System.State {
		switch {
		case s.Sort.Kind != protocol.FuncKind:
			scalars = true
		case !slices.Contains(indexes, s.Sort.Domain):
			indexes = append(indexes, s.Sort.Domain)
		}
	}
	slices.SortStableFunc(indexes, func(a, b *protocol.Sort) int { return rank(a) - rank(b) })
	var rowsFolded []string
	for _, index := range indexes {
		columns, rows := v.table(p, index)
		folded = append(folded, columns...)
		rowsFolded = append(rowsFolded, rows...)
	}
	if scalars {
		folded = append(folded, v.scalars(p)...)
	}
	return append(folded, rowsFolded...)
}

// rank puts elements, which are the replicas, before numbers and constants.
func rank(s *protocol.Sort) int {
	if s.Kind == protocol.ElementKind {
		return 0
	}
	return 1
}

// table draws the state variables that a sort indexes.
func (v *view) table(p *page, index *protocol.Sort) (folded, rowsFolded []string) {
	var shown []*protocol.StateVar
	t := table{head: []string{index.Name}, quiet: true}
	for _, s := range v.st.System.State {
		switch {
		case s.Sort.Kind != protocol.FuncKind || s.Sort.Domain != index:
		case v.shown(s, nil):
			shown = append(shown, s)
			t.head = append(t.head, s.Name)
		default:
			folded = append(folded, s.Name)
		}
	}
	if len(shown) == 0 {
		return folded, nil
	}
	var skipped []string
	for k := range v.st.Size(index) {
		row := []span{{v.rowName(index, k), plain}}
		empty := true
		for _, s := range shown {
			c := v.cell(s, s.Sort.Elem, []int{k})
			empty = empty && c.text == notNeeded
			row = append(row, c)
		}
		if empty && index.Kind != protocol.ElementKind {
			skipped = append(skipped, v.key(index, k))
			continue
		}
		t.rows = append(t.rows, row)
	}
	t.write(p)
	p.blank()
	if len(skipped) > 0 {
		rowsFolded = []string{index.Name + " " + strings.Join(skipped, " ")}
	}
	return folded, rowsFolded
}

// rowName is the k-th element of an index; one that is not in the index's subset, as
// an observer among voters, says so.
func (v *view) rowName(index *protocol.Sort, k int) string {
	name := v.key(index, k)
	if x := index.Subset; x != nil && v.st.Subset(x)>>k&1 == 0 {
		name += " ∉ " + x.Name
	}
	return name
}

// scalars writes the subsets, which are constants, and the state variables that
// nothing indexes.
func (v *view) scalars(p *page) (folded []string) {
	var shown []string
	for _, s := range v.st.System.Sorts {
		if x := s.Subset; x != nil {
			shown = append(shown, x.Name+" = "+v.set(s, v.st.Subset(x)))
		}
	}
	for _, s := range v.st.System.State {
		switch {
		case s.Sort.Kind == protocol.FuncKind:
		case v.shown(s, nil):
			shown = append(shown, s.Name+" = "+v.cell(s, s.Sort, nil).text)
		default:
			folded = append(folded, s.Name)
		}
	}
	if len(shown) > 0 {
		p.entry(span{"global", dim}, 10, units(strings.Join(shown, ", ")), plain)
	}
	return folded
}

// cell is what a table shows of the cell at path: its value, the old value and
// the new one, or that nobody needs it.
func (v *view) cell(s *protocol.StateVar, sort *protocol.Sort, path []int) span {
	if !v.shown(s, path) {
		return span{notNeeded, dim}
	}
	before, after := at(v.pre.Vars[s.Index], path), at(v.post.Vars[s.Index], path)
	style := plain
	if !before.Equal(after) {
		style = bold
	}
	if sort.Kind == protocol.FuncKind {
		return span{v.entries(s, sort, path), style}
	}
	old, now := v.pair(s, sort, path)
	if old == now && style == plain {
		return span{now, style}
	}
	return span{old + " → " + now, style}
}

// pair is the cell at path before and after the step. A sequence is drawn with its
// marks, which may move while it stays.
func (v *view) pair(s *protocol.StateVar, sort *protocol.Sort, path []int) (old, now string) {
	before, after := at(v.pre.Vars[s.Index], path), at(v.post.Vars[s.Index], path)
	if !v.strips.draws(sort) {
		return v.value(sort, before), v.value(sort, after)
	}
	cut := -1
	if same := common(before.Kids, after.Kids); same < len(before.Kids) {
		cut = same
	}
	return v.strip(sort, before, v.marks(s, path, v.pre), -1), v.strip(sort, after, v.marks(s, path, v.post), cut)
}

// entries is the part of a function of several arguments that is needed or
// changed: {n2:1, n3:0→2}, with blanks if its values have some. If it is everything
// and the same everywhere, the argument is ∗.
func (v *view) entries(s *protocol.StateVar, sort *protocol.Sort, path []int) string {
	var keys []string
	var values [][]string // one, or the old one and the new one
	colon, arrow := ":", "→"
	for k := range v.st.Size(sort.Domain) {
		deeper := append(slices.Clone(path), k)
		if !v.shown(s, deeper) {
			continue
		}
		var value []string
		if sort.Elem.Kind == protocol.FuncKind {
			value = []string{v.entries(s, sort.Elem, deeper)}
		} else if old, now := v.pair(s, sort.Elem, deeper); old == now {
			value = []string{old}
		} else {
			value = []string{old, now}
		}
		if strings.Contains(strings.Join(value, ""), " ") {
			colon, arrow = ": ", " → "
		}
		keys, values = append(keys, v.key(sort.Domain, k)), append(values, value)
	}
	if len(keys) > 1 && len(keys) == v.st.Size(sort.Domain) && len(slices.CompactFunc(slices.Clone(values), slices.Equal)) == 1 {
		keys = []string{"∗"}
	}
	for i, k := range keys {
		keys[i] = k + colon + strings.Join(values[i], arrow)
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// marks are those of the sequence at path that are needed. One that is Nil or 0 is
// not drawn.
func (v *view) marks(s *protocol.StateVar, path []int, st *state.State) []placed {
	var out []placed
	for _, m := range v.strips.display.Marks[s] {
		if !v.shown(m.State, path) {
			continue
		}
		x := at(st.Vars[m.State.Index], path)
		if len(x.Kids) > 0 { // the value of an optional
			x = x.Kids[0]
		}
		if x.N > 0 {
			out = append(out, placed{m, x.N})
		}
	}
	return out
}

// common is the length of the longest common prefix.
func common(a, b []state.Value) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].Equal(b[n]) {
		n++
	}
	return n
}
