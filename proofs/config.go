package proofs

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/speckl/kraftprove/solver"
)

// Config says how to prove. NewSolver is required.
type Config struct {
	// NewSolver starts a solver; each query has its own.
	NewSolver func(solver.Limits) (solver.Solver, error)
	Solver    solver.Info
	// Second is another solver, for what the first cannot prove in the unbounded
	// mode; its New is nil if there is none.
	Second Backend

	Mode Mode
	// Locks has, by system name, what proved the obligations last time.
	Locks map[string]Lock
	// Shrink looks, for each unbounded proof, for the hypotheses that it needs.
	Shrink bool

	Scope    map[string]int // sizes that replace those of the spec
	Jobs     int            // queries at a time; 0 means 1
	Timeout  time.Duration  // of each solver call; 0 means none
	MemoryMB int            // of each solver; 0 means no bound
	Seed     int
	Cores    bool // one query an obligation, with unsat cores
	FailFast bool // stop at the first refutation
	Branches bool // ask as well whether each branch of a condition can be taken: see Branches

	// Only restricts the obligations; nil means all.
	Only func(Obligation) bool
	// Without leaves properties out: they are neither claimed nor hypotheses.
	Without map[string]bool
	// Alone makes each property the only hypothesis of its own obligations.
	Alone bool

	// Progress is told when a query starts and when it is done, from several
	// goroutines but never from two at once.
	Progress func(Progress)
	Log      *slog.Logger
}

// Progress is one event of a run.
type Progress struct {
	Done, Total int    // obligations
	Running     string // the query that starts, or "" at the end of one
}

func (c *Config) limits() solver.Limits {
	return solver.Limits{Timeout: c.Timeout, MemoryMB: c.MemoryMB, Seed: c.Seed, Names: c.Seed}
}

func (c *Config) logger() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

// InternalError is a fault of the program itself, found while it worked on an
// obligation: nothing is said about the obligation.
type InternalError struct {
	Query string
	Value any
	Stack []byte
}

// Error names the query and what was violated.
func (e *InternalError) Error() string {
	return fmt.Sprintf("%s: internal error: %v", e.Query, e.Value)
}

// guard turns a panic in f into an InternalError.
func guard(query string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &InternalError{Query: query, Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
