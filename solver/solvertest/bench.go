package solvertest

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// Benchmark measures a back end: many small checks on one large base, as in
// minimising a CTI, with and without a fresh start for each; and hard queries.
func Benchmark(b *testing.B, back Backend) {
	open := func(b *testing.B, incremental bool) solver.Solver {
		b.Helper()
		s, err := back.New(solver.Limits{Incremental: incremental})
		if err != nil {
			b.Skip(err)
		}
		b.Cleanup(func() { s.Close() })
		return s
	}
	for name, incremental := range map[string]bool{"small/incremental": true, "small/fresh": false} {
		b.Run(name, func(b *testing.B) {
			s := open(b, incremental)
			build := smt.NewBuilder()
			r := rand.New(rand.NewPCG(1, 1))
			_, out := Circuit(build, r, 100, 10, 100)
			s.Assert("", build.Or(out...))
			for b.Loop() {
				s.Push()
				s.Assert("", out[r.IntN(len(out))])
				if _, err := s.Check(b.Context()); err != nil {
					b.Fatal(err)
				}
				s.Pop()
			}
		})
	}
	b.Run("hard", func(b *testing.B) {
		for b.Loop() {
			s := open(b, false)
			build := smt.NewBuilder()
			s.Assert("", Miter(build, rand.New(rand.NewPCG(1, 1)), 30, 5, 30))
			if res, err := s.Check(b.Context()); err != nil || res.Status != solver.Unsat {
				b.Fatal(res, err)
			}
		}
	})
}

// Circuit returns the inputs and outputs of a random circuit of the given
// number of layers.
func Circuit(b *smt.Builder, r *rand.Rand, inputs, layers, width int) (in, out []*smt.Term) {
	for i := range inputs {
		in = append(in, b.Const(numbered("in", i), smt.Bool))
	}
	out = in
	for range layers {
		var next []*smt.Term
		for range width {
			x, y, z := out[r.IntN(len(out))], out[r.IntN(len(out))], out[r.IntN(len(out))]
			switch r.IntN(10) {
			case 0:
				next = append(next, b.And(x, y, z))
			case 1:
				next = append(next, b.Or(x, b.Not(y), z))
			case 2:
				next = append(next, b.Xor(x, y))
			default:
				next = append(next, b.Ite(x, y, z))
			}
		}
		out = next
	}
	return in, out
}

// Miter returns the claim, false and hard, that a random circuit differs from
// the same one written in and, or and not.
func Miter(b *smt.Builder, r *rand.Rand, inputs, layers, width int) *smt.Term {
	_, out := Circuit(b, r, inputs, layers, width)
	memo := map[*smt.Term]*smt.Term{}
	var rewrite func(t *smt.Term) *smt.Term
	rewrite = func(t *smt.Term) *smt.Term {
		if u, ok := memo[t]; ok || len(t.Args()) == 0 {
			if !ok {
				u = t
			}
			return u
		}
		args := make([]*smt.Term, len(t.Args()))
		for i, a := range t.Args() {
			args[i] = rewrite(a)
		}
		u := plain(b, t.Op(), args)
		memo[t] = u
		return u
	}
	var differ []*smt.Term
	for _, t := range out {
		differ = append(differ, b.Xor(t, rewrite(t)))
	}
	return b.Or(differ...)
}

// plain makes a term of the given operator without ite, = and and.
func plain(b *smt.Builder, op smt.Op, args []*smt.Term) *smt.Term {
	both := func(x, y *smt.Term) *smt.Term { return b.Not(b.Or(b.Not(x), b.Not(y))) }
	switch op {
	case smt.OpNot:
		return b.Not(args[0])
	case smt.OpOr:
		return b.Or(args...)
	case smt.OpAnd:
		u := args[0]
		for _, a := range args[1:] {
			u = both(u, a)
		}
		return u
	case smt.OpIte:
		return b.Or(both(args[0], args[1]), both(b.Not(args[0]), args[2]))
	case smt.OpEq:
		return b.Or(both(args[0], args[1]), both(b.Not(args[0]), b.Not(args[1])))
	}
	panic("no " + op.String() + " in a circuit")
}
