package report

import (
	"io"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/machine"
)

// The versions of the JSON forms of searches, which docs/json.md describes.
const (
	SimulateSchema = "kraftprove/simulate/1"
	ExploreSchema  = "kraftprove/explore/1"
)

type (
	jsonSimulations struct {
		Schema      string           `json:"schema"`
		Tool        jsonVersion      `json:"tool"`
		Simulations []jsonSimulation `json:"simulations"`
	}
	jsonSimulation struct {
		jsonSearched
		Seed    uint64       `json:"seed"`
		Depth   int          `json:"depth"`
		Workers int          `json:"workers"`
		Ended   string       `json:"ended"`
		Walks   int          `json:"walks"`
		Steps   int          `json:"steps"`
		Seconds float64      `json:"seconds"`
		Actions []jsonWalked `json:"actions"`
		Walk    *int         `json:"walk"`
		Found   *int         `json:"found"`
		jsonFound
	}
	jsonWalked struct {
		Name  string `json:"name"`
		Steps int    `json:"steps"`
	}
	jsonExploration struct {
		Schema string      `json:"schema"`
		Tool   jsonVersion `json:"tool"`
		jsonSearched
		Symmetric []string       `json:"symmetric"`
		Ended     string         `json:"ended"`
		Generated int            `json:"generated"`
		Distinct  int            `json:"distinct"`
		Queue     int            `json:"queue"`
		Levels    []int          `json:"levels"`
		LeftOut   int            `json:"left_out"`
		Bytes     int            `json:"bytes"`
		Collision float64        `json:"collision"`
		Resumed   int            `json:"resumed"`
		Seconds   float64        `json:"seconds"`
		Actions   []jsonExpanded `json:"actions"`
		jsonFound
	}
	jsonExpanded struct {
		Name  string `json:"name"`
		Steps int    `json:"steps"`
		New   int    `json:"new"`
	}
	jsonSearched struct {
		Spec       jsonSource `json:"spec"`
		Scope      jsonScope  `json:"scope"`
		Properties []string   `json:"properties"`
	}
	jsonFound struct {
		Breaks *string        `json:"breaks"`
		Run    *jsonExecution `json:"run"`
	}
)

// SimulationsJSON writes what walks saw, for programs: one entry for each spec.
func SimulationsJSON(w io.Writer, list []*Simulation, tool ToolInfo) error {
	out := jsonSimulations{SimulateSchema, jsonVersion(tool), []jsonSimulation{}}
	for _, s := range list {
		x := jsonSimulation{
			jsonSearched: searched(s.Structure.System, scopeOf(s.Structure).Sizes, s.Options.Properties),
			Seed:         s.Options.Seed,
			Depth:        s.Options.Depth,
			Workers:      s.Options.Workers,
			Ended:        s.ended(),
			Walks:        s.Walks,
			Steps:        s.Steps,
			Seconds:      s.Elapsed.Seconds(),
			Actions:      []jsonWalked{},
		}
		for _, a := range s.Structure.System.Actions {
			x.Actions = append(x.Actions, jsonWalked{a.Name, s.Fired[a.Index]})
		}
		if s.Violation != nil {
			x.Walk, x.Found = &s.Walk, &s.Found
		}
		var err error
		if x.jsonFound, err = found(s.Violation, s.Execution()); err != nil {
			return err
		}
		out.Simulations = append(out.Simulations, x)
	}
	return writeJSON(w, out)
}

func (s *Simulation) ended() string {
	switch {
	case s.Violation != nil:
		return "broken"
	case s.Stopped:
		return "stopped"
	case s.Interrupted:
		return "time"
	}
	return "walks"
}

// ExplorationJSON writes what was explored, for programs.
func ExplorationJSON(w io.Writer, x *Exploration) error {
	n := x.Stats
	out := jsonExploration{
		Schema:       ExploreSchema,
		Tool:         jsonVersion(x.Tool),
		jsonSearched: searched(x.Structure.System, scopeOf(x.Structure).Sizes, x.Options.Properties),
		Symmetric:    []string{},
		Ended:        x.ended(),
		Generated:    n.Generated,
		Distinct:     n.Distinct,
		Queue:        n.Queue,
		Levels:       append([]int{}, n.Levels...),
		LeftOut:      n.Cut,
		Bytes:        n.Bytes,
		Collision:    x.Collision(),
		Resumed:      x.Resumed,
		Seconds:      x.Elapsed.Seconds(),
		Actions:      []jsonExpanded{},
	}
	for _, s := range x.Symmetric {
		out.Symmetric = append(out.Symmetric, s.Name)
	}
	for _, a := range x.Structure.System.Actions {
		out.Actions = append(out.Actions, jsonExpanded{a.Name, n.Steps[a.Index], n.New[a.Index]})
	}
	var err error
	if out.jsonFound, err = found(x.Violation, x.Execution()); err != nil {
		return err
	}
	return writeJSON(w, out)
}

func (x *Exploration) ended() string {
	switch x.Outcome {
	case machine.Exhausted:
		return "exhausted"
	case machine.Violated:
		return "broken"
	case machine.StateLimit:
		return "states"
	case machine.DepthLimit:
		return "depth"
	case machine.MemoryLimit:
		return "memory"
	case machine.Stopped:
		if x.Stopped {
			return "stopped"
		}
		return "time"
	}
	panic("unhandled outcome")
}

func searched(sys *protocol.System, scope map[string]int, properties []*protocol.Property) jsonSearched {
	out := jsonSearched{newSource(sys), scope, []string{}}
	for _, p := range properties {
		out.Properties = append(out.Properties, p.ID)
	}
	return out
}

// found is what a search found; the run is null if it found nothing.
func found(v *explore.Violation, e *Execution) (jsonFound, error) {
	if v == nil {
		return jsonFound{}, nil
	}
	t, err := newTrace(e)
	if err != nil {
		return jsonFound{}, err
	}
	return jsonFound{&v.Property.ID, t.document()}, nil
}
