package report

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// A sequence of records is drawn as a strip, if the spec says by which of their
// fields: [1 1 2]. Behind as many records as a mark says stands its sign: [1 1|2]. Where
// records that are shown agree in that field only, their other fields are written
// out: [1:v1 1:v2].

// strips draws the sequences of one page.
type strips struct {
	display protocol.Display
	full    map[*protocol.Sort]bool // records of which more than the one field is shown
	// What was drawn so far, for the legend.
	marks   []placed
	cut     bool // a tail
	missing bool // records in front of a mark
}

// placed is a mark with the number of records that it stands behind.
type placed struct {
	protocol.Mark
	at int
}

func newStrips(sys *protocol.System) *strips {
	return &strips{display: sys.Display, full: map[*protocol.Sort]bool{}}
}

// draws reports whether values of the sort are strips.
func (s *strips) draws(sort *protocol.Sort) bool {
	return sort.Kind == protocol.SeqKind && s.display.Fields[sort.Elem] != nil
}

// strip is a sequence with its marks. Behind position cut, if it is not negative, ~
// says that an older tail was cut off. A mark beyond the end stands behind as many _
// as are missing.
func (p printer) strip(sort *protocol.Sort, s state.Value, marks []placed, cut int) string {
	end := len(s.Kids)
	signs := make(map[int]string)
	for _, m := range marks {
		if !strings.ContainsRune(signs[m.at], m.Sign) {
			signs[m.at] += string(m.Sign)
		}
		if m.at > end {
			p.strips.missing = true
		}
		end = max(end, m.at)
		if !slices.ContainsFunc(p.strips.marks, func(x placed) bool { return x.Mark == m.Mark }) {
			p.strips.marks = append(p.strips.marks, m)
		}
	}
	if cut >= 0 {
		signs[cut] += "~"
		p.strips.cut = true
	}
	var b strings.Builder
	b.WriteByte('[')
	for k := range end {
		if k > 0 && signs[k] == "" {
			b.WriteByte(' ')
		}
		b.WriteString(signs[k])
		if k < len(s.Kids) {
			b.WriteString(p.record(sort.Elem, s.Kids[k]))
		} else {
			b.WriteByte('_')
		}
	}
	b.WriteString(signs[end])
	b.WriteByte(']')
	return b.String()
}

// record is a record in a strip.
func (p printer) record(sort *protocol.Sort, r state.Value) string {
	drawn := p.strips.display.Fields[sort]
	text := p.value(drawn.Sort, r.Kids[drawn.Index])
	for i, f := range sort.Fields {
		if f != drawn && p.strips.full[sort] && !leavesOut(sort, f, r.Kids[i]) {
			text += ":" + p.value(f.Sort, r.Kids[i])
		}
	}
	return text
}

// leavesOut reports whether a field that is Nil is not written in a strip: one can
// tell which it is.
func leavesOut(record *protocol.Sort, f *protocol.Field, x state.Value) bool {
	return len(record.Fields) == 2 && f.Sort.Kind == protocol.OptionKind && x.N == 0
}

// legend explains the strips drawn so far.
func (s *strips) legend(sys *protocol.System) string {
	var parts []string
	done := map[rune]bool{}
	for _, m := range s.marks {
		if done[m.Sign] {
			continue
		}
		done[m.Sign] = true
		var names []string
		for _, v := range sys.State {
			if slices.ContainsFunc(s.marks, func(x placed) bool { return x.Sign == m.Sign && x.State == v }) {
				names = append(names, v.Name)
			}
		}
		parts = append(parts, string(m.Sign)+" "+strings.Join(names, " or "))
	}
	if s.cut {
		parts = append(parts, "~ tail cut off")
	}
	if s.missing {
		parts = append(parts, "_ no record")
	}
	marked := len(parts) > 0
	for _, r := range sys.Records {
		drawn := s.display.Fields[r]
		switch {
		case drawn == nil:
		case s.full[r]:
			names, note := drawn.Name, ""
			for _, f := range r.Fields {
				if f == drawn {
					continue
				}
				names += ":" + f.Name
				if leavesOut(r, f, state.Value{}) {
					note = " (no " + f.Name + ": Nil)"
				}
			}
			parts = append(parts, "each "+r.Name+" as "+names+note)
		case marked:
			parts = append(parts, "each "+r.Name+" by its "+drawn.Name)
		}
	}
	return strings.Join(parts, ", ")
}

// known is a record of each sort for each value of the field that strips show.
type known map[*protocol.Sort]map[int]state.Value

// findFull finds the records of which a strip has to show more than one field: two
// that are shown, here or where known is from, differ, and agree in that one.
func (v *view) findFull(known known) {
	note := func(sort *protocol.Sort, r state.Value) {
		field := v.strips.display.Fields[sort]
		if field == nil {
			return
		}
		if known[sort] == nil {
			known[sort] = map[int]state.Value{}
		}
		x := r.Kids[field.Index].N
		if other, ok := known[sort][x]; ok && !other.Equal(r) {
			v.strips.full[sort] = true
		}
		known[sort][x] = r
	}
	for _, s := range v.st.System.State {
		v.leaves(s.Sort, nil, func(sort *protocol.Sort, path []int) {
			if v.shown(s, path) {
				records(sort, at(v.pre.Vars[s.Index], path), note)
				records(sort, at(v.post.Vars[s.Index], path), note)
			}
		})
	}
	for _, typ := range v.st.System.Messages {
		for _, m := range v.post.Msgs[typ.ID] {
			if v.isUsed(typ, m) || !v.pre.HasMessage(typ, m) {
				records(typ, m, note)
			}
		}
	}
}

// leaves visits the cells of a function of the sort: what it yields when all
// arguments are given.
func (v *view) leaves(sort *protocol.Sort, path []int, visit func(*protocol.Sort, []int)) {
	if sort.Kind != protocol.FuncKind {
		visit(sort, path)
		return
	}
	for k := range v.st.Size(sort.Domain) {
		v.leaves(sort.Elem, append(slices.Clone(path), k), visit)
	}
}

// records visits the records in a value.
func records(sort *protocol.Sort, x state.Value, visit func(*protocol.Sort, state.Value)) {
	switch sort.Kind {
	case protocol.RecordKind, protocol.MessageKind:
		if sort.Kind == protocol.RecordKind {
			visit(sort, x)
		}
		for i, f := range sort.Fields {
			records(f.Sort, x.Kids[i], visit)
		}
	case protocol.OptionKind, protocol.SeqKind, protocol.FuncKind:
		for _, k := range x.Kids {
			records(sort.Elem, k, visit)
		}
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.SetKind:
	case protocol.Invalid, protocol.UnionKind:
		panic("no state of sort " + sort.Name)
	}
}
