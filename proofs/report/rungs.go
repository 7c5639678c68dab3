package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/speckl/kraftprove/proofs"
)

const slowestShown = 20 // obligations in the table

// slowest lists the obligations that took longest, with what proved each.
func (p *page) slowest(sys *proofs.SystemReport) {
	var list []*proofs.Result
	for _, r := range sys.Results {
		if r.Kind != proofs.Branch && (r.Query != "" || len(r.Tried) > 0) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b *proofs.Result) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	rest := list[min(len(list), slowestShown):]
	list = list[:len(list)-len(rest)]
	p.blank()
	p.text(dim, "slowest obligations")
	t := table{head: []string{"obligation", "seconds", "hypotheses", "proved by"}, wrap: true}
	for _, r := range list {
		hypotheses := ""
		if r.Answer == proofs.Unsat && r.Core != nil {
			hypotheses = strconv.Itoa(len(r.Core))
		}
		t.rows = append(t.rows, []span{{r.ID(), plain}, {fmt.Sprintf("%.2f", r.Elapsed.Seconds()), plain}, {hypotheses, plain}, {by(r), plain}})
	}
	p.indent += 2
	t.write(p)
	p.indent -= 2
	if len(rest) > 0 {
		var sum time.Duration
		for _, r := range rest {
			sum += r.Elapsed
		}
		p.text(dim, fmt.Sprintf("  and %d more, %.2f seconds together", len(rest), sum.Seconds()))
	}
}

// by is the rung that proved an obligation, or what else became of it.
func by(r *proofs.Result) string {
	switch {
	case isByRung(r):
		return r.Rung
	case r.Verdict == proofs.Proved && r.Answer == proofs.Unsat:
		return "no rung; unsat in the scope"
	case r.Verdict == proofs.Unknown:
		return "nothing"
	case r.Verdict == proofs.Refuted && r.Kind != proofs.LiteralIsFalse:
		return "nothing; refuted"
	}
	return r.Answer.String()
}

// isByRung reports whether a rung of the ladder proved the obligation: a rung
// may also have proved a part of one.
func isByRung(r *proofs.Result) bool {
	return r.Rung != "" && r.Verdict == proofs.Proved && r.Mode == proofs.Unbounded
}

// rungs counts what each rung proved.
func (p *page) rungs(sys *proofs.SystemReport) {
	var names []string
	n := map[string]int{}
	for _, r := range sys.Results {
		if !isByRung(r) {
			continue
		}
		if n[r.Rung] == 0 {
			names = append(names, r.Rung)
		}
		n[r.Rung]++
	}
	if len(names) == 0 {
		return
	}
	slices.SortStableFunc(names, func(a, b string) int { return n[b] - n[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d by %s", n[name], name)
	}
	p.blank()
	p.entry(span{"proved", dim}, 8, listed(names, ";"), plain)
}

// how says how an obligation was proved.
func how(r *proofs.Result) string {
	if r.Answer != proofs.Unsat {
		return r.Answer.String()
	}
	var parts []string
	switch {
	case r.Mode != proofs.Unbounded:
		parts = append(parts, "unsat in the scope")
	case r.Rung != "":
		parts = append(parts, "unsat for every size, by "+r.Rung)
	default:
		parts = append(parts, "unsat for every size")
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(parts, "; ")
}
