package report

import (
	"encoding/json"
	"io"

	"github.com/speckl/kraftprove/protocol/state"
)

// The line form of an execution: an object for the start, with all state variables,
// and one for each step, with those that it changed. Ghosts are left out: no
// implementation has them, and a validator of traces could not compare them.
type jsonEvent struct {
	Step     int             `json:"step"`
	Action   string          `json:"action"`
	Replica  *string         `json:"replica"`
	Args     json.RawMessage `json:"args"`
	State    json.RawMessage `json:"state"`
	Received json.RawMessage `json:"received"`
	Sent     json.RawMessage `json:"sent"`
}

// events writes the run as lines.
func (t *trace) events(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var before []envelope
	for _, typ := range t.sys.Messages {
		for _, m := range t.Run.Init.Msgs[typ.ID] {
			before = append(before, envelope{typ: typ, msg: m})
		}
	}
	first := jsonEvent{
		Action:   "Init",
		Args:     json.RawMessage("{}"),
		State:    t.variables(nil, t.Run.Init),
		Received: t.envelopes(nil),
		Sent:     t.envelopes(before),
	}
	if err := enc.Encode(first); err != nil {
		return err
	}
	for _, x := range t.steps {
		e := jsonEvent{
			Step:     x.number,
			Action:   x.Action.Name,
			Args:     t.arguments(x),
			State:    t.variables(x.Pre, x.Post),
			Received: t.envelopes(x.got),
			Sent:     t.envelopes(x.sent),
		}
		if x.actor >= 0 {
			name := t.replica(x.actor)
			e.Replica = &name
		}
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// arguments is an object of the arguments of a step.
func (t *trace) arguments(x *event) json.RawMessage {
	b := []byte{'{'}
	for k, a := range x.Action.Params {
		b = append(appendString(comma(b, k), a.Name), ':')
		b = t.plain.appendJSON(b, a.Sort, x.Args[k])
	}
	return append(b, '}')
}

// variables is an object of the state variables, ghosts aside, that differ from those
// of another state; of all if that is nil.
func (t *trace) variables(before, s *state.State) json.RawMessage {
	b := []byte{'{'}
	n := 0
	for _, v := range t.sys.State {
		if v.Ghost || before != nil && before.Vars[v.Index].Equal(s.Vars[v.Index]) {
			continue
		}
		b = append(appendString(comma(b, n), v.Name), ':')
		b = t.plain.appendJSON(b, v.Sort, s.Vars[v.Index])
		n++
	}
	return append(b, '}')
}

// envelopes is a list of messages, each an object with one key, its type.
func (t *trace) envelopes(list []envelope) json.RawMessage {
	b := []byte{'['}
	for k, m := range list {
		b = append(appendString(append(comma(b, k), '{'), m.typ.Name), ':')
		b = append(t.plain.appendJSON(b, m.typ, m.msg), '}')
	}
	return append(b, ']')
}
