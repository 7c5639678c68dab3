package smt_test

import (
	"fmt"
	"testing"

	"github.com/speckl/kraftprove/solver/smt"
)

// world has some symbols of each kind.
type world struct {
	*smt.Builder
	server, role smt.Sort
	x, y, z      *smt.Term // servers, variables
	i, j         *smt.Term // integers, variables
	b            *smt.Term // a formula, variable
	a, c         *smt.Term // servers, constants
	n, m         *smt.Term // integers, constants
	p            *smt.Term // a formula, constant
	led, met     *smt.Func // of a server; of two
	next         *smt.Func // of a server, a server
	term         *smt.Func // of a server, an integer
	roleOf       *smt.Func // of a server, a role
}

func newWorld() *world {
	b := smt.NewBuilder()
	server, role := smt.Uninterpreted("Server"), smt.Enumeration("Role", "Follower", "Leader")
	return &world{
		Builder: b, server: server, role: role,
		x: b.Var("x", server), y: b.Var("y", server), z: b.Var("z", server),
		i: b.Var("i", smt.Int), j: b.Var("j", smt.Int), b: b.Var("b", smt.Bool),
		a: b.Const("a", server), c: b.Const("c", server),
		n: b.Const("n", smt.Int), m: b.Const("m", smt.Int), p: b.Const("p", smt.Bool),
		led:    b.Func("led", []smt.Sort{server}, smt.Bool),
		met:    b.Func("met", []smt.Sort{server, server}, smt.Bool),
		next:   b.Func("next", []smt.Sort{server}, server),
		term:   b.Func("term", []smt.Sort{server}, smt.Int),
		roleOf: b.Func("roleOf", []smt.Sort{server}, role),
	}
}

func (w *world) Led(t *smt.Term) *smt.Term    { return w.Apply(w.led, t) }
func (w *world) Met(t, u *smt.Term) *smt.Term { return w.Apply(w.met, t, u) }
func (w *world) Next(t *smt.Term) *smt.Term   { return w.Apply(w.next, t) }
func (w *world) Term(t *smt.Term) *smt.Term   { return w.Apply(w.term, t) }
func (w *world) Role(t *smt.Term) *smt.Term   { return w.Apply(w.roleOf, t) }

func vars(vs ...*smt.Term) []*smt.Term { return vs }

func TestSimplifyFirstOrder(t *testing.T) {
	const big = 1<<63 - 1
	w := newWorld()
	lit := w.IntLit
	inc := func(t *smt.Term, v int64) *smt.Term { return w.Add(t, lit(v)) }
	follower, leader := w.Enum(w.role, "Follower"), w.Enum(w.role, "Leader")
	tests := []struct {
		name       string
		give, want *smt.Term
	}{
		{"equal literals", lit(3), lit(3)},
		{"sum of literals", w.Add(lit(3), lit(-5)), lit(-2)},
		{"sum with 0", inc(w.n, 0), w.n},
		{"0 in front", w.Add(lit(0), w.n), w.n},
		{"literal in front", w.Add(lit(2), w.n), inc(w.n, 2)},
		{"sums of literals", inc(inc(w.n, 2), 3), inc(w.n, 5)},
		{"there and back", inc(inc(w.n, 1), -1), w.n},
		{"sum commutes", w.Add(w.n, w.m), w.Add(w.m, w.n)},

		{"less of literals", w.Lt(lit(-1), lit(0)), w.True()},
		{"less of equal literals", w.Lt(lit(2), lit(2)), w.False()},
		{"less than itself", w.Lt(w.n, w.n), w.False()},
		{"less than one more", w.Lt(w.n, inc(w.n, 1)), w.True()},
		{"at most of literals", w.Le(lit(2), lit(1)), w.False()},
		{"at most itself", w.Le(w.n, w.n), w.True()},
		{"at most one less", w.Le(inc(w.n, 3), inc(w.n, 2)), w.False()},
		{"other literals", w.Eq(lit(1), lit(2)), w.False()},
		{"equal to one more", w.Eq(w.n, inc(w.n, 1)), w.False()},
		{"integers commute", w.Eq(w.n, w.m), w.Eq(w.m, w.n)},

		{"one value", w.Eq(leader, leader), w.True()},
		{"two values", w.Eq(leader, follower), w.False()},
		{"value again", w.Enum(smt.Enumeration("Role", "Follower", "Leader"), "Leader"), leader},
		{"function again", w.Apply(w.Func("led", []smt.Sort{w.server}, smt.Bool), w.a), w.Led(w.a)},
		{"function without arguments", w.Apply(w.Func("n", nil, smt.Int)), w.n},
		{"ite of a sort", w.Ite(w.Not(w.p), w.a, w.c), w.Ite(w.p, w.c, w.a)},
		{"ite of one server", w.Ite(w.p, w.a, w.a), w.a},

		{"forall again", w.Forall(vars(w.x), w.Led(w.x)), w.Forall(vars(w.x), w.Led(w.x))},
		{"forall true", w.Forall(vars(w.x), w.True()), w.True()},
		{"exists false", w.Exists(vars(w.x), w.False()), w.False()},
		{"no variable", w.Forall(nil, w.p), w.p},
		{"body without the variable", w.Exists(vars(w.x), w.Led(w.a)), w.Led(w.a)},
		{"unused variable", w.Forall(vars(w.y, w.x), w.Led(w.x)), w.Forall(vars(w.x), w.Led(w.x))},
		{"bound inside", w.Forall(vars(w.x), w.Forall(vars(w.x), w.Led(w.x))), w.Forall(vars(w.x), w.Led(w.x))},
		{"body is a variable", w.Forall(vars(w.b), w.b).Body(), w.b},
		{"pattern of an unused variable",
			w.Forall(vars(w.x, w.y), w.Led(w.x), vars(w.Met(w.x, w.y)), vars(w.Led(w.x))),
			w.Forall(vars(w.x), w.Led(w.x), vars(w.Led(w.x)))},
		{"double negation", w.Not(w.Not(w.Forall(vars(w.x), w.Led(w.x)))), w.Forall(vars(w.x), w.Led(w.x))},
	}
	for _, test := range tests {
		if test.give != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.give, test.want)
		}
	}
	different := [][2]*smt.Term{
		{w.Led(w.x), w.Led(w.y)},
		{w.Var("x", w.server), w.x},
		{w.Apply(w.Func("led2", []smt.Sort{w.server}, smt.Bool), w.a), w.Led(w.a)},
		{w.Forall(vars(w.x), w.Led(w.x)), w.Exists(vars(w.x), w.Led(w.x))},
		{w.Forall(vars(w.x), w.Led(w.x)), w.Forall(vars(w.y), w.Led(w.y))},
		{w.Forall(vars(w.x), w.Led(w.x)), w.Forall(vars(w.x), w.Led(w.x), vars(w.Led(w.x)))},
		{inc(inc(w.n, big), 1), inc(w.n, -big-1)}, // no literal is that large
		{w.Add(lit(big), lit(1)), lit(-big - 1)},
	}
	for _, d := range different {
		if d[0] == d[1] {
			t.Errorf("one term: %s", d[0])
		}
	}
}

