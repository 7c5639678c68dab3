package smt_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/solver/smt"
)

// TestSimplify has pairs of formulas that must be one term. In them, every
// name is a Bool constant.
func TestSimplify(t *testing.T) {
	tests := []struct{ give, want string }{
		{"(not (not x))", "x"},
		{"(not true)", "false"},

		{"(and)", "true"},
		{"(and x)", "x"},
		{"(and x true)", "x"},
		{"(and x false y)", "false"},
		{"(and x x y x)", "(and x y)"},
		{"(and y x)", "(and x y)"},
		{"(and x (not x))", "false"},
		{"(and x y z (not y))", "false"},
		{"(and (and x y) (and y z))", "(and x y z)"},
		{"(and (and x y) (not x))", "false"},
		{"(or)", "false"},
		{"(or x false)", "x"},
		{"(or x true y)", "true"},
		{"(or (not x) y x)", "true"},
		{"(or x (or y z))", "(or z y x)"},
		{"(not (and x y))", "(not (and y x))"},
		{"(=> x y)", "(or y (not x))"},
		{"(=> false y)", "true"},

		{"(ite true x y)", "x"},
		{"(ite false x y)", "y"},
		{"(ite x y y)", "y"},
		{"(ite (not x) y z)", "(ite x z y)"},
		{"(ite x true y)", "(or x y)"},
		{"(ite x false y)", "(and (not x) y)"},
		{"(ite x y true)", "(or (not x) y)"},
		{"(ite x y false)", "(and x y)"},
		{"(ite x x y)", "(or x y)"},
		{"(ite x y x)", "(and x y)"},
		{"(ite x (not x) y)", "(and (not x) y)"},
		{"(ite x y (not x))", "(or (not x) y)"},
		{"(ite x y (not y))", "(= x y)"},

		{"(= x x)", "true"},
		{"(= x (not x))", "false"},
		{"(= x true)", "x"},
		{"(= false x)", "(not x)"},
		{"(= y x)", "(= x y)"},
		{"(= (not x) y)", "(not (= x y))"},
		{"(= (not x) (not y))", "(= x y)"},
		{"(= (not x) false)", "x"},
		{"(xor x y)", "(not (= x y))"},
		{"(xor x x)", "false"},
	}
	for _, test := range tests {
		t.Run(test.give, func(t *testing.T) {
			b := smt.NewBuilder()
			for _, name := range []string{"x", "y", "z"} { // so that they are in this order
				b.Const(name, smt.Bool)
			}
			if give, want := build(t, b, test.give), build(t, b, test.want); give != want {
				t.Errorf("got %s, want %s", give, want)
			}
		})
	}
}

func build(t *testing.T, b *smt.Builder, text string) *smt.Term {
	t.Helper()
	list, err := smt.ParseSexps(text)
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	return buildSexp(b, list[0])
}

func buildSexp(b *smt.Builder, e smt.Sexp) *smt.Term {
	if e.Kind == smt.SexpSymbol {
		if v, ok := e.Bool(); ok {
			return b.Bool(v)
		}
		return b.Const(e.Text, smt.Bool)
	}
	var args []*smt.Term
	for _, a := range e.List[1:] {
		args = append(args, buildSexp(b, a))
	}
	switch e.List[0].Text {
	case "not":
		return b.Not(args[0])
	case "and":
		return b.And(args...)
	case "or":
		return b.Or(args...)
	case "=>":
		return b.Implies(args[0], args[1])
	case "=":
		return b.Iff(args[0], args[1])
	case "xor":
		return b.Xor(args[0], args[1])
	case "ite":
		return b.Ite(args[0], args[1], args[2])
	}
	panic("unknown operator " + e.List[0].Text)
}

func TestBitVec(t *testing.T) {
	b := smt.NewBuilder()
	s := smt.BitVec(3)
	v, w := b.Const("v", s), b.Const("w", s)
	lit := func(n uint64) *smt.Term { return b.BVLit(n, s) }
	tests := []struct {
		name       string
		give, want *smt.Term
	}{
		{"literal modulo", lit(9), lit(1)},
		{"sum of literals", b.BVAdd(lit(5), lit(6)), lit(3)},
		{"sum with 0", b.BVAdd(lit(0), v), v},
		{"sum commutes", b.BVAdd(w, v), b.BVAdd(v, w)},
		{"less than itself", b.BVUlt(v, v), b.False()},
		{"less than 0", b.BVUlt(v, lit(0)), b.False()},
		{"7 less than", b.BVUlt(lit(7), v), b.False()},
		{"less of literals", b.BVUlt(lit(3), lit(4)), b.True()},
		{"at least 0", b.BVUle(lit(0), v), b.True()},
		{"at most 7", b.BVUle(v, lit(7)), b.True()},
		{"at most itself", b.BVUle(v, v), b.True()},
		{"at most of literals", b.BVUle(lit(4), lit(3)), b.False()},
		{"equal literals", b.Eq(lit(3), lit(11)), b.True()},
		{"other literals", b.Eq(lit(3), lit(4)), b.False()},
		{"equality commutes", b.Eq(v, w), b.Eq(w, v)},
		{"ite", b.Ite(b.True(), v, w), v},
	}
	for _, test := range tests {
		if test.give != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.give, test.want)
		}
	}
	if !b.Not(b.BVUlt(v, w)).HasBitVec() || b.Const("x", smt.Bool).HasBitVec() {
		t.Error("HasBitVec is wrong")
	}
	if got := smt.BitVec(64); got.Width() != 64 || got.String() != "(_ BitVec 64)" {
		t.Errorf("BitVec(64) is %s", got)
	}
}

