package report

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// Text writes what a check found: for each system a matrix of properties and
// actions, what is not as it should be, and what follows.
func Text(w io.Writer, rep *proofs.Report, o Options) error {
	p := newPage(o)
	for i, sys := range rep.Systems {
		if i > 0 {
			p.blank()
			p.rule()
		}
		p.system(rep, sys, o)
	}
	if n := len(rep.Systems); n != 1 {
		p.blank()
		p.paragraph(plain, specs(rep)+", "+duration(rep.Elapsed))
	}
	return p.flush(w)
}

// Heading writes which system the text behind it is about, the first, second, … of
// several, and a rule in front of all but the first.
func Heading(w io.Writer, sys *protocol.System, position int, o Options) error {
	p := newPage(o)
	if position > 0 {
		p.write(nil)
		p.rule()
	}
	l := line{{sys.Name, bold}}
	if sys.Title != "" {
		l.add("   "+sys.Title, dim)
	}
	p.write(l)
	p.blank()
	return p.flush(w)
}

// rule writes a line that parts two systems.
func (p *page) rule() {
	p.text(dim, strings.Repeat("─", p.width))
	p.blank()
}

func (p *page) system(rep *proofs.Report, sys *proofs.SystemReport, o Options) {
	name := sys.System.Name
	p.write(line{{name, bold}, {"   " + counted(len(sys.Properties), "property") + ", " + counted(len(sys.System.Actions), "action"), plain}})
	p.sizes(sys, runes(name)+3)
	p.blank()
	newMatrix(sys).write(p)
	p.blank()
	legend := []string{"✓ unsat in the scope (fires: replayed)", "· untouched", "✗ refuted", "? unknown", "blank: not asked"}
	if sys.Mode != proofs.Bounded {
		legend = append([]string{"∞ unsat for every size"}, legend...)
	}
	p.legend(legend...)
	p.surprises(rep, sys, o)
	switch {
	case o.Verbose && sys.Mode == proofs.Bounded:
		p.queries(sys)
	case o.Verbose:
		p.slowest(sys)
		p.rungs(sys)
	}
	if sys.Unneeded != nil {
		p.blank()
		if len(sys.Unneeded) == 0 {
			p.paragraph(plain, "no lemma or theorem is superfluous")
		} else {
			p.paragraph(plain, "lemmas that nothing needs: "+strings.Join(sys.Unneeded, ", "))
		}
	}
	p.blank()
	for _, c := range claims(sys) {
		p.paragraph(c.style, c.text)
	}
	p.paragraph(dim, numbers(rep, sys)+".")
	p.opinions(sys)
	p.stability(sys)
}

// specs counts the specs: in both modes each has two reports.
func specs(rep *proofs.Report) string {
	twice := 0
	for i, sys := range rep.Systems {
		if i > 0 && rep.Systems[i-1].System == sys.System && rep.Systems[i-1].Mode != sys.Mode {
			twice++
		}
	}
	text := counted(len(rep.Systems)-twice, "spec")
	if twice > 0 {
		text += ", for all sizes and in a scope"
	}
	return text
}

// sizes says for which sizes things are proved.
func (p *page) sizes(sys *proofs.SystemReport, column int) {
	var words []string
	if sys.Mode != proofs.Bounded {
		if open := anyNumber(sys.System); open != "" {
			p.entry(span{}, column, strings.Fields(open), plain)
		}
		words = strings.Fields("scope of what is shown possible:")
		if slices.ContainsFunc(sys.Results, isLeft) {
			words = strings.Fields("scope of what is left, and of what is shown possible:")
		}
	}
	p.entry(span{}, column, append(words, units(Scope(sys.System, sys.Scope))...), plain)
}

// isLeft reports whether an obligation of an unbounded check is not proved for all sizes.
func isLeft(r *proofs.Result) bool {
	ofAll := r.Property != nil && r.Kind != proofs.LiteralIsFalse
	return ofAll && (r.Verdict != proofs.Proved || r.Mode == proofs.Bounded)
}

// legend writes remarks, as many on a line as fit.
func (p *page) legend(remarks ...string) {
	at := remarks[0]
	for _, r := range remarks[1:] {
		if runes(at)+len(gap)+runes(r) > p.room() {
			p.text(dim, at)
			at = r
			continue
		}
		at += gap + r
	}
	p.text(dim, at)
}

const ctisShown = 3 // counterexamples that are written out unless everything is

// surprises writes the obligations that are not as expected.
func (p *page) surprises(rep *proofs.Report, sys *proofs.SystemReport, o Options) {
	shown := 0
	var unknown []*proofs.Result
	for _, r := range sys.Results {
		switch {
		case r.AsExpected() || r.Kind == proofs.Branch:
		case r.Verdict == proofs.Unknown:
			unknown = append(unknown, r)
		default:
			p.blank()
			if r.CTI == nil {
				p.writeVerdict(r)
				continue
			}
			if shown == ctisShown && !o.Verbose {
				p.writeVerdict(r)
				continue
			}
			shown++
			p.counterexample(r.CTI, solverOf(rep, r), nil, o.Verbose)
		}
	}
	p.reasons(sys, "in the scope only", "; ", scopeOnly(sys), o.Verbose)
	p.reasons(sys, "unknown", ": ", unknown, o.Verbose)
	p.branches(sys)
}

