package smtlib_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// patternsOnly are the options under which a solver instantiates by patterns and
// does nothing else.
var patternsOnly = map[string]string{
	"z3.auto_config": "false", "z3.smt.mbqi": "false",
}

// endless returns a satisfiable formula whose quantifiers have no end of
// instances.
func endless(b *smt.Builder) *smt.Term {
	node := smt.Uninterpreted("Node")
	edge := b.Func("edge", []smt.Sort{node, node}, smt.Bool)
	height := b.Func("height", []smt.Sort{node}, smt.Int)
	x, y, z := b.Var("x", node), b.Var("y", node), b.Var("z", node)
	between := b.Func("between", []smt.Sort{node, node}, node)
	mid := b.Apply(between, x, y)
	xy := b.Apply(edge, x, y)
	a, c := b.Const("a", node), b.Const("c", node)
	return b.And(
		b.Apply(edge, a, c),
		b.Forall([]*smt.Term{x, y}, b.Implies(xy, b.And(b.Apply(edge, x, mid), b.Apply(edge, mid, y))), []*smt.Term{xy}),
		b.Forall([]*smt.Term{x, y}, b.Implies(xy, b.Lt(b.Apply(height, x), b.Apply(height, y))), []*smt.Term{xy}),
		b.Forall([]*smt.Term{x, y, z}, b.Implies(b.And(xy, b.Apply(edge, y, z)), b.Apply(edge, x, z)), []*smt.Term{xy, b.Apply(edge, y, z)}),
	)
}

func TestQuantifiedLimits(t *testing.T) {
	tests := []struct {
		name   string
		limits solver.Limits
		want   solver.Reason
	}{
		{"time", solver.Limits{Timeout: 200 * time.Millisecond}, solver.Timeout},
		{"time before steps", solver.Limits{Timeout: 200 * time.Millisecond, Steps: 1 << 30}, solver.Timeout},
		{"few steps", solver.Limits{Steps: 2000}, solver.ResourceLimit},
		{"steps", solver.Limits{Steps: 100_000}, solver.ResourceLimit},
		{"steps before time", solver.Limits{Timeout: time.Minute, Steps: 100_000}, solver.ResourceLimit},
	}
	for _, name := range smtlib.Names() {
		for _, test := range tests {
			for _, incremental := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/incremental=%v", name, test.name, incremental), func(t *testing.T) {
					t.Parallel()
					l := test.limits
					l.Incremental, l.Options = incremental, patternsOnly
					b := smt.NewBuilder()
					s := smtlib.New(find(t, name), l, smtlib.Options{})
					defer s.Close()
					s.Push()
					s.Assert("", endless(b))
					for range 2 {
						res, err := s.Check(t.Context())
						if err != nil || res.Status != solver.Unknown || res.Reason != test.want {
							t.Errorf("got %v (%v), %v, want unknown (%v)", res.Status, res.Reason, err, test.want)
						}
					}
					s.Pop()
					s.Assert("", b.Const("p", smt.Bool))
					if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Sat || res.Model == nil {
						t.Errorf("afterwards: %v, %v", res, err)
					}
				})
			}
		}
	}
}

// TestQuantifiedMemory has Z3 run out of memory among quantifiers, by the limit and by
// Z3's own setting; it says so, whatever other limits there are, and a solver that has
// to be started again is of use afterwards. (For cvc5 it is the shell that bounds it,
// and what it asks for grows slowly; see TestMemory.)
func TestQuantifiedMemory(t *testing.T) {
	setting := map[string]string{"z3.memory_max_size": "30"}
	maps.Copy(setting, patternsOnly)
	for name, l := range map[string]solver.Limits{
		"limit":             {MemoryMB: 30, Options: patternsOnly},
		"limit before time": {MemoryMB: 30, Options: patternsOnly, Timeout: time.Minute},
		"limit, cores":      {MemoryMB: 30, Options: patternsOnly, Cores: true, Steps: 1 << 30},
		"setting":           {Options: setting},
	} {
		for _, incremental := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/incremental=%v", name, incremental), func(t *testing.T) {
				t.Parallel()
				l := l
				l.Incremental = incremental
				b := smt.NewBuilder()
				s := smtlib.New(find(t, "z3"), l, smtlib.Options{})
				defer s.Close()
				s.Push()
				s.Assert("endless", endless(b))
				for range 2 {
					res, err := s.Check(t.Context())
					if err != nil || res.Status != solver.Unknown || res.Reason != solver.Memory {
						t.Errorf("got %v (%v), %v, want unknown (memory)", res.Status, res.Reason, err)
					}
				}
				s.Pop()
				s.Assert("", b.Const("p", smt.Bool))
				if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Sat || res.Model == nil {
					t.Errorf("afterwards: %v, %v", res, err)
				}
			})
		}
	}
}

// TestIncomplete asks for what no pattern finds.
func TestIncomplete(t *testing.T) {
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			b := smt.NewBuilder()
			node := smt.Uninterpreted("Node")
			up := b.Func("up", []smt.Sort{node}, node)
			x := b.Var("x", node)
			s := smtlib.New(find(t, name), solver.Limits{Options: patternsOnly}, smtlib.Options{})
			defer s.Close()
			above := b.Apply(up, x)
			s.Assert("", b.Forall([]*smt.Term{x}, b.Not(b.Eq(x, above)), []*smt.Term{above}))
			res, err := s.Check(t.Context())
			if err != nil || res.Status != solver.Unknown || res.Reason != solver.Incomplete {
				t.Errorf("got %v (%v), %v", res.Status, res.Reason, err)
			}
		})
	}
}

func TestQuantifierOptions(t *testing.T) {
	b := smt.NewBuilder()
	node := smt.Uninterpreted("Node")
	p := b.Func("p", []smt.Sort{node}, smt.Bool)
	x := b.Var("x", node)
	contradiction := b.And(
		b.Forall([]*smt.Term{x}, b.Apply(p, x)),
		b.Exists([]*smt.Term{x}, b.Not(b.Apply(p, x))))
	for name, options := range map[string]map[string]string{
		"z3": {
			"z3.auto_config": "false", "z3.smt.auto_config": "false", "z3.smt.mbqi": "false",
			"z3.smt.qi.eager_threshold": "100", "z3.smt.random_seed": "3", "z3.smt.arith.random_initial_value": "true", "z3.type_check": "true",
		},
		"cvc5": {
			"cvc5.enum-inst": "true", "cvc5.full-saturate-quant": "true", "cvc5.tlimit": "60000", "cvc5.rlimit": "1000000",
			"cvc5.finite-model-find": "false", "cvc5.seed": "3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := smtlib.New(find(t, name), solver.Limits{Options: options}, smtlib.Options{})
			defer s.Close()
			s.Assert("", contradiction)
			if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Unsat {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}

// TestCancelQuantified has a solver that would go on for ever.
func TestCancelQuantified(t *testing.T) {
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			s := smtlib.New(find(t, name), solver.Limits{Incremental: true, Options: patternsOnly}, smtlib.Options{})
			defer s.Close()
			s.Assert("", endless(smt.NewBuilder()))
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if res, err := s.Check(ctx); err != nil || res.Status != solver.Unknown || res.Reason != solver.Timeout {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}
