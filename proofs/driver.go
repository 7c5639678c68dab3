package proofs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
)

// errStop ends a run at the first refutation.
var errStop = errors.New("stopped at the first refutation")

// Run decides the obligations of the systems. The report is complete whatever
// the verdicts are; the error is about the world (a solver that cannot be
// started) or an *InternalError. When ctx is cancelled the rest is unknown.
func Run(ctx context.Context, systems []*protocol.System, cfg Config) (*Report, error) {
	start := time.Now()
	rep, runs, err := execute(ctx, systems, cfg, false)
	if err == nil {
		err = minimizeAll(ctx, runs, cfg.Jobs, func(*Result) bool { return true })
	}
	rep.Elapsed = time.Since(start)
	if err != nil {
		return rep, err
	}
	if cfg.Mode == Both {
		shareVacuity(rep)
	}
	for _, s := range rep.Systems {
		s.conclude(cfg.Cores || s.Mode != Bounded)
		if s.Mode != Bounded && !cfg.Shrink {
			s.Unneeded = nil // the hypotheses given are more than those needed
		}
	}
	return rep, nil
}

// parts are the runs that a mode asks for. What is shown by one state or step, or
// by a run, is asked once: a finite structure is a structure.
func (c Config) parts() []Config {
	if c.Mode != Both {
		return []Config{c}
	}
	open, bounded := c, c
	open.Mode, bounded.Mode = Unbounded, Bounded
	open.Only = func(o Obligation) bool {
		return o.ofAllSizes() && (c.Only == nil || c.Only(o))
	}
	return []Config{open, bounded}
}

// shareVacuity gives the unbounded reports what the bounded ones, which follow
// them, have shown to be possible.
func shareVacuity(rep *Report) {
	for i := 0; i+1 < len(rep.Systems); i += 2 {
		open, bounded := rep.Systems[i], rep.Systems[i+1]
		for _, r := range bounded.Results {
			if r.Property == nil || r.Kind == LiteralIsFalse {
				open.Results = append(open.Results, r)
			}
		}
		open.order()
	}
}

// minimizeAll makes the chosen counterexamples small.
func minimizeAll(ctx context.Context, runs []*run, jobs int, chosen func(*Result) bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, jobs))
	for _, r := range runs {
		for _, res := range r.results {
			if res.CTI != nil && chosen(res) {
				group.Go(func() error {
					return guard(r.name(res.ID()), func() error { return r.minimize(ctx, res) })
				})
			}
		}
	}
	return group.Wait()
}

