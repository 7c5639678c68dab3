package report

import (
	"io"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol/semantics"
)

// Witnesses writes what shows that a proof is not vacuous: the initial state, and
// for each action a step of it from a state that satisfies every inductive
// property. A finite structure is a structure, so these serve every mode.
func Witnesses(w io.Writer, sys *proofs.SystemReport, o Options) error {
	p := newPage(o)
	for _, r := range sys.Results {
		switch {
		case r.Kind == proofs.Possible && r.Verdict == proofs.Proved:
			c := &proofs.CTI{Obligation: proofs.Obligation{Kind: proofs.Initiation}, Structure: sys.Structure, Scope: sys.Scope,
				Pre: semantics.NewEvaluator(sys.Structure).Init(), Broken: &semantics.Broken{}}
			p.text(bold, "the initial state")
			p.shown(newView(c, true))
		case r.Witness != nil:
			c := &proofs.CTI{Obligation: r.Obligation, Structure: sys.Structure, Scope: sys.Scope, Pre: r.Witness.Pre,
				Args: r.Witness.Args, Post: r.Witness.Post, Broken: &semantics.Broken{}}
			v := newView(c, o.Verbose)
			p.action(v, "a step of it")
			p.shown(v)
		}
	}
	return p.flush(w)
}

// shown writes a state or a step.
func (p *page) shown(v *view) {
	p.indent += 2
	v.tables(p)
	p.messages(v)
	p.indent -= 2
	p.blank()
}
