package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Origin says how a counterexample was come by.
type Origin struct {
	Solver string   // name and version
	Seed   int      // given to the solver
	Chain  []string // the properties from the one that was asked for to the broken one; may be empty
}

// String is solver and seed, as the page shows them.
func (f Origin) String() string { return fmt.Sprintf("%s, seed %d", f.Solver, f.Seed) }

// CTI writes one result of a system: the counterexample of a refuted obligation;
// the run that refutes a literal claim, with its verdict; or, if it has neither, its
// verdict and the reason.
func CTI(w io.Writer, r *proofs.Result, from Origin, o Options) error {
	p := newPage(o)
	if len(from.Chain) > 1 && r.Verdict == proofs.Refuted {
		p.paragraph(dim, strings.Join(from.Chain, " ← ")+": broken by "+breaker(r.Obligation))
		p.blank()
	}
	if r.CTI == nil {
		p.writeVerdict(r)
		if r.Run != nil && r.Verdict == proofs.Refuted {
			e := Replayed(r.Property.RefutedBy, r.Run, nil)
			e.Broken = r.Property
			t, err := newTrace(e)
			if err != nil {
				return err
			}
			p.blank()
			t.text(p, o.Verbose)
		}
		return p.flush(w)
	}
	p.counterexample(r.CTI, from.String(), r.Reach, o.Verbose)
	return p.flush(w)
}

// breaker is who breaks the property: an action, Init, or nobody in particular.
func breaker(o proofs.Obligation) string {
	switch o.Kind {
	case proofs.Initiation:
		return "the initial state"
	case proofs.Implication:
		return "a state that satisfies every lemma"
	case proofs.Consecution, proofs.TwoState, proofs.Fires:
		return o.Action.Name
	case proofs.Possible, proofs.LiteralIsFalse, proofs.Majorities, proofs.Branch:
	}
	return o.ID()
}

// counterexample writes everything about a counterexample.
func (p *page) counterexample(c *proofs.CTI, origin string, reach *proofs.Finding, verbose bool) {
	v := newView(c, verbose)
	p.headline(c, reach)
	p.action(v, origin)
	sizes := scopeParts(c.Structure.System, c.Scope)
	if c.Scope.Messages > 0 {
		sizes = append(sizes, messageBound(c.Scope)+" before")
	}
	p.entry(span{"scope", dim}, 8, units(strings.Join(sizes, ", ")), dim)
	p.blank()
	p.indent += 2
	folded := v.tables(p)
	p.messages(v)
	if legend := v.strips.legend(v.st.System); legend != "" {
		p.entry(span{"logs", dim}, 10, units(legend), dim)
	}
	if len(folded) > 0 {
		p.entry(span{"folded", dim}, 10, append(units(strings.Join(folded, ", ")), "(like ·: neither read nor changed)"), dim)
	}
	p.indent -= 2
	p.blank()
	p.broken(v)
	p.blank()
	head := span{"next", dim}
	for _, text := range next(c, reach != nil) {
		p.entry(head, 8, strings.Fields(text), dim)
		head.text = ""
	}
}

// headline says what is broken, and whether the state is known to be reachable.
func (p *page) headline(c *proofs.CTI, reach *proofs.Finding) {
	o := c.Obligation
	id, title := o.Property.ID, ""
	if o.Property.Title != "" {
		title = ": " + o.Property.Title
	}
	remark := "may be unreachable; not looked for"
	if reach != nil {
		remark = whether(reach)
	}
	var what string
	switch o.Kind {
	case proofs.Initiation:
		what, remark = "the initial state breaks "+id+title, "reachable: it is the initial state"
	case proofs.Implication:
		what = id + " does not follow from the lemmas" + title
	case proofs.TwoState:
		what = o.Action.Name + " breaks " + id + " (two-state)" + title
	default:
		what = o.Action.Name + " breaks " + id + title
	}
	const hang = 5
	parts := fill(strings.Fields(what), p.room()-hang)
	l := line{{"CTI", red}}
	for i, part := range parts {
		l.pad(hang)
		l.add(part, bold)
		if i < len(parts)-1 {
			p.write(l)
			l = nil
		}
	}
	p.aside(l, hang, span{remark, yellow})
}

