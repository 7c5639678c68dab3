package solvertest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

type dialogue struct{ name, text string }

// dialogues are small conversations with a solver. The commands:
//
//	(assert f)         (label l f)         assert, without a label or with one
//	(push)  (pop)
//	(sat f ...)        check: there is a model, and the formulas hold in it
//	(unsat l ...)      check: there is none, and the core has all of these (a
//	                   core may be larger than needed)
//
// In formulas a name is a Bool constant, and name:3 one of three bits; 5:3 is
// a literal.
var dialogues = []dialogue{
	{"nothing asserted", `(sat)`},
	{"true", `(assert true) (sat)`},
	{"false", `(assert false) (unsat)`},
	{"one constant", `(assert x) (sat x)`},
	{"contradiction in two parts", `(assert (or x y)) (assert (not x)) (sat y) (assert (not y)) (unsat)`},
	{"ite and equality", `(assert (= z (ite x y (not y)))) (assert (not (= x y))) (sat (not z))`},
	{"xor chain", `(assert (= a (not b))) (assert (= b (not c))) (assert (= c (not a))) (unsat)`},
	{"a name to be quoted", `(assert |log[s1].term > 0|) (assert (not |let|)) (sat |log[s1].term > 0|)`},
	{"the same twice", `(assert x) (assert x) (sat x) (sat x)`},

	{"push and pop", `(assert (or x y)) (push) (assert (not x)) (sat y) (push) (assert (not y)) (unsat) (pop)
		(sat y) (pop) (push) (assert (not y)) (sat x) (pop) (sat)`},
	{"a constant declared in a dropped scope", `(push) (assert x) (sat x) (pop) (push) (assert (not x)) (sat (not x)) (pop) (assert x) (sat x)`},
	{"scopes without a check", `(push) (assert x) (pop) (push) (push) (assert (not x)) (pop) (pop) (assert x) (sat x)`},
	{"empty scopes", `(push) (push) (pop) (push) (pop) (assert x) (sat x) (pop) (assert (not x)) (sat (not x))`},
	{"back from a contradiction", `(assert x) (push) (assert (not x)) (unsat) (pop) (sat x) (push) (assert y) (sat y)`},
	{"shared terms in two scopes", `(assert (or (and a b c) (and d e))) (push) (assert (not (and a b c))) (sat d e) (pop)
		(push) (assert (not (and d e))) (sat a b c) (pop)`},

	{"core of two", `(label p x) (label q y) (label r (not x)) (unsat p r)`},
	{"core without a label", `(assert x) (label q (or y z)) (label r (not x)) (unsat r)`},
	{"labels in scopes", `(label p x) (push) (label q (not x)) (unsat p q) (pop) (push) (label r (and y (not x))) (unsat p r) (pop) (sat x)`},
	{"one label for two", `(label p x) (label q (or y z)) (label p (not x)) (unsat p)`},
	{"odd labels", `(label |I1/Handle "x" (y)| x) (label |and| (not x)) (unsat |I1/Handle "x" (y)| |and|)`},
	{"unsat without labels", `(assert x) (assert (not x)) (unsat)`},

	{"bit-vectors", `(assert (bvult v:3 w:3)) (assert (= w:3 1:3)) (sat (= v:3 0:3))`},
	{"bit-vector sum", `(assert (= (bvadd v:4 9:4) 2:4)) (sat (= v:4 9:4))`},
	{"bit-vector order", `(label p (bvule v:8 w:8)) (label q (bvult w:8 v:8)) (unsat p q)`},
	{"first Booleans, then bit-vectors", `(assert x) (sat x) (push) (assert (= v:4 7:4)) (sat x (= v:4 7:4)) (pop) (sat x)`},
	{"wide bit-vectors", `(assert (= (bvadd v:64 1:64) 0:64)) (sat (= v:64 18446744073709551615:64))`},
}

func runDialogues(t *testing.T, b Backend) {
	modes := []struct {
		name   string
		limits solver.Limits
	}{
		{"fresh", solver.Limits{}},
		{"fresh, names", solver.Limits{Names: 3}},
		{"fresh, cores", solver.Limits{Cores: true}},
		{"incremental", solver.Limits{Incremental: true}},
		{"incremental, cores, seed, names", solver.Limits{Incremental: true, Cores: true, Seed: 7, Names: 7}},
	}
	for _, m := range modes {
		m.limits.Options = map[string]string{"cvc5.enum-inst": "true"} // or it tries patterns only
		for _, d := range slices.Concat(dialogues, firstOrderDialogues) {
			t.Run(m.name+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				speak(t, b, m.limits, d.text)
			})
		}
	}
}

// speaker holds a dialogue and remembers what is asserted.
type speaker struct {
	*smt.Builder
	solver.Solver
	symbols  symbols
	asserted []*smt.Term
	labels   []string // of the asserted
	scopes   []int
	cores    bool
}

