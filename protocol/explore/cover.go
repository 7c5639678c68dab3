package explore

import (
	"slices"

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

// Covered is what happens in the runs of the exhibits of a system. What the search for a run saw that it did not find
// counts for nothing.
func Covered(sys *protocol.System, exhibits []*Exhibit) *Coverage {
	c := NewCoverage(sys)
	for _, x := range exhibits {
		switch {
		case !x.Played.Found:
		case x.Mutation == nil:
			c.Add(x.Played.Run)
		default:
			c.AddMutated(x.Played.Run)
		}
	}
	return c
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
	mutated := run.Structure.System
	if !slices.EqualFunc(c.sys.Sorts, mutated.Sorts, sameSort) || !slices.EqualFunc(c.sys.State, mutated.State, sameVar) {
		return // the values of one are not those of the other
	}
	e := semantics.NewEvaluator(state.NewStructure(c.sys, run.Structure.Sizes()))
	pre := e.Init()
	if pre == nil {
		return
	}
	for _, s := range run.Steps {
		a := c.sys.Action(s.Action.Name)
		if a == nil || !slices.EqualFunc(a.Params, s.Action.Params, sameParam) {
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

// A mutation changes no records, messages and enumerations, so that composed sorts of the same name have the same values.

func sameSort(a, b *protocol.Sort) bool {
	return a.Kind == b.Kind && a.Name == b.Name && sameSubset(a.Subset, b.Subset) && sameSubset(a.Within, b.Within) &&
		(a.Kind != protocol.QuorumKind || a.Elem.Name == b.Elem.Name)
}

func sameSubset(a, b *protocol.Subsort) bool {
	return a == b || a != nil && b != nil && a.Name == b.Name
}

func sameVar(a, b *protocol.StateVar) bool { return a.Name == b.Name && a.Sort.Name == b.Sort.Name }

func sameParam(a, b *protocol.Param) bool { return a.Sort.Name == b.Sort.Name }

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
