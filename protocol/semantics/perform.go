package semantics

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Perform makes a run of moves from the initial state. The error says which of them is not possible; it is
// the fault of whoever proposed them.
func (e *Evaluator) Perform(moves []state.Move) (*state.Run, error) {
	run := &state.Run{Structure: e.st, Init: e.Init()}
	if run.Init == nil {
		return nil, fmt.Errorf("there is no initial state in the scope")
	}
	pre := run.Init
	for i, m := range moves {
		out := e.Do(m.Action, m.Args, pre)
		if out.Status != Enabled {
			return run, fmt.Errorf("step %d, %s: not possible", i+1, m.Action.Name)
		}
		run.Steps = append(run.Steps, &state.Step{Action: m.Action, Args: m.Args, Pre: pre, Post: out.Post})
		pre = out.Post
	}
	return run, nil
}

// FirstBroken is the number of steps after which a property is first false in a run: of a one-state property, 0
// means in the initial state. It is -1 if the property holds all along.
func (e *Evaluator) FirstBroken(p *protocol.Property, run *state.Run) int {
	if !p.TwoState && !e.Formula(p.Formula, run.Init) {
		return 0
	}
	for i, s := range run.Steps {
		if p.TwoState && !e.TwoState(p.Formula, s) || !p.TwoState && !e.Formula(p.Formula, s.Post) {
			return i + 1
		}
	}
	return -1
}
