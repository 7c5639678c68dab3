package proofs

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// Whether something can happen from the initial state, two searches are asked at once: random walks, which get
// far and see little, and a solver, which sees everything up to a length. The first run that either finds counts.

// FindConfig says how to look for a run. One of Walks and Solve at least is set.
type FindConfig struct {
	Walks     bool
	WalkSizes map[string]int // sizes that replace those of the spec for walks
	Seed      uint64
	Length    int // most steps of a walk

	Goal protocol.Term // what the run shall lead to, if the property is only that it never holds; nil else

	Solve     bool
	NewSolver func(solver.Limits) (solver.Solver, error)
	Solver    solver.Info
	Limits    solver.Limits
	Scope     map[string]int // sizes that replace those of SolveSizes
	Depth     int            // most steps of a run that the solver is asked for

	Progress func(string) // told now and then what is being looked at, from several goroutines; may be nil
}

// Finding is how a search for a run ended.
type Finding struct {
	System   *protocol.System
	Config   FindConfig
	Property *protocol.Property // that was to be broken; if there were several, the one that is
	Run      *state.Run         // that breaks it; nil if none was found
	By       string             // which search found it, and how to have it again
	Walks    *explore.Simulation
	WalkedIn *state.Structure
	Solved   *ReachResult       // its run and all else; nil if the solver was not asked
	Sought   *protocol.Property // that the solver looked for a run to break: of FindCTI, the one of the counterexample
	Pre      *ReachResult       // of FindCTI: whether the pre-state can be reached
	Elapsed  time.Duration
}

// SolveSizes are the sizes in which a solver looks for runs: as in walks, but no natural is more than 2 above that of the
// spec's scope, since each costs time.
func SolveSizes(sys *protocol.System) map[string]int {
	sizes, scope := sys.WalkSizes(nil), sys.Sizes(nil)
	for _, s := range sys.Sorts {
		if s.Kind == protocol.NaturalKind {
			sizes[s.Name] = min(sizes[s.Name], scope[s.Name]+2)
		}
	}
	return sizes
}

// Find looks for a run from the initial state that breaks a property, until it has one, ctx is done, or both searches
// have done what they were asked. The error is about the world, or an *InternalError.
func Find(ctx context.Context, sys *protocol.System, p *protocol.Property, cfg FindConfig) (*Finding, error) {
	return find(ctx, sys, p, nil, cfg)
}

// FindCTI is Find for a counterexample to induction that the search for one of p led to. Of the time that ctx leaves, the
// walks spend the first half on p, and the second on the property that the counterexample breaks, if that is another; the solver
// spends the first half on the latter, and the second on a way to the pre-state, as far as the step and the broken instance read it.
func FindCTI(ctx context.Context, sys *protocol.System, p *protocol.Property, cti *CTI, cfg FindConfig) (*Finding, error) {
	return find(ctx, sys, p, cti, cfg)
}

func find(ctx context.Context, sys *protocol.System, p *protocol.Property, cti *CTI, cfg FindConfig) (*Finding, error) {
	start := time.Now()
	f := &finder{sys: sys, asked: p, p: p, cti: cti, cfg: cfg, out: &Finding{System: sys, Config: cfg, Property: p}}
	if cti != nil {
		f.p = cti.Obligation.Property
	}
	ctx, f.cancel = context.WithCancel(ctx)
	defer f.cancel()
	var wg sync.WaitGroup
	var walked, solved error
	if cfg.Walks {
		wg.Go(func() { walked = guard("walks", func() error { return f.walk(ctx) }) })
	}
	if cfg.Solve {
		wg.Go(func() { solved = guard("reach", func() error { return f.solve(ctx) }) })
	}
	wg.Wait()
	f.out.Elapsed = time.Since(start)
	if walked != nil {
		return f.out, walked
	}
	return f.out, solved
}

// finder is two searches in progress.
type finder struct {
	sys    *protocol.System
	asked  *protocol.Property // whose proof is in question
	p      *protocol.Property // that is broken, if there is a counterexample; else the same
	cti    *CTI
	cfg    FindConfig
	cancel func()

	mu  sync.Mutex
	out *Finding
}

// found takes the first run, and ends the other search.
func (f *finder) found(run *state.Run, p *protocol.Property, by string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out.Run == nil {
		f.out.Run, f.out.Property, f.out.By = run, p, by
		f.cancel()
	}
}

func (f *finder) tell(format string, args ...any) {
	if f.cfg.Progress != nil {
		f.cfg.Progress(fmt.Sprintf(format, args...))
	}
}

func (f *finder) walk(ctx context.Context) error {
	if f.asked != f.p {
		first, cancel := half(ctx)
		defer cancel()
		f.walkFor(first, f.asked)
		if ctx.Err() != nil || f.out.Walks.Violation != nil {
			return nil
		}
	}
	f.walkFor(ctx, f.p)
	return nil
}

