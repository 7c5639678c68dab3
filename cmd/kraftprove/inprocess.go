package main

import (
	"errors"
	"fmt"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/z3"
)

// inProcess is Z3 inside this program.
func inProcess() (func(solver.Limits) (solver.Solver, error), solver.Info, error) {
	info, err := z3.Info()
	if errors.Is(err, z3.ErrNotBuilt) {
		return nil, info, environment(fmt.Errorf("%w\nTo get it: scripts/install-z3.sh, then make build", err))
	}
	if err != nil {
		return nil, info, environment(err)
	}
	return z3.New, info, nil
}