func TestString(t *testing.T) {
	b := smt.NewBuilder() // numbers count from 2
	node, kind := smt.Uninterpreted("a node"), smt.Enumeration("Set", "abs", "one")
	x, n := b.Var("x", node), b.Var("n o", smt.Int)
	f := b.Func("let", []smt.Sort{node, smt.Int}, kind)
	at := b.Apply(f, x, n)
	tests := []struct {
		give *smt.Term
		want string
	}{
		{x, "$x!2"},
		{n, "|$n o!3|"},
		{b.IntLit(-7), "(- 7)"},
		{b.IntLit(-1 << 63), "(- 9223372036854775808)"},
		{b.Lt(n, b.Add(n, b.Const("is-x", smt.Int))), "(< |$n o!3| (+ |$n o!3| $is-x))"},
		{b.Le(b.IntLit(1), n), "(<= 1 |$n o!3|)"},
		{b.Enum(kind, "abs"), "$abs"},
		{at, "($let $x!2 |$n o!3|)"},
		{b.Eq(at, b.Enum(kind, "one")), "(= one ($let $x!2 |$n o!3|))"},
		{b.Forall(vars(x, n), b.Eq(at, b.Enum(kind, "one")), vars(at), vars(at, at)),
			"(forall (($x!2 |a node|) (|$n o!3| Int)) (! (= one ($let $x!2 |$n o!3|))" +
				" :pattern (($let $x!2 |$n o!3|)) :pattern (($let $x!2 |$n o!3|) ($let $x!2 |$n o!3|))))"},
		{b.Exists(vars(n), b.Le(n, n)), "true"},
		{b.Exists(vars(n), b.Lt(n, b.IntLit(0))), "(exists ((|$n o!3| Int)) (< |$n o!3| 0))"},
	}
	for _, test := range tests {
		if got := test.give.String(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if got := kind.String(); got != "$Set" {
		t.Errorf("the sort Set is %s", got)
	}
}

func TestSorts(t *testing.T) {
	for _, sort := range []func() smt.Sort{
		func() smt.Sort { return smt.Uninterpreted("A") },
		func() smt.Sort { return smt.Enumeration("A", "x", "y") },
	} {
		if first, second := sort(), sort(); first != second {
			t.Errorf("%s differs from itself", first)
		}
	}
	sorts := []smt.Sort{
		{}, smt.Bool, smt.Int, smt.BitVec(1), smt.BitVec(2), smt.Uninterpreted("A"), smt.Uninterpreted("B"),
		smt.Enumeration("A", "x"), smt.Enumeration("A", "x", "y"), smt.Enumeration("A", "y", "x"), smt.Enumeration("A", "xy"),
	}
	for i, s := range sorts {
		for _, u := range sorts[:i] {
			if s == u {
				t.Errorf("%s is %s", s, u)
			}
		}
	}
	if got := fmt.Sprint(smt.Enumeration("A", "x", "a b").Values()); got != "[x a b]" {
		t.Errorf("values %s", got)
	}
	if smt.Int.Values() != nil || smt.Int.Width() != 0 {
		t.Error("Int has values or a width")
	}
}

func TestContent(t *testing.T) {
	w := newWorld()
	all := w.Forall(vars(w.x), w.Met(w.x, w.y))
	v := w.Const("v", smt.BitVec(3))
	tests := []struct {
		term *smt.Term
		want string // propositional, bit-vectors, first-order, quantified, free variables
	}{
		{w.And(w.p, w.Const("q", smt.Bool)), "true false false false []"},
		{w.Not(w.BVUlt(v, w.BVLit(3, v.Sort()))), "false true false false []"},
		{w.Lt(w.n, w.m), "false false true false []"},
		{w.Led(w.a), "false false true false []"},
		{w.Apply(w.Func("of", []smt.Sort{smt.Bool}, smt.Bool), w.p), "false false true false []"},
		{w.Eq(w.Role(w.a), w.Enum(w.role, "Leader")), "false false true false []"},
		{w.b, "false false false false [$b!7]"},
		{w.Not(w.Not(w.Not(w.Met(w.y, w.x)))), "false false true false [$x!2 $y!3]"},
		{all, "false false true true [$y!3]"},
		{w.Not(all), "false false true true [$y!3]"},
		{w.Exists(vars(w.b), w.Or(w.b, w.p)), "false false true true []"},
		{w.Forall(vars(w.y), all), "false false true true []"},
		{w.And(all, w.Led(w.x), w.Lt(w.i, w.n)), "false false true true [$x!2 $y!3 $i!5]"},
		{w.Forall(vars(w.x), w.Led(w.x), vars(w.Met(w.x, w.y))), "false false true true [$y!3]"},
	}
	for _, test := range tests {
		got := fmt.Sprint(test.term.Propositional(), test.term.HasBitVec(), test.term.FirstOrder(),
			test.term.Quantified(), test.term.Free())
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.term, got, test.want)
		}
	}
}

