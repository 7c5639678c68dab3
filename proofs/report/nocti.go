package report

import (
	"io"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// Question is what was asked when a counterexample was looked for.
type Question uint8

// What can be asked of a property.
const (
	WholeProof     Question = iota // its obligations and those of what it leans on
	OwnObligations                 // some of its own
)

// NoCTI says that there is no counterexample, or what is unknown.
func NoCTI(w io.Writer, s *proofs.SystemReport, q *protocol.Property, asked Question, o Options) error {
	p := newPage(o)
	decided, rest := 0, 0
	for _, r := range s.Results {
		switch {
		case r.Property == nil:
		case r.AsExpected():
			decided++
		default:
			rest++
			p.writeVerdict(r)
		}
	}
	if rest > 0 {
		return p.flush(w)
	}
	n := counted(decided, "obligation")
	switch asked {
	case OwnObligations:
		p.paragraph(plain, "no counterexample: "+q.ID+" holds, as far as asked, "+n)
	case WholeProof:
		p.paragraph(plain, "no counterexample: "+q.ID+" and what it leans on hold, "+n)
	}
	p.entry(span{"scope", dim}, 8, units(Scope(s.System, s.Scope)), dim)
	if asked == WholeProof {
		p.paragraph(plain, "To see what the lemmas are for, leave some out: --without LEMMA, or all of them: --alone")
	}
	return p.flush(w)
}

// AlsoBroken names the obligations that have a counterexample beside the one shown.
func AlsoBroken(w io.Writer, s *proofs.SystemReport, shown *proofs.Result, o Options) error {
	var ids []string
	for _, r := range s.Results {
		if r.CTI != nil && r != shown {
			ids = append(ids, r.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	p := newPage(o)
	p.blank()
	p.entry(span{"also broken:", plain}, 13, append(listed(ids, ","), strings.Fields("(all of them: --every)")...), plain)
	return p.flush(w)
}
