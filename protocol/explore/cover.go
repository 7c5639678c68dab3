package explore

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// Coverage is what of a protocol happens in runs from the initial state.
type Coverage struct {
	sys        *protocol.System
	conditions []*protocol.Condition
	actions    []bool    // by Action.Index
	branches   [][2]bool // by position in conditions: found to be false, to be true
}

// NewCoverage has nothing covered.
func NewCoverage(sys *protocol.System) *Coverage {
	c := sys.Conditions()
	return &Coverage{sys, c, make([]bool, len(sys.Actions)), make([][2]bool, len(c))}
}

// Add adds the steps of a run of the system itself.
func (c *Coverage) Add(run *state.Run) {
	e := semantics.NewEvaluator(run.Structure)
	for _, s := range run.Steps {
		c.step(e, s)
	}
}

// AddMutated adds those first steps of a run of a mutated system that are steps of the system itself, too.
func (c *Coverage) AddMutated(run *state.Run) {
	e := semantics.NewEvaluator(state.NewStructure(c.sys, run.Structure.Sizes()))
	pre := e.Init()
	if pre == nil || len(run.Structure.System.State) != len(c.sys.State) {
		return
	}
	for _, s := range run.Steps {
		a := c.sys.Action(s.Action.Name)
		if a == nil || len(a.Params) != len(s.Args) {
			return
		}
		out := e.Do(a, s.Args, pre)
		if out.Status != semantics.Enabled || !out.Post.Equal(s.Post) {
			return
		}
		c.step(e, &state.Step{Action: a, Args: s.Args, Pre: pre, Post: out.Post})
		pre = out.Post
	}
}

func (c *Coverage) step(e *semantics.Evaluator, s *state.Step) {
	c.actions[s.Action.Index] = true
	for i, x := range c.conditions {
		for _, a := range x.Users() {
			if a != s.Action {
				continue
			}
			for k, value := range []bool{false, true} {
				if !c.branches[i][k] && e.Holds(x.Taken(a, value), s) {
					c.branches[i][k] = true
				}
			}
		}
	}
}

// Untaken is a branch of a condition that no run has taken.
type Untaken struct {
	Condition *protocol.Condition
	Value     bool // the branch where it is true
}

// Missing lists the actions that no run has taken, and the branches.
func (c *Coverage) Missing() (actions []*protocol.Action, branches []Untaken) {
	for _, a := range c.sys.Actions {
		if !c.actions[a.Index] {
			actions = append(actions, a)
		}
	}
	for i, x := range c.conditions {
		for k, value := range []bool{false, true} {
			if !c.branches[i][k] {
				branches = append(branches, Untaken{x, value})
			}
		}
	}
	return actions, branches
}

// Counts are how many actions and branches there are.
func (c *Coverage) Counts() (actions, branches int) { return len(c.actions), 2 * len(c.branches) }
