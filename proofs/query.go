package proofs

import (
	"context"
	"fmt"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// question is one query, encoded: assumptions ∧ hypotheses ∧ (some goal fails).
// Unsat of it proves all its goals at once; a model shows which of them fail.
type question struct {
	enc   *encode.Encoder
	step  *encode.Step  // of a step, else nil
	state *encode.State // the state, or the step's pre-state

	initial bool // the state is the initial one

	assumptions []*smt.Term
	hypotheses  []assertion
	failures    []*smt.Term // by goal: it fails
}

// ask encodes the question whether the goals, which are obligations of one
// action (nil: of one state), hold in a scope.
func (r *run) ask(scope encode.Scope, a *protocol.Action, goals []*Result) *question {
	var p *protocol.Property
	if len(goals) == 1 {
		p = goals[0].Property
	}
	return r.askFrom(scope, a, goals, r.hypotheses(p))
}

// askFrom is ask with other hypotheses.
func (r *run) askFrom(scope encode.Scope, a *protocol.Action, goals []*Result, hypotheses []*protocol.Property) *question {
	q := &question{enc: encode.NewEncoder(r.sys, scope)}
	switch {
	case a != nil:
		q.step = q.enc.Step(a)
		q.state = q.step.Pre
		q.assumptions = append(q.assumptions, q.step.Guards...)
	case len(goals) > 0 && goals[0].Kind == Initiation:
		q.state, q.initial = q.enc.InitState(), true
	default:
		q.state = q.enc.AnyState()
	}
	q.assumptions = append(q.assumptions, q.state.Assumptions...)
	if len(goals) == 0 || goals[0].Kind != Initiation {
		for _, h := range hypotheses {
			q.hypotheses = append(q.hypotheses, assertion{h.ID, q.state.Formula(h.Formula)})
		}
	}
	for _, g := range goals {
		q.failures = append(q.failures, q.failure(g))
	}
	return q
}

// failure says that the goal does not hold.
func (q *question) failure(g *Result) *smt.Term {
	var holds *smt.Term
	switch g.Kind {
	case TwoState:
		holds = q.step.TwoState(g.Property.Formula)
	case Consecution:
		holds = q.step.Post(g.Property.Formula)
	default:
		holds = q.state.Formula(g.Property.Formula)
	}
	return q.enc.Builder().Not(holds)
}

// assume gives a solver all of the question but its goals.
func (q *question) assume(s solver.Solver, seed int) {
	all := make([]assertion, 0, len(q.assumptions)+len(q.hypotheses))
	for _, f := range q.assumptions {
		all = append(all, assertion{"", f})
	}
	all = append(all, q.hypotheses...)
	shuffle(all, seed)
	for _, a := range all {
		s.Assert(a.label, a.f)
	}
}

// decode reads the state and the parameters of the step, if any, out of a model.
// Of an initial state, which is no unknown, it reads nothing.
func (q *question) decode(m *solver.Model) (*state.State, []state.Value) {
	switch {
	case q.step != nil:
		return q.step.Decode(m)
	case q.initial:
		return nil, nil
	}
	return q.state.Decode(m), nil
}

// someFailure says that one of the goals fails.
func (q *question) someFailure() *smt.Term { return q.enc.Builder().Or(q.failures...) }

// check asks a fresh solver whether the assumptions and hypotheses have a model
// in which f is true.
func (r *run) check(ctx context.Context, q *question, f *smt.Term, limits solver.Limits) (solver.Result, error) {
	s, err := r.cfg.NewSolver(limits)
	if err != nil {
		return solver.Result{}, fmt.Errorf("start solver: %w", err)
	}
	q.assume(s, r.cfg.Seed)
	s.Assert("", f)
	res, err := s.Check(ctx)
	if cerr := s.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("stop solver: %w", cerr)
	}
	return res, err
}

// settle decides the goals of a question: all at once, or, where cores are asked
// for by obligation, one after the other.
func (r *run) settle(ctx context.Context, name string, q *question, a *protocol.Action, goals []*Result) error {
	if r.cfg.Alone {
		for _, g := range goals {
			if err := r.decide(ctx, g.ID(), r.ask(r.scope, a, []*Result{g}), a, []*Result{g}); err != nil {
				return err
			}
		}
		return nil
	}
	if r.cfg.Cores && !r.groupCores {
		return r.decideEach(ctx, q, goals)
	}
	return r.decide(ctx, name, q, a, goals)
}

