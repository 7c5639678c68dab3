package proofs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// Target is what a run is looked for. All that is given shall hold together; of Formula and
// Breaks at most one is.
type Target struct {
	// Formula shall hold after the last step.
	Formula protocol.Term
	// Breaks shall be false after the last step; a two-state property, of the last step.
	Breaks *protocol.Property
	// Cells shall have these values after the last step, and Sent shall have been sent.
	// StateTarget takes both from a state.
	Cells []encode.Cell
	Sent  []encode.Sent
	// Script is what the run matches; nil: every run does.
	Script []encode.Pattern
}

// StateTarget looks for a state in which the real variables have the values that they have in s,
// and in which the messages of s were sent, perhaps with others. Cells for which skip is true do not count: it is asked
// about a whole variable, with no arguments, then about its cells, argument by
// argument. A nil skip leaves nothing out.
func StateTarget(st *state.Structure, s *state.State, skip func(v *protocol.StateVar, args []int) bool) Target {
	var t Target
	var add func(v *protocol.StateVar, sort *protocol.Sort, args []int, x state.Value)
	add = func(v *protocol.StateVar, sort *protocol.Sort, args []int, x state.Value) {
		switch {
		case skip != nil && skip(v, args):
		case sort.Kind == protocol.FuncKind:
			for k, y := range x.Kids {
				add(v, sort.Elem, append(args[:len(args):len(args)], k), y)
			}
		default:
			t.Cells = append(t.Cells, encode.Cell{Var: v, Path: args, Value: x})
		}
	}
	for _, v := range st.System.State {
		if !v.Ghost {
			add(v, v.Sort, nil, s.Vars[v.Index])
		}
	}
	for _, typ := range st.System.Messages {
		for _, m := range s.Msgs[typ.ID] {
			t.Sent = append(t.Sent, encode.Sent{Type: typ, Value: m})
		}
	}
	return t
}

// ReachConfig says how to look for a run. NewSolver is required.
type ReachConfig struct {
	NewSolver func(solver.Limits) (solver.Solver, error)
	Limits    solver.Limits  // of each query; Incremental does not count
	Scope     map[string]int // sizes that replace those of the spec
	Depth     int            // the most steps of a run
	// AtOnce asks about all runs of at most Depth steps with one query. It finds long runs sooner than to ask
	// depth by depth, but not the shortest one.
	AtOnce bool
	// Progress is told of each depth before it is looked at, and how long the search has taken; nil: nobody is.
	Progress func(depth int, elapsed time.Duration)
}

// Reached is how a search ended.
type Reached uint8

// The ends of a search.
const (
	// NotFound says that the search was given up: nothing is known of runs longer than Depth.
	NotFound Reached = iota
	// Found says that there is a run, which the evaluator has replayed.
	Found
	// Excluded says that there is no run of at most Depth steps in the scope.
	Excluded
)

// String is the end in words, as reports and the JSON have it.
func (r Reached) String() string { return [...]string{"not found", "found", "excluded"}[r] }

// ReachResult is what a search has found out.
type ReachResult struct {
	Reached Reached
	Scope   encode.Scope
	Depth   int               // the length of the run, or up to which length there is none; -1 if nothing is known
	Reason  solver.Reason     // why it was given up
	Run     *state.Run        // if Found
	Broken  *semantics.Broken // if Found, how the last step or state breaks Target.Breaks
	Elapsed time.Duration
}

// Reach looks for a run from the initial state to a target in a scope. Lengths are tried one after
// the other, so that a run found is as short as any, unless cfg.AtOnce or a script says how long it is. The time is bounded by
// ctx, and that of a query by cfg.Limits. An error is about the world, or an
// *InternalError.
//
// One solver process lives through all lengths: it is told of each step once, and the goal behind a push. A single
// query goes to a process without scopes. Figures are in docs/performance.md.
func Reach(ctx context.Context, sys *protocol.System, target Target, cfg ReachConfig) (*ReachResult, error) {
	s := &pathSearch{sys: sys, target: target, cfg: cfg, scope: encode.NewScope(sys, cfg.Scope), start: time.Now()}
	res := &ReachResult{Scope: s.scope, Depth: -1}
	err := guard("reach", func() error { return s.search(ctx, res) })
	res.Elapsed = time.Since(s.start)
	return res, err
}

