package report

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// A run as a TLA+ module: trace is the sequence of its states, each a record of the
// state variables, of the set of messages sent, and of _TEAction, which says how the
// state was come to, as in TLC's own traces. Elements and constants are strings; Nil is
// a constant, to be replaced by a model value, since TLC does not compare a string
// with a number.

// tla writes the module.
func (t *trace) tla(w io.Writer) error {
	var b strings.Builder
	const name = " MODULE Trace "
	rule := strings.Repeat("-", 32)
	fmt.Fprintf(&b, "%s%s%s\n", rule, name, rule)
	for _, c := range []string{t.Title, counted(len(t.steps), "step") + " of " + t.sys.Name, t.From} {
		if c != "" {
			b.WriteString(`\* ` + strings.ReplaceAll(c, "\n", " ") + "\n")
		}
	}
	if t.Broken != nil {
		fmt.Fprintf(&b, "\\* breaks %s\n", t.Broken.ID)
	}
	x := tlaPrinter{printer: t.plain}
	for _, s := range t.sys.Sorts {
		if y := s.Subset; y != nil {
			fmt.Fprintf(&b, "\\* %s = %s\n", y.Name, x.value(y.Sort, state.Value{N: x.st.Subset(y)}))
		}
	}
	states := []string{x.state(t.sys, t.Run.Init, x.record([]string{"position", "name", "parameters"}, []string{"1", quote("Init"), "<<>>"}))}
	for _, s := range t.steps {
		states = append(states, x.state(t.sys, s.Post, x.action(s)))
	}
	b.WriteString("EXTENDS Integers, Sequences, TLC\n\n")
	if x.nil {
		b.WriteString("CONSTANT Nil\n\n")
	}
	b.WriteString("trace == <<\n" + strings.Join(states, ",\n") + "\n>>\n")
	b.WriteString(strings.Repeat("=", 2*len(rule)+len(name)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// tlaPrinter writes values as TLA+ expressions.
type tlaPrinter struct {
	printer
	nil bool // Nil was written
}

// action says which step led to a state.
func (p *tlaPrinter) action(x *event) string {
	parameters := "<<>>"
	if len(x.Args) > 0 {
		var names, values []string
		for k, a := range x.Action.Params {
			names = append(names, a.Name)
			values = append(values, p.value(a.Sort, x.Args[k]))
		}
		parameters = p.record(names, values)
	}
	return p.record([]string{"position", "name", "parameters", "location"},
		[]string{strconv.Itoa(x.number + 1), quote(x.Action.Name), parameters, quote(place(x.Action.Span))})
}

// state is the record of a state, a line for each state variable.
func (p *tlaPrinter) state(sys *protocol.System, s *state.State, action string) string {
	names, values := []string{"_TEAction"}, []string{action}
	for _, v := range sys.State {
		names, values = append(names, v.Name), append(values, p.value(v.Sort, s.Vars[v.Index]))
	}
	if len(sys.Messages) > 0 {
		var sent []string
		for _, typ := range sys.Messages {
			for _, m := range s.Msgs[typ.ID] {
				sent = append(sent, p.value(typ, m))
			}
		}
		text := "{" + strings.Join(sent, ", ") + "}"
		if len(sent) > 1 {
			text = "{\n      " + strings.Join(sent, ",\n      ") + "}"
		}
		names, values = append(names, fresh("messages", names)), append(values, text)
	}
	if !slices.ContainsFunc(names, func(n string) bool { return !isTLAName(n) }) {
		lines := make([]string, len(names))
		for k := range names {
			lines[k] = names[k] + " |-> " + values[k]
		}
		return "  [ " + strings.Join(lines, ",\n    ") + " ]"
	}
	lines := make([]string, len(names))
	for k := range names {
		lines[k] = quote(names[k]) + " :> " + values[k]
	}
	return "  ( " + strings.Join(lines, " @@\n    ") + " )"
}

// fresh is a name, or one like it, that is not among others.
func fresh(name string, others []string) string {
	for slices.Contains(others, name) {
		name += "_"
	}
	return name
}

// record is a record. A field with a name that TLA+ does not have makes it a function
// of strings, which is the same.
func (p *tlaPrinter) record(names, values []string) string {
	parts := make([]string, len(names))
	if slices.ContainsFunc(names, func(n string) bool { return !isTLAName(n) }) {
		for k := range names {
			parts[k] = quote(names[k]) + " :> " + values[k]
		}
		return "(" + strings.Join(parts, " @@ ") + ")"
	}
	for k := range names {
		parts[k] = names[k] + " |-> " + values[k]
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// value is a value as an expression that needs no brackets.
func (p *tlaPrinter) value(sort *protocol.Sort, v state.Value) string {
	switch sort.Kind {
	case protocol.BoolKind, protocol.NaturalKind:
		return p.printer.value(sort, v)
	case protocol.ElementKind, protocol.EnumKind:
		return quote(p.printer.value(sort, v))
	case protocol.QuorumKind:
		return p.members(sort.Elem, p.st.Quorum(sort, v.N))
	case protocol.SetKind:
		return p.members(sort.Elem, v.N)
	case protocol.OptionKind:
		if v.N == 0 {
			p.nil = true
			return "Nil"
		}
		return p.value(sort.Elem, v.Kids[0])
	case protocol.UnionKind:
		typ, m := message(sort, v)
		return p.value(typ, m)
	case protocol.RecordKind, protocol.MessageKind:
		var names, values []string
		for k, f := range sort.Fields {
			names, values = append(names, f.Name), append(values, p.value(f.Sort, v.Kids[k]))
		}
		if sort.Kind == protocol.MessageKind {
			names, values = slices.Insert(names, 0, fresh("mtype", names)), slices.Insert(values, 0, quote(sort.Name))
		}
		return p.record(names, values)
	case protocol.SeqKind:
		return "<<" + p.join(len(v.Kids), ", ", func(k int) string { return p.value(sort.Elem, v.Kids[k]) }) + ">>"
	case protocol.FuncKind:
		return "(" + p.join(len(v.Kids), " @@ ", func(k int) string {
			return p.value(sort.Domain, state.Value{N: k}) + " :> " + p.value(sort.Elem, v.Kids[k])
		}) + ")"
	case protocol.Invalid:
	}
	panic(fmt.Sprintf("no values of sort %s", sort))
}

func (p *tlaPrinter) members(elem *protocol.Sort, members int) string {
	var names []string
	for rest := uint(members); rest != 0; rest &= rest - 1 {
		names = append(names, p.value(elem, state.Value{N: bits.TrailingZeros(rest)}))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// quote is a string of TLA+.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// The words of TLA+ that are no names.
var tlaWords = strings.Fields(`ASSUME ASSUMPTION AXIOM BY CASE CHOOSE CONSTANT CONSTANTS DEF DEFINE DEFS DOMAIN ELSE ENABLED
	EXCEPT EXTENDS HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED OTHER PICK PROOF PROPOSITION
	PROVE QED RECURSIVE SF_ STATE STEP SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM UNCHANGED UNION USE VARIABLE VARIABLES WF_
	WITH WITNESS ACTION BOOLEAN TRUE FALSE STRING`)

// isTLAName reports whether a name is one in TLA+.
func isTLAName(s string) bool {
	letter := false
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			letter = true
		case r != '_' && (r < '0' || r > '9'):
			return false
		}
	}
	return letter && !slices.Contains(tlaWords, s) && !strings.HasPrefix(s, "WF_") && !strings.HasPrefix(s, "SF_")
}
