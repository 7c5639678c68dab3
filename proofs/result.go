package proofs

import (
	"fmt"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// Verdict is what is known of an obligation, or, with Conditional, of a property.
type Verdict uint8

// The verdicts. Unknown is never shown as one of the others.
const (
	Unknown     Verdict = iota
	Proved              // unsatisfiable, untouched, or shown possible
	Refuted             // by a counterexample that the evaluator has replayed
	Conditional         // of a property: proved, but it leans on something that is not
)

// String is the verdict's name in reports.
func (v Verdict) String() string {
	switch v {
	case Unknown:
		return "unknown"
	case Proved:
		return "proved"
	case Refuted:
		return "refuted"
	case Conditional:
		return "conditional"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// Answer is where an obligation's verdict comes from.
type Answer uint8

// The answers.
const (
	NoAnswer  Answer = iota // the solver did not decide, or was not asked
	Unsat                   // the solver: no model
	Sat                     // the solver: a model
	Untouched               // no solver: the action changes nothing that the property reads
	Replayed                // the evaluator went through a concrete state, step or run
)

// String is the answer's name in reports.
func (a Answer) String() string {
	switch a {
	case NoAnswer:
		return "unknown"
	case Unsat:
		return "unsat"
	case Sat:
		return "sat"
	case Untouched:
		return "untouched"
	case Replayed:
		return "replayed"
	}
	return fmt.Sprintf("Answer(%d)", uint8(a))
}

// Result is an obligation with its verdict.
type Result struct {
	Obligation
	Mode    Mode // Bounded or Unbounded: for which sizes the verdict holds
	Verdict Verdict
	Answer  Answer
	Reason  string        // why unknown, or what is wrong
	Query   string        // the solver call that decided it; several obligations may share one
	Elapsed time.Duration // of that call
	Core    []string      // the properties used, if the answer is Unsat and they are known; else nil
	Solver  solver.Info   // who answered
	Rung    string        // of an unbounded proof: the rung of the ladder that found it
	Tried   []string      // in the unbounded mode: the rungs tried
	Held    *encode.Scope // of an unknown one in that mode: the largest scope asked in which it holds, nil if there is none

	setting string        // the rung's solver setting, by its short name
	CTI     *CTI          // of a refuted one
	Reach   *Finding      // whether a run from the start breaks what the CTI breaks; nil if none was looked for
	Witness *state.Step   // of a Fires or a Branch that is proved
	In      *encode.Scope // of a Branch that is proved: the scope of the witness, if it is not the report's
	Run     *state.Run    // of a LiteralIsFalse: the run as far as it was replayed; nil if none was
}

// AsExpected reports whether the verdict is the one that a sound spec gets.
func (r *Result) AsExpected() bool { return r.Verdict == r.Expected() }

// Report is what a check of several systems found.
type Report struct {
	Solver  solver.Info
	Seed    int
	Systems []*SystemReport
	Elapsed time.Duration
}

// SystemReport is what a check of one system found.
type SystemReport struct {
	System     *protocol.System
	Mode       Mode // Bounded, Unbounded or Auto
	Scope      encode.Scope
	Structure  *state.Structure
	Results    []*Result // in the order of Plan
	Properties []*PropertyResult
	// Unneeded lists the lemmas and theorems that no core of a headline
	// property's proof needs, directly or through others; nil without cores.
	Unneeded  []string
	Elapsed   time.Duration // until the last of its obligations was decided
	Opinions  []*Opinion    // what other solvers say of it, if they were asked
	Stability *Stability    // how it varies with the seed, if that was asked

	hypotheses []*protocol.Property // what an obligation may use
}

// PropertyResult is what follows for one property.
type PropertyResult struct {
	Property *protocol.Property
	Verdict  Verdict
	Mode     Mode // Unbounded only if nothing in the proof is bounded
	// LeansOn lists the properties that the proof uses: those of the cores and
	// what they lean on, or, without cores, every inductive property.
	LeansOn []string
	// Lacking lists what LeansOn names but is not proved in this run.
	Lacking []string
}

// Count is the number of results with the given answer and verdict.
func (s *SystemReport) Count(v Verdict, a Answer) int {
	n := 0
	for _, r := range s.Results {
		if r.Verdict == v && r.Answer == a {
			n++
		}
	}
	return n
}

// Result finds an obligation's result by id, or nil.
func (s *SystemReport) Result(id string) *Result {
	for _, r := range s.Results {
		if r.ID() == id {
			return r
		}
	}
	return nil
}

// conclude derives the properties' verdicts from the obligations'.
func (s *SystemReport) conclude(withCores bool) {
	planned, asked := map[string]int{}, map[string]int{}
	for _, o := range Plan(s.System, s.Mode, nil) {
		if o.Property != nil {
			planned[o.Property.ID]++
		}
	}
	own := map[string]Verdict{}
	bounded := map[string]bool{}
	uses := map[string]map[string]bool{}
	vacuous := false
	var theory []string // what the theory of quorums lacks
	for _, r := range s.Results {
		if r.Kind == Possible && r.Verdict != Proved {
			vacuous = true
		}
		if r.Kind == Majorities && r.Verdict != Proved {
			theory = append(theory, r.ID())
		}
		if r.Property == nil {
			continue
		}
		id := r.Property.ID
		asked[id]++
		if uses[id] == nil {
			uses[id] = map[string]bool{}
			own[id] = Proved
		}
		bounded[id] = bounded[id] || r.Mode == Bounded
		switch r.Verdict {
		case Refuted:
			own[id] = Refuted
		case Unknown:
			if own[id] != Refuted {
				own[id] = Unknown
			}
		case Proved, Conditional:
		}
		for _, c := range r.Core {
			uses[id][c] = true
		}
	}
	for _, p := range s.System.Properties {
		v, ok := own[p.ID]
		if !ok {
			continue
		}
		pr := &PropertyResult{Property: p, Verdict: v, Mode: Unbounded}
		if bounded[p.ID] {
			pr.Mode = Bounded
		}
		s.Properties = append(s.Properties, pr)
		if p.Kind == protocol.Literal {
			continue
		}
		leans := map[string]bool{}
		reach(p.ID, uses, leans)
		if !withCores {
			for _, h := range s.hypotheses {
				leans[h.ID] = true
			}
		}
		delete(leans, p.ID)
		for _, q := range s.System.Properties {
			if leans[q.ID] {
				pr.LeansOn = append(pr.LeansOn, q.ID)
				if bounded[q.ID] {
					pr.Mode = Bounded
				}
				if got, ok := own[q.ID]; !ok || got != Proved || asked[q.ID] < planned[q.ID] {
					pr.Lacking = append(pr.Lacking, q.ID)
				}
			}
		}
		if vacuous {
			pr.Lacking = append(pr.Lacking, "init/possible")
		}
		pr.Lacking = append(pr.Lacking, theory...)
		if missing := planned[p.ID] - asked[p.ID]; missing > 0 {
			pr.Lacking = append(pr.Lacking, fmt.Sprintf("%d obligations of %s that were not asked", missing, p.ID))
		}
		if v == Proved && len(pr.Lacking) > 0 {
			pr.Verdict = Conditional
		}
	}
	if withCores {
		s.Unneeded = s.unneeded(uses)
	}
}

// reach adds everything that id uses, directly or through others.
func reach(id string, uses map[string]map[string]bool, seen map[string]bool) {
	for u := range uses[id] {
		if !seen[u] {
			seen[u] = true
			reach(u, uses, seen)
		}
	}
}

func (s *SystemReport) unneeded(uses map[string]map[string]bool) []string {
	needed := map[string]bool{}
	for _, p := range s.Properties {
		if p.Property.Kind == protocol.Invariant {
			reach(p.Property.ID, uses, needed)
		}
	}
	out := []string{}
	for _, p := range s.Properties {
		if k := p.Property.Kind; (k == protocol.Lemma || k == protocol.Theorem) && !needed[p.Property.ID] {
			out = append(out, p.Property.ID)
		}
	}
	return out
}
