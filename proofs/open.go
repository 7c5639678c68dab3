package proofs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// openQuestion is what a group of obligations share in the unbounded mode: one
// step of an action (of one variant of it), or one state.
type openQuestion struct {
	u          *encode.Quantified
	step       *encode.OpenStep
	state      *encode.OpenState
	hypotheses map[*protocol.Property]*smt.Term
	sessions   map[string]*session
	sketch     *sketch
}

// session is a solver that lives as long as its question. It knows what all goals
// share; what one attempt adds stands behind a push.
type session struct {
	solver solver.Solver
	facts  int // how many of the question's facts it knows
}

// close ends the solvers.
func (q *openQuestion) close() {
	for _, s := range q.sessions {
		_ = s.solver.Close() // all answers are in
	}
}

// session is the long-lived solver for a rung's settings.
func (q *openQuestion) session(rung rung) (*session, error) {
	if s, ok := q.sessions[rung.key()]; ok {
		return s, nil
	}
	limits := rung.limits
	limits.Incremental = true
	started, err := rung.solver.New(limits)
	if err != nil {
		return nil, fmt.Errorf("start solver: %w", err)
	}
	s := &session{solver: started}
	for _, g := range q.guards(rung.order()) {
		s.solver.Assert(g.label, g.f)
	}
	q.sessions[rung.key()] = s
	return s, nil
}

// askOpen encodes the question for an action and variant, or, without an action,
// for the initial state or an arbitrary one.
func (r *run) askOpen(a *protocol.Action, variant int, initial bool) *openQuestion {
	q := &openQuestion{u: encode.NewQuantified(r.sys), hypotheses: map[*protocol.Property]*smt.Term{}, sessions: map[string]*session{}}
	switch {
	case a != nil:
		q.step = q.u.Step(a, variant)
		q.state = q.step.Pre
	case initial:
		q.state = q.u.InitState()
	default:
		q.state = q.u.AnyState()
	}
	return q
}

// failure says that the goal does not hold.
func (q *openQuestion) failure(g *Result) *smt.Term {
	switch g.Kind {
	case TwoState:
		return q.u.Builder().Not(q.step.TwoState(g.Property.Formula))
	case Consecution:
		return q.u.Builder().Not(q.step.Post(g.Property.Formula))
	default:
		return q.u.Builder().Not(q.state.Formula(g.Property.Formula))
	}
}

// hypothesis is the property's formula in the pre-state, with its patterns.
func (q *openQuestion) hypothesis(p *protocol.Property) *smt.Term {
	f, ok := q.hypotheses[p]
	if !ok {
		f = q.state.Hypothesis(p)
		q.hypotheses[p] = f
	}
	return f
}

