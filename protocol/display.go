package protocol

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
)

// Display is how reports draw sequences of records: as strips, with a field of each
// record, and signs between them. It changes no meaning.
type Display struct {
	Fields map[*Sort]*Field     // of a record sort: what of a record stands in a strip
	Marks  map[*StateVar][]Mark // of a sequence, or of a function to sequences
}

// Mark is a sign that stands in a strip behind as many records as a state variable
// says. The variable has the arguments of the sequence, and a value of the index sort,
// or an optional one.
type Mark struct {
	State *StateVar
	Sign  rune
}

// display reads what a spec says of records, then what it says of sequences of them.
func (c *checker) display(e entry) {
	c.sys.Display = Display{Fields: map[*Sort]*Field{}, Marks: map[*StateVar][]Mark{}}
	drawn := map[*Sort]bool{} // those of which the spec says how, if not without error
	var sequences []entry
	for _, d := range c.mapping(e.node, "display") {
		switch g := c.globals[d.key]; {
		case g == nil:
			c.lenient(func() { c.displayOfNothing(d.keySpan, d.key) })
		case g.sort == InvalidSort:
		case g.state != nil:
			sequences = append(sequences, d)
		case g.sort != nil && g.sort.Kind == RecordKind:
			drawn[g.sort] = true
			c.drawnField(d, g.sort)
		default:
			c.cannotDisplay(d.keySpan, d.key)
		}
	}
	for _, d := range sequences {
		c.lenient(func() { c.marks(d, c.globals[d.key].state, drawn) })
	}
}

// drawnField reads the field by which a record is drawn: Entry: term.
func (c *checker) drawnField(d entry, record *Sort) {
	name, ok := c.word(d, "a field of "+d.key)
	switch f := record.Field(name); {
	case !ok:
	case f == nil:
		c.noDisplayField(c.span(d.node), record, name)
	case f.Sort != InvalidSort && !f.Sort.IsScalar():
		c.displayFieldSort(c.span(d.node), record, f)
	default:
		c.sys.Display.Fields[record] = f
	}
}

// marks reads the signs of a sequence: log: {commitIndex: "|"}.
func (c *checker) marks(d entry, v *StateVar, drawn map[*Sort]bool) {
	arguments, seq := v.Sort.curried()
	switch {
	case seq == InvalidSort:
		return
	case seq.Kind != SeqKind:
		c.marksOfNoSequence(d.keySpan, v)
		return
	case !drawn[seq.Elem]:
		c.marksOfUndrawn(d.keySpan, v, seq.Elem)
		return
	}
	for _, m := range c.mapping(d.node, "the marks of "+d.key) {
		c.lenient(func() {
			g := c.globals[m.key]
			switch {
			case g == nil:
				c.unknownMark(m.keySpan, m.key)
			case g.state == nil:
				c.markOfNoState(m.keySpan, m.key)
			case g.state.Sort == InvalidSort:
			case !g.state.Sort.marks(arguments, seq.Domain):
				c.markMismatch(m.keySpan, g.state, v)
			default:
				c.mark(m, v, g.state)
			}
		})
	}
}

// mark reads the sign of a mark: commitIndex: "|".
func (c *checker) mark(m entry, v, of *StateVar) {
	text, ok := c.word(m, "the sign of "+m.key)
	switch {
	case !ok:
	case !isSign(text):
		c.badSign(c.span(m.node), text)
	default:
		sign, _ := utf8.DecodeRuneInString(text)
		c.sys.Display.Marks[v] = append(c.sys.Display.Marks[v], Mark{of, sign})
	}
}

// word is a text that must be there.
func (c *checker) word(e entry, what string) (string, bool) {
	if isNull(e.node) {
		c.errYAML(diag.NotYAML, e.keySpan, "expected "+what, "write `"+e.key+": …`")
		return "", false
	}
	return c.str(e), e.node.Kind == yaml.ScalarNode && !c.rejected[e.node]
}

// curried are the arguments of a function of functions, and what it yields in the end.
func (s *Sort) curried() (arguments []*Sort, result *Sort) {
	for s.Kind == FuncKind {
		arguments = append(arguments, s.Domain)
		s = s.Elem
	}
	return arguments, s
}

// marks reports whether s yields an index, or an optional one, for these arguments.
func (s *Sort) marks(arguments []*Sort, index *Sort) bool {
	own, result := s.curried()
	if result.Kind == OptionKind {
		result = result.Elem
	}
	return result == index && slices.Equal(own, arguments)
}

// isSign reports whether a text may stand between the records of a strip.
func isSign(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) || slices.Contains([]rune("[]{}~_:,→·"), r) {
		return false
	}
	return unicode.IsPunct(r) || unicode.Is(unicode.Sm, r)
}