// reasons writes obligations by reason, and, if verbose, by the rungs tried.
func (p *page) reasons(sys *proofs.SystemReport, what, sep string, results []*proofs.Result, verbose bool) {
	type group struct{ reason, tried string }
	var groups []group
	ids := map[group][]string{}
	for _, r := range results {
		g := group{reason: reason(sys, r)}
		if verbose {
			g.tried = strings.Join(r.Tried, "; ")
		}
		if ids[g] == nil {
			groups = append(groups, g)
		}
		ids[g] = append(ids[g], r.ID())
	}
	for _, g := range groups {
		p.blank()
		if g.reason == "" {
			p.text(yellow, what)
		} else {
			p.entry(span{what + sep, yellow}, runes(what+sep), strings.Fields(g.reason), plain)
		}
		p.entry(span{}, 2, listed(ids[g], ","), plain)
		if g.tried != "" {
			p.indent += 2
			p.entry(span{"tried", dim}, 7, listed(strings.Split(g.tried, "; "), ";"), dim)
			p.indent -= 2
		}
	}
}

// reason says why an obligation is unknown, and where it holds nevertheless.
func reason(sys *proofs.SystemReport, r *proofs.Result) string {
	if r.Held == nil {
		return r.Reason
	}
	return r.Reason + "; the largest scope in which it holds: " + Scope(sys.System, *r.Held)
}

// writeVerdict writes an obligation's verdict on a line.
func (p *page) writeVerdict(r *proofs.Result) {
	style := red
	switch {
	case r.AsExpected():
		style = green
	case r.Verdict == proofs.Unknown:
		style = yellow
	}
	text := r.Reason
	switch {
	case r.Kind == proofs.LiteralIsFalse && r.Verdict == proofs.Refuted:
		text = fmt.Sprintf("scenario %s, %s", r.Property.RefutedBy.Name, counted(len(r.Run.Steps), "step"))
	case r.Verdict == proofs.Proved:
		text = how(r)
	case r.CTI != nil:
		text = "a counterexample that is not written out here"
	}
	l := line{{r.ID(), bold}, {"  ", plain}, {r.Verdict.String(), style}}
	if text != "" {
		l.add(": ", plain)
	}
	for i, part := range fill(strings.Fields(text), p.room()-l.width()) {
		if i > 0 {
			l.pad(runes(r.ID()) + 2)
		}
		l.add(part, plain)
		p.write(l)
		l = nil
	}
}

// query is one solver call with the obligations that it decided.
type query struct {
	name    string
	results []*proofs.Result
}

// queries lists the queries, the slowest first.
func (p *page) queries(sys *proofs.SystemReport) {
	var list []*query
	byName := map[string]*query{}
	for _, r := range sys.Results {
		if r.Query == "" || r.Kind == proofs.Branch {
			continue
		}
		q := byName[r.Query]
		if q == nil {
			q = &query{name: r.Query}
			byName[r.Query] = q
			list = append(list, q)
		}
		q.results = append(q.results, r)
	}
	if len(list) == 0 {
		return
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].results[0].Elapsed > list[j].results[0].Elapsed })
	inductive := 0
	for _, q := range sys.Properties {
		if q.Property.Inductive() {
			inductive++
		}
	}
	p.blank()
	p.text(dim, counted(len(list), "query")+", slowest first; "+counted(inductive, "inductive property")+" as hypotheses")
	t := table{head: []string{"query", "time", "obligations", "answer"}}
	withCores := slices.ContainsFunc(sys.Results, func(r *proofs.Result) bool { return r.Core != nil })
	if withCores {
		t.head = append(t.head, "core")
	}
	for _, q := range list {
		r := q.results[0]
		row := []span{{q.name, plain}, {duration(r.Elapsed), plain}, {strconv.Itoa(len(q.results)), plain}, {answers(q.results), plain}}
		if withCores {
			core := ""
			if r.Core != nil {
				core = strings.Join(listed(r.Core, ","), " ")
				if len(r.Core) == 0 {
					core = "none"
				}
			}
			row = append(row, span{core, dim})
		}
		t.rows = append(t.rows, row)
	}
	p.indent += 2
	t.write(p)
	p.indent -= 2
}

// answers names the answers of results, each once.
func answers(results []*proofs.Result) string {
	var out []string
	for _, r := range results {
		if a := r.Answer.String(); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return strings.Join(out, ", ")
}

// ids are the properties' ids.
func ids(props []*proofs.PropertyResult) []string {
	out := make([]string, len(props))
	for i, q := range props {
		out[i] = q.Property.ID
	}
	return out
}

// named are the properties in words: headlines by id, the others by number if
// there are many.
func named(props []*proofs.PropertyResult) []string {
	var out []string
	for _, k := range []struct {
		kind protocol.PropertyKind
		noun string
	}{{protocol.Invariant, ""}, {protocol.Lemma, "lemma"}, {protocol.Theorem, "theorem"}} {
		var some []*proofs.PropertyResult
		for _, q := range props {
			if q.Property.Kind == k.kind {
				some = append(some, q)
			}
		}
		const few = 3
		if k.noun != "" && len(some) > few {
			out = append(out, counted(len(some), k.noun))
			continue
		}
		out = append(out, ranges(ids(some))...)
	}
	return out
}
