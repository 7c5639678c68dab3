package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/state"
)

// Simulation is what random walks saw, and how they were taken.
type Simulation struct {
	*explore.Simulation
	Structure *state.Structure
	Options   explore.SimulateOptions
	Stopped   bool // by the user, before the time was up
	Tool      ToolInfo
}

// Execution is the run that breaks a property; nil if none does.
func (s *Simulation) Execution() *Execution {
	switch {
	case s.Violation == nil:
		return nil
	case s.Walk == 0:
		return ofViolation(s.Violation, "simulate, the initial state", s.Tool)
	}
	from := fmt.Sprintf("simulate, seed %d, walk %s", s.Options.Seed, grouped(s.Walk))
	if n := len(s.Violation.Run.Steps); n != s.Found {
		from += fmt.Sprintf(" (%s as found)", counted(s.Found, "step"))
	}
	return ofViolation(s.Violation, from, s.Tool)
}

// WriteSimulation writes what walks saw, and, if they broke a property, the run that does.
func WriteSimulation(w io.Writer, s *Simulation, o Options) error {
	p := newPage(o)
	p.searched(s.Structure, s.Options.Properties,
		fmt.Sprintf("walks of at most %s, seed %d, %s", counted(s.Options.Depth, "step"), s.Options.Seed, counted(s.Options.Workers, "worker")))
	speed := ""
	if at := s.Elapsed.Seconds(); at > 0 {
		speed = fmt.Sprintf(", %s a second", grouped(int(float64(s.Steps)/at)))
	}
	p.entry(span{"walks", dim}, 8, units(fmt.Sprintf("%s in %s: %s%s", grouped(s.Walks), duration(s.Elapsed), counted(s.Steps, "step"), speed)), plain)
	p.blank()
	var moving []*protocol.Action
	var idle []string
	for _, a := range s.Structure.System.Actions {
		if len(a.Updates) == 0 && len(a.Sends) == 0 {
			idle = append(idle, a.Name)
		} else {
			moving = append(moving, a)
		}
	}
	p.tallied(moving, []string{"action", "steps"}, s.Fired)
	if len(idle) > 0 {
		p.entry(span{"left out", dim}, 14, append(listed(idle, ","), strings.Fields("(changes nothing)")...), plain)
	}
	p.blank()
	style := plain
	if s.Violation != nil {
		style = red
	}
	p.paragraph(style, s.claim())
	if e := s.Execution(); e != nil {
		if err := p.brokenBy(e, o.Verbose); err != nil {
			return err
		}
	}
	return p.flush(w)
}

// claim is what was seen.
func (s *Simulation) claim() string {
	stopped := ""
	if s.Stopped {
		stopped = "Stopped before the time was up. "
	}
	switch v := s.Violation; {
	case v != nil && s.Walk == 0:
		return v.Property.ID + " is broken by the initial state."
	case v != nil:
		return fmt.Sprintf("%s is broken by a run of %s.", v.Property.ID, counted(len(v.Run.Steps), "step"))
	case len(s.Options.Properties) == 0:
		return stopped + "No property was tested."
	}
	return fmt.Sprintf("%s%s in the initial state and along each of the %s: this is a search, not a proof.",
		stopped, holding(s.Options.Properties), counted(s.Steps, "step"))
}
