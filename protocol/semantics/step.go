package semantics

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Status says what becomes of an action with given arguments in a state.
type Status uint8

// The statuses of an outcome.
const (
	Disabled    Status = iota // a guard is false, or a message was never sent
	Enabled                   // the step happens
	LeavesScope               // it would happen, but not inside the structure
)

// Outcome is the result of trying a step. The fields after Post name the first
// culprit in written order; one of them is set unless the step is Enabled.
type Outcome struct {
	Status Status
	Post   *state.State     // of an Enabled step
	Param  *protocol.Param  // Disabled: its message was never sent; LeavesScope: its argument is no value of the structure
	Guard  *protocol.Guard  // Disabled: it is false
	Update *protocol.Update // LeavesScope: its cell or its value is outside the structure
	Send   *protocol.Send   // LeavesScope: its message is outside the structure
}

// Do tries a step of action a from pre, which lies in the structure, with an
// argument for each parameter. The statements are taken in written order. If
// two updates meet in one cell, which the checker rules out, the later one counts.
func (e *Evaluator) Do(a *protocol.Action, args []state.Value, pre *state.State) Outcome {
	return e.evaluation(Env{Pre: pre}).do(a, args)
}

// Reads tells r what the action reads in the step: the messages it receives,
// and all that its statements read.
func (e *Evaluator) Reads(step *state.Step, r *Recorder) {
	e.evaluation(Env{Pre: step.Pre, Record: r}).do(step.Action, step.Args)
}

// Holds is the truth of a formula about the pre-state of a step in which the action's
// parameters and lets may be free.
func (e *Evaluator) Holds(t protocol.Term, step *state.Step) bool {
	x := e.evaluation(Env{Pre: step.Pre})
	for i, p := range step.Action.Params {
		x.bind(p.Binding, step.Args[i])
	}
	x.prepare(step.Action.Body)
	return x.holds(t)
}

func (e *evaluation) do(a *protocol.Action, args []state.Value) Outcome {
	for i, p := range a.Params {
		if out := e.admit(p, args[i]); out.Status != Enabled {
			return out
		}
		e.bind(p.Binding, args[i])
	}
	if g := e.prepare(a.Body); g != nil {
		return Outcome{Status: Disabled, Guard: g}
	}
	return e.effects(a)
}

// admit reports whether a parameter can have the value v.
func (e *evaluation) admit(p *protocol.Param, v state.Value) Outcome {
	if !isMessage(p.Sort) {
		if !e.st.InScope(p.Sort, v) {
			return Outcome{Status: LeavesScope, Param: p}
		}
		return Outcome{Status: Enabled}
	}
	if typ, msg := message(p.Sort, v); !e.pre.HasMessage(typ, msg) {
		return Outcome{Status: Disabled, Param: p}
	}
	e.noteMessage(p.Sort, v, false)
	return Outcome{Status: Enabled}
}

// prepare binds the lets and tests the guards among the statements, in order.
// It returns the first guard that is false, or nil.
func (e *evaluation) prepare(body []protocol.Stmt) *protocol.Guard {
	for _, s := range body {
		switch s := s.(type) {
		case *protocol.Let:
			e.bind(s.Var, e.eval(s.X))
		case *protocol.Guard:
			if !e.holds(s.Cond) {
				return s
			}
		case *protocol.Update, *protocol.Send: // see effects
		default:
			panic(fmt.Sprintf("unhandled %T", s))
		}
	}
	return nil
}

// effects performs the updates and sends of an action whose guards hold, with
// its parameters and lets bound. All of them read the pre-state.
func (e *evaluation) effects(a *protocol.Action) Outcome {
	post := e.pre.Clone()
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let, *protocol.Guard: // see prepare
		case *protocol.Update:
			if !e.update(s, post) {
				return Outcome{Status: LeavesScope, Update: s}
			}
		case *protocol.Send:
			if !e.send(s, post) {
				return Outcome{Status: LeavesScope, Send: s}
			}
		default:
			panic(fmt.Sprintf("unhandled %T", s))
		}
	}
	return Outcome{Status: Enabled, Post: post}
}

// update performs u on post, unless it leaves the structure.
func (e *evaluation) update(u *protocol.Update, post *state.State) bool {
	path := e.all(u.Path)
	value := e.eval(u.Value)
	if !e.st.InScope(u.Value.Sort(), value) {
		return false
	}
	whole, ok := replace(post.Vars[u.State.Index], path, value)
	if ok {
		post.Vars[u.State.Index] = whole
	}
	return ok
}

// replace is f with the cell at path set to v; false if there is no such cell.
func replace(f state.Value, path []state.Value, v state.Value) (state.Value, bool) {
	if len(path) == 0 {
		return v, true
	}
	x := path[0].N
	if x < 0 || x >= len(f.Kids) {
		return f, false
	}
	cell, ok := replace(f.Kids[x], path[1:], v)
	if !ok {
		return f, false
	}
	kids := make([]state.Value, len(f.Kids))
	copy(kids, f.Kids)
	kids[x] = cell
	return state.Value{N: f.N, Kids: kids}, true
}

// send performs s on post, unless its message leaves the structure.
func (e *evaluation) send(s *protocol.Send, post *state.State) bool {
	if s.Cond != nil && !e.holds(s.Cond) {
		return true
	}
	msg := e.eval(s.Message)
	if !e.st.InScope(s.Message.Of, msg) {
		return false
	}
	post.AddMessage(s.Message.Of, msg)
	return true
}
