package proofs

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// Opinion is what another solver says of the proofs of one system: each obligation
// that a solver has proved is asked again, from the same hypotheses. What it has
// proved itself it is not asked.
type Opinion struct {
	Solver      solver.Info
	Agreed      int
	Undecided   []string // it could not decide them in time
	Contradicts []string // it found a model of what the first solver calls unsatisfiable
}

// SecondOpinion asks other solvers, one after the other, about every obligation that
// a solver has proved. Of a contradiction nobody knows which of the two is wrong;
// nothing that rests on it is to be believed. The report keeps the opinions.
func SecondOpinion(ctx context.Context, s *SystemReport, cfg Config, others []Backend, timeout time.Duration) error {
	for _, b := range others {
		if err := opinion(ctx, s, cfg, b, timeout); err != nil {
			return err
		}
	}
	return nil
}

func opinion(ctx context.Context, s *SystemReport, cfg Config, other Backend, timeout time.Duration) error {
	o := &Opinion{Solver: other.Info}
	s.Opinions = append(s.Opinions, o)
	answers := make([]solver.Status, len(s.Results))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, cfg.Jobs))
	for i, g := range s.Results {
		if !asksAgain(g, other) {
			continue
		}
		group.Go(func() error {
			return guard(s.System.Name+"/"+g.ID(), func() error {
				var err error
				answers[i], err = askAgain(gctx, s, g, cfg, other, timeout)
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, g := range s.Results {
		if !asksAgain(g, other) {
			continue
		}
		switch answers[i] {
		case solver.Unsat:
			o.Agreed++
		case solver.Sat:
			o.Contradicts = append(o.Contradicts, g.ID())
		case solver.Unknown:
			o.Undecided = append(o.Undecided, g.ID())
		}
	}
	return nil
}

// asksAgain reports whether another solver has proved an obligation of the protocol.
func asksAgain(g *Result, other Backend) bool {
	return g.Answer == Unsat && g.Verdict == Proved && g.Property != nil && g.Solver != other.Info
}

// askAgain is the other solver's answer to one obligation: unsat only if it is for
// every variant of the action.
func askAgain(ctx context.Context, s *SystemReport, g *Result, cfg Config, other Backend, timeout time.Duration) (solver.Status, error) {
	cfg.Scope = s.Scope.Override()
	r := newRun(s.System, cfg)
	hyps := r.hypotheses(g.Property)
	if g.Core != nil {
		hyps = nil
		for _, p := range s.System.Properties {
			if slices.Contains(g.Core, p.ID) {
				hyps = append(hyps, p)
			}
		}
	}
	limits := solver.Limits{Timeout: timeout, MemoryMB: cfg.MemoryMB, Seed: cfg.Seed, Names: cfg.Seed}
	if g.Mode == Bounded {
		r.inv = hyps
		q := r.ask(r.scope, g.Action, []*Result{g})
		res, err := r.withSolver(other.New).check(ctx, q, q.someFailure(), limits)
		return res.Status, err
	}
	variants := 1
	if g.Action != nil {
		variants = encode.Variants(g.Action)
	}
	for v := range variants {
		q := r.askOpen(g.Action, v, g.Kind == Initiation)
		status, err := r.tryAgain(ctx, q, g, rung{solver: other, hypotheses: initially(g, hyps), limits: limits})
		q.close()
		if err != nil || status != solver.Unsat {
			return status, err
		}
	}
	return solver.Unsat, nil
}

// tryAgain asks by E-matching and then by instances of another kind, so that a solver
// that is like the first one has what the first one had.
func (r *run) tryAgain(ctx context.Context, q *openQuestion, g *Result, again rung) (solver.Status, error) {
	failure, limits := q.failure(g), again.limits
	for _, s := range []setting{matching, second} {
		again.limits, again.setting = limits, second.short // a process of its own
		again.limits.Options = s.options
		if s.short == matching.short && (limits.Timeout == 0 || limits.Timeout > s.wall) {
			again.limits.Timeout = s.wall
		}
		res, err := r.try(ctx, q, again, failure)
		if err != nil || res.Status != solver.Unknown {
			return res.Status, err
		}
	}
	return solver.Unknown, nil
}

// initially drops the hypotheses of an initiation, which has none.
func initially(g *Result, hyps []*protocol.Property) []*protocol.Property {
	if g.Kind == Initiation {
		return nil
	}
	return hyps
}

// withSolver is the run with another solver.
func (r *run) withSolver(start func(solver.Limits) (solver.Solver, error)) *run {
	other := *r
	other.cfg.NewSolver = start
	return &other
}

// Stability is how the verdicts and times of one system vary over several seeds.
type Stability struct {
	Seeds   int
	Changed []string // obligations whose verdict is not the same for every seed
	Least   time.Duration
	Most    time.Duration // of the whole run
	Spread  []Spread      // by obligation, the widest first
}

// Spread is the shortest and the longest time that one obligation took.
type Spread struct {
	ID          string
	Least, Most time.Duration
}

// Stable repeats a run with several seeds and returns the report of the first, which
// keeps what the others showed. The seed also decides what everything is called and
// the order in which a query's assertions are given, so that an answer that hangs on
// either shows.
func Stable(ctx context.Context, systems []*protocol.System, cfg Config, seeds int) (*Report, error) {
	var first *Report
	for k := range seeds {
		c := cfg
		c.Seed = cfg.Seed + k
		rep, err := Run(ctx, systems, c)
		if err != nil {
			return rep, err
		}
		if first == nil {
			first = rep
		}
		for i, s := range rep.Systems {
			f := first.Systems[i]
			if f.Stability == nil {
				f.Stability = &Stability{Seeds: seeds, Least: rep.Elapsed, Spread: make([]Spread, len(s.Results))}
			}
			f.Stability.add(s, f, rep.Elapsed)
		}
	}
	for _, s := range first.Systems {
		slices.SortStableFunc(s.Stability.Spread, func(a, b Spread) int { return cmp.Compare(b.Most-b.Least, a.Most-a.Least) })
	}
	return first, nil
}

func (st *Stability) add(s, first *SystemReport, elapsed time.Duration) {
	st.Least, st.Most = min(st.Least, elapsed), max(st.Most, elapsed)
	for i, r := range s.Results {
		sp := &st.Spread[i]
		if sp.ID == "" {
			*sp = Spread{ID: r.ID(), Least: r.Elapsed, Most: r.Elapsed}
		}
		sp.Least, sp.Most = min(sp.Least, r.Elapsed), max(sp.Most, r.Elapsed)
		if f := first.Results[i]; (r.Verdict != f.Verdict || r.Mode != f.Mode) && !slices.Contains(st.Changed, r.ID()) {
			st.Changed = append(st.Changed, r.ID())
		}
	}
}

// assertion is a formula with the name that it has in cores.
type assertion struct {
	label string
	f     *smt.Term
}

// shuffle changes the order in which a query's assertions are given: not at all for
// seed 0, and in another way for each other seed.
func shuffle(list []assertion, seed int) {
	if seed == 0 {
		return
	}
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
