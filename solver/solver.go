// Package solver says what the rest of the program needs of an SMT solver,
// whichever it is: assert formulas, ask, read the answer.
//
// The back ends are in sub-packages: smtlib talks to solver processes, z3 runs
// Z3 inside this process. The package knows neither of them, nor what a formula
// is for.
package solver

import (
	"context"
	"time"

	"github.com/speckl/kraftprove/solver/smt"
)

// Solver holds a stack of assertions and decides whether they have a model. All
// terms given to one Solver come from one [smt.Builder]. Not for concurrent use.
type Solver interface {
	// Push opens a scope.
	Push()
	// Pop drops the assertions made since the last Push. Without an open scope
	// it panics.
	Pop()
	// Assert adds a formula to the current scope. The label names it in unsat
	// cores; an assertion with an empty label is never in one.
	Assert(label string, f *smt.Term)
	// Check decides the assertions of all open scopes. Running out of time,
	// memory or ideas, or ctx being cancelled, is a Result; an error says that
	// the solver could not be asked: *NotFoundError, *DiedError, *AnswerError,
	// *UnsupportedError or another fault of the world. After an error, or after a Result for
	// which the solver had to be stopped, the next Check starts afresh with the
	// same assertions.
	Check(ctx context.Context) (Result, error)
	// Close ends the solver and frees what it holds. It may be called twice.
	Close() error
}

// Limits bound and tune a Solver. The zero value bounds nothing.
type Limits struct {
	// Timeout bounds each Check; 0 means no bound.
	Timeout time.Duration
	// MemoryMB bounds the solver's memory, in MiB; 0 means no bound.
	MemoryMB int
	// Steps bounds each Check by the back end's own measure of work, which,
	// unlike time, is the same on every machine; 0 means no bound. Numbers of
	// different back ends do not compare.
	Steps int
	// Seed is for the solver's random choices.
	Seed int
	// Names, unless it is 0, is a seed too: it decides what functions, sorts,
	// constants and variables are called when the solver is told of them. Results
	// are about the terms as they were given.
	Names int
	// Incremental says that there will be many checks that are cheap, so that
	// the solver should live through all of them. Otherwise each Check is put
	// to a fresh solver without any scope: a check behind a push takes up to
	// five times as long, since Z3 leaves its SAT solver for it. With quantifiers
	// it takes no longer, and most take less than the start of a solver.
	Incremental bool
	// Cores asks for unsat cores. It is off by default because naming the
	// assertions makes a check up to three times as long, if it is purely Boolean;
	// with quantifiers it costs next to nothing.
	Cores bool
	// Options are settings of one back end, by its own names behind its
	// prefix, such as "z3.sat.branching.heuristic" or "cvc5.decision". Those of
	// other back ends are ignored.
	Options map[string]string
}

// Info says which solver answers.
type Info struct {
	Name    string // such as "z3"
	Version string // such as "4.8.12"
	Path    string // the program's file, or "" for a library
}

// String returns name and version, as reports show them.
func (i Info) String() string {
	if i.Version == "" {
		return i.Name
	}
	return i.Name + " " + i.Version
}