func speak(t *testing.T, b Backend, l solver.Limits, text string) {
	t.Helper()
	commands, err := smt.ParseSexps(text)
	if err != nil {
		t.Fatal(err)
	}
	s := &speaker{Builder: smt.NewBuilder(), symbols: symbols{}, cores: l.Cores && !b.NoCores}
	s.Solver = b.Open(t, l)
	for i, c := range commands {
		if !s.do(t, b, c.List[0].Text, c.List[1:]) {
			t.Fatalf("in command %d of %s", i+1, text)
		}
	}
}

// do carries out one command and reports whether all was well.
func (s *speaker) do(t *testing.T, b Backend, name string, args []smt.Sexp) bool {
	t.Helper()
	if name == "sat" || name == "unsat" || name == "consistent" {
		if s.unsupported(t, b) {
			return true
		}
	}
	switch name {
	case "sort", "enum", "fun":
		s.declare(name, args)
	case "assert":
		s.assert("", s.term(args[0]))
	case "label":
		s.assert(args[0].Text, s.term(args[1]))
	case "push":
		s.scopes = append(s.scopes, len(s.asserted))
		s.Push()
	case "pop":
		last := len(s.scopes) - 1
		s.asserted = s.asserted[:s.scopes[last]]
		s.labels = s.labels[:s.scopes[last]]
		s.scopes = s.scopes[:last]
		s.Pop()
	case "sat":
		return s.sat(t, args)
	case "unsat":
		return s.unsat(t, args)
	case "consistent":
		if res := check(t.Context(), t, s); res.Status == solver.Unsat || res.Model != nil {
			t.Errorf("got %v with model %v", res.Status, res.Model)
			return false
		}
	default:
		panic("unknown command " + name)
	}
	return true
}

func (s *speaker) assert(label string, f *smt.Term) {
	s.asserted = append(s.asserted, f)
	s.labels = append(s.labels, label)
	s.Assert(label, f)
}

func (s *speaker) sat(t *testing.T, also []smt.Sexp) bool {
	t.Helper()
	res := checkStatus(t, s, solver.Sat)
	if s.firstOrder() {
		if res.Model != nil {
			t.Error("model of first-order assertions")
		}
		return res.Model == nil
	}
	e := res.Model.Evaluator()
	hold := s.asserted[:len(s.asserted):len(s.asserted)]
	for _, f := range also {
		hold = append(hold, s.term(f))
	}
	for _, f := range hold {
		if !e.Bool(f) {
			t.Errorf("false in the model: %s", f)
			return false
		}
	}
	return true
}

func (s *speaker) unsat(t *testing.T, labels []smt.Sexp) bool {
	t.Helper()
	core := checkStatus(t, s, solver.Unsat).Core
	if !s.cores {
		if len(core) > 0 {
			t.Errorf("core %q, which nobody asked for", core)
		}
		return len(core) == 0
	}
	for _, l := range labels {
		if !slices.Contains(core, l.Text) {
			t.Errorf("core %q lacks %q", core, l.Text)
			return false
		}
	}
	if inOrder := s.inOrder(core); !slices.Equal(core, inOrder) {
		t.Errorf("core %q, want order of assertion, each once: %q", core, inOrder)
		return false
	}
	return true
}

// inOrder returns those labels asserted that are in the core.
func (s *speaker) inOrder(core []string) []string {
	var labels []string
	for _, l := range s.labels {
		if l != "" && slices.Contains(core, l) && !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// term reads a formula or bit-vector, or what firstorder.go adds.
func (s *speaker) term(e smt.Sexp) *smt.Term {
	if t := s.symbols.term(s, e); t != nil {
		return t
	}
	if e.Kind == smt.SexpList {
		var args []*smt.Term
		for _, a := range e.List[1:] {
			args = append(args, s.term(a))
		}
		return s.apply(e.List[0].Text, args)
	}
	if name, width, ok := strings.Cut(e.Text, ":"); ok {
		n, err := strconv.Atoi(width)
		if err != nil {
			panic("no width in " + e.Text)
		}
		if v, err := strconv.ParseUint(name, 10, 64); err == nil {
			return s.BVLit(v, smt.BitVec(n))
		}
		return s.Const("v"+width+name, smt.BitVec(n))
	}
	if v, ok := e.Bool(); ok {
		return s.Bool(v)
	}
	return s.Const(e.Text, smt.Bool)
}

func (s *speaker) apply(op string, args []*smt.Term) *smt.Term {
	switch op {
	case "not":
		return s.Not(args[0])
	case "and":
		return s.And(args...)
	case "or":
		return s.Or(args...)
	case "ite":
		return s.Ite(args[0], args[1], args[2])
	case "=":
		return s.Eq(args[0], args[1])
	case "bvadd":
		return s.BVAdd(args[0], args[1])
	case "bvult":
		return s.BVUlt(args[0], args[1])
	case "bvule":
		return s.BVUle(args[0], args[1])
	}
	panic("unknown operator " + op)
}
