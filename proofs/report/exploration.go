package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/state"
)

// Exploration is what a breadth-first search saw, and how it was made.
type Exploration struct {
	*explore.Exploration
	Structure  *state.Structure
	Options    explore.Options
	Stopped    bool   // by the user, before the time was up
	Checkpoint string // the file to go on from; empty if there is none
	Tool       ToolInfo
}

// Execution is the run that breaks a property; nil if none does.
func (x *Exploration) Execution() *Execution {
	if x.Violation == nil {
		return nil
	}
	return ofViolation(x.Violation, "explore, "+counted(x.Stats.Distinct, "distinct state"), x.Tool)
}

// Collision is about the chance that two different states had one fingerprint, so that what lies behind one
// of them was not looked at: a generated state that was taken for a known one is another one with a chance of
// distinct / 2⁶⁴, if fingerprints are random.
func (x *Exploration) Collision() float64 {
	n := x.Stats
	return float64(n.Distinct) * float64(n.Generated-n.Distinct) / math.Exp2(64)
}

// WriteExploration writes what was explored, and, if a property is broken, the run that breaks it.
func WriteExploration(w io.Writer, x *Exploration, o Options) error {
	p := newPage(o)
	remarks := []string{"exhaustive within these sizes only"}
	if same := x.symmetric(); len(same) > 0 {
		remarks = append(remarks, "states that differ only in which "+enumerate(same)+" they name count as one")
	}
	p.searched(x.Structure, x.Options.Properties, remarks...)
	const column = 13
	n := x.Stats
	row := func(head, text string) { p.entry(span{head, dim}, column, units(text), plain) }
	row("states", fmt.Sprintf("%s generated, %s distinct, %s left on the queue", grouped(n.Generated), grouped(n.Distinct), grouped(n.Queue)))
	levels := make([]string, len(n.Levels))
	for i, l := range n.Levels {
		levels[i] = grouped(l)
	}
	row("depth", fmt.Sprintf("%d; distinct states by depth, from 0:", max(0, len(levels)-1)))
	p.entry(span{}, column, levels, plain)
	row("left out", counted(n.Cut, "step")+", since they leave these sizes")
	row("time", x.speed())
	row("memory", x.memory())
	row("collision", fmt.Sprintf("a chance of about %.1e that a state was taken for another: distinct × (generated − distinct) / 2⁶⁴", x.Collision()))
	if x.Checkpoint != "" {
		row("checkpoint", x.Checkpoint+", to go on from: --resume "+x.Checkpoint)
	}
	p.blank()
	p.tallied(x.Structure.System.Actions, []string{"action", "steps", "new states"}, n.Steps, n.New)
	p.blank()
	style := plain
	if x.Violation != nil {
		style = red
	}
	p.paragraph(style, x.claim())
	if e := x.Execution(); e != nil {
		if err := p.brokenBy(e, o.Verbose); err != nil {
			return err
		}
	}
	return p.flush(w)
}

func (x *Exploration) symmetric() []string {
	var out []string
	for _, s := range x.Symmetric {
		out = append(out, plural(noun(s.Name)))
	}
	return out
}

// speed is the time, and the states generated in it.
func (x *Exploration) speed() string {
	text := duration(x.Elapsed)
	if at := x.Elapsed.Seconds(); at > 0 {
		text += fmt.Sprintf(", %s generated a second", grouped(int(float64(x.Stats.Generated-x.Resumed)/at)))
	}
	if x.Resumed > 0 {
		text += fmt.Sprintf(", behind the checkpoint with %s generated", grouped(x.Resumed))
	}
	return text
}

func (x *Exploration) memory() string {
	text := fmt.Sprintf("%.1f MiB", float64(x.Stats.Bytes)/(1<<20))
	if n := x.Stats.Distinct; n > 0 {
		text += fmt.Sprintf(", %s a distinct state", counted(x.Stats.Bytes/n, "byte"))
	}
	return text
}

// claim is what was seen.
func (x *Exploration) claim() string {
	n, hold := x.Stats, "no property was tested"
	if len(x.Options.Properties) > 0 {
		hold = holding(x.Options.Properties)
	}
	if x.Outcome == machine.Violated {
		if len(x.Violation.Run.Steps) == 0 {
			return x.Violation.Property.ID + " is broken by the initial state."
		}
		return fmt.Sprintf("%s is broken by a run of %s; no shorter run within these sizes breaks %s.", x.Violation.Property.ID,
			counted(len(x.Violation.Run.Steps), "step"), anyOf(len(x.Options.Properties)))
	}
	seen := "in each of the " + counted(n.Distinct, "distinct state") + " and at each step from those that were expanded"
	if len(x.Options.Properties) == 0 {
		seen = "in " + counted(n.Distinct, "distinct state")
	}
	switch x.Outcome {
	case machine.Exhausted:
		seen = strings.TrimSuffix(seen, " from those that were expanded")
		return fmt.Sprintf("Every state that can be reached within these sizes was visited: %s %s.", hold, seen)
	case machine.DepthLimit:
		return fmt.Sprintf("Every state that can be reached in at most %s within these sizes was visited: %s %s.",
			counted(x.Options.Limits.Depth, "step"), hold, seen)
	case machine.StateLimit, machine.MemoryLimit, machine.Stopped, machine.Violated:
	}
	return fmt.Sprintf("%s, with %s left: %s %s.", x.ending(), counted(n.Queue, "state"), hold, seen)
}

// ending says why it ended early.
func (x *Exploration) ending() string {
	switch {
	case x.Outcome == machine.StateLimit:
		return "Ended at the limit of states"
	case x.Outcome == machine.MemoryLimit:
		return "Ended at the limit of memory"
	case x.Stopped:
		return "Stopped before it was done"
	}
	return "Ended when the time was up"
}

func anyOf(properties int) string {
	if properties == 1 {
		return "it"
	}
	return "any of the properties"
}
