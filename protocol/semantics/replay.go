package semantics

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// ReplayError says why a scenario is no run of the system.
type ReplayError struct {
	Step   int                    // position in Scenario.Steps; -1 if there is no initial state
	At     *protocol.ScenarioStep // the step; nil if there is no initial state
	Guard  *protocol.Guard        // the guard that is false, if that is the reason
	Reason string                 // lower case, without the guard's text
}

// Error names the step and the reason.
func (e *ReplayError) Error() string {
	switch {
	case e.At == nil:
		return e.Reason
	case e.At.Action == nil:
		return fmt.Sprintf("step %d: %s", e.Step+1, e.Reason)
	}
	return fmt.Sprintf("step %d, %s: %s", e.Step+1, e.At.Action.Name, e.Reason)
}

// Replay performs the steps of a scenario without holes from the first initial state. A
// message parameter takes the one message sent before that matches the given record.
// On error the run ends before the step that failed; the error is a *ReplayError.
func (e *Evaluator) Replay(s *protocol.Scenario) (*state.Run, error) {
	run := &state.Run{Structure: e.st, Init: e.Init()}
	if run.Init == nil {
		return run, &ReplayError{Step: -1, Reason: "there is no initial state in the scope"}
	}
	for i, rs := range s.Steps {
		step, fail := e.replayStep(rs, run.Last())
		if fail != nil {
			fail.Step, fail.At = i, rs
			return run, fail
		}
		run.Steps = append(run.Steps, step)
	}
	return run, nil
}

// replayStep performs one step of a scenario; the error does not say which one.
func (e *Evaluator) replayStep(rs *protocol.ScenarioStep, pre *state.State) (*state.Step, *ReplayError) {
	if rs.Action == nil {
		return nil, &ReplayError{Reason: "any steps may stand here, which a replay does not look for"}
	}
	ev := e.evaluation(Env{Pre: pre})
	args := make([]state.Value, len(rs.Action.Params))
	for i, p := range rs.Action.Params {
		if i >= len(rs.Args) || rs.Args[i] == nil {
			return nil, &ReplayError{Reason: fmt.Sprintf("%s has no value", p.Name)}
		}
		v, reason := ev.argument(p, rs.Args[i])
		if reason != "" {
			return nil, &ReplayError{Reason: reason}
		}
		args[i] = v
	}
	out := e.Do(rs.Action, args, pre)
	switch out.Status {
	case Enabled:
		return &state.Step{Action: rs.Action, Args: args, Pre: pre, Post: out.Post}, nil
	case Disabled:
		return nil, &ReplayError{Guard: out.Guard, Reason: "a guard is false"}
	case LeavesScope:
		return nil, &ReplayError{Reason: out.leaves()}
	}
	panic(fmt.Sprintf("unhandled status %d", out.Status))
}

// leaves says how a step leaves the scope.
func (o Outcome) leaves() string {
	switch {
	case o.Param != nil:
		return fmt.Sprintf("the value of %s is outside the scope", o.Param.Name)
	case o.Update != nil:
		return fmt.Sprintf("the update of %s leaves the scope", o.Update.State.Name)
	default:
		return fmt.Sprintf("a %s sent is outside the scope", o.Send.Message.Of.Name)
	}
}

// argument is the value of a parameter that a scenario gives as t: a message by a
// record that it matches, a quorum by itself or by the set of its members.
// The reason is empty unless there is no such value.
func (e *evaluation) argument(p *protocol.Param, t protocol.Term) (v state.Value, reason string) {
	switch {
	case isMessage(p.Sort):
		found := e.matching(p.Sort, t)
		if len(found) != 1 {
			return v, fmt.Sprintf("%d messages sent match %s, want 1", len(found), p.Name)
		}
		return found[0], ""
	case p.Sort.Kind == protocol.QuorumKind && t.Sort().Kind == protocol.SetKind:
		set := e.eval(t).N
		for k := range e.st.Size(p.Sort) {
			if e.st.Quorum(p.Sort, k) == set {
				return state.Value{N: k}, ""
			}
		}
		return v, fmt.Sprintf("%s is not the members of a quorum of the scope", p.Name)
	}
	return e.eval(t), ""
}

// matching is the values of a message or union sort, among the messages sent,
// that match a record; a record of one type of a union matches that type only.
func (e *evaluation) matching(sort *protocol.Sort, pattern protocol.Term) []state.Value {
	var found []state.Value
	d := e.domain(sort, false)
	for k := range d.size {
		v := d.at(k)
		if typ, msg := message(sort, v); typ == pattern.Sort() && e.matches(pattern, msg) {
			found = append(found, v)
		}
	}
	return found
}

// matches reports whether v is the value of t, where a nil field of a record
// stands for any value.
func (e *evaluation) matches(t protocol.Term, v state.Value) bool {
	record, ok := t.(*protocol.RecordTerm)
	if !ok {
		return e.eval(t).Equal(v)
	}
	for i, f := range record.Fields {
		if f != nil && !e.matches(f, v.Kids[i]) {
			return false
		}
	}
	return true
}
