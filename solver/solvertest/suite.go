// Package solvertest holds the tests that every back end must pass, and what
// the tests of back ends share. It is imported by tests only.
package solvertest

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// RequireEnv names the environment variable which, set to 1, makes a missing
// solver fail a test instead of skipping it.
const RequireEnv = "KRAFTPROVE_REQUIRE_SOLVERS"

// Backend is what the suite runs on.
type Backend struct {
	// New returns a solver, or an error if the back end is missing.
	New func(solver.Limits) (solver.Solver, error)
	// NoCores says that cores are always empty.
	NoCores bool
	// Propositional says that assertions must be purely Boolean, or Check returns
	// a *solver.UnsupportedError.
	Propositional bool
}

// Open returns a solver that is closed when the test ends.
func (b Backend) Open(t *testing.T, l solver.Limits) solver.Solver {
	t.Helper()
	s, err := b.New(l)
	if err != nil {
		Missing(t, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// Missing skips the test, or fails it where solvers are required.
func Missing(t *testing.T, err error) {
	t.Helper()
	if os.Getenv(RequireEnv) == "1" {
		t.Fatalf("%s=1, but: %v", RequireEnv, err)
	}
	t.Skipf("solver missing: %v", err)
}

// Run runs the suite.
func Run(t *testing.T, b Backend) {
	t.Run("dialogues", func(t *testing.T) { runDialogues(t, b) })
	t.Run("random", func(t *testing.T) { runRandom(t, b) })
	t.Run("limits", func(t *testing.T) { runLimits(t, b) })
	t.Run("close", func(t *testing.T) {
		s := b.Open(t, solver.Limits{})
		checkStatus(t, s, solver.Sat)
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	})
	t.Run("large model", func(t *testing.T) { runLargeModel(t, b) })
}

// runLimits checks that what cannot be decided in time is unknown, for the
// right reason, and that the solver is of use afterwards.
func runLimits(t *testing.T, b Backend) {
	open := func(t *testing.T, l solver.Limits) solver.Solver {
		t.Helper()
		t.Parallel()
		s := b.Open(t, l)
		build := smt.NewBuilder()
		s.Assert("", Pigeonhole(build, 12))
		return s
	}
	modes := map[string]bool{"fresh": false, "incremental": true}
	for name, incremental := range modes {
		t.Run("timeout "+name, func(t *testing.T) {
			s := open(t, solver.Limits{Timeout: 200 * time.Millisecond, Incremental: incremental})
			for range 2 {
				res := check(t.Context(), t, s)
				want(t, solver.UnknownResult(solver.Timeout), res)
			}
		})
		t.Run("deadline "+name, func(t *testing.T) {
			s := open(t, solver.Limits{Incremental: incremental})
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			res := check(ctx, t, s)
			want(t, solver.UnknownResult(solver.Timeout), res)
		})
		t.Run("cancel "+name, func(t *testing.T) {
			s := open(t, solver.Limits{Incremental: incremental})
			ctx, cancel := context.WithCancel(t.Context())
			var cancelled time.Time
			timer := time.AfterFunc(200*time.Millisecond, func() {
				cancelled = time.Now()
				cancel()
			})
			defer timer.Stop()
			res := check(ctx, t, s)
			if late := time.Since(cancelled); late > 500*time.Millisecond { // 100 ms on a machine at rest
				t.Errorf("Check returned %v after it was cancelled", late)
			}
			want(t, solver.UnknownResult(solver.Cancelled), res)
			res = check(ctx, t, s) // and once more, with nothing left to cancel
			want(t, solver.UnknownResult(solver.Cancelled), res)
		})
	}
	t.Run("usable after timeout", func(t *testing.T) {
		t.Parallel()
		s := b.Open(t, solver.Limits{Timeout: 300 * time.Millisecond, Incremental: true})
		build := smt.NewBuilder()
		x := build.Const("x", smt.Bool)
		s.Assert("", x)
		s.Push()
		s.Assert("", Pigeonhole(build, 12))
		checkStatus(t, s, solver.Unknown)
		s.Pop()
		checkStatus(t, s, solver.Sat)
		s.Assert("", build.Not(x))
		checkStatus(t, s, solver.Unsat)
	})
}

func runLargeModel(t *testing.T, b Backend) {
	s := b.Open(t, solver.Limits{})
	build := smt.NewBuilder()
	var lits []*smt.Term
	for i := range 2000 {
		x := build.Const(numbered("cell", i), smt.Bool)
		if i%3 == 0 {
			x = build.Not(x)
		}
		lits = append(lits, x)
	}
	for i, l := range lits[1:] { // a chain: each implies the next
		s.Assert("", build.Implies(lits[i], l))
	}
	s.Assert("", lits[0])
	res := checkStatus(t, s, solver.Sat)
	e := res.Model.Evaluator()
	for _, l := range lits {
		if !e.Bool(l) {
			t.Fatalf("model violates %s", l)
		}
	}
}

// Pigeonhole returns the claim that n+1 pigeons fit into n holes, one in each:
// short, false, and out of reach of every SAT solver from n = 12 on.
func Pigeonhole(b *smt.Builder, n int) *smt.Term {
	in := func(pigeon, hole int) *smt.Term {
		return b.Const(numbered(numbered("p", pigeon)+"in", hole), smt.Bool)
	}
	var all []*smt.Term
	for p := range n + 1 {
		var some []*smt.Term
		for h := range n {
			some = append(some, in(p, h))
			for q := range p {
				all = append(all, b.Not(b.And(in(p, h), in(q, h))))
			}
		}
		all = append(all, b.Or(some...))
	}
	return b.And(all...)
}

func check(ctx context.Context, t *testing.T, s solver.Solver) solver.Result {
	t.Helper()
	res, err := s.Check(ctx)
	if err != nil {
		var died *solver.DiedError
		if errors.As(err, &died) {
			t.Fatalf("solver died: %v\n%s", died.Err, died.Stderr)
		}
		t.Fatal(err)
	}
	return res
}

func checkStatus(t *testing.T, s solver.Solver, status solver.Status) solver.Result {
	t.Helper()
	res := check(t.Context(), t, s)
	if res.Status != status {
		t.Fatalf("got %v (%v), want %v", res.Status, res.Reason, status)
	}
	if res.Status != solver.Sat && res.Model != nil {
		t.Fatalf("%v with a model", res.Status)
	}
	return res
}

func want(t *testing.T, want, got solver.Result) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.AllowUnexported(solver.Model{})); d != "" {
		t.Errorf("result (-want +got):\n%s", d)
	}
}