// pathSearch is a search in progress.
type pathSearch struct {
	sys    *protocol.System
	target Target
	cfg    ReachConfig
	scope  encode.Scope
	start  time.Time
	whole  bool // nothing is left out of the unrolling
	once   bool // there is one query
	unroll *encode.Unrolling
	solver solver.Solver // nil until it is needed
	told   int           // of what holds always of the unrolling
}

func (s *pathSearch) search(ctx context.Context, res *ReachResult) error {
	defer s.end()
	s.begin()
	first, last := s.lengths()
	if s.cfg.AtOnce {
		first = last
	}
	s.once = first == last
	for k := first; k <= last; k++ {
		if s.cfg.Progress != nil {
			s.cfg.Progress(k, time.Since(s.start))
		}
		got, err := s.ask(ctx, k)
		if err != nil {
			return fmt.Errorf("%d steps: %w", k, err)
		}
		switch got.Status {
		case solver.Unknown:
			res.Reason = got.Reason
			return nil
		case solver.Unsat:
			res.Depth = k
		case solver.Sat:
			run, inScope := s.replay(got.Model, k)
			if !inScope {
				s.whole = true
				s.begin()
				k--
				continue
			}
			res.Reached, res.Run, res.Depth = Found, run, len(run.Steps)
			res.Broken = s.confirm(run)
			return nil
		}
	}
	res.Reached, res.Depth = Excluded, last
	return nil
}

// begin starts the unrolling anew.
func (s *pathSearch) begin() {
	s.end()
	goal := encode.Goal{Formula: s.target.Formula, Cells: s.target.Cells, Sent: s.target.Sent, Whole: s.whole}
	if p := s.target.Breaks; p != nil {
		goal.Formula, goal.TwoState, goal.Fails = p.Formula, p.TwoState, true
	}
	s.unroll = encode.NewEncoder(s.sys, s.scope).Unroll(goal, s.script())
}

// end stops the solver.
func (s *pathSearch) end() {
	if s.solver != nil {
		_ = s.solver.Close() // all answers are in
	}
	s.solver, s.told = nil, 0
}

func (s *pathSearch) script() []encode.Pattern {
	if s.target.Script == nil {
		return encode.Any()
	}
	return s.target.Script
}

// lengths are those of the shortest and of the longest run that is looked for. If all gaps of the
// script have a bound, there is one length for all.
func (s *pathSearch) lengths() (first, last int) {
	free := false
	for _, p := range s.script() {
		switch {
		case !p.Many:
			first++
			last++
		case p.Most > 0:
			last += p.Most
		default:
			free = true
		}
	}
	if free {
		return first, s.cfg.Depth
	}
	return last, last
}

// ask asks the solver for a run of k steps, or of at most k.
func (s *pathSearch) ask(ctx context.Context, k int) (solver.Result, error) {
	for s.unroll.Depth() < k {
		if ctx.Err() != nil {
			return solver.UnknownResult(solver.Cancelled), nil
		}
		s.unroll.Extend()
	}
	if s.solver == nil {
		limits := s.cfg.Limits
		limits.Incremental = !s.once
		var err error
		if s.solver, err = s.cfg.NewSolver(limits); err != nil {
			return solver.Result{}, fmt.Errorf("start solver: %w", err)
		}
	}
	always, asked := s.unroll.Query(k, s.once)
	for _, f := range always[s.told:] {
		s.solver.Assert("", f)
	}
	s.told = len(always)
	s.solver.Push()
	defer s.solver.Pop()
	for _, f := range asked {
		s.solver.Assert("", f)
	}
	return s.solver.Check(ctx)
}