// decide settles the goals with one query if they hold. Goals that a model
// breaks are refuted by it, and the rest is asked again; if the solver cannot decide several goals, each is asked alone.
func (r *run) decide(ctx context.Context, name string, q *question, a *protocol.Action, goals []*Result) error {
	limits := r.cfg.limits()
	limits.Cores = r.cfg.Cores
	query := name
	for round := 2; ; round++ {
		start := time.Now()
		res, err := r.check(ctx, q, q.someFailure(), limits)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name(name), err)
		}
		r.answered(query, goals, res, time.Since(start))
		switch res.Status {
		case solver.Unsat:
			return nil
		case solver.Unknown:
			if len(goals) == 1 || ctx.Err() != nil {
				return nil
			}
			for _, g := range goals {
				one := []*Result{g}
				if err := r.decide(ctx, g.ID(), r.ask(r.scope, a, one), a, one); err != nil {
					return err
				}
			}
			return nil
		case solver.Sat:
		}
		value := res.Model.Evaluator()
		var rest []*Result
		for i, g := range goals {
			if !value.Bool(q.failures[i]) {
				rest = append(rest, g)
			} else {
				r.refute(g, q, res.Model)
			}
		}
		if len(rest) == len(goals) {
			panic("a model of a question breaks none of its goals")
		}
		if len(rest) == 0 {
			return nil
		}
		goals, q, query = rest, r.ask(r.scope, a, rest), fmt.Sprintf("%s (%d)", name, round)
	}
}

