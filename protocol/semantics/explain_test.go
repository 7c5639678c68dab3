package semantics_test

import (
	"slices"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	x, y, z := binding("x", server), binding("y", server), binding("z", server)
	k, m := binding("k", term), binding("m", vote)
	yes, no := lit(boolean, 1), lit(boolean, 0)
	termOf := func(b *protocol.Binding) protocol.Term { return apply(read(currentTerm), use(b)) }
	high := bin(protocol.Lt, lit(term, 1), termOf(x)) // of 1 and 2
	isZ := eq(use(y), use(x))
	less := bin(protocol.Lt, termOf(y), termOf(x))
	someone := ex(z, eq(use(z), use(x)))
	nobody := ex(z, no)
	claim := &protocol.Definition{Name: "claim", Params: []*protocol.Binding{x}, Body: all(y, or(isZ, less))}
	small := &protocol.Definition{Name: "small", Params: []*protocol.Binding{x}, Body: and(high, no)}
	notFrom := not(eq(sel(use(m), "from"), lit(server, 2)))
	later := all(y, no)
	isK := eq(termOf(x), use(k))
	atom := &protocol.LetTerm{Var: k, X: lit(term, 2), Body: no}

	type bound struct {
		b *protocol.Binding
		n int
	}
	call := func(d *protocol.Definition) protocol.Term {
		return &protocol.Call{Def: d, Args: []protocol.Term{lit(server, 1)}}
	}
	isSmall, again := call(small), call(claim)
	for _, c := range []struct {
		name     string
		formula  protocol.Term
		vars     []bound
		literals []protocol.Term
	}{
		{"atom", no, nil, []protocol.Term{no}},
		{"the first value that falsifies", all(x, implies(high, no)), []bound{{x, 1}}, []protocol.Term{high, no}},
		{"∀ ∀ with conjuncts and disjuncts", all(x, all(y, implies(and(high, yes), or(isZ, less)))),
			[]bound{{x, 1}, {y, 2}}, []protocol.Term{high, yes, isZ, less}},
		{"∀ in the consequent", all(x, implies(high, all(y, isZ))), []bound{{x, 1}, {y, 0}}, []protocol.Term{high, isZ}},
		{"implication in the consequent", all(x, implies(high, implies(yes, no))), []bound{{x, 1}}, []protocol.Term{high, yes, no}},
		{"existentials stay", all(x, implies(someone, nobody)), []bound{{x, 0}}, []protocol.Term{someone, nobody}},
		{"conjunction in the consequent", all(x, implies(yes, and(high, and(yes, someone)))), []bound{{x, 0}}, []protocol.Term{yes, high, yes, someone}},
		{"∀ inside a conjunction", and(yes, all(x, high)), []bound{{x, 0}}, []protocol.Term{yes, high}},
		{"only the first culprit is taken apart", and(all(x, high), later), []bound{{x, 0}}, []protocol.Term{high, later}},
		{"nested antecedent", implies(and(yes, and(yes, yes)), no), nil, []protocol.Term{yes, yes, yes, no}},
		{"let before a claim", &protocol.LetTerm{Var: k, X: lit(term, 2), Body: all(x, isK)},
			[]bound{{k, 2}, {x, 0}}, []protocol.Term{isK}},
		{"let in a literal", atom, nil, []protocol.Term{atom}},
		{"definition of a claim", call(claim), []bound{{x, 1}, {y, 2}}, []protocol.Term{isZ, less}},
		{"definition of a claim, twice", or(call(claim), again), []bound{{x, 1}, {y, 2}}, []protocol.Term{isZ, less, again}},
		{"definition in a literal", isSmall, nil, []protocol.Term{isSmall}},
		{"message", all(m, implies(yes, notFrom)), []bound{{m, -1}}, []protocol.Term{yes, notFrom}},
		{"¬∃", not(ex(x, ex(y, and(high, isZ)))), []bound{{x, 1}, {y, 1}}, []protocol.Term{high, isZ}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, s := evaluator(), sample()
			got := e.Explain(c.formula, semantics.Env{Pre: s.Pre})
			if got == nil {
				t.Fatal("the formula is true")
			}
			if len(got.Vars) != len(c.vars) {
				t.Fatalf("variables %v", got.Vars)
			}
			for i, v := range got.Vars {
				want := num(c.vars[i].n)
				if c.vars[i].b == m {
					want = nums(2, 0, 1)
				}
				if v.Var != c.vars[i].b || !v.Value.Equal(want) {
					t.Errorf("%s = %v, want %s = %v", v.Var.Name, v.Value, c.vars[i].b.Name, want)
				}
			}
			if !slices.Equal(got.Literals, c.literals) {
				t.Errorf("literals %v, want %v", got.Literals, c.literals)
			}
		})
	}
}

// A caller evaluates the literals in both states under one binding.
func TestExplainTwoState(t *testing.T) {
	t.Parallel()
	x := binding("x", server)
	before, after := apply(read(currentTerm), use(x)), apply(primed(currentTerm), use(x))
	isTimeout := &protocol.StepIs{Actions: []*protocol.Action{timeout}}
	unchanged := eq(before, after)
	e, s := evaluator(), sample()
	env := semantics.Env{Pre: s.Pre, Post: s.Post, Step: s.Action}
	got := e.Explain(all(x, implies(isTimeout, unchanged)), env)
	if got == nil || !slices.Equal(got.Literals, []protocol.Term{isTimeout, unchanged}) {
		t.Fatalf("explained %v", got)
	}
	isOne := eq(before, lit(term, 1))
	if !e.Term(isOne, semantics.Env{Pre: s.Pre, Vars: got.Vars}).Equal(num(1)) || !e.Term(isOne, semantics.Env{Pre: s.Post, Vars: got.Vars}).Equal(num(0)) {
		t.Error("x is 0, whose term goes from 1 to 3")
	}
}

func TestExplainTrue(t *testing.T) {
	t.Parallel()
	if got := evaluator().Explain(lit(boolean, 1), semantics.Env{Pre: sample().Pre}); got != nil {
		t.Errorf("explained %v", got)
	}
}