func TestPanics(t *testing.T) {
	b := smt.NewBuilder()
	x, v := b.Const("x", smt.Bool), b.Const("v", smt.BitVec(3))
	for name, f := range map[string]func(){
		"other sort":        func() { b.Const("x", smt.BitVec(3)) },
		"not a formula":     func() { b.And(x, v) },
		"not of a vector":   func() { b.Not(v) },
		"unequal sorts":     func() { b.Eq(x, v) },
		"unequal widths":    func() { b.BVAdd(v, b.BVLit(1, smt.BitVec(4))) },
		"sum of Booleans":   func() { b.BVAdd(x, x) },
		"branches differ":   func() { b.Ite(x, x, v) },
		"a bar in a name":   func() { b.Const("a|b", smt.Bool) },
		"no name":           func() { b.Const("", smt.Bool) },
		"name of a printer": func() { b.Const("$12", smt.Bool) },
		"width 0":           func() { smt.BitVec(0) },
		"width 65":          func() { smt.BitVec(65) },
		"literal of Bool":   func() { b.BVLit(1, smt.Bool) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// TestHashConsing makes far more terms than the first table holds, twice.
func TestHashConsing(t *testing.T) {
	b := smt.NewBuilder()
	make := func() []*smt.Term {
		r := rand.New(rand.NewPCG(3, 4))
		terms := []*smt.Term{b.Const("a", smt.Bool), b.Const("b", smt.Bool), b.Const("c", smt.Bool)}
		for range 20000 {
			pick := func() *smt.Term { return terms[r.IntN(len(terms))] }
			terms = append(terms, b.Ite(pick(), pick(), pick()), b.Or(pick(), pick(), b.Not(pick())))
		}
		return terms
	}
	first := make()
	n := b.Len()
	for i, t2 := range make() {
		if first[i] != t2 {
			t.Fatalf("term %d was made twice", i)
		}
	}
	if b.Len() != n {
		t.Errorf("%d terms, then %d", n, b.Len())
	}
	for id := range uint32(n) {
		term := b.Term(id)
		if term.ID() != id {
			t.Fatalf("Term(%d) has number %d", id, term.ID())
		}
		for _, a := range term.Args() {
			if a.ID() >= id {
				t.Fatalf("argument %d of term %d", a.ID(), id)
			}
		}
	}
}

// TestFlattenIsBounded conjoins one long list with many things: the list must
// not be copied into each.
func TestFlattenIsBounded(t *testing.T) {
	b := smt.NewBuilder()
	var long []*smt.Term
	for i := range 100 {
		long = append(long, b.Const(fmt.Sprint("x", i), smt.Bool))
	}
	all := b.And(long...)
	if n := len(b.And(all, b.Const("y", smt.Bool)).Args()); n != 2 {
		t.Errorf("%d arguments", n)
	}
}

func TestAllocations(t *testing.T) {
	b := smt.NewBuilder()
	x, y, z := b.Const("x", smt.Bool), b.Const("y", smt.Bool), b.Const("z", smt.Bool)
	again := func() { b.Or(b.And(x, y, b.Not(z)), b.Ite(x, y, z), b.Iff(x, z)) }
	again()
	if n := testing.AllocsPerRun(100, again); n > 0 {
		t.Errorf("%v allocations to make what is there", n)
	}
}

// The cases of a term are its disjuncts, however they are written.
func TestCases(t *testing.T) {
	t.Parallel()
	b := smt.NewBuilder()
	x, y, z := b.Const("x", smt.Bool), b.Const("y", smt.Bool), b.Const("z", smt.Bool)
	for _, c := range []struct {
		name string
		term *smt.Term
		want []*smt.Term
	}{
		{"no disjunction", b.And(x, y), []*smt.Term{b.And(x, y)}},
		{"false", b.False(), []*smt.Term{b.False()}},
		{"disjunction", b.Or(x, b.And(y, z)), []*smt.Term{x, b.And(y, z)}},
		{"negated conjunction", b.Not(b.And(x, y)), []*smt.Term{b.Not(x), b.Not(y)}},
		{"nested", b.Or(x, b.Not(b.And(y, z))), []*smt.Term{x, b.Not(y), b.Not(z)}},
	} {
		got := b.Cases(c.term)
		if len(got) != len(c.want) {
			t.Errorf("%s: %d cases, want %d", c.name, len(got), len(c.want))
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: case %d is another one", c.name, i)
			}
		}
	}
}
