package proofs

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
)

// sketch decides goals in a scope so small that it takes a moment: a goal that fails
// there has a counterexample, and the core of one that holds shows which hypotheses
// matter. Goals of one action share one encoding and one solver process.
type sketch struct {
	of     *run
	action *protocol.Action // nil: the goals are about one state

	small  *run
	ask    *question
	solver solver.Solver
	seen   map[*Result]*Result
}

// sketchScope is the scope of a run with naturals up to 2 and one message of each type.
func (r *run) sketchScope() map[string]int {
	small, _ := probe(r.sys, r.scope)
	small = maps.Clone(small)
	small[protocol.MessagesScope] = 1
	return small
}

func (k *sketch) begin() error {
	cfg := k.of.cfg
	cfg.Scope, cfg.Cores, cfg.Mode = k.of.sketchScope(), true, Bounded
	k.small = newRun(k.of.sys, cfg)
	k.ask = k.small.ask(k.small.scope, k.action, nil)
	limits := k.small.cfg.limits()
	limits.Cores, limits.Incremental = true, true
	s, err := cfg.NewSolver(limits)
	if err != nil {
		return fmt.Errorf("start solver: %w", err)
	}
	k.ask.assume(s, cfg.Seed)
	k.solver, k.seen = s, map[*Result]*Result{}
	return nil
}

// decide is what the goal's verdict is in the small scope.
func (k *sketch) decide(ctx context.Context, g *Result) (*Result, error) {
	if k.of.cfg.Alone { // the hypotheses are the goal's own
		return k.of.inScope(ctx, g, k.of.sketchScope())
	}
	if k.solver == nil {
		if err := k.begin(); err != nil {
			return nil, err
		}
	}
	if seen, ok := k.seen[g]; ok {
		return seen, nil
	}
	seen := &Result{Obligation: g.Obligation, Solver: k.of.cfg.Solver}
	start := time.Now()
	k.solver.Push()
	k.solver.Assert("", k.ask.failure(seen))
	res, err := k.solver.Check(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.of.name(g.ID()), err)
	}
	k.solver.Pop()
	k.small.answered(g.ID(), []*Result{seen}, res, time.Since(start))
	if res.Status == solver.Sat {
		k.small.refute(seen, k.ask, res.Model)
	}
	k.seen[g] = seen
	return seen, nil
}

func (k *sketch) close() {
	if k.solver != nil {
		_ = k.solver.Close() // all answers are in
	}
}
