package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/speckl/kraftprove/proofs"
)

// Found is the run that a search found; nil if it found none.
func Found(f *proofs.Finding, tool ToolInfo) *Execution {
	if f == nil || f.Run == nil {
		return nil
	}
	e := &Execution{Run: f.Run, From: f.By, Tool: tool}
	if f.Config.Goal != nil {
		e.Title, e.Goal = "A run to what was asked for", f.Config.Goal
	} else {
		e.Title, e.Broken = "A run that breaks "+f.Property.ID, f.Property
	}
	return e
}

// WriteFinding writes the run that was found, or how far the searches went.
func WriteFinding(w io.Writer, f *proofs.Finding, tool ToolInfo, o Options) error {
	p := newPage(o)
	if e := Found(f, tool); e != nil {
		t, err := newTrace(e)
		if err != nil {
			return err
		}
		t.text(p, o.Verbose)
		return p.flush(w)
	}
	p.paragraph(bold, unreached(f))
	for _, look := range looks(f) {
		p.entry(span{look.engine, dim}, 12, units(look.text), plain)
	}
	return p.flush(w)
}

// whether says in a few words what is known of a counterexample.
func whether(f *proofs.Finding) string {
	switch {
	case f.Run != nil:
		return fmt.Sprintf("a run of %s from the start breaks %s", counted(len(f.Run.Steps), "step"), f.Property.ID)
	case f.Pre != nil && f.Pre.Run != nil:
		return "its pre-state is reachable, but for ghosts; no run breaks it as far as was looked"
	case f.Pre != nil && f.Pre.Depth >= 0:
		return fmt.Sprintf("may be unreachable; not within %s", counted(f.Pre.Depth, "step"))
	}
	return "may be unreachable; no run found"
}

// unreached is what is known if no run was found.
func unreached(f *proofs.Finding) string {
	what := "breaks " + f.Property.ID
	if f.Config.Goal != nil {
		what = "leads to what was asked for"
	}
	if s := f.Solved; s != nil && s.Depth >= 0 {
		if f.Config.Goal == nil {
			what = "breaks " + f.Sought.ID // which may be another property than the walks looked at
		}
		return fmt.Sprintf("not reachable within %s in the solver's sizes: no run of so few %s; nothing is known of longer ones.",
			counted(s.Depth, "step"), what)
	}
	return "not found: no run " + what + " as far as was looked, which says nothing."
}

// look is what one search did.
type look struct{ engine, text string }

func looks(f *proofs.Finding) []look {
	var out []look
	if s := f.Walks; s != nil {
		out = append(out, look{"walks", fmt.Sprintf("%s of at most %s, %s in all, in %s, with %s",
			counted(s.Walks, "random walk"), counted(f.Config.Length, "step"), counted(s.Steps, "step"), duration(s.Elapsed),
			strings.Join(scopeParts(f.System, scopeOf(f.WalkedIn)), ", "))})
	}
	if r := f.Solved; r != nil {
		out = append(out, look{"solver", excluded(f, r, "no run")})
	}
	if r := f.Pre; r != nil {
		text := excluded(f, r, "no run to the pre-state, as far as it is read,")
		if r.Run != nil {
			text = fmt.Sprintf("the pre-state is reached by a run of %s, as far as it is read; but its step breaks nothing there, since ghosts are different",
				counted(len(r.Run.Steps), "step"))
		}
		out = append(out, look{"pre-state", text})
	}
	return out
}

// excluded says up to which length there is no run.
func excluded(f *proofs.Finding, r *proofs.ReachResult, what string) string {
	in := fmt.Sprintf(" in %s, with %s (%s)", duration(r.Elapsed), strings.Join(scopeParts(f.System, r.Scope), ", "), f.Config.Solver)
	switch {
	case r.Depth < 0:
		return "nothing found out" + in
	case r.Reached == proofs.Excluded:
		return fmt.Sprintf("%s of at most %s, and it was not asked for more,%s", what, counted(r.Depth, "step"), in)
	}
	return fmt.Sprintf("%s of at most %s%s", what, counted(r.Depth, "step"), in)
}
