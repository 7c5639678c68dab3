package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Execution is a run to be shown: what it shows, and how it was come by. The run was
// replayed.
type Execution struct {
	Run    *state.Run
	Title  string             // one line; may be empty
	From   string             // how the run was come by: "scenario figure8, raft.yaml:715", "simulate, seed 7, walk 12"
	Broken *protocol.Property // false after the last step, a two-state one of it; nil if that is not what the run shows
	Goal   protocol.Term      // what holds after the last step; nil if nothing was asked for
	Notes  []string           // by step; there may be fewer, and empty ones
	Tool   ToolInfo           // the program that shows it
}

// Replayed is a run that fits a scenario. What the spec says behind # in the line of a step is the step's note; of
// is, for each step of the run, the position of its step in the scenario, nil if it has no holes.
func Replayed(written *protocol.Scenario, run *state.Run, of []int) *Execution {
	e := &Execution{
		Run:   run,
		Title: written.Title,
		From:  strings.TrimSuffix("scenario "+written.Name+", "+place(written.Span), ", "),
	}
	for i := range run.Steps {
		if of != nil {
			i = of[i]
		}
		e.Notes = append(e.Notes, written.Steps[i].Span.Remark())
	}
	return e
}

// Format is a way to write an execution.
type Format uint8

// The formats of executions.
const (
	TextFormat    Format = iota // for people, on a terminal
	JSONFormat                  // everything, for programs
	TLAFormat                   // a TLA+ module that defines the behaviour
	EventsFormat                // a JSON object a line for each step
	MermaidFormat               // a sequence diagram in Mermaid's language
	SVGFormat                   // the same diagram as a picture
)

var formatNames = [...]string{"text", "json", "tla", "ndjson", "mermaid", "svg"}

// String is the name of the format, as ParseFormat takes it.
func (f Format) String() string { return formatNames[f] }

// FormatNames are the names of all formats, in the order of the constants.
func FormatNames() []string { return formatNames[:] }

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	for f, n := range formatNames {
		if n == name {
			return Format(f), nil
		}
	}
	return TextFormat, fmt.Errorf("there is no format %q; the formats are %s", name, enumerate(FormatNames()))
}

// WriteExecution writes an execution. Options are of the text; of the other formats
// Verbose says only whether a diagram shows messages that nobody receives. It is an
// error if the run does not show what it is said to.
func WriteExecution(w io.Writer, e *Execution, f Format, o Options) error {
	t, err := newTrace(e)
	if err != nil {
		return err
	}
	switch f {
	case TextFormat:
		p := newPage(o)
		t.text(p, o.Verbose)
		return p.flush(w)
	case JSONFormat:
		return t.json(w)
	case TLAFormat:
		return t.tla(w)
	case EventsFormat:
		return t.events(w)
	case MermaidFormat:
		return t.mermaid(w, o.Verbose)
	case SVGFormat:
		return t.svg(w, o.Verbose)
	}
	panic(fmt.Sprintf("unhandled format %d", f))
}
