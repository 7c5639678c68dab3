package proofs

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// A proof that goes through for a wrong protocol as well is worth little. So each mutant, which is
// the protocol with one thing changed, is asked whether its actions keep all properties: if all of
// them do, it survives, and nobody would have noticed. What the mutant does not change keeps them as
// before, and is not asked again.
//
// Headline claims come first, those too that the spec derives from lemmas: a mutant that breaks one
// of them is wrong in a way that can be told to somebody who does not know the proof. For this they
// are taken for inductive.

// MutantConfig says how to look at mutants: in a scope, by induction, or by looking for a run.
type MutantConfig struct {
	Config
	// Hunt looks for a run from the initial state that breaks a headline property with its last
	// step; the run is nil if there was none in the time that it had. If Hunt is nil, mutants are
	// refuted by induction.
	Hunt func(ctx context.Context, mutated *protocol.System) (*protocol.Property, *state.Run)
}

// MutantReport is what was found out about mutants of one system.
type MutantReport struct {
	System  *protocol.System
	Scope   encode.Scope // of proofs by induction
	ByRun   bool
	Solver  solver.Info
	Seed    int
	Results []*MutantResult // as the mutants were given
	Elapsed time.Duration
}

// MutantResult is a mutant with its verdict.
type MutantResult struct {
	Mutation *protocol.Mutation
	Mutated  *protocol.System // with it; nil if it is no protocol
	Verdict  Verdict          // Refuted; Proved, if all properties hold with it; Unknown
	Reason   string           // why unknown
	Hunted   bool             // a run was looked for in vain, as long as it might take
	Property *protocol.Property
	Action   *protocol.Action   // whose step breaks the property; nil of the initial state
	CTI      *CTI               // of one refuted by induction, as it was found
	Scenario *protocol.Scenario // in whose sizes that is; nil: in the scope asked
	Run      *state.Run         // of one refuted by a run
	Elapsed  time.Duration
}

// Outcome is what a verdict on a mutant means.
type Outcome uint8

// The outcomes. Of an explained mutant it is said in the spec why it survives.
const (
	NoProtocol  Outcome = iota // the mutant does not type-check
	ByHeadline                 // a headline claim breaks
	ByLemma                    // only a lemma breaks
	Unexplained                // nothing breaks, and the spec does not say why
	Explained                  // nothing breaks, or nothing was found, and the spec says why
	Undecided                  // unknown
	Odd                        // explained, and yet something breaks
)

var outcomeNames = [...]string{"no protocol", "refuted by headline", "refuted by lemma", "survived", "explained", "unknown", "explained, yet refuted"}

// String is the outcome's name in reports.
func (o Outcome) String() string { return outcomeNames[o] }

// Outcome is what the verdict means.
func (r *MutantResult) Outcome() Outcome {
	explained := r.Mutation.Survives != ""
	switch {
	case r.Mutated == nil:
		return NoProtocol
	case r.Verdict == Refuted && explained:
		return Odd
	case r.Verdict == Refuted && r.Property.Kind == protocol.Invariant:
		return ByHeadline
	case r.Verdict == Refuted:
		return ByLemma
	case explained && (r.Verdict == Proved || r.Hunted):
		return Explained
	case r.Verdict == Proved:
		return Unexplained
	}
	return Undecided
}

// Count is the number of mutants with an outcome.
func (r *MutantReport) Count(o Outcome) int {
	n := 0
	for _, x := range r.Results {
		if x.Outcome() == o {
			n++
		}
	}
	return n
}

// Mutants looks at mutants of a system. The report is complete whatever the verdicts are; when ctx is
// cancelled the rest is unknown. The error is as of Run.
func Mutants(ctx context.Context, sys *protocol.System, mutants []*protocol.Mutation, cfg MutantConfig) (*MutantReport, error) {
	start := time.Now()
	rep := &MutantReport{System: sys, Scope: encode.NewScope(sys, cfg.Scope), ByRun: cfg.Hunt != nil, Solver: cfg.Solver, Seed: cfg.Seed}
	progress := &tracker{start: start, total: len(mutants), tell: cfg.Progress}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, cfg.Jobs))
	for _, m := range mutants {
		res := &MutantResult{Mutation: m}
		rep.Results = append(rep.Results, res)
		group.Go(func() error {
			name := sys.Name + "/" + m.Name
			progress.begin(name)
			defer progress.end(nil, 1)
			return guard(name, func() error {
				start := time.Now()
				defer func() { res.Elapsed = time.Since(start) }()
				mutated, errs := sys.Mutated(m)
				if errs.HasErrors() {
					return nil
				}
				res.Mutated = mutated
				if cfg.Hunt != nil {
					return res.hunt(ctx, cfg)
				}
				return res.settle(ctx, cfg.Config)
			})
		})
	}
	err := group.Wait()
	rep.Elapsed = time.Since(start)
	return rep, err
}

func (r *MutantResult) hunt(ctx context.Context, cfg MutantConfig) error {
	p, run := cfg.Hunt(ctx, r.Mutated)
	switch {
	case run == nil && ctx.Err() != nil:
		r.Reason = "cancelled"
	case run == nil:
		r.Hunted = true
	default:
		r.Verdict, r.Property, r.Run = Refuted, p, run
		if n := len(run.Steps); n > 0 {
			r.Action = run.Steps[n-1].Action
		}
	}
	return nil
}

