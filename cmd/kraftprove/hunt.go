package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/explore"
	"github.com/speckl/kraftprove/protocol/state"
)

// mutantConfig is what the flags ask for: a solver, or walks.
func (o *mutantsOptions) mutantConfig(ctx context.Context, a *app, chosen []chosenMutants) (proofs.MutantConfig, error) {
	var systems []*protocol.System
	for _, c := range chosen {
		systems = append(systems, c.system)
	}
	if o.by == "induction" {
		cfg, err := o.config(ctx, a, systems)
		return proofs.MutantConfig{Config: cfg}, err
	}
	sizes, err := o.sizes(systems)
	if err != nil {
		return proofs.MutantConfig{}, err
	}
	return proofs.MutantConfig{
		Config: proofs.Config{Jobs: o.jobs, Seed: o.seed, Scope: sizes},
		Hunt: func(ctx context.Context, mutated *protocol.System) (*protocol.Property, *state.Run) {
			if v := o.hunt(ctx, mutated, sizes, 1).Violation; v != nil {
				return v.Property, v.Run
			}
			return nil, nil
		},
	}, nil
}

func (o *mutantsOptions) sizes(systems []*protocol.System) (map[string]int, error) {
	switch {
	case o.jobs < 1:
		return nil, usage("--jobs %d: at least 1", o.jobs)
	case o.seed < 0:
		return nil, usage("--seed %d: not negative", o.seed)
	}
	sizes, err := protocol.ParseScope(systems, o.scope)
	if err != nil {
		return nil, usage("--%v", err)
	}
	return sizes, nil
}

// hunt takes random walks of a mutated system until one breaks a headline claim, or the time is over.
func (o *mutantsOptions) hunt(ctx context.Context, mutated *protocol.System, sizes map[string]int, workers int) *explore.Simulation {
	ctx, cancel := context.WithTimeout(ctx, o.time)
	defer cancel()
	var claims []*protocol.Property
	for _, p := range mutated.Properties {
		if p.Kind == protocol.Invariant {
			claims = append(claims, p)
		}
	}
	return explore.Simulate(ctx, state.NewStructure(mutated, mutated.WalkSizes(sizes)),
		explore.SimulateOptions{Properties: claims, Seed: uint64(o.seed), Depth: walkDepth, Workers: workers, Vary: len(sizes) == 0})
}

// walkDepth is how many steps a walk takes at most.
const walkDepth = 200

// show writes a run of the one mutant that the command line names.
func (o *mutantsOptions) show(ctx context.Context, a *app, chosen []chosenMutants) error {
	c := chosen[0]
	if n := len(c.mutants); n != 1 {
		return usage("--run %s: these are %d mutants; name one, as in SPEC/MUTATION or SPEC/ACTION/1", o.run, n)
	}
	m := c.mutants[0]
	sizes, err := o.sizes([]*protocol.System{c.system})
	if err != nil {
		return err
	}
	mutated, errs := c.system.Mutated(m)
	if errs.HasErrors() {
		return usage("--run %s: that is no protocol: %v", o.run, errs)
	}
	found := o.hunt(ctx, mutated, sizes, o.jobs)
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	}
	if found.Violation == nil {
		return &exitError{code: exitUnknown, err: fmt.Errorf("no run of %s breaks a headline claim in %d walks, %d steps in all\nTo look longer: --time", o.run, found.Walks, found.Steps)}
	}
	title := m.Title
	if m.Mutant {
		title = m.Changes[0].Name + ": " + strings.Join(m.Changes[0].Lines, ", ")
	}
	e := &report.Execution{Run: found.Violation.Run, Title: title, Broken: found.Violation.Property,
		From: fmt.Sprintf("mutant %s, seed %d, walk %d", m.Name, o.seed, found.Walk)}
	if err := report.WriteExecution(a.out, e, report.TextFormat, report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}); err != nil {
		return environment(err)
	}
	return nil
}
