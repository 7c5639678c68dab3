package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// Finding is a search for a run, and what it was for.
type Finding struct {
	*proofs.Finding
	System *protocol.System
	Goal   protocol.Term // looked for, instead of a broken property; nil
	Solver string        // name and version
	Length int           // most steps of walks
	Tool   ToolInfo
}

// Execution is the run that was found; nil if none was.
func (f *Finding) Execution() *Execution {
	if f.Run == nil {
		return nil
	}
	e := &Execution{Run: f.Run, From: f.By, Tool: f.Tool}
	if f.Goal != nil {
		e.Title, e.Goal = "A run to what was asked for", f.Goal
	} else {
		e.Title, e.Broken = "A run that breaks "+f.Property.ID, f.Property
	}
	return e
}

// WriteFinding writes the run that was found, or how far the searches went.
func WriteFinding(w io.Writer, f *Finding, o Options) error {
	p := newPage(o)
	if e := f.Execution(); e != nil {
		t, err := newTrace(e)
		if err != nil {
			return err
		}
		t.text(p, o.Verbose)
		return p.flush(w)
	}
	p.paragraph(bold, f.claim())
	for _, look := range f.looks() {
		p.entry(span{look.engine, dim}, 12, units(look.text), plain)
	}
	return p.flush(w)
}

// remark says in a few words what is known of a counterexample.
func (f *Finding) remark() string {
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

// claim is what is known if no run was found.
func (f *Finding) claim() string {
	what := "breaks " + f.Property.ID
	if f.Goal != nil {
		what = "leads to what was asked for"
	}
	if s := f.Solved; s != nil && s.Depth >= 0 {
		return fmt.Sprintf("not reachable within %s in the solver's sizes: no run of so few %s; nothing is known of longer ones.",
			counted(s.Depth, "step"), what)
	}
	return "not found: no run " + what + " as far as was looked, which says nothing."
}

// look is what one search did.
type look struct{ engine, text string }

func (f *Finding) looks() []look {
	var out []look
	if s := f.Walks; s != nil {
		out = append(out, look{"walks", fmt.Sprintf("%s of at most %s, %s in all, in %s, with %s",
			counted(s.Walks, "random walk"), counted(f.Length, "step"), counted(s.Steps, "step"), duration(s.Elapsed),
			strings.Join(scopeParts(f.System, scopeOf(f.WalkedIn)), ", "))})
	}
	if r := f.Solved; r != nil {
		out = append(out, look{"solver", f.excluded(r, "no run")})
	}
	if r := f.Pre; r != nil {
		text := f.excluded(r, "no run to the pre-state, as far as it is read,")
		if r.Run != nil {
			text = fmt.Sprintf("the pre-state is reached by a run of %s, as far as it is read; but its step breaks nothing there, since ghosts are different",
				counted(len(r.Run.Steps), "step"))
		}
		out = append(out, look{"pre-state", text})
	}
	return out
}

// excluded says up to which length there is no run.
func (f *Finding) excluded(r *proofs.ReachResult, what string) string {
	in := fmt.Sprintf(" in %s, with %s (%s)", duration(r.Elapsed), strings.Join(scopeParts(f.System, r.Scope), ", "), f.Solver)
	switch {
	case r.Depth < 0:
		return "nothing found out" + in
	case r.Reached == proofs.Excluded:
		return fmt.Sprintf("%s of at most %s, and it was not asked for more,%s", what, counted(r.Depth, "step"), in)
	}
	return fmt.Sprintf("%s of at most %s%s", what, counted(r.Depth, "step"), in)
}
