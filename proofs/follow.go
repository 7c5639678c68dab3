package proofs

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
)

// Chain is a way from a property to one that its proof leans on: each leans
// directly on the next.
type Chain []string

// Follow decides the obligations of the named properties, then those of the
// properties that the unsat cores show they lean on, and so on. The report holds
// what was decided. Vacuity is checked for the initial state and for each action.
func Follow(ctx context.Context, sys *protocol.System, ids []string, cfg Config) (*Report, error) {
	rep, _, err := follow(ctx, sys, ids, cfg, nil)
	return rep, err
}

// Search looks for the first obligation that fails on the way that Follow takes,
// and ends with the level on which one does. It returns the chains to all
// properties that it reached, each the shortest.
//
// A small scope is searched first, since counterexamples are small and it costs
// little; only if all holds there, the question is asked in the scope itself.
// So a refutation may be reported in a smaller scope than the one asked for.
//
// If lemmas are left out and it is on record what the proofs used, the
// obligations that used them are asked before all others. A record that is wrong
// costs time and nothing else.
//
// The counterexamples that chosen selects are made small; nil selects the first.
func Search(ctx context.Context, sys *protocol.System, id string, cfg Config, every bool) (*Report, map[string]Chain, error) {
	pick := func(s *SystemReport, chains map[string]Chain) func(*Result) bool {
		if every {
			return func(*Result) bool { return true }
		}
		first := s.FirstRefuted(chains)
		return func(r *Result) bool { return r == first }
	}
	start := time.Now()
	cfg.Mode = Bounded
	full := encode.NewScope(sys, cfg.Scope)
	rep, chains, err := suspects(ctx, sys, id, cfg, pick)
	if err != nil || rep != nil {
		return rep, chains, err
	}
	if small, ok := probe(sys, full); ok {
		quick := cfg
		quick.Scope = small
		rep, chains, err := follow(ctx, sys, []string{id}, quick, pick)
		if err != nil || rep.Systems[0].FirstRefuted(chains) != nil {
			rep.Elapsed = time.Since(start)
			return rep, chains, err
		}
	}
	rep, chains, err = follow(ctx, sys, []string{id}, cfg, pick)
	rep.Elapsed = time.Since(start)
	return rep, chains, err
}

// suspects asks, in the smallest scopes, the obligations below a property whose last
// proof used a lemma that is left out: those nearest to the property first, until one is
// refuted. It returns nil if none is.
func suspects(ctx context.Context, sys *protocol.System, id string, cfg Config, pick func(*SystemReport, map[string]Chain) func(*Result) bool) (*Report, map[string]Chain, error) {
	lock := cfg.Locks[sys.Name]
	if len(cfg.Without) == 0 || len(lock) == 0 {
		return nil, nil, nil
	}
	start := time.Now()
	plan := Plan(sys, Bounded, cfg.Without)
	chains := map[string]Chain{id: {id}}
	var levels []map[string]bool // obligations to ask, by the length of the way to them
	for level := []string{id}; len(level) > 0; {
		var next []string
		asked := map[string]bool{}
		for _, o := range plan {
			if o.Property == nil || !slices.Contains(level, o.Property.ID) {
				continue
			}
			for _, h := range lock[o.ID()].Hypotheses {
				if cfg.Without[h] {
					asked[o.ID()] = true
				}
				if _, known := chains[h]; !known && sys.Property(h) != nil && !cfg.Without[h] {
					chains[h] = append(slices.Clone(chains[o.Property.ID]), h)
					next = append(next, h)
				}
			}
		}
		level = next
		if len(asked) > 0 {
			levels = append(levels, asked)
		}
	}
	full := newRun(sys, cfg)
	scopes := []map[string]int{full.sketchScope()}
	for _, e := range sys.Sorts {
		if e.Subset != nil { // what fails only if it has one element
			single := full.sketchScope()
			single[e.Subset.Name] = 1
			scopes = append(scopes, single)
		}
	}
	small, _ := probe(sys, full.scope)
	scopes = append(scopes, small)
	for _, scope := range scopes {
		for _, asked := range levels {
			quick := cfg
			quick.Scope = scope
			quick.Only = func(o Obligation) bool { return asked[o.ID()] }
			rep, runs, err := execute(ctx, []*protocol.System{sys}, quick, true)
			if err != nil {
				return nil, nil, err
			}
			s := rep.Systems[0]
			if s.FirstRefuted(chains) == nil {
				continue
			}
			err = minimizeAll(ctx, runs, cfg.Jobs, pick(s, chains))
			s.order()
			s.conclude(false)
			rep.Elapsed = time.Since(start)
			return rep, chains, err
		}
	}
	return nil, nil, nil
}

