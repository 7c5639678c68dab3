package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// Played is what became of a scenario.
type Played struct {
	Scenario *protocol.Scenario
	Found    bool       // a run that fits it
	Run      *state.Run // that run; if there is none, one to where the search came furthest
	Of       []int      // by step of the run: the position of its step in the scenario
	Problem  string     // why the scenario does not go as it says; empty if it does
	All      bool       // if no run was found: there is none in the scope, of at most as many steps as were allowed
	Tried    int        // states
	Elapsed  time.Duration
}

// PlayLimits end the search for a run; 0 is no limit.
type PlayLimits = machine.FillLimits

// Play looks for a run that fits a scenario of the system and ends as the scenario says.
func Play(ctx context.Context, sys *protocol.System, s *protocol.Scenario, l PlayLimits) *Played {
	start := time.Now()
	st := state.NewStructure(sys, s.Scope)
	out := &Played{Scenario: s}
	out.fill(ctx, st, machine.Script{Patterns: patterns(s), Breaks: s.Breaks, Ends: s.Ends}, l)
	if out.Problem == "" && s.Breaks != nil {
		if at := semantics.NewEvaluator(st).FirstBroken(s.Breaks, out.Run); at != len(out.Run.Steps) {
			out.Problem = fmt.Sprintf("%s is broken already by step %d", s.Breaks.ID, at)
		}
	}
	out.Elapsed = time.Since(start)
	return out
}

func patterns(s *protocol.Scenario) []machine.Pattern {
	var out []machine.Pattern
	for _, step := range s.Steps {
		out = append(out, machine.Pattern{Action: step.Action, Args: step.Args})
	}
	return out
}

// fill searches, and performs what was found with the evaluator.
func (p *Played) fill(ctx context.Context, st *state.Structure, script machine.Script, l PlayLimits) {
	f := machine.New(st).Fill(ctx, script, l)
	run, err := semantics.NewEvaluator(st).Perform(f.Moves)
	if err != nil {
		panic(fmt.Sprintf("the evaluator cannot perform a run that fits scenario %s: %v", p.Scenario.Name, err))
	}
	p.Found, p.Run, p.Of, p.All, p.Tried = f.Found, run, f.Of, f.All, f.Tried
	if !f.Found {
		p.Problem = p.missing(f)
	}
}

// missing says what no run was found for.
func (p *Played) missing(f machine.Filling) string {
	how := "no run fits"
	if !f.All {
		how = "no run was found that fits"
	}
	steps := p.Scenario.Steps
	at := f.Fits
	for at < len(steps) && steps[at].Action == nil {
		at++
	}
	switch {
	case at < len(steps):
		return fmt.Sprintf("%s its step %d, %s", how, at+1, steps[at].Action.Name)
	case p.Scenario.Breaks != nil && p.Scenario.Ends != nil:
		return how + " it and ends as it says"
	case p.Scenario.Breaks != nil:
		return fmt.Sprintf("%s it and breaks %s", how, p.Scenario.Breaks.ID)
	}
	return how + " it and ends as it says"
}

// Survives plays a scenario of a mutation in the protocol as it is (see protocol.System.Spared), in at most so many
// steps, and reports whether no run that fits it breaks its property or ends as it says. If one does, that run comes
// back; if the search was cut short, Played.All is false and nothing is known.
func Survives(ctx context.Context, spared *protocol.System, s *protocol.Scenario, steps int, l PlayLimits) (bool, *Played) {
	l.Steps = steps
	p := Play(ctx, spared, s, l)
	return p.Problem != "" && p.All, p
}
