package main

import (
	"context"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// job is what a command that proves something has to do: specs, properties in them,
// and how to prove.
type job struct {
	selection
	cfg   proofs.Config
	clear func() // takes the progress line away
}

// job loads the specs, picks those that the command line means, and reads the flags.
func (f *proofFlags) job(ctx context.Context, a *app, pick func(all []*protocol.System) (selection, error)) (job, error) {
	all, err := a.loadSpecs()
	if err != nil {
		return job{}, err
	}
	sel, err := pick(all)
	if err != nil {
		return job{}, err
	}
	cfg, err := f.config(ctx, a, sel.systems)
	if err != nil {
		return job{}, err
	}
	show, clear := a.progressLine()
	cfg.Progress = show
	return job{sel, cfg, clear}, nil
}

// join adds what another report found.
func join(total, rep *proofs.Report) {
	total.Systems = append(total.Systems, rep.Systems...)
	total.Elapsed += rep.Elapsed
}