// climb tries the rungs of the ladder one after the other until one proves the
// goal. A sat or unknown answer of a rung proves nothing and refutes nothing. In
// between, a small scope is asked: if the goal fails there, that is a
// counterexample; if not, the proof there shows which hypotheses matter. What no
// rung proves is asked in the scope itself; the largest scope that held is noted.
func (r *run) climb(ctx context.Context, q *openQuestion, g *Result) error {
	start := time.Now()
	defer func() { g.Elapsed += time.Since(start) }()
	failure := q.failure(g)
	if why := q.u.Unsupported; why != "" {
		g.Reason = "the unbounded mode has no encoding for " + why
	} else {
		if done, err := r.tryAll(ctx, q, r.firstRungs(g), failure, g); done || err != nil {
			return err
		}
		if g.Kind != Initiation {
			seen, err := q.sketch.decide(ctx, g)
			if err != nil {
				return err
			}
			if seen.Verdict == Refuted {
				g.adopt(seen)
				return nil
			}
			g.held(encode.NewScope(r.sys, r.sketchScope()), seen)
			if done, err := r.tryAll(ctx, q, r.lastRungs(g, seen.Core), failure, g); done || err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		cancelled([]*Result{g})
		return nil
	}
	return r.fallBack(ctx, g)
}

// fallBack asks in the scope what could not be proved for all sizes.
func (r *run) fallBack(ctx context.Context, g *Result) error {
	seen, err := r.inScope(ctx, g, r.cfg.Scope)
	switch {
	case err != nil:
		return err
	case seen.Verdict == Refuted:
		g.adopt(seen)
	case seen.Verdict == Proved && r.cfg.Mode != Unbounded:
		reason := g.Reason
		g.adopt(seen)
		g.Reason = "not proved for all sizes: " + reason
	default:
		g.Verdict, g.Answer = Unknown, NoAnswer
		g.held(r.scope, seen)
	}
	return nil
}

// held notes a scope in which the goal holds.
func (g *Result) held(scope encode.Scope, seen *Result) {
	if seen.Verdict == Proved {
		g.Held = &scope
	}
}

// inScope decides the goal in a finite scope, with a core.
func (r *run) inScope(ctx context.Context, g *Result, sizes map[string]int) (*Result, error) {
	cfg := r.cfg
	cfg.Scope, cfg.Cores, cfg.Mode = sizes, true, Bounded
	small := newRun(r.sys, cfg)
	seen := &Result{Obligation: g.Obligation}
	one := []*Result{seen}
	err := small.decide(ctx, g.ID(), small.ask(small.scope, g.Action, one), g.Action, one)
	seen.Solver = r.cfg.Solver
	return seen, err
}

// adopt takes over what was found in a finite scope.
func (g *Result) adopt(seen *Result) {
	g.Mode, g.Verdict, g.Answer, g.Reason, g.Query = Bounded, seen.Verdict, seen.Answer, seen.Reason, seen.Query
	g.Core, g.CTI, g.Solver, g.Held = seen.Core, seen.CTI, seen.Solver, nil
}

// tryAll tries rungs until one proves the goal.
func (r *run) tryAll(ctx context.Context, q *openQuestion, list []rung, failure *smt.Term, g *Result) (bool, error) {
	for _, rung := range list {
		if ctx.Err() != nil {
			return false, nil
		}
		g.Tried = append(g.Tried, rung.name)
		start := time.Now()
		res, err := r.try(ctx, q, rung, failure)
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.name(g.ID()), err)
		}
		r.cfg.logger().Debug("rung", "obligation", r.name(g.ID()), "rung", rung.name, "hypotheses", len(rung.hypotheses),
			"verdict", res.Status.String(), "elapsed", time.Since(start))
		if res.Status == solver.Unsat {
			if r.cfg.Shrink {
				if rung, err = r.shrink(ctx, q, rung, failure); err != nil {
					return false, fmt.Errorf("%s: %w", r.name(g.ID()), err)
				}
			}
			g.proved(rung)
			return true, nil
		}
		g.Reason = reasonOf(res)
	}
	return false, nil
}

// proved notes the rung that found a proof, and its hypotheses beside those of other
// variants of the action.
func (g *Result) proved(rung rung) {
	g.Mode, g.Verdict, g.Answer, g.Rung, g.Reason, g.Solver = Unbounded, Proved, Unsat, rung.name, "", rung.solver.Info
	g.Query, g.setting, g.Held = g.ID(), rung.setting, nil
	if g.Core == nil {
		g.Core = []string{}
	}
	for _, h := range rung.hypotheses {
		if !slices.Contains(g.Core, h.ID) {
			g.Core = append(g.Core, h.ID)
		}
	}
}

// shrink is the rung with no more hypotheses than an unsat core names, if the goal
// is proved from these alone; else the rung as it is.
func (r *run) shrink(ctx context.Context, q *openQuestion, full rung, failure *smt.Term) (rung, error) {
	named := full
	named.limits.Cores = true
	res, err := r.try(ctx, q, named, failure)
	if err != nil || res.Status != solver.Unsat {
		return full, err
	}
	small := full
	small.hypotheses = nil
	for _, h := range full.hypotheses {
		if slices.Contains(res.Core, h.ID) {
			small.hypotheses = append(small.hypotheses, h)
		}
	}
	res, err = r.try(ctx, q, small, failure)
	if err != nil || res.Status != solver.Unsat {
		return full, err
	}
	return small, nil
}

// reasonOf says why a rung failed; a model of a quantified question, or of part of
// the hypotheses, means nothing.
func reasonOf(res solver.Result) string {
	if res.Status == solver.Sat {
		return solver.Incomplete.String()
	}
	return res.Reason.String()
}