// settle asks in the scope of the flags or of the spec. Where a mutation survives that nobody explains, it
// asks as well in the sizes of its scenarios: there are bugs that need few of something.
func (r *MutantResult) settle(ctx context.Context, cfg Config) error {
	if err := newMutantRun(r.Mutated, cfg).settleMutant(ctx, r); err != nil {
		return err
	}
	for _, s := range r.Mutated.Scenarios {
		if r.Verdict != Proved || r.Mutation.Survives != "" {
			break
		}
		cfg.Scope = s.Scope
		if err := newMutantRun(r.Mutated, cfg).settleMutant(ctx, r); err != nil {
			return err
		}
		if r.Verdict == Refuted {
			r.Scenario = s
		}
	}
	return nil
}

// newMutantRun is a run whose hypotheses are the inductive properties, and headline claims that are
// derived from them.
func newMutantRun(sys *protocol.System, cfg Config) *run {
	cfg.Mode = Bounded
	r := &run{cfg: cfg, sys: sys, scope: encode.NewScope(sys, cfg.Scope)}
	r.report = &SystemReport{System: sys, Mode: Bounded, Scope: r.scope, Structure: r.scope.Structure(sys)}
	for _, p := range sys.Properties {
		if asked(p) && !p.TwoState {
			r.inv = append(r.inv, p)
		}
	}
	return r
}

// asked reports whether it is asked of each action that it keeps the property. What else is derived
// follows from what is asked.
func asked(p *protocol.Property) bool {
	return p.Kind != protocol.Literal && (!p.Implied || p.Kind == protocol.Invariant)
}

// settleMutant asks of the initial state, if it may have changed, and then of each action that may
// have, until something breaks.
func (r *run) settleMutant(ctx context.Context, res *MutantResult) error {
	actions, initial := touched(r.sys, res.Mutation)
	res.Verdict = Proved
	if initial {
		if err := r.breaks(ctx, res, nil); err != nil || res.Verdict == Refuted {
			return err
		}
	}
	for _, a := range actions {
		if err := r.breaks(ctx, res, a); err != nil || res.Verdict == Refuted {
			return err
		}
	}
	return nil
}

// touched are the actions of a mutated system that may differ from the original ones, or have other
// hypotheses, and whether the initial state may.
func touched(mutated *protocol.System, m *protocol.Mutation) (actions []*protocol.Action, initial bool) {
	for _, c := range m.Changes {
		if c.Section != "actions" {
			return mutated.Actions, true
		}
		if a := mutated.Action(c.Name); a != nil {
			actions = append(actions, a)
		}
	}
	return actions, false
}

// breaks asks whether a step of an action (nil: the initial state) breaks a headline claim, and then
// whether it breaks a lemma.
func (r *run) breaks(ctx context.Context, res *MutantResult, a *protocol.Action) error {
	var headlines, lemmas []*Result
	for _, p := range r.sys.Properties {
		o := Obligation{Kind: Consecution, Property: p, Action: a}
		switch {
		case !asked(p) || a == nil && p.TwoState:
			continue
		case a == nil:
			o.Kind = Initiation
		case p.TwoState:
			o.Kind = TwoState
		case !protocol.Reads(p.Formula).Meets(protocol.Writes(a)):
			continue
		}
		if p.Kind == protocol.Invariant {
			headlines = append(headlines, &Result{Obligation: o})
		} else {
			lemmas = append(lemmas, &Result{Obligation: o})
		}
	}
	goals := append(headlines, lemmas...)
	if len(goals) == 0 {
		return nil
	}
	q := r.ask(r.scope, a, goals)
	from := 0
	for _, part := range [][]*Result{headlines, lemmas} {
		failures := q.failures[from : from+len(part)]
		from += len(part)
		if len(part) == 0 {
			continue
		}
		if err := r.breaksOne(ctx, res, q, part, failures); err != nil || res.Verdict == Refuted {
			return err
		}
	}
	return nil
}

// breaksOne asks whether one of the goals fails, and notes the first that a model breaks.
func (r *run) breaksOne(ctx context.Context, res *MutantResult, q *question, goals []*Result, failures []*smt.Term) error {
	if ctx.Err() != nil {
		res.Verdict, res.Reason = Unknown, "cancelled"
		return nil
	}
	start := time.Now()
	got, err := r.check(ctx, q, q.enc.Builder().Or(failures...), r.cfg.limits())
	if err != nil {
		return fmt.Errorf("%s/%s: %w", r.sys.Name, res.Mutation.Name, err)
	}
	r.answered(res.Mutation.Name, goals, got, time.Since(start))
	switch got.Status {
	case solver.Unsat:
	case solver.Unknown:
		res.Verdict, res.Reason = Unknown, got.Reason.String()
	case solver.Sat:
		value := got.Model.Evaluator()
		for i, g := range goals {
			if value.Bool(failures[i]) {
				r.refute(g, q, got.Model)
				res.Verdict, res.Reason, res.Property, res.Action, res.CTI = Refuted, "", g.Property, g.Action, g.CTI
				return nil
			}
		}
		panic("a model of a question breaks none of its goals")
	}
	return nil
}
