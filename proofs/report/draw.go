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
	t := table{head: []string{index.Name}}
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
		row := []span{{v.key(index, k), plain}}
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

// pair is the cell at path before and after the step.
func (v *view) pair(s *protocol.StateVar, sort *protocol.Sort, path []int) (old, now string) {
	before, after := at(v.pre.Vars[s.Index], path), at(v.post.Vars[s.Index], path)
	if sort.Kind != protocol.SeqKind || termField(sort.Elem) == nil {
		return v.value(sort, before), v.value(sort, after)
	}
	old = v.strip(sort, before, v.mark(s, path, v.pre), -1)
	if before.Equal(after) {
		return old, old
	}
	cut := -1
	if same := common(before.Kids, after.Kids); same < len(before.Kids) {
		cut = same
	}
	return old, v.strip(sort, after, v.mark(s, path, v.post), cut)
}

// entries is the part of a function of several arguments that is needed or
// changed: {n2:1, n3:0→2}. If it is everything and the same everywhere, the
// argument is ∗.
func (v *view) entries(s *protocol.StateVar, sort *protocol.Sort, path []int) string {
	var keys, texts []string
	for k := range v.st.Size(sort.Domain) {
		deeper := append(slices.Clone(path), k)
		if !v.shown(s, deeper) {
			continue
		}
		keys = append(keys, v.key(sort.Domain, k))
		if sort.Elem.Kind == protocol.FuncKind {
			texts = append(texts, v.entries(s, sort.Elem, deeper))
			continue
		}
		old, now := v.pair(s, sort.Elem, deeper)
		if old != now {
			now = old + "→" + now
		}
		texts = append(texts, now)
	}
	if len(keys) > 1 && len(keys) == v.st.Size(sort.Domain) && len(slices.Compact(slices.Clone(texts))) == 1 {
		keys, texts = []string{"∗"}, texts[:1]
	}
	for i, k := range keys {
		keys[i] = k + ":" + texts[i]
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// mark is how far the sequence at path is committed: the value of the state
// variable for it, if there is one, that has the same argument and is needed; else 0.
func (v *view) mark(s *protocol.StateVar, path []int, st *state.State) int {
	if len(path) != 1 {
		return 0
	}
	m := commitVar(v.st.System, s.Sort.Domain)
	if m == nil || !v.shown(m, path) {
		return 0
	}
	x := at(st.Vars[m.Index], path)
	switch {
	case m.Sort.Elem.Kind == protocol.NaturalKind:
		return x.N
	case x.N == 0: // Nil
		return 0
	default:
		return x.Kids[0].N
	}
}

// commitVar is the state variable that says how far the log of each element of
// a sort is committed, or nil.
func commitVar(sys *protocol.System, index *protocol.Sort) *protocol.StateVar {
	for _, s := range sys.State {
		if s.Name != "commitIndex" && s.Name != "highWatermark" || s.Sort.Kind != protocol.FuncKind || s.Sort.Domain != index {
			continue
		}
		elem := s.Sort.Elem
		if elem.Kind == protocol.OptionKind {
			elem = elem.Elem
		}
		if elem.Kind == protocol.NaturalKind {
			return s
		}
	}
	return nil
}

// strip is a sequence of records by their terms: [1 1 2|2] with | behind the
// position mark and ~ where, behind position cut, an older tail was cut off. A
// mark beyond the end stands behind as many _ as are missing.
func (v *view) strip(sort *protocol.Sort, s state.Value, mark, cut int) string {
	if mark > 0 {
		v.signs['|'] = "commit position"
	}
	if mark > len(s.Kids) {
		v.signs['_'] = "no entry"
	}
	if cut >= 0 {
		v.signs['~'] = "tail cut off"
	}
	var b strings.Builder
	b.WriteByte('[')
	for k := 0; ; k++ {
		sep := ""
		if k == mark && mark > 0 {
			sep = "|"
		}
		if k == cut {
			sep += "~"
		}
		if sep == "" && k > 0 && k < max(len(s.Kids), mark) {
			sep = " "
		}
		b.WriteString(sep)
		switch {
		case k < len(s.Kids):
			b.WriteString(v.record(sort.Elem, s.Kids[k]))
		case k < mark:
			b.WriteByte('_')
		default:
			b.WriteByte(']')
			return b.String()
		}
	}
}

// record is a record in a strip: its term, and, if other records of that term
// differ, its other fields.
func (v *view) record(sort *protocol.Sort, r state.Value) string {
	term := termField(sort)
	text := v.value(term.Sort, r.Kids[term.Index])
	if !v.full[sort] {
		return text
	}
	names := term.Name
	for i, f := range sort.Fields {
		if f != term {
			text += ":" + v.value(f.Sort, r.Kids[i])
			names += ":" + f.Name
		}
	}
	v.signs[':'] = names
	return text
}

// legend explains the signs of the strips drawn so far.
func (v *view) legend() string {
	var parts []string
	for _, sign := range "|~_" {
		if meaning, ok := v.signs[sign]; ok {
			parts = append(parts, string(sign)+" "+meaning)
		}
	}
	if fields, ok := v.signs[':']; ok {
		parts = append(parts, "entries are "+fields)
	} else if len(parts) > 0 {
		parts = append(parts, "entries by "+v.entryField())
	}
	return strings.Join(parts, ", ")
}

// entryField is the name of the field by which strips show records.
func (v *view) entryField() string {
	for _, r := range v.st.System.Records {
		if f := termField(r); f != nil {
			return f.Name
		}
	}
	return "term"
}

// common is the length of the longest common prefix.
func common(a, b []state.Value) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].Equal(b[n]) {
		n++
	}
	return n
}