func TestSymbols(t *testing.T) {
	w := newWorld()
	got := smt.Symbols(w.Eq(w.n, w.Term(w.a)), w.Forall(vars(w.x), w.Led(w.Next(w.x)), vars(w.Met(w.x, w.a))))
	var names []string
	for _, f := range got {
		names = append(names, f.Name())
	}
	if s := fmt.Sprint(names); s != "[n term a led next met]" {
		t.Errorf("symbols %s", s)
	}
	if f := got[5]; len(f.Args()) != 2 || f.Result() != smt.Bool || w.Met(w.a, w.a).Func() != f {
		t.Errorf("function %v", f)
	}
}

func TestFirstOrderPanics(t *testing.T) {
	w := newWorld()
	for name, f := range map[string]func(){
		"too few arguments":       func() { w.Apply(w.met, w.a) },
		"argument of other sort":  func() { w.Apply(w.led, w.n) },
		"function of other sorts": func() { w.Func("led", []smt.Sort{smt.Int}, smt.Bool) },
		"constant is a function":  func() { w.Const("led", smt.Bool) },
		"function of no sort":     func() { w.Func("f", nil, smt.Sort{}) },
		"function named as value": func() { w.Const("Leader", smt.Bool) },
		"value named as function": func() { w.Var("v", smt.Enumeration("E", "led")) },
		"value of two sorts":      func() { w.Var("v", smt.Enumeration("E", "Leader")) },
		"two sorts of one name":   func() { w.Var("v", smt.Uninterpreted("Role")) },
		"no such value":           func() { w.Enum(w.role, "Candidate") },
		"value of no enumeration": func() { w.Enum(smt.Int, "Leader") },
		"no values":               func() { smt.Enumeration("E") },
		"a value twice":           func() { smt.Enumeration("E", "a", "a") },
		"sum of servers":          func() { w.Add(w.a, w.n) },
		"order of servers":        func() { w.Lt(w.a, w.c) },
		"order of formulas":       func() { w.Le(w.n, w.p) },
		"unequal sorts":           func() { w.Eq(w.a, w.n) },
		"binds a constant":        func() { w.Forall(vars(w.a), w.Led(w.a)) },
		"binds twice":             func() { w.Forall(vars(w.x, w.x), w.Led(w.x)) },
		"body is a server":        func() { w.Exists(vars(w.x), w.x) },
		"pattern lacks variable":  func() { w.Forall(vars(w.x, w.y), w.Met(w.x, w.y), vars(w.Led(w.x))) },
		"pattern without terms":   func() { w.Forall(vars(w.x), w.Led(w.x), nil) },
		"pattern is a variable":   func() { w.Forall(vars(w.x), w.Led(w.x), vars(w.x)) },
		"pattern is an equality":  func() { w.Forall(vars(w.x), w.Led(w.x), vars(w.Eq(w.x, w.a))) },
		"evaluated":               func() { smt.Eval(w.Led(w.a), nil) },
		"quantifier evaluated":    func() { smt.Eval(w.Forall(vars(w.b), w.b), nil) },
		"integer evaluated":       func() { smt.Eval(w.Lt(w.n, w.m), nil) },
		"free in an assertion":    func() { script(w.Led(w.x)) },
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