// aside writes a line with a remark: behind it if there is room, else below.
func (p *page) aside(l line, hang int, remark span) {
	const column = 58 // where remarks begin, if there is room
	at := max(l.width()+4, min(column, p.room()-runes(remark.text)))
	if at+runes(remark.text) > p.room() {
		p.write(l)
		l, at = nil, hang
	}
	l.pad(at)
	l.add(remark.text, remark.style)
	p.write(l)
}

// action writes the step's action with its arguments and where it is defined.
func (p *page) action(v *view, origin string) {
	o := v.cti.Obligation
	const column = 8
	if o.Action == nil {
		l := line{{"state", dim}}
		l.pad(column)
		at := o.Property.Span
		if o.Kind == proofs.Initiation {
			l.add("Init", bold)
			at = v.st.System.Init.Span
		} else {
			l.add("any that satisfies the lemmas", bold)
		}
		p.aside(l, column, span{place(at) + "   " + origin, dim})
		return
	}
	var args []string
	for i, a := range o.Action.Params {
		args = append(args, a.Name+" = "+v.named(a.Sort, v.cti.Args[i]))
	}
	call := o.Action.Name + "(" + strings.Join(args, ", ") + ")"
	remark := strings.TrimRight(place(o.Action.Span)+"   "+origin, " ")
	l := line{{"action", dim}, {"  ", plain}, {call, bold}}
	if column+runes(call) <= p.room() {
		p.aside(l, column, span{remark, dim})
		return
	}
	p.entry(span{"action", dim}, column, units(call), bold)
	p.entry(span{}, column, []string{remark}, dim)
}

// place is where something is defined.
func place(s diag.Span) string {
	if !s.IsValid() {
		return ""
	}
	line, _ := s.File.Position(s.Start)
	return fmt.Sprintf("%s:%d", s.File.Name, line)
}

// messages lists the messages that the step sent (+), and those that it or the
// broken instance used (=); the others are counted, or listed if all are needed.
func (p *page) messages(v *view) {
	type entry struct {
		typ  *protocol.Sort
		sign string
		text string
	}
	var groups [3][]entry
	for _, typ := range v.st.System.Messages {
		for _, m := range v.post.Msgs[typ.ID] {
			text := v.value(typ, m)
			switch {
			case !v.pre.HasMessage(typ, m):
				groups[0] = append(groups[0], entry{typ, "+", text})
			case v.isUsed(typ, m):
				groups[1] = append(groups[1], entry{typ, "=", text})
			default:
				groups[2] = append(groups[2], entry{typ, " ", text})
			}
		}
	}
	list := append(append([]entry{}, groups[0]...), groups[1]...)
	rest := len(groups[2])
	if v.all {
		list = append(list, groups[2]...)
		rest = 0
	}
	if len(list) == 0 && rest == 0 {
		return
	}
	head := span{"messages", dim}
	const column = 10
	var remarks []string
	if rest > 0 {
		remarks = append(remarks, fmt.Sprintf("%d not involved", rest))
	}
	if slices.ContainsFunc(list, func(e entry) bool { return isSparse(e.typ) }) {
		remarks = append(remarks, "fields that are left out are Nil")
	}
	for _, e := range list {
		style := plain
		if e.sign == "+" {
			style = bold
		}
		var l line
		l.add(head.text, head.style)
		l.pad(column)
		l.add(e.sign, style)
		l.pad(column + 2)
		for i, part := range fill(units(e.text), p.room()-column-4) {
			if i > 0 {
				l = nil
				l.pad(column + 4)
			}
			l.add(part, style)
			p.write(l)
		}
		head = span{}
	}
	if len(remarks) > 0 {
		p.entry(head, column, strings.Fields(strings.Join(remarks, "; ")), dim)
	}
}

