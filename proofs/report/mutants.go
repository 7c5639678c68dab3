package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/proofs"
)

// Mutants writes what became of the mutants of a system: how many by action, those of which
// somebody should think, and what follows.
func Mutants(w io.Writer, rep *proofs.MutantReport, o Options) error {
	p := newPage(o)
	name := rep.System.Name
	p.write(line{{name, bold}, {"   " + counted(len(rep.Results), "mutant"), plain}})
	how := append(strings.Fields("one step in a scope of"), units(Scope(rep.System, rep.Scope))...)
	if rep.ByRun {
		how = strings.Fields("random walks from the initial state")
	}
	p.entry(span{}, runes(name)+3, how, plain)
	p.blank()
	mutantTable(rep).write(p)
	p.outcome(rep, proofs.Odd, red, "Explained, and yet something breaks")
	unknown := "Unknown"
	if rep.ByRun {
		unknown = "No run was found"
	}
	p.outcome(rep, proofs.Undecided, yellow, unknown)
	p.outcome(rep, proofs.Unexplained, red, "Survivors that nothing explains")
	if rep.Count(proofs.Unexplained) > 0 {
		p.blank()
		p.paragraph(dim, "Write the reason into the spec, under survives, or look for the property that is missing.")
	}
	if o.Verbose {
		p.outcome(rep, proofs.Explained, plain, "Survivors")
		p.outcome(rep, proofs.ByHeadline, plain, "Refuted")
		p.outcome(rep, proofs.ByLemma, plain, "Refuted by a lemma only")
		p.outcome(rep, proofs.NoProtocol, plain, "No protocol")
	}
	p.blank()
	text, s := mutantClaim(rep)
	p.paragraph(s, text)
	p.paragraph(dim, duration(rep.Elapsed)+".")
	return p.flush(w)
}

// mutantTable counts the mutants of each action, and those that the spec names.
func mutantTable(rep *proofs.MutantReport) table {
	columns := []struct {
		head string
		of   proofs.Outcome
	}{{"headline", proofs.ByHeadline}, {"lemma", proofs.ByLemma}, {"explained", proofs.Explained}, {"unexplained", proofs.Unexplained},
		{"odd", proofs.Odd}, {"unknown", proofs.Undecided}, {"no protocol", proofs.NoProtocol}}
	t := table{head: []string{"", "mutants"}}
	var of []proofs.Outcome
	for _, c := range columns {
		if c.of == proofs.ByHeadline || rep.Count(c.of) > 0 {
			t.head, of = append(t.head, c.head), append(of, c.of)
		}
	}
	row := func(name string, s style, in func(*proofs.MutantResult) bool) {
		all, by := 0, map[proofs.Outcome]int{}
		for _, r := range rep.Results {
			if in(r) {
				all++
				by[r.Outcome()]++
			}
		}
		if all == 0 {
			return
		}
		cells := []span{{name, s}, {strconv.Itoa(all), s}}
		for _, o := range of {
			cell := span{"", s}
			if n := by[o]; n > 0 {
				cell.text = strconv.Itoa(n)
				if o == proofs.Unexplained || o == proofs.Odd {
					cell.style = red
				}
			}
			cells = append(cells, cell)
		}
		t.rows = append(t.rows, cells)
	}
	for _, a := range rep.System.Actions {
		row(a.Name, plain, func(r *proofs.MutantResult) bool { return r.Mutation.Mutant && r.Mutation.Changes[0].Name == a.Name })
	}
	row("named in the spec", plain, func(r *proofs.MutantResult) bool { return !r.Mutation.Mutant })
	row("all", bold, func(*proofs.MutantResult) bool { return true })
	return t
}

// outcome lists the mutants that have an outcome, if there are some.
func (p *page) outcome(rep *proofs.MutantReport, o proofs.Outcome, s style, title string) {
	if rep.Count(o) == 0 {
		return
	}
	p.blank()
	p.text(bold, title)
	for _, r := range rep.Results {
		if r.Outcome() != o {
			continue
		}
		p.blank()
		l := line{{"  " + r.Mutation.Name, s}}
		if at := place(r.Mutation.Span); at != "" {
			l.add("   "+at, dim)
		}
		p.write(l)
		if r.Mutation.Mutant {
			for _, c := range r.Mutation.Changes[0].Lines {
				p.entry(span{}, 4, strings.Fields(c), plain)
			}
		} else {
			p.entry(span{}, 4, strings.Fields(r.Mutation.Title), plain)
		}
		if r.Property != nil {
			p.entry(span{}, 4, strings.Fields("breaks "+r.Property.ID+after(r)), dim)
		}
		for _, why := range []string{r.Mutation.Survives, r.Reason} {
			if why != "" {
				p.entry(span{}, 4, strings.Fields("# "+why), dim)
			}
		}
	}
}

func after(r *proofs.MutantResult) string {
	text := " in the initial state"
	if r.Action != nil {
		text = " by a step of " + r.Action.Name
	}
	if r.Scenario != nil {
		text += ", in the sizes of scenario " + r.Scenario.Name
	}
	return text
}

// mutantClaim is what follows, in one sentence.
func mutantClaim(rep *proofs.MutantReport) (string, style) {
	all := len(rep.Results) - rep.Count(proofs.NoProtocol)
	headline, lemma := rep.Count(proofs.ByHeadline), rep.Count(proofs.ByLemma)
	text := fmt.Sprintf("Of %s, ", counted(all, "mutant"))
	if rep.ByRun {
		text += fmt.Sprintf("%d break a headline claim in a run", headline)
	} else {
		text += fmt.Sprintf("%d break a headline claim and %d only a lemma", headline, lemma)
	}
	s := green
	add := func(o proofs.Outcome, worse style, format string) {
		if n := rep.Count(o); n > 0 {
			text += fmt.Sprintf(format, n)
			s = worse
		}
	}
	add(proofs.Explained, s, "; %d survive, and the spec says why")
	add(proofs.Undecided, yellow, "; of %d nothing is known")
	add(proofs.Odd, red, "; %d break something although the spec says that they survive")
	add(proofs.Unexplained, red, "; %d survive, and nothing says why")
	text += "."
	if n := rep.Count(proofs.NoProtocol); n > 0 {
		text += fmt.Sprintf(" Left out: %s that did not type-check.", counted(n, "mutant"))
	}
	return text, s
}
