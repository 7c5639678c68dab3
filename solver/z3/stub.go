//go:build !z3

package z3

import "github.com/speckl/kraftprove/solver"

// Info returns ErrNotBuilt.
func Info() (solver.Info, error) { return solver.Info{}, ErrNotBuilt }

// New returns ErrNotBuilt.
func New(solver.Limits) (solver.Solver, error) { return nil, ErrNotBuilt }