// implied settles goals about one state: those for which the spec names hypotheses
// from these alone, if that is enough, the others from all. Z3 needs much longer for
// one question about many goals that follow from each other.
func (r *run) implied(ctx context.Context, goals []*Result) error {
	rest := goals
	if !r.cfg.Cores && !r.cfg.Alone {
		rest = nil
		for _, g := range goals {
			if done, err := r.fromNamed(ctx, g); err != nil {
				return err
			} else if !done {
				rest = append(rest, g)
			}
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return r.settle(ctx, "implied", r.ask(r.scope, nil, rest), nil, rest)
}

// fromNamed reports whether the goal is proved from the hypotheses that the spec
// names for it: none of the ways in which it may fail has a model. They are asked
// about one after the other, since Z3 goes astray among them: for two messages of each of six
// types, all at once take a hundred times as long. A model means nothing: there are more hypotheses.
func (r *run) fromNamed(ctx context.Context, g *Result) (bool, error) {
	by := r.named(g)
	if by == nil || ctx.Err() != nil {
		return false, nil
	}
	start := time.Now()
	q := r.askFrom(r.scope, nil, []*Result{g}, by)
	limits := r.cfg.limits()
	limits.Incremental = true
	s, err := r.cfg.NewSolver(limits)
	if err != nil {
		return false, fmt.Errorf("start solver: %w", err)
	}
	defer s.Close()
	q.assume(s, r.cfg.Seed)
	var res solver.Result
	for _, f := range q.enc.Builder().Cases(q.someFailure()) {
		s.Push()
		s.Assert("", f)
		if res, err = s.Check(ctx); err != nil {
			return false, fmt.Errorf("%s: %w", r.name(g.ID()), err)
		}
		if res.Status != solver.Unsat {
			return false, nil
		}
		s.Pop()
	}
	r.answered(g.ID(), []*Result{g}, res, time.Since(start))
	g.Core = []string{}
	for _, h := range by {
		g.Core = append(g.Core, h.ID)
	}
	return true, nil
}

// decideEach settles the goals one after the other in one solver process, each
// with a core of its own.
func (r *run) decideEach(ctx context.Context, q *question, goals []*Result) error {
	limits := r.cfg.limits()
	limits.Cores, limits.Incremental = true, true
	s, err := r.cfg.NewSolver(limits)
	if err != nil {
		return fmt.Errorf("start solver: %w", err)
	}
	defer s.Close()
	q.assume(s, r.cfg.Seed)
	for i, g := range goals {
		if ctx.Err() != nil {
			cancelled(goals[i:])
			return nil
		}
		s.Push()
		s.Assert("", q.failures[i])
		start := time.Now()
		res, err := s.Check(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name(g.ID()), err)
		}
		s.Pop()
		r.answered(g.ID(), []*Result{g}, res, time.Since(start))
		if res.Status == solver.Sat {
			r.refute(g, q, res.Model)
		}
	}
	return nil
}

// answered notes a solver's answer with the goals that it is about.
func (r *run) answered(query string, goals []*Result, res solver.Result, elapsed time.Duration) {
	r.cfg.logger().Debug("query", "obligation", r.name(query), "goals", len(goals), "verdict", res.Status.String(), "elapsed", elapsed)
	for _, g := range goals {
		g.Query, g.Elapsed = query, elapsed
		switch res.Status {
		case solver.Unsat:
			g.Verdict, g.Answer = Proved, Unsat
			if r.cfg.Cores {
				g.Core = append([]string{}, res.Core...)
			}
		case solver.Unknown:
			g.Verdict, g.Answer, g.Reason = Unknown, NoAnswer, res.Reason.String()
		case solver.Sat: // which of them fail, and by what, is not known yet
		}
	}
}

// refute notes the counterexample that a model of the question shows.
func (r *run) refute(g *Result, q *question, m *solver.Model) {
	pre, args := q.decode(m)
	if g.Kind == Initiation {
		pre = semantics.NewEvaluator(r.report.Structure).Init()
	}
	g.Verdict, g.Answer, g.CTI = Refuted, Replayed, r.replay(g, r.scope, pre, args)
}

// possible checks that the axioms and Init have a model: a proof from a
// contradiction is no proof.
func (r *run) possible(ctx context.Context, res *Result) error {
	q := &question{enc: encode.NewEncoder(r.sys, r.scope)}
	q.state = q.enc.InitState()
	q.assumptions = q.state.Assumptions
	return r.witness(ctx, res, q, func(*solver.Model) error {
		init := semantics.NewEvaluator(r.report.Structure).Init()
		if init == nil {
			return fmt.Errorf("the initial state is not in the scope")
		}
		return nil
	})
}

// fires checks that the action has a step from a state that satisfies every
// inductive property.
func (r *run) fires(ctx context.Context, res *Result, q *question) error {
	ev := semantics.NewEvaluator(r.report.Structure)
	return r.witness(ctx, res, q, func(m *solver.Model) (err error) {
		res.Witness, err = r.stepOf(ev, q, m)
		return err
	})
}

// stepOf is the step that a model shows, from a state that satisfies every inductive
// property. The evaluator confirms both.
func (r *run) stepOf(ev *semantics.Evaluator, q *question, m *solver.Model) (*state.Step, error) {
	pre, args := q.decode(m)
	if err := r.satisfies(ev, pre, r.inv); err != nil {
		return nil, err
	}
	a := q.step.Action
	out := ev.Do(a, args, pre)
	if out.Status != semantics.Enabled {
		return nil, fmt.Errorf("the evaluator does not perform the step")
	}
	return &state.Step{Action: a, Args: args, Pre: pre, Post: out.Post}, nil
}

// witness settles an obligation that is proved by a model, which replay confirms.
func (r *run) witness(ctx context.Context, res *Result, q *question, replay func(*solver.Model) error) error {
	start := time.Now()
	got, err := r.check(ctx, q, q.enc.Builder().True(), r.cfg.limits())
	if err != nil {
		return fmt.Errorf("%s: %w", r.name(res.ID()), err)
	}
	res.Query, res.Elapsed = res.ID(), time.Since(start)
	switch got.Status {
	case solver.Sat:
		if err := replay(got.Model); err != nil {
			panic(fmt.Sprintf("evaluator and solver disagree: %v", err))
		}
		res.Verdict, res.Answer = Proved, Replayed
	case solver.Unsat:
		res.Verdict, res.Answer, res.Reason = Refuted, Unsat, "nothing satisfies it in this scope"
	case solver.Unknown:
		res.Verdict, res.Answer, res.Reason = Unknown, NoAnswer, got.Reason.String()
	}
	return nil
}

// literal replays the scenario that refutes a literal claim: in its last state (of a
// two-state claim: in its last step) the claim must be false.
func (r *run) literal(res *Result) error {
	start := time.Now()
	defer func() { res.Elapsed = time.Since(start) }()
	p := res.Property
	res.Query = res.ID()
	if p.RefutedBy == nil {
		res.Reason = "no scenario refutes it"
		return nil
	}
	ev := semantics.NewEvaluator(state.NewStructure(r.sys, p.RefutedBy.Scope))
	run, err := ev.Replay(p.RefutedBy)
	res.Run = run
	if err != nil {
		res.Reason = fmt.Sprintf("scenario %s does not go through: %v", p.RefutedBy.Name, err)
		return nil
	}
	var holds bool
	switch {
	case !p.TwoState:
		holds = ev.Formula(p.Formula, run.Last())
	case len(run.Steps) == 0:
		holds = true
	default:
		holds = ev.TwoState(p.Formula, run.Steps[len(run.Steps)-1])
	}
	if holds {
		res.Reason = fmt.Sprintf("the claim holds at the end of scenario %s", p.RefutedBy.Name)
		return nil
	}
	res.Verdict, res.Answer = Refuted, Replayed
	return nil
}

// satisfies reports the first axiom or property that a state breaks.
func (r *run) satisfies(ev *semantics.Evaluator, s *state.State, props []*protocol.Property) error {
	for _, a := range r.sys.Axioms {
		if !ev.Formula(a.Formula, s) {
			return fmt.Errorf("the state breaks axiom %s", a.Name)
		}
	}
	for _, p := range props {
		if !ev.Formula(p.Formula, s) {
			return fmt.Errorf("the state breaks %s", p.ID)
		}
	}
	return nil
}
