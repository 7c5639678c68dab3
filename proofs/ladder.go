package proofs

import (
	"fmt"
	"slices"
	"time"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
)

// Backend is a solver that can be started, with its name and version.
type Backend struct {
	Info solver.Info
	New  func(solver.Limits) (solver.Solver, error)
}

// rung is one attempt at an obligation of the unbounded mode.
type rung struct {
	name       string
	solver     Backend
	hypotheses []*protocol.Property
	limits     solver.Limits
	setting    string
	attempt    int // of the same, from 0
}

// setting is how a solver is told to look for a proof.
type setting struct {
	short   string // one word, for lock files
	name    string
	options map[string]string
	steps   int // by the solver's own measure of work, so that the load of the machine decides nothing
	wall    time.Duration
}

// The settings. E-matching alone proves nearly everything that the right
// hypotheses are given for, in a millisecond; Z3's own choice, with model-based
// instantiation, proves most of the rest, but runs on when there are many
// hypotheses. It does so at once or never, and which of the two hangs on names and on
// the order of the assertions: so it gets several short attempts, with others of
// both, before a long one. Z3 does about two million steps in a second. Without auto_config=false
// it turns model-based instantiation on again.
var (
	matching = setting{"matching", "E-matching", map[string]string{"z3.smt.mbqi": "false", "z3.auto_config": "false"}, 600_000, 5 * time.Second}
	models   = setting{"models", "model-based", nil, 700_000, 10 * time.Second}
	patient  = setting{"patient", "model-based, patient", nil, 8_000_000, 30 * time.Second}
	second   = setting{"second", "enumerating", map[string]string{"cvc5.enum-inst": "true"}, 0, 4 * time.Second}
)

// key names the long-lived solver that serves a rung.
func (g rung) key() string { return fmt.Sprint(g.solver.Info.Name, " ", g.setting, " ", g.attempt) }

// order is the seed of the order in which the assertions are given.
func (g rung) order() int { return g.limits.Names }

// attempts is how often a short setting is tried. Of 120 attempts at a theorem that
// most of them prove in a tenth of a second, 26 failed, with a seed for Z3's own
// choices 45.
const attempts = 6

// firstRungs are tried before anything is known about the obligation: what proved
// it last time, what the spec names for it, and the property alone.
func (r *run) firstRungs(g *Result) []rung {
	var out rungs
	if g.Kind == Initiation {
		out.add(r, "Init", matching, r.main(), nil)
		out.add(r, "Init", models, r.main(), nil)
		return out
	}
	if s, hyps, ok := r.locked(g); ok {
		out.add(r, "lock file", s, r.main(), hyps)
	}
	if by := r.named(g); by != nil {
		out.add(r, "named", matching, r.main(), by)
		out.again(r, "named", models, r.main(), by)
	}
	if g.Property.Inductive() {
		out.add(r, "itself", matching, r.main(), []*protocol.Property{g.Property})
	} else {
		out.add(r, "nothing", matching, r.main(), nil)
	}
	return out
}

// lastRungs are tried once a proof in a small scope has shown which hypotheses it
// used: those first, then everything, by the other solver before the patient ones.
func (r *run) lastRungs(g *Result, core []string) []rung {
	var out rungs
	slice, all := r.sliced(g, core), r.allowed(g, false)
	out.add(r, "slice", matching, r.main(), slice)
	out.again(r, "slice", models, r.main(), slice)
	out.add(r, "all lemmas", matching, r.main(), all)
	if r.cfg.Second.New != nil {
		out.add(r, "slice", second, r.cfg.Second, slice)
		out.add(r, "all lemmas", second, r.cfg.Second, all)
	}
	out.add(r, "all lemmas and theorems", matching, r.main(), r.allowed(g, true))
	out.add(r, "slice", patient, r.main(), slice)
	out.add(r, "all lemmas and theorems", patient, r.main(), r.allowed(g, true))
	return out
}

type rungs []rung

func (list *rungs) add(r *run, what string, s setting, b Backend, hyps []*protocol.Property) {
	wall := s.wall
	if r.cfg.Timeout > 0 {
		wall = min(wall, r.cfg.Timeout)
	}
	limits := solver.Limits{Timeout: wall, MemoryMB: r.cfg.MemoryMB, Steps: s.steps, Seed: r.cfg.Seed, Names: r.cfg.Seed, Options: s.options}
	name := what + ", " + s.name
	if s.short == second.short {
		name += " by " + b.Info.Name
	}
	*list = append(*list, rung{name: name, solver: b, hypotheses: hyps, limits: limits, setting: s.short})
}

// again adds several attempts that differ in names and in the order of the
// assertions.
func (list *rungs) again(r *run, what string, s setting, b Backend, hyps []*protocol.Property) {
	for k := range attempts {
		list.add(r, what, s, b, hyps)
		last := &(*list)[len(*list)-1]
		last.attempt = k
		last.limits.Names = r.cfg.Seed + k*attemptSeeds
	}
}

// attemptSeeds is how far apart the seeds of attempts are, so that they do not meet
// those of other runs.
const attemptSeeds = 1000

func (r *run) main() Backend { return Backend{r.cfg.Solver, r.cfg.NewSolver} }

// allowed are the properties that may be hypotheses of the obligation: the
// inductive ones, and with theorems the implied ones. An implied property may use
// only those that stand before it in the proof order, so that no proof goes in a circle.
func (r *run) allowed(g *Result, theorems bool) []*protocol.Property {
	out := slices.Clone(r.hypotheses(g.Property))
	if !theorems || r.cfg.Alone {
		return out
	}
	for _, p := range r.sys.ProofOrder() {
		if p == g.Property {
			break
		}
		if !r.cfg.Without[p.ID] {
			out = append(out, p)
		}
	}
	return out
}

// locked is the setting and the hypotheses that proved the obligation last time.
// Names that are no property, or none that may be used, are left out.
func (r *run) locked(g *Result) (setting, []*protocol.Property, bool) {
	e, ok := r.cfg.Locks[r.sys.Name][g.ID()]
	if !ok || r.cfg.Alone {
		return setting{}, nil, false
	}
	var out []*protocol.Property
	for _, p := range r.allowed(g, true) {
		if slices.Contains(e.Hypotheses, p.ID) {
			out = append(out, p)
		}
	}
	for _, s := range []setting{matching, models, patient} {
		if s.short == e.Setting {
			return s, out, true
		}
	}
	return matching, out, true
}

// named are the hypotheses that the spec names for the obligation, with the
// property itself if it is inductive.
func (r *run) named(g *Result) []*protocol.Property {
	if r.cfg.Alone {
		return nil
	}
	by := g.Property.By(g.Action)
	if by == nil {
		return nil
	}
	var out []*protocol.Property
	for _, p := range by {
		if !r.cfg.Without[p.ID] {
			out = append(out, p)
		}
	}
	if g.Property.Inductive() && !slices.Contains(out, g.Property) {
		out = append(out, g.Property)
	}
	return out
}

// sliced are the hypotheses in a core, with the property itself if it is inductive.
func (r *run) sliced(g *Result, core []string) []*protocol.Property {
	var out []*protocol.Property
	for _, p := range r.hypotheses(g.Property) {
		if p == g.Property || slices.Contains(core, p.ID) {
			out = append(out, p)
		}
	}
	return out
}
