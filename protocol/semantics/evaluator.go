// Package semantics says what a protocol means on plain data: it evaluates
// terms in a state, performs steps, replays and invents runs. It decides
// whether a counterexample is real, and shares no code with package encode.
//
// Terms are total: every well-sorted term has a value in every state. A read
// outside a function, a sequence or an optional gives the default value of its
// sort. Naturals range over 0…max for bound variables and domains only; a sum
// may exceed max, and just a post-state has to lie in the structure.
package semantics

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Evaluator evaluates terms and performs steps in one structure. It is never
// changed once made, and safe for concurrent use.
type Evaluator struct {
	st    *state.Structure
	plans map[*protocol.Action]*plan
}

// NewEvaluator makes an evaluator for the system and the sizes of st.
func NewEvaluator(st *state.Structure) *Evaluator {
	e := &Evaluator{st: st, plans: map[*protocol.Action]*plan{}}
	for _, a := range st.System.Actions {
		e.plans[a] = newPlan(a)
	}
	return e
}

// Bound is a bound variable with its value.
type Bound struct {
	Var   *protocol.Binding
	Value state.Value
}

// Env is what a term is evaluated in.
type Env struct {
	Pre    *state.State     // what unprimed reads see; nil only for terms that read no state
	Post   *state.State     // what primed reads see; nil only for terms that have none
	Step   *protocol.Action // what StepIs compares with
	Vars   []Bound          // the free variables of the term; the last one of a name counts
	Record *Recorder        // told of every read, unless nil
}

// Recorder is told what an evaluation reads. What is skipped by a connective,
// a conditional or a quantifier that is already decided is not read; the value
// of the term depends on nothing else than what was read and, for a quantifier
// over messages, on there being no other messages.
type Recorder struct {
	// Cell is a read of the state variable applied to path; all cells below
	// are read when path is shorter than the variable's arguments. A path
	// outside the structure reads no cell. Path belongs to the callee.
	Cell func(v *protocol.StateVar, path []int, primed bool)
	// Message is a value that a variable of a message or union sort takes;
	// typ is a message sort.
	Message func(typ *protocol.Sort, msg state.Value, primed bool)
}

// Formula is the truth of a closed formula without primes in s.
func (e *Evaluator) Formula(t protocol.Term, s *state.State) bool {
	return e.evaluation(Env{Pre: s}).holds(t)
}

// TwoState is the truth of a closed formula about a step.
func (e *Evaluator) TwoState(t protocol.Term, step *state.Step) bool {
	return e.evaluation(Env{Pre: step.Pre, Post: step.Post, Step: step.Action}).holds(t)
}

// Term is the value of t in env.
func (e *Evaluator) Term(t protocol.Term, env Env) state.Value {
	return e.evaluation(env).eval(t)
}

// evaluation is one evaluation in progress; it belongs to one goroutine.
type evaluation struct {
	st        *state.Structure
	pre, post *state.State
	step      *protocol.Action
	vars      []Bound // innermost last
	record    *Recorder
}

func (e *Evaluator) evaluation(env Env) *evaluation {
	const depth = 16 // bindings before the first reallocation
	return &evaluation{
		st:     e.st,
		pre:    env.Pre,
		post:   env.Post,
		step:   env.Step,
		vars:   append(make([]Bound, 0, len(env.Vars)+depth), env.Vars...),
		record: env.Record,
	}
}

func (e *evaluation) bind(b *protocol.Binding, v state.Value) {
	e.vars = append(e.vars, Bound{b, v})
}

func (e *evaluation) lookup(b *protocol.Binding) state.Value {
	for i := len(e.vars) - 1; i >= 0; i-- {
		if e.vars[i].Var == b {
			return e.vars[i].Value
		}
	}
	panic(fmt.Sprintf("unbound variable %s", b.Name))
}

func (e *evaluation) state(primed bool) *state.State {
	if primed {
		return e.post
	}
	return e.pre
}