// broken writes the property, the values of its variables, and its literals
// with their truth values.
func (p *page) broken(v *view) {
	property := v.property
	l := line{{property.ID, bold}, {"  ", plain}}
	const hang = 4
	lines := strings.Split(syntax.FormatExprWidth(property.Source, p.room(), l.width()), "\n")
	for i, part := range lines {
		if i > 0 {
			l = line{{part, plain}}
		} else {
			l.add(part, plain)
		}
		p.write(l)
	}
	p.indent += hang
	defer func() { p.indent -= hang }()
	if len(v.broken.Vars) > 0 {
		var bound []string
		for _, b := range v.broken.Vars {
			bound = append(bound, b.Var.Name+" = "+v.named(b.Var.Sort, b.Value))
		}
		p.entry(span{"with", dim}, 5, units(strings.Join(bound, ", ")), plain)
	}
	p.indent += 2
	defer func() { p.indent -= 2 }()
	p.literals(v)
}

// named is the value of a parameter or of a bound variable. A message that stands
// elsewhere on the page is named by its role, and by its type if several have that
// role.
func (v *view) named(sort *protocol.Sort, x state.Value) string {
	typ, msg := message(sort, x)
	switch {
	case typ == nil:
		return v.value(sort, x)
	case v.refer != nil:
		return v.refer(typ, msg)
	}
	sent := !v.pre.HasMessage(typ, msg)
	all, alike := 0, 0
	for _, t := range v.st.System.Messages {
		for _, m := range v.post.Msgs[t.ID] {
			isSent := !v.pre.HasMessage(t, m)
			if isSent != sent || !isSent && !v.isUsed(t, m) {
				continue
			}
			all++
			if t == typ {
				alike++
			}
		}
	}
	role := " used (=)"
	if sent {
		role = " sent (+)"
	}
	switch {
	case all == 1:
		return "the message" + role
	case alike == 1:
		return "the " + typ.Name + role
	}
	return v.value(sort, x)
}

// literals writes the literals, their truth values in a column.
func (p *page) literals(v *view) {
	const values = 12 // runes that "   F → T   ◄" takes
	room := p.room() - values
	texts := make([][]string, len(v.literals))
	column := 0
	for i, l := range v.literals {
		texts[i] = strings.Split(l.text(room), "\n")
		for _, t := range texts[i] {
			column = max(column, min(runes(t), room))
		}
	}
	for i, lit := range v.literals {
		for _, t := range texts[i][:len(texts[i])-1] {
			p.text(plain, t)
		}
		l := line{{texts[i][len(texts[i])-1], plain}}
		l.pad(column)
		l.add("   ", plain)
		switch {
		case !v.paired:
			l.add(truth(lit.after), plain)
		case lit.flipped():
			l.add(truth(lit.before)+" → "+truth(lit.after)+"   ◄", yellow)
		default:
			l.add(truth(lit.before)+" → "+truth(lit.after), plain)
		}
		p.write(l)
	}
}

func truth(b bool) string {
	if b {
		return "T"
	}
	return "F"
}

// next is what a reader may do about the counterexample, each on a line; looked says that a run to it was looked for.
func next(c *proofs.CTI, looked bool) []string {
	q := c.Obligation.Property
	state := "the pre-state"
	switch c.Obligation.Kind {
	case proofs.Initiation:
		return []string{"a run of no steps: either Init or " + q.ID + " is wrong"}
	case proofs.Implication:
		state = "this state"
	default:
	}
	out := []string{"can a run reach " + state + "? If not, which lemma excludes it?"}
	if looked {
		return out
	}
	spec, mutation, mutated := strings.Cut(c.Structure.System.Name, "/")
	if mutated {
		mutation = " --mutation " + mutation
	}
	return append(out, fmt.Sprintf("does a run from the start break %s? kraftprove simulate %s/%s%s", q.ID, spec, q.ID, mutation))
}