// execute decides the obligations and leaves the rest of Run to the caller.
func execute(ctx context.Context, systems []*protocol.System, cfg Config, groupCores bool) (*Report, []*run, error) {
	start := time.Now()
	rep := &Report{Solver: cfg.Solver, Seed: cfg.Seed}
	total := 0
	var runs []*run
	for _, sys := range systems {
		for _, part := range cfg.parts() {
			r := newRun(sys, part)
			r.groupCores = groupCores
			total += len(r.results)
			runs = append(runs, r)
			rep.Systems = append(rep.Systems, r.report)
		}
	}
	progress := &tracker{start: start, total: total, tell: cfg.Progress}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var first, last []*pending
	for _, r := range runs {
		for _, t := range r.tasks() {
			first = append(first, &pending{r, t})
		}
		if t, ok := r.lastTask(); ok {
			last = append(last, &pending{r, t})
		}
	}
	for _, stage := range [][]*pending{first, last} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(max(1, cfg.Jobs))
		for _, t := range stage {
			group.Go(func() error {
				progress.begin(t.name)
				defer func() { progress.end(t.of.report, len(t.results)) }()
				if ctx.Err() != nil {
					cancelled(t.results)
					return nil
				}
				err := guard(t.name, func() error { return t.do(ctx) })
				if cfg.FailFast && slices.ContainsFunc(t.results, func(r *Result) bool { return !r.AsExpected() && r.Verdict == Refuted }) {
					stop(errStop)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return rep, runs, err
		}
	}
	return rep, runs, nil
}

// run is the check of one system.
type run struct {
	cfg     Config
	sys     *protocol.System
	scope   encode.Scope
	report  *SystemReport
	results []*Result
	inv     []*protocol.Property // the hypotheses
	seen    [][]*sighting        // by action: the steps found for branches
	// groupCores says that one core for all goals of a query is enough.
	groupCores bool
}

func newRun(sys *protocol.System, cfg Config) *run {
	r := &run{cfg: cfg, sys: sys, scope: encode.NewScope(sys, cfg.Scope), seen: make([][]*sighting, len(sys.Actions))}
	r.report = &SystemReport{System: sys, Mode: cfg.Mode, Scope: r.scope, Structure: r.scope.Structure(sys)}
	for _, p := range sys.Properties {
		if p.Inductive() && !cfg.Without[p.ID] {
			r.inv = append(r.inv, p)
		}
	}
	for _, o := range Plan(sys, cfg.Mode, cfg.Without) {
		if cfg.Only == nil || cfg.Only(o) {
			r.results = append(r.results, &Result{Obligation: o})
		}
	}
	if cfg.Branches {
		for _, o := range Branches(sys) {
			if cfg.Only == nil || cfg.Only(o) {
				r.results = append(r.results, &Result{Obligation: o})
			}
		}
	}
	r.report.Results = r.results
	if !cfg.Alone {
		r.report.hypotheses = r.inv
	}
	return r
}

// hypotheses are the properties assumed of the pre-state when p is to be proved.
func (r *run) hypotheses(p *protocol.Property) []*protocol.Property {
	if !r.cfg.Alone {
		return r.inv
	}
	if p != nil && p.Inductive() {
		return []*protocol.Property{p}
	}
	return nil
}

// task is a piece of work that one goroutine does: one query at least.
type task struct {
	name    string
	results []*Result
	do      func(ctx context.Context) error
}

// pending is a task of a run.
type pending struct {
	of *run
	task
}

// lastTask is what has to wait for all tasks: what definitions decide by, since most
// of it shows in steps that are found for something else.
func (r *run) lastTask() (task, bool) {
	var list []*Result
	for _, res := range r.results {
		if res.Kind == Branch && res.Action == nil {
			list = append(list, res)
		}
	}
	return task{r.name("definitions"), list, func(ctx context.Context) error { return r.sharedBranches(ctx, list) }}, len(list) > 0
}

// tasks groups the obligations by what they encode: all of one action, all that
// are about one state, all that are about the initial state.
func (r *run) tasks() []task {
	var out []task
	var init, implied []*Result
	goals := make([][]*Result, len(r.sys.Actions))
	fires := make([]*Result, len(r.sys.Actions))
	branches := make([][]*Result, len(r.sys.Actions))
	for _, res := range r.results {
		switch res.Kind {
		case Initiation:
			init = append(init, res)
		case Implication:
			implied = append(implied, res)
		case Consecution, TwoState:
			if res.Untouched {
				res.Verdict, res.Answer = Proved, Untouched
				if r.cfg.Mode != Bounded {
					res.Mode = Unbounded
				}
				continue
			}
			goals[res.Action.Index] = append(goals[res.Action.Index], res)
		case Fires:
			fires[res.Action.Index] = res
		case Branch:
			if res.Action != nil {
				branches[res.Action.Index] = append(branches[res.Action.Index], res)
			}
		case Possible:
			out = append(out, task{r.name(res.ID()), []*Result{res}, func(ctx context.Context) error { return r.possible(ctx, res) }})
		case Majorities:
			out = append(out, task{r.name(res.ID()), []*Result{res}, func(ctx context.Context) error { return r.majorities(ctx, res) }})
		case LiteralIsFalse:
			out = append(out, task{r.name(res.ID()), []*Result{res}, func(context.Context) error { return r.literal(res) }})
		}
	}
	var groups []task
	if r.cfg.Mode != Bounded {
		groups = r.openTasks(init, implied, goals)
		init, implied, goals = nil, nil, make([][]*Result, len(r.sys.Actions))
	}
	for i, a := range r.sys.Actions {
		all := slices.Clone(goals[i])
		if fires[i] != nil {
			all = append(all, fires[i])
		}
		all = append(all, branches[i]...)
		if len(all) > 0 {
			groups = append(groups, task{r.name(a.Name), all, func(ctx context.Context) error {
				return r.action(ctx, a, goals[i], fires[i], branches[i])
			}})
		}
	}
	if len(init) > 0 {
		groups = append(groups, task{r.name("init"), init, func(ctx context.Context) error {
			return r.settle(ctx, "init", r.ask(r.scope, nil, init), nil, init)
		}})
	}
	if len(implied) > 0 {
		groups = append(groups, task{r.name("implied"), implied, func(ctx context.Context) error { return r.implied(ctx, implied) }})
	}
	// The longest first, so that no processor idles at the end: an action with
	// many goals takes longest.
	slices.SortFunc(groups, func(a, b task) int {
		return cmp.Or(len(b.results)-len(a.results), strings.Compare(a.name, b.name))
	})
	return append(groups, out...)
}

// openTasks are the tasks of the unbounded mode: a few goals each, since they share
// little but their encoding.
func (r *run) openTasks(init, implied []*Result, goals [][]*Result) []task {
	const few = 6
	var out []task
	for i, a := range r.sys.Actions {
		for part := range slices.Chunk(goals[i], few) {
			out = append(out, task{r.name(a.Name), part, func(ctx context.Context) error { return r.openAction(ctx, a, part) }})
		}
	}
	for part := range slices.Chunk(implied, 1) {
		out = append(out, task{r.name(part[0].ID()), part, func(ctx context.Context) error { return r.openState(ctx, part, false) }})
	}
	for part := range slices.Chunk(init, few) {
		out = append(out, task{r.name("init"), part, func(ctx context.Context) error { return r.openState(ctx, part, true) }})
	}
	return out
}

// action settles what is asked of one action, with one encoding of its step.
func (r *run) action(ctx context.Context, a *protocol.Action, goals []*Result, fires *Result, branches []*Result) error {
	q := r.ask(r.scope, a, goals)
	if len(goals) > 0 {
		if err := r.settle(ctx, a.Name, q, a, goals); err != nil {
			return err
		}
	}
	if fires != nil && ctx.Err() == nil {
		if err := r.fires(ctx, fires, q); err != nil {
			return err
		}
	}
	if ctx.Err() == nil {
		return r.branches(ctx, a, fires, q, branches)
	}
	if fires != nil {
		cancelled([]*Result{fires})
	}
	cancelled(branches)
	return nil
}

func (r *run) name(query string) string { return r.sys.Name + "/" + query }

func cancelled(results []*Result) {
	for _, res := range results {
		if res.Verdict == Unknown {
			res.Answer, res.Reason = NoAnswer, "cancelled"
		}
	}
}

// tracker counts what is done.
type tracker struct {
	mu          sync.Mutex
	start       time.Time
	done, total int
	tell        func(Progress)
}

func (t *tracker) begin(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.show(name)
}

func (t *tracker) end(s *SystemReport, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	if s != nil {
		s.Elapsed = time.Since(t.start)
	}
	t.show("")
}

func (t *tracker) show(running string) {
	if t.tell != nil {
		t.tell(Progress{Done: t.done, Total: t.total, Running: running})
	}
}
