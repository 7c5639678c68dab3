package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
)

// ListOptions says what List prints of each system.
type ListOptions struct {
	Details     bool // sorts, state, messages, actions, properties
	Expanded    bool // the actions with everything made explicit
	Assumptions bool // what a proof takes for granted
	Alternation bool // the quantifier-alternation graph of the unbounded encoding
}

// List prints what is in the specs.
func List(w io.Writer, systems []*protocol.System, o ListOptions) error {
	out := &errWriter{w: w}
	for i, s := range systems {
		if i > 0 && (o.Details || o.Expanded || o.Assumptions || o.Alternation) {
			out.printf("\n")
		}
		switch {
		case o.Expanded:
			listExpanded(out, s)
		case o.Assumptions:
			listAssumptions(out, s)
		case o.Alternation:
			listAlternation(out, s)
		case o.Details:
			listDetails(out, s)
		default:
			out.printf("%-10s %s (%d actions, %d properties)\n", s.Name, s.Title, len(s.Actions), len(s.Properties))
		}
	}
	return out.err
}

// errWriter keeps the first error, so that printing reads as prose.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

func (e *errWriter) table(rows [][]string) {
	if e.err != nil {
		return
	}
	t := tabwriter.NewWriter(e.w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, "  "+strings.TrimRight(strings.Join(r, "\t"), "\t"))
	}
	e.err = t.Flush()
}

func listDetails(out *errWriter, s *protocol.System) {
	out.printf("%s  %s\n", s.Name, s.Title)
	section := func(title string, rows [][]string) {
		if len(rows) > 0 {
			out.printf("\n%s\n", title)
			out.table(rows)
		}
	}
	var rows [][]string
	for _, x := range s.Sorts {
		rows = append(rows, []string{x.Name, sortWords(x)})
		if x.Subset != nil {
			rows = append(rows, []string{x.Subset.Name, "a non-empty set of elements of " + x.Name + "; it never changes"})
		}
	}
	for _, x := range s.Enums {
		rows = append(rows, []string{x.Name, "one of " + strings.Join(x.Consts, ", ")})
	}
	for _, x := range s.Records {
		rows = append(rows, []string{x.Name, fieldWords(x)})
	}
	section("sorts", rows)
	rows = nil
	for _, v := range s.State {
		rows = append(rows, []string{v.Name, ghostMark(v.Ghost) + volatileMark(v.Volatile) + v.Sort.Name})
	}
	section("state", rows)
	rows = nil
	for _, m := range s.Messages {
		rows = append(rows, []string{m.Name, fieldWords(m)})
	}
	section("messages", rows)
	rows = nil
	for _, a := range s.Actions {
		var ps []string
		for _, p := range a.Params {
			ps = append(ps, p.Name)
		}
		rows = append(rows, []string{a.Name + "(" + strings.Join(ps, ", ") + ")", a.Source})
	}
	section("actions", rows)
	for _, k := range []protocol.PropertyKind{protocol.Invariant, protocol.Lemma, protocol.Theorem, protocol.Literal} {
		rows = nil
		for _, p := range s.Properties {
			if p.Kind == k {
				rows = append(rows, []string{p.ID, propertyWords(p), p.Title})
			}
		}
		section(map[protocol.PropertyKind]string{protocol.Invariant: "invariants", protocol.Lemma: "lemmas",
			protocol.Theorem: "theorems", protocol.Literal: "literal claims"}[k], rows)
	}
	rows = nil
	for _, r := range s.Scenarios {
		rows = append(rows, []string{r.Name, fmt.Sprintf("%d steps", len(r.Steps)), r.Title})
	}
	section("scenarios", rows)
	rows = nil
	for _, m := range s.Mutations {
		rows = append(rows, []string{m.Name, m.Title})
	}
	section("mutations", rows)
}

func ghostMark(ghost bool) string {
	if ghost {
		return "ghost "
	}
	return ""
}

func volatileMark(volatile bool) string {
	if volatile {
		return "volatile "
	}
	return ""
}

func sortWords(s *protocol.Sort) string {
	switch s.Kind {
	case protocol.NaturalKind:
		return "naturals"
	case protocol.QuorumKind:
		return "quorums of " + membersName(s) + "; any two meet"
	default:
	}
	if s.Finite {
		return "elements, finitely many"
	}
	return "elements"
}

func fieldWords(s *protocol.Sort) string {
	var fs []string
	for _, f := range s.Fields {
		fs = append(fs, f.Name+": "+ghostMark(f.Ghost)+f.Sort.Name)
	}
	return strings.Join(fs, ", ")
}

func propertyWords(p *protocol.Property) string {
	switch {
	case p.Kind == protocol.Literal && p.RefutedBy != nil:
		return "refuted by scenario " + p.RefutedBy.Name
	case p.Implied:
		return "implied in one state"
	case p.TwoState:
		return "of each step"
	}
	return "inductive"
}

func listExpanded(out *errWriter, s *protocol.System) {
	for i, a := range s.Actions {
		if i > 0 {
			out.printf("\n")
		}
		if x, ok := any(a).(interface{ Expanded() string }); ok {
			out.printf("%s\n", strings.TrimRight(x.Expanded(), "\n"))
		}
	}
}

func listAssumptions(out *errWriter, s *protocol.System) {
	a := Assumptions(s)
	out.printf("%s  what proofs assume\n", s.Name)
	for _, part := range []struct {
		title string
		list  []string
	}{
		{"in either mode", a.Always},
		{"unbounded, for all sizes", a.Unbounded},
		{"bounded, in a scope", append(a.Bounded, "the scope is, unless another one is given: "+Scope(s, encode.NewScope(s, nil)))},
	} {
		out.printf("\n%s\n", part.title)
		for _, text := range part.list {
			for i, l := range fill(strings.Fields(text), 94) {
				out.printf("%s %s\n", [2]string{"  -", "   "}[min(i, 1)], l)
			}
		}
	}
}

// listAlternation prints the alternation graph, the edges of cycles first.
func listAlternation(out *errWriter, s *protocol.System) {
	edges := encode.Alternation(s)
	section := func(title string, cycle bool) {
		var rows [][]string
		for _, e := range edges {
			if e.Cycle != cycle {
				continue
			}
			why := e.Because
			rest := ""
			if len(why) > 4 {
				rest = fmt.Sprintf(" and %d more", len(why)-4)
				why = why[:4]
			}
			rows = append(rows, []string{e.From + " → " + e.To, strings.Join(why, ", ") + rest})
		}
		if len(rows) > 0 {
			out.printf("\n%s\n", title)
			out.table(rows)
		}
	}
	out.printf("%s  a term of the first sort makes one of the second\n", s.Name)
	section("on a cycle: instantiating quantifiers need not end here (a warning, no error)", true)
	section("on no cycle", false)
}