// half is the first half of the time that ctx leaves.
func half(ctx context.Context) (context.Context, func()) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, time.Until(end)/2)
	}
	return ctx, func() {}
}

func (f *finder) walkFor(ctx context.Context, p *protocol.Property) {
	st := state.NewStructure(f.sys, f.sys.WalkSizes(f.cfg.WalkSizes))
	s := explore.Simulate(ctx, st, explore.SimulateOptions{
		Properties: []*protocol.Property{p}, Seed: f.cfg.Seed, Depth: f.cfg.Length, Workers: 1, Vary: len(f.cfg.WalkSizes) == 0,
		Progress: func(walks, steps int) { f.tell("%d random walks, %d steps", walks, steps) },
	})
	if f.out.Walks != nil { // those for another property
		s.Walks += f.out.Walks.Walks
		s.Steps += f.out.Walks.Steps
		s.Elapsed += f.out.Walks.Elapsed
	}
	f.out.Walks, f.out.WalkedIn = s, st
	if s.Violation != nil {
		f.found(s.Violation.Run, p, fmt.Sprintf("random walks, seed %d, walk %d (%d steps as found)", f.cfg.Seed, s.Walk, s.Found))
	}
}

func (f *finder) solve(ctx context.Context) error {
	first := ctx
	if f.cti != nil {
		var cancel func()
		first, cancel = half(ctx)
		defer cancel()
	}
	sizes := SolveSizes(f.sys)
	maps.Copy(sizes, f.cfg.Scope)
	res, err := f.reach(first, Target{Breaks: f.p}, sizes)
	if err != nil {
		return err
	}
	f.out.Solved, f.out.Sought = res, f.p
	if res.Run != nil {
		f.found(res.Run, f.p, fmt.Sprintf("%s, %d steps", f.cfg.Solver, len(res.Run.Steps)))
		return nil
	}
	if f.cti == nil || ctx.Err() != nil {
		return nil
	}
	if f.out.Pre, err = f.reach(ctx, preState(f.cti), f.cti.Scope.Sizes); err != nil || f.out.Pre.Run == nil {
		return err
	}
	return f.goOn(f.out.Pre.Run)
}

func (f *finder) reach(ctx context.Context, target Target, sizes map[string]int) (*ReachResult, error) {
	return Reach(ctx, f.sys, target, ReachConfig{NewSolver: f.cfg.NewSolver, Limits: f.cfg.Limits, Scope: sizes, Depth: f.cfg.Depth,
		Progress: func(depth int, _ time.Duration) { f.tell("runs of %d steps", depth) }})
}

// goOn takes the counterexample's step from the state where a run to its pre-state ends: what was not read may be different there,
// ghosts above all.
func (f *finder) goOn(run *state.Run) error {
	ev := semantics.NewEvaluator(run.Structure)
	if step := f.cti.Step(); step != nil {
		out := ev.Do(step.Action, step.Args, run.Last())
		if out.Status != semantics.Enabled {
			return nil
		}
		longer := *run
		longer.Steps = append(longer.Steps[:len(run.Steps):len(run.Steps)],
			&state.Step{Action: step.Action, Args: step.Args, Pre: run.Last(), Post: out.Post})
		run = &longer
	}
	if ev.FirstBroken(f.p, run) == len(run.Steps) {
		f.found(run, f.p, fmt.Sprintf("%s: the pre-state, %d steps from the start", f.cfg.Solver, f.out.Pre.Depth))
	}
	return nil
}

// preState is the state before a counterexample's step, as far as the step and the broken instance read it.
func preState(c *CTI) Target {
	ev := semantics.NewEvaluator(c.Structure)
	read := map[*protocol.StateVar][][]int{}
	var messages []encode.Sent
	record := &semantics.Recorder{
		Cell: func(v *protocol.StateVar, path []int, primed bool) {
			if !primed {
				read[v] = append(read[v], append([]int(nil), path...))
			}
		},
		Message: func(typ *protocol.Sort, msg state.Value, primed bool) {
			if !primed && c.Pre.HasMessage(typ, msg) {
				messages = append(messages, encode.Sent{Type: typ, Value: msg})
			}
		},
	}
	step := c.Step()
	if step != nil {
		ev.Reads(step, record)
	}
	p := c.Obligation.Property
	env := semantics.Env{Pre: c.Pre, Vars: c.Broken.Vars, Record: record}
	if step != nil && p.TwoState {
		env.Post, env.Step = c.Post, step.Action
	}
	for _, t := range c.Broken.Literals {
		ev.Term(t, env)
	}
	target := StateTarget(c.Structure, c.Pre, func(v *protocol.StateVar, args []int) bool { return !overlaps(read[v], args) })
	target.Sent = messages
	return target
}

// overlaps reports whether one of the paths leads to the cells at args, or to some of them.
func overlaps(paths [][]int, args []int) bool {
	for _, p := range paths {
		n := min(len(p), len(args))
		same := true
		for i := range n {
			same = same && p[i] == args[i]
		}
		if same {
			return true
		}
	}
	return false
}