// replay has the evaluator, which shares no code with the encoder, perform the steps that a
// model shows, and compares each state with the one that the encoder has. It is false if
// a step leaves the scope by a variable or a message that the unrolling leaves out.
func (s *pathSearch) replay(m *solver.Model, k int) (run *state.Run, inScope bool) {
	ev := semantics.NewEvaluator(s.scope.Structure(s.sys))
	run = &state.Run{Structure: s.scope.Structure(s.sys), Init: ev.Init()}
	if run.Init == nil {
		return nil, s.left("the initial state")
	}
	pre := run.Init
	for n, taken := range s.unroll.Decode(m, k) {
		args := make([]state.Value, len(taken.Args))
		for i, p := range taken.Action.Params {
			args[i] = s.message(p.Sort, taken.Args[i], pre)
		}
		out := ev.Do(taken.Action, args, pre)
		switch out.Status {
		case semantics.Disabled:
			panic(fmt.Sprintf("evaluator and solver disagree: step %d, %s, is not enabled", n+1, taken.Action.Name))
		case semantics.LeavesScope:
			return nil, s.left(fmt.Sprintf("step %d, %s,", n+1, taken.Action.Name))
		case semantics.Enabled:
		}
		if !s.unroll.Project(out.Post).Equal(taken.Post) {
			panic(fmt.Sprintf("evaluator and solver disagree on the state after step %d, %s", n+1, taken.Action.Name))
		}
		run.Steps = append(run.Steps, &state.Step{Action: taken.Action, Args: args, Pre: pre, Post: out.Post})
		pre = out.Post
	}
	return run, true
}

// left is false where something that is left out may leave the scope, and panics if nothing is.
func (s *pathSearch) left(what string) bool {
	if s.whole {
		panic("evaluator and solver disagree: " + what + " leaves the scope")
	}
	return false
}

// message is an argument as it is; if it is a message of which the unrolling has some fields only, the
// first one sent that is the same in these: what the others are has no influence.
func (s *pathSearch) message(sort *protocol.Sort, v state.Value, pre *state.State) state.Value {
	typ := sort
	switch sort.Kind {
	case protocol.MessageKind:
	case protocol.UnionKind:
		typ = sort.Union[v.N]
	default:
		return v
	}
	for _, m := range pre.Msgs[typ.ID] {
		if s.unroll.ProjectMessage(typ, m).Equal(state.Value{Kids: v.Kids}) {
			return state.Value{N: v.N, Kids: m.Kids}
		}
	}
	panic(fmt.Sprintf("evaluator and solver disagree: a %s that is received was not sent", typ.Name))
}

// confirm has the evaluator confirm that the run ends as it shall, and says how it breaks the property.
func (s *pathSearch) confirm(run *state.Run) *semantics.Broken {
	ev := semantics.NewEvaluator(run.Structure)
	last := run.Init
	if n := len(run.Steps); n > 0 {
		last = run.Steps[n-1].Post
	}
	disagree := func(what string) { panic("evaluator and solver disagree: the run ends without " + what) }
	if t := s.target.Formula; t != nil && !ev.Formula(t, last) {
		disagree("the formula")
	}
	for _, c := range s.target.Cells {
		v := last.Vars[c.Var.Index]
		for _, x := range c.Path {
			v = v.Kids[x]
		}
		if !v.Equal(c.Value) {
			disagree("the value of " + c.Var.Name)
		}
	}
	for _, m := range s.target.Sent {
		if !slices.ContainsFunc(last.Msgs[m.Type.ID], func(v state.Value) bool { return sameMessage(m.Type, v, m.Value) }) {
			disagree("a " + m.Type.Name)
		}
	}
	p := s.target.Breaks
	if p == nil {
		return nil
	}
	env := semantics.Env{Pre: last}
	if p.TwoState {
		step := run.Steps[len(run.Steps)-1]
		env = semantics.Env{Pre: step.Pre, Post: step.Post, Step: step.Action}
	}
	broken := ev.Explain(p.Formula, env)
	if broken == nil {
		disagree("breaking " + p.ID)
	}
	return broken
}

// sameMessage reports whether two messages differ in ghost fields at most.
func sameMessage(typ *protocol.Sort, v, w state.Value) bool {
	for i, f := range typ.Fields {
		if !f.Ghost && !v.Kids[i].Equal(w.Kids[i]) {
			return false
		}
	}
	return true
}