// try asks one rung's solver.
func (r *run) try(ctx context.Context, q *openQuestion, rung rung, failure *smt.Term) (solver.Result, error) {
	var own []assertion
	for _, h := range rung.hypotheses {
		own = append(own, assertion{h.ID, q.hypothesis(h)})
	}
	own = append(own, assertion{"", failure})
	shuffle(own, rung.order())
	if rung.setting != matching.short {
		return q.askFresh(ctx, rung, own)
	}
	s, err := q.session(rung)
	if err != nil {
		return solver.Result{}, err
	}
	for _, f := range q.u.Facts()[s.facts:] { // they grow as terms are made
		s.solver.Assert("", f)
	}
	s.facts = len(q.u.Facts())
	s.solver.Push()
	defer s.solver.Pop()
	for _, a := range own {
		s.solver.Assert(a.label, a.f)
	}
	return s.solver.Check(ctx)
}

// askFresh asks a solver that lives for this query only: behind a push, and with
// what earlier attempts left in it, model-based instantiation often runs on where a
// fresh process ends at once.
func (q *openQuestion) askFresh(ctx context.Context, rung rung, own []assertion) (solver.Result, error) {
	s, err := rung.solver.New(rung.limits)
	if err != nil {
		return solver.Result{}, fmt.Errorf("start solver: %w", err)
	}
	defer s.Close()
	for _, g := range q.guards(rung.order()) {
		s.Assert(g.label, g.f)
	}
	for _, a := range own {
		s.Assert(a.label, a.f)
	}
	for _, f := range q.u.Facts() {
		s.Assert("", f)
	}
	return s.Check(ctx)
}

// guards are those of the step, if there is one, in the seed's order.
func (q *openQuestion) guards(seed int) []assertion {
	var out []assertion
	if q.step != nil {
		for _, f := range q.step.Guards {
			out = append(out, assertion{"", f})
		}
		shuffle(out, seed)
	}
	return out
}

// openAction decides a goal of one action for all variants of the action: it is
// proved if it is for every variant.
func (r *run) openAction(ctx context.Context, a *protocol.Action, goals []*Result) error {
	k := &sketch{of: r, action: a}
	defer k.close()
	for v := range encode.Variants(a) {
		q := r.askOpen(a, v, false)
		q.sketch = k
		defer q.close()
		for _, g := range goals {
			if v > 0 && (g.Verdict != Proved || g.Mode != Unbounded) {
				continue // settled by an earlier variant, for all of them
			}
			g.Mode, g.Verdict, g.Answer, g.Rung, g.Solver = Bounded, Unknown, NoAnswer, "", solver.Info{}
			if err := r.climb(ctx, q, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// openState decides goals about one state.
func (r *run) openState(ctx context.Context, goals []*Result, initial bool) error {
	k := &sketch{of: r}
	defer k.close()
	q := r.askOpen(nil, 0, initial)
	q.sketch = k
	defer q.close()
	for _, g := range goals {
		if err := r.climb(ctx, q, g); err != nil {
			return err
		}
	}
	return nil
}

// majorities asks whether majorities are quorums as the theory has them.
func (r *run) majorities(ctx context.Context, res *Result) error {
	var list []*smt.Term
	if res.Members > 0 {
		list = encode.NewEncoder(r.sys, r.scope).MajoritiesFail(res.Quorums, res.Members)
	} else {
		list = encode.NewQuantified(r.sys).MajoritiesFail(res.Quorums)
	}
	start := time.Now()
	s, err := r.cfg.NewSolver(r.cfg.limits())
	if err != nil {
		return fmt.Errorf("start solver: %w", err)
	}
	defer s.Close()
	for _, f := range list {
		s.Assert("", f)
	}
	got, err := s.Check(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", r.name(res.ID()), err)
	}
	res.Mode, res.Query, res.Elapsed, res.Solver = Unbounded, res.ID(), time.Since(start), r.cfg.Solver
	switch got.Status {
	case solver.Unsat:
		res.Verdict, res.Answer = Proved, Unsat
	case solver.Sat:
		res.Verdict, res.Answer, res.Reason = Refuted, Sat, "two majorities that are no quorums"
	case solver.Unknown:
		res.Verdict, res.Answer, res.Reason = Unknown, NoAnswer, got.Reason.String()
	}
	return nil
}