// probe is the scope that Search tries first; ok is false if it is not smaller.
func probe(sys *protocol.System, full encode.Scope) (small map[string]int, ok bool) {
	const most = 2
	small = maps.Clone(full.Sizes)
	small[protocol.MessagesScope] = full.Messages
	for _, s := range sys.Sorts {
		if s.Kind == protocol.NaturalKind && small[s.Name] > most {
			small[s.Name], ok = most, true
		}
	}
	return small, ok
}

// follow is Follow; with pick it stops at the first level on which something is
// refuted, and makes the picked counterexamples small.
func follow(ctx context.Context, sys *protocol.System, ids []string, cfg Config, pick func(*SystemReport, map[string]Chain) func(*Result) bool) (*Report, map[string]Chain, error) {
	start := time.Now()
	chains := map[string]Chain{}
	frontier := map[string]bool{}
	for _, id := range ids {
		chains[id] = Chain{id}
		frontier[id] = true
	}
	cfg.Cores = true
	if cfg.Mode == Both {
		cfg.Mode = Unbounded
	}
	var total *Report
	for level := 0; len(frontier) > 0; level++ {
		step := cfg
		step.Only = func(o Obligation) bool {
			if o.Property == nil {
				return pick == nil && level == 0
			}
			return frontier[o.Property.ID]
		}
		rep, runs, err := execute(ctx, []*protocol.System{sys}, step, true)
		if total == nil {
			total = rep
		} else {
			total.Systems[0].Results = append(total.Systems[0].Results, rep.Systems[0].Results...)
		}
		if err != nil {
			return total, chains, err
		}
		refuted := rep.Systems[0].FirstRefuted(chains) != nil
		chosen := func(*Result) bool { return true }
		if pick != nil {
			chosen = pick(rep.Systems[0], chains)
		}
		if err := minimizeAll(ctx, runs, cfg.Jobs, chosen); err != nil {
			return total, chains, err
		}
		if refuted && pick != nil || ctx.Err() != nil {
			break
		}
		frontier = nextLevel(rep.Systems[0].Results, chains)
	}
	s := total.Systems[0]
	s.order()
	s.conclude(true)
	s.Unneeded = nil // not everything was asked
	total.Elapsed = time.Since(start)
	return total, chains, nil
}

// nextLevel is what the cores name for the first time, and notes the way to it.
func nextLevel(results []*Result, chains map[string]Chain) map[string]bool {
	next := map[string]bool{}
	for _, r := range results {
		for _, c := range r.Core {
			if _, known := chains[c]; !known {
				chains[c] = append(slices.Clone(chains[r.Property.ID]), c)
				next[c] = true
			}
		}
	}
	return next
}

// order sorts the results as Plan lists them; those of branches follow as they are.
func (s *SystemReport) order() {
	plan := Plan(s.System, s.Mode, nil)
	place := map[string]int{}
	for i, o := range plan {
		place[o.ID()] = i
	}
	at := func(r *Result) int {
		if r.Kind == Branch {
			return len(plan)
		}
		return place[r.ID()]
	}
	slices.SortStableFunc(s.Results, func(a, b *Result) int { return at(a) - at(b) })
}

// FirstRefuted is the refuted obligation to look at first: that of the property
// with the shortest chain, in declared order; nil if there is none.
func (s *SystemReport) FirstRefuted(chains map[string]Chain) *Result {
	var best *Result
	for _, r := range s.Results {
		if r.Property == nil || r.Verdict != Refuted || r.Expected() == Refuted {
			continue
		}
		if best == nil || len(chains[r.Property.ID]) < len(chains[best.Property.ID]) {
			best = r
		}
	}
	return best
}
