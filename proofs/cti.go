package proofs

import (
	"context"
	"fmt"
	"maps"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// CTI is a counterexample, replayed by the evaluator: of consecution and of a
// two-state property a step, of initiation and of an implication one state. Its
// pre-state (the state) satisfies every hypothesis; whether it is reachable is
// not known.
type CTI struct {
	Obligation Obligation
	Structure  *state.Structure
	Scope      encode.Scope // the smallest scope that has one
	Pre        *state.State // the state, if there is no step
	Args       []state.Value
	Post       *state.State // nil if there is no step
	Broken     *semantics.Broken
}

// Step is the step, or nil.
func (c *CTI) Step() *state.Step {
	if c.Post == nil {
		return nil
	}
	return &state.Step{Action: c.Obligation.Action, Args: c.Args, Pre: c.Pre, Post: c.Post}
}

// minimize replaces a refuted obligation's counterexample by a small one: in the
// smallest scope that has one, and there with as little state as possible beside
// the initial state. If time runs out, the one found first stays.
//
// The attempts depend on the system, the obligation and the seed only, so that
// the same question gets the same counterexample.
func (r *run) minimize(ctx context.Context, g *Result) error {
	if g.Kind == Initiation { // there is one initial state, whatever the scope
		return nil
	}
	scope, err := r.smallestScope(ctx, g)
	if err != nil || ctx.Err() != nil {
		return err
	}
	q := r.ask(scope, g.Action, []*Result{g})
	m, err := r.simplest(ctx, q)
	if err != nil || m == nil {
		return err
	}
	pre, args := q.decode(m)
	g.CTI = r.replay(g, scope, pre, args)
	return nil
}

// smallestScope lowers the sizes one after the other, in the order in which they
// make a counterexample hard to read: elements, then naturals, then messages.
func (r *run) smallestScope(ctx context.Context, g *Result) (encode.Scope, error) {
	scope := r.scope
	// lower tries smaller sizes, the smallest first, and keeps the first that do.
	lower := func(smaller []encode.Scope) error {
		for _, s := range smaller {
			q := r.ask(s, g.Action, []*Result{g})
			res, err := r.check(ctx, q, q.someFailure(), r.cfg.limits())
			if err != nil || ctx.Err() != nil {
				return err
			}
			if res.Status == solver.Sat {
				scope = s
				return nil
			}
		}
		return nil
	}
	for _, sort := range sizedSorts(r.sys) {
		if err := lower(smaller(scope, sort)); err != nil {
			return scope, err
		}
	}
	var fewer []encode.Scope
	for n := range scope.Messages {
		fewer = append(fewer, encode.Scope{Sizes: scope.Sizes, Messages: n})
	}
	err := lower(fewer)
	return scope, err
}

// smaller are the scopes in which a sort has fewer elements, or its subset has, the
// smallest first. A subset has 1 element at least, and no more than its sort.
func smaller(scope encode.Scope, sort *protocol.Sort) []encode.Scope {
	var out []encode.Scope
	add := func(sizes map[string]int) {
		all := maps.Clone(scope.Sizes)
		maps.Copy(all, sizes)
		out = append(out, encode.Scope{Sizes: all, Messages: scope.Messages})
	}
	size := scope.Sizes[sort.Name]
	if sort.Subset == nil {
		for n := 1; n < size; n++ {
			add(map[string]int{sort.Name: n})
		}
		return out
	}
	inside := scope.Sizes[sort.Subset.Name]
	for n := 1; n <= size; n++ {
		for k := 1; k <= min(n, inside) && !(n == size && k == inside); k++ {
			add(map[string]int{sort.Name: n, sort.Subset.Name: k})
		}
	}
	return out
}

// sizedSorts are the sorts that a scope gives a size: elements, then naturals.
func sizedSorts(sys *protocol.System) []*protocol.Sort {
	var out []*protocol.Sort
	for _, kind := range []protocol.Kind{protocol.ElementKind, protocol.NaturalKind} {
		for _, s := range sys.Sorts {
			if s.Kind == kind {
				out = append(out, s)
			}
		}
	}
	return out
}

// simplest is a model of the question in which as many parts of the state as
// possible are as simple as possible, one part after the other; nil if time
// runs out.
func (r *run) simplest(ctx context.Context, q *question) (*solver.Model, error) {
	limits := r.cfg.limits()
	limits.Incremental = true
	s, err := r.cfg.NewSolver(limits)
	if err != nil {
		return nil, fmt.Errorf("start solver: %w", err)
	}
	defer s.Close()
	q.assume(s, r.cfg.Seed)
	s.Assert("", q.someFailure())
	res, err := s.Check(ctx)
	if err != nil || res.Status != solver.Sat {
		return nil, err
	}
	model := res.Model
	for _, part := range q.state.Parts() {
		if model, err = r.simplify(ctx, s, part, model); err != nil || model == nil {
			return nil, err
		}
	}
	return model, nil
}

// simplify asserts that the part is simple if the question still has a model,
// else tries its parts.
func (r *run) simplify(ctx context.Context, s solver.Solver, part encode.Part, model *solver.Model) (*solver.Model, error) {
	if model.Evaluator().Bool(part.Simple) { // the model has it so already
		s.Assert("", part.Simple)
		return model, nil
	}
	s.Push()
	s.Assert("", part.Simple)
	res, err := s.Check(ctx)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	if res.Status == solver.Sat {
		return res.Model, nil
	}
	s.Pop()
	for _, p := range part.Parts {
		if model, err = r.simplify(ctx, s, p, model); err != nil || model == nil {
			return nil, err
		}
	}
	return model, nil
}

// replay has the evaluator, which shares no code with the encoder, confirm the
// counterexample; if it does not, the program is wrong and says so.
func (r *run) replay(g *Result, scope encode.Scope, pre *state.State, args []state.Value) *CTI {
	st := scope.Structure(r.sys)
	ev := semantics.NewEvaluator(st)
	c := &CTI{Obligation: g.Obligation, Structure: st, Scope: scope, Pre: pre, Args: args}
	disagree := func(format string, a ...any) {
		panic(fmt.Sprintf("evaluator and solver disagree on %s: %s", g.ID(), fmt.Sprintf(format, a...)))
	}
	if g.Kind != Initiation {
		if err := r.satisfies(ev, pre, r.hypotheses(g.Property)); err != nil {
			disagree("%v", err)
		}
	}
	env := semantics.Env{Pre: pre}
	if g.Action != nil {
		out := ev.Do(g.Action, args, pre)
		if out.Status != semantics.Enabled {
			disagree("%s is not enabled in the pre-state", g.Action.Name)
		}
		c.Post = out.Post
		env = semantics.Env{Pre: out.Post}
		if g.Kind == TwoState {
			env = semantics.Env{Pre: pre, Post: out.Post, Step: g.Action}
		}
	}
	if c.Broken = ev.Explain(g.Property.Formula, env); c.Broken == nil {
		disagree("%s holds", g.Property.ID)
	}
	return c
}
