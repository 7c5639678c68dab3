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
			p.text(dim, strings.Repeat("─", p.width))
			p.blank()
		}
		p.system(rep, sys, o)
	}
	if n := len(rep.Systems); n != 1 {
		p.blank()
		p.paragraph(plain, counted(n, "spec")+", "+duration(rep.Elapsed))
	}
	return p.flush(w)
}

func (p *page) system(rep *proofs.Report, sys *proofs.SystemReport, o Options) {
	name := sys.System.Name
	p.write(line{{name, bold}, {"   " + counted(len(sys.Properties), "property") + ", " + counted(len(sys.System.Actions), "action"), plain}})
	p.entry(span{}, runes(name)+3, strings.Fields(Scope(sys.System, sys.Scope)), plain)
	p.blank()
	newMatrix(sys).write(p)
	p.blank()
	p.legend("✓ unsat (fires: a replayed step)", "· untouched", "✗ refuted", "? unknown", "blank: not asked")
	p.surprises(rep, sys, o)
	if o.Verbose {
		p.queries(sys)
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
}

// legend writes remarks on one line, if they fit.
func (p *page) legend(remarks ...string) {
	if text := strings.Join(remarks, "   "); runes(text) <= p.room() {
		p.text(dim, text)
		return
	}
	p.entry(span{}, 0, listed(remarks, ","), dim)
}

const ctisShown = 3 // counterexamples that are written out unless everything is

// surprises writes the obligations that are not as expected.
func (p *page) surprises(rep *proofs.Report, sys *proofs.SystemReport, o Options) {
	shown := 0
	var unknown []*proofs.Result
	for _, r := range sys.Results {
		switch {
		case r.AsExpected():
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
			p.counterexample(r.CTI, rep.Solver.String(), o.Verbose)
		}
	}
	p.unknowns(unknown)
}

// unknowns writes the unknown obligations by reason.
func (p *page) unknowns(results []*proofs.Result) {
	var reasons []string
	ids := map[string][]string{}
	for _, r := range results {
		if ids[r.Reason] == nil {
			reasons = append(reasons, r.Reason)
		}
		ids[r.Reason] = append(ids[r.Reason], r.ID())
	}
	for _, reason := range reasons {
		p.blank()
		l := line{{"unknown", yellow}}
		if reason != "" {
			l.add(": "+reason, plain)
		}
		p.write(l)
		p.entry(span{}, 2, listed(ids[reason], ","), plain)
	}
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
		text = fmt.Sprintf("run %s, %s", r.Property.RefutedBy.Name, counted(len(r.Run), "step"))
	case r.Verdict == proofs.Proved:
		text = r.Answer.String()
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
		if r.Query == "" {
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
