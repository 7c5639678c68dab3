package report

import (
	"encoding/json"
	"io"

	"github.com/speckl/kraftprove/protocol"
)

// RunSchema is the version of the JSON form of executions, which docs/json.md
// describes.
const RunSchema = "kraftprove/run/1"

// The JSON form of an execution, with the types of a check's report for values,
// messages, states and what is broken.
type (
	jsonExecution struct {
		Schema  string         `json:"schema"`
		Tool    jsonVersion    `json:"tool"`
		Spec    jsonSource     `json:"spec"`
		Title   string         `json:"title"`
		From    string         `json:"from"`
		Scope   jsonScope      `json:"scope"`
		Subsets []jsonValue    `json:"subsets"`
		Start   jsonState      `json:"start"`
		Steps   []jsonStep     `json:"steps"`
		Final   jsonState      `json:"final"`
		Breaks  *jsonViolation `json:"breaks"`
		Goal    *string        `json:"goal"`
	}
	jsonSource struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		File  string `json:"file"`
		Hash  string `json:"hash"`
	}
	jsonStep struct {
		Number   int           `json:"number"`
		Action   jsonCall      `json:"action"`
		Replica  *string       `json:"replica"`
		Note     string        `json:"note"`
		Changes  []jsonChange  `json:"changes"`
		Received []jsonReceipt `json:"received"`
		Sent     []jsonMessage `json:"sent"`
	}
	jsonChange struct {
		Cell     string    `json:"cell"`
		Variable string    `json:"variable"`
		Path     []string  `json:"path"`
		Ghost    bool      `json:"ghost"`
		Old      jsonValue `json:"old"`
		New      jsonValue `json:"new"`
	}
	jsonReceipt struct {
		Message jsonMessage `json:"message"`
		Step    int         `json:"sent_in"`
	}
	jsonViolation struct {
		ID       string     `json:"id"`
		Title    string     `json:"title"`
		Location string     `json:"location"`
		Instance jsonBroken `json:"instance"`
	}
)

// json writes the run as one object.
func (t *trace) json(w io.Writer) error { return writeJSON(w, t.document()) }

// writeJSON writes a document.
func writeJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

func newSource(sys *protocol.System) jsonSource {
	out := jsonSource{Name: sys.Name, Title: sys.Title, Hash: sys.Hash}
	if sys.File != nil {
		out.File = sys.File.Name
	}
	return out
}

// document is the run as one object.
func (t *trace) document() *jsonExecution {
	out := &jsonExecution{
		Schema:  RunSchema,
		Tool:    jsonVersion(t.Tool),
		Spec:    newSource(t.sys),
		Title:   t.Title,
		From:    t.From,
		Scope:   t.scope().Sizes,
		Subsets: t.plain.jsonSubsets(),
		Start:   t.plain.jsonState(t.Run.Init),
		Steps:   []jsonStep{},
		Final:   t.plain.jsonState(t.final()),
	}
	for _, x := range t.steps {
		out.Steps = append(out.Steps, t.jsonStep(x))
	}
	if t.broken != nil {
		v := *t.broken
		v.strips = nil // as a spec would write it
		out.Breaks = &jsonViolation{ID: t.Broken.ID, Title: t.Broken.Title, Location: place(t.Broken.Span), Instance: v.jsonBroken()}
	}
	if t.Goal != nil {
		text := formula(t.Goal, 0)
		out.Goal = &text
	}
	return out
}

func (t *trace) jsonStep(x *event) jsonStep {
	out := jsonStep{
		Number:   x.number,
		Action:   t.plain.jsonCall(x.Action, x.Args),
		Note:     x.note,
		Changes:  []jsonChange{},
		Received: []jsonReceipt{},
		Sent:     []jsonMessage{},
	}
	if x.actor >= 0 {
		name := t.replica(x.actor)
		out.Replica = &name
	}
	for _, c := range x.changes {
		cell := t.cellName(c)
		out.Changes = append(out.Changes, jsonChange{
			Cell:     cell,
			Variable: c.of.Name,
			Path:     t.keys(c),
			Ghost:    c.of.Ghost,
			Old:      t.plain.jsonValue(cell, c.sort, c.old),
			New:      t.plain.jsonValue(cell, c.sort, c.now),
		})
	}
	for _, m := range x.got {
		out.Received = append(out.Received, jsonReceipt{t.plain.jsonMessage(m.typ, m.msg), m.step})
	}
	for _, m := range x.sent {
		out.Sent = append(out.Sent, t.plain.jsonMessage(m.typ, m.msg))
	}
	return out
}

// keys are the arguments of the cell that a step changes.
func (t *trace) keys(c change) []string {
	out := []string{}
	sort := c.of.Sort
	for _, k := range c.path {
		out = append(out, t.plain.key(sort.Domain, k))
		sort = sort.Elem
	}
	return out
}
