package semantics

import (
	"fmt"
	"iter"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// The steps of an action are found by binding its parameters one after the
// other. A plan sorts the action's lets and guards by the parameters that they
// need, so that a guard cuts off all values of the parameters after those.

// plan is an action with its lets and guards by stage: those of stage d need
// the first d parameters and no more.
type plan struct {
	action *protocol.Action
	stages [][]protocol.Stmt
}

func newPlan(a *protocol.Action) *plan {
	p := &plan{action: a, stages: make([][]protocol.Stmt, len(a.Params)+1)}
	stage := map[*protocol.Binding]int{} // of parameters and lets
	for i, param := range a.Params {
		stage[param.Binding] = i + 1
	}
	var need func(t protocol.Term) int
	need = func(t protocol.Term) int {
		if v, ok := t.(*protocol.Var); ok {
			return stage[v.To] // 0 if it is bound inside the statement
		}
		d := 0
		for sub := range protocol.Children(t) {
			d = max(d, need(sub))
		}
		return d
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			d := need(s.X)
			stage[s.Var] = d
			p.stages[d] = append(p.stages[d], s)
		case *protocol.Guard:
			d := need(s.Cond)
			p.stages[d] = append(p.stages[d], s)
		case *protocol.Update, *protocol.Send:
		default:
			panic(fmt.Sprintf("unhandled %T", s))
		}
	}
	return p
}

func (e *Evaluator) plan(a *protocol.Action) *plan {
	if p, ok := e.plans[a]; ok {
		return p
	}
	return newPlan(a)
}

// Steps yields every enabled step of the action from pre, which lies in the
// structure, in the order of its arguments. Steps that leave the structure are left out.
func (e *Evaluator) Steps(pre *state.State, a *protocol.Action) iter.Seq[*state.Step] {
	return e.steps(pre, a, inOrder)
}

// inOrder takes the values of a parameter in their order.
func inOrder(int) int { return 0 }

// steps is Steps, where the values of a parameter, n > 0 of them, are taken
// in turn from the start(n)-th on.
func (e *Evaluator) steps(pre *state.State, a *protocol.Action, start func(n int) int) iter.Seq[*state.Step] {
	return func(yield func(*state.Step) bool) {
		s := &search{
			evaluation: e.evaluation(Env{Pre: pre}),
			plan:       e.plan(a),
			start:      start,
			yield:      yield,
		}
		s.from(0)
	}
}

// search is an enumeration of steps in progress.
type search struct {
	*evaluation
	*plan
	args  []state.Value // of the parameters bound so far
	start func(n int) int
	yield func(*state.Step) bool
}

// from yields the steps with the first d arguments bound, and reports whether
// the caller wants more.
func (s *search) from(d int) bool {
	at := len(s.vars)
	defer func() { s.vars = s.vars[:at] }()
	if s.prepare(s.stages[d]) != nil {
		return true
	}
	if d == len(s.action.Params) {
		out := s.effects(s.action)
		return out.Status != Enabled ||
			s.yield(&state.Step{Action: s.action, Args: slices.Clone(s.args), Pre: s.pre, Post: out.Post})
	}
	param := s.action.Params[d]
	values := s.domain(param.Sort, false)
	if values.size == 0 {
		return true
	}
	s.bind(param.Binding, state.Value{})
	cell := len(s.vars) - 1
	s.args = append(s.args, state.Value{})
	defer func() { s.args = s.args[:d] }()
	first := s.start(values.size)
	for k := range values.size {
		v := values.at((first + k) % values.size)
		s.vars[cell].Value = v
		s.args[d] = v
		if !s.from(d + 1) {
			return false
		}
	}
	return true
}

// Init is the initial state: what System.Init makes of the default values, or
// these themselves if there is no Init. It is nil if there is none in the
// structure, and the first one if System.Init has parameters.
func (e *Evaluator) Init() *state.State {
	init := e.st.System.Init
	if init == nil {
		return e.defaults()
	}
	for step := range e.Steps(e.defaults(), init) {
		return step.Post
	}
	return nil
}

// defaults has the default value in each variable, and no messages.
func (e *Evaluator) defaults() *state.State {
	sys := e.st.System
	s := &state.State{Vars: make([]state.Value, len(sys.State)), Msgs: make([][]state.Value, len(sys.Messages))}
	for _, v := range sys.State {
		s.Vars[v.Index] = e.st.Default(v.Sort)
	}
	return s
}
