package proofs

import (
	"context"
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// Chain is a way from a property to one that its proof leans on: each leans
// directly on the next.
type Chain []string

// Follow decides the obligations of the named properties, then those of the
// properties that the unsat cores show they lean on, and so on. With stop, it
// ends after the first level on which something is refuted. The report holds
// what was decided; chains has, for each property reached, the shortest way to it.
//
// Vacuity is checked for the initial state and for the actions that were asked about.
func Follow(ctx context.Context, sys *protocol.System, ids []string, stop bool, cfg Config) (*Report, map[string]Chain, error) {
	chains := map[string]Chain{}
	for _, id := range ids {
		chains[id] = Chain{id}
	}
	frontier := map[string]bool{}
	for _, id := range ids {
		frontier[id] = true
	}
	cfg.Cores = true
	total := &Report{Solver: cfg.Solver}
	var merged *SystemReport
	for level := 0; len(frontier) > 0; level++ {
		step := cfg
		step.Only = func(o Obligation) bool {
			if o.Property == nil {
				return level == 0
			}
			return frontier[o.Property.ID]
		}
		rep, err := execute(ctx, []*protocol.System{sys}, step, true)
		total.Elapsed += rep.Elapsed
		if merged == nil {
			merged = rep.Systems[0]
			total.Systems = []*SystemReport{merged}
		} else {
			merged.Results = append(merged.Results, rep.Systems[0].Results...)
		}
		if err != nil {
			return total, chains, err
		}
		refuted := false
		next := map[string]bool{}
		for _, r := range rep.Systems[0].Results {
			refuted = refuted || r.Property != nil && r.Verdict == Refuted && r.Expected() != Refuted
			for _, c := range r.Core {
				if _, known := chains[c]; !known {
					chains[c] = append(slices.Clone(chains[r.Property.ID]), c)
					next[c] = true
				}
			}
		}
		if refuted && stop || ctx.Err() != nil {
			break
		}
		frontier = next
	}
	merged.order()
	merged.conclude(true)
	merged.Unneeded = nil // not everything was asked
	return total, chains, nil
}

// order sorts the results as Plan lists them.
func (s *SystemReport) order() {
	place := map[string]int{}
	for i, o := range Plan(s.System, nil) {
		place[o.ID()] = i
	}
	slices.SortFunc(s.Results, func(a, b *Result) int { return place[a.ID()] - place[b.ID()] })
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
