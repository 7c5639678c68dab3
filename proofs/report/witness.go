package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// Witnesses writes what shows that a proof is not vacuous: the initial state, and
// for each action a step of it from a state that satisfies every inductive
// property. If branches were asked for, it writes the steps that take them as well,
// each with those that it was the first to take. A finite structure is a structure,
// so these serve every mode.
func Witnesses(w io.Writer, sys *proofs.SystemReport, o Options) error {
	p := newPage(o)
	taken := map[*state.Step][]*proofs.Result{}
	var steps []*state.Step // of branches, beside those of Fires
	fires := map[*state.Step]bool{}
	for _, r := range sys.Results {
		switch {
		case r.Witness == nil:
		case r.Kind == proofs.Branch:
			if taken[r.Witness] == nil && !fires[r.Witness] {
				steps = append(steps, r.Witness)
			}
			taken[r.Witness] = append(taken[r.Witness], r)
		default:
			fires[r.Witness] = true
		}
	}
	for _, r := range sys.Results {
		switch {
		case r.Kind == proofs.Possible && r.Verdict == proofs.Proved:
			c := &proofs.CTI{Obligation: proofs.Obligation{Kind: proofs.Initiation}, Structure: sys.Structure, Scope: sys.Scope,
				Pre: semantics.NewEvaluator(sys.Structure).Init(), Broken: &semantics.Broken{}}
			p.text(bold, "the initial state")
			p.shown(newView(c, true))
		case r.Kind == proofs.Fires && r.Witness != nil:
			p.step(sys, r.Witness, "a step of it", taken[r.Witness], o)
			for _, s := range steps {
				if s.Action == r.Action {
					p.step(sys, s, "another step", taken[s], o)
				}
			}
		}
	}
	return p.flush(w)
}

// step writes a step and which branches it takes.
func (p *page) step(sys *proofs.SystemReport, s *state.Step, origin string, takes []*proofs.Result, o Options) {
	scope, st := sys.Scope, sys.Structure
	if len(takes) > 0 && takes[0].In != nil {
		scope = *takes[0].In
		st = scope.Structure(sys.System)
	}
	c := &proofs.CTI{Obligation: proofs.Obligation{Kind: proofs.Fires, Action: s.Action}, Structure: st, Scope: scope,
		Pre: s.Pre, Args: s.Args, Post: s.Post, Broken: &semantics.Broken{}}
	v := newView(c, o.Verbose)
	p.action(v, origin)
	if st != sys.Structure {
		p.entry(span{"scope", dim}, 8, units(Scope(sys.System, scope)), dim)
	}
	head := "takes"
	for _, r := range takes {
		text := fmt.Sprintf("%s: %s is %t", place(r.Condition.Span()), decision(r.Condition), r.When)
		p.entry(span{head, dim}, 8, strings.Fields(text), plain)
		head = ""
	}
	p.shown(v)
}

// shown writes a state or a step.
func (p *page) shown(v *view) {
	p.indent += 2
	v.tables(p)
	p.messages(v)
	p.indent -= 2
	p.blank()
}
