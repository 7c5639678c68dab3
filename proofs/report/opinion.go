package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/speckl/kraftprove/proofs"
)

// opinions writes what other solvers say of the proofs.
func (p *page) opinions(sys *proofs.SystemReport) {
	for _, o := range sys.Opinions {
		p.opinion(o)
	}
}

// opinion writes what one of them says, a contradiction loudly.
func (p *page) opinion(o *proofs.Opinion) {
	all := o.Agreed + len(o.Undecided) + len(o.Contradicts)
	text := fmt.Sprintf("Second opinion: %s agrees on %d of %d obligations", o.Solver, o.Agreed, all)
	if n := len(o.Undecided); n > 0 {
		text += fmt.Sprintf(", could not decide %d: %s", n, strings.Join(o.Undecided, ", "))
	}
	p.blank()
	p.paragraph(plain, text+".")
	if n := len(o.Contradicts); n > 0 {
		p.paragraph(red, fmt.Sprintf("CONTRADICTION on %s: %s. One of the two solvers is wrong; nothing that rests on these is to be believed.",
			counted(n, "obligation"), strings.Join(o.Contradicts, ", ")))
	}
}

const spreadsShown = 5

// stability writes how verdicts and times vary with the seed.
func (p *page) stability(sys *proofs.SystemReport) {
	st := sys.Stability
	if st == nil {
		return
	}
	p.blank()
	style := plain
	if len(st.Changed) > 0 {
		style = red
	}
	text := fmt.Sprintf("%d seeds: %s; a run takes %s to %s", st.Seeds, changes(st.Changed), rounded(st.Least), rounded(st.Most))
	p.paragraph(style, text+". Widest spread:")
	t := table{head: []string{"obligation", "time"}}
	for _, s := range st.Spread[:min(spreadsShown, len(st.Spread))] {
		t.rows = append(t.rows, []span{{s.ID, plain}, {rounded(s.Least) + " to " + rounded(s.Most), plain}})
	}
	p.indent += 2
	t.write(p)
	p.indent -= 2
}

func changes(ids []string) string {
	if len(ids) == 0 {
		return "no verdict changes"
	}
	return counted(len(ids), "verdict") + " of these change: " + strings.Join(ids, ", ")
}

func rounded(d time.Duration) string { return d.Round(time.Millisecond).String() }
