package solvertest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// firstOrderDialogues have some commands more:
//
//	(sort S)  (enum E v ...)           a sort; an enumeration of the values v
//	(fun f (S ...) S)                  a function, or constant if it takes nothing
//	(consistent)                       check: no contradiction is found
//
// and formulas (forall ((x S) ...) f) and (exists ...); (! f :pattern (t ...))
// may stand for the body f.
var firstOrderDialogues = []dialogue{
	{"integers", `(fun n () Int) (fun m () Int) (assert (< n m)) (assert (<= m (+ n 1))) (sat)
		(push) (assert (not (= m (+ n 1)))) (unsat) (pop) (assert (= n -3)) (sat) (assert (= m 2)) (unsat)`},
	{"functions", `(sort S) (fun a () S) (fun f (S) S) (assert (= (f (f (f a))) a)) (assert (= (f (f a)) a)) (sat)
		(assert (not (= (f a) a))) (unsat)`},
	{"functions of formulas", `(fun of (Bool) Bool) (assert (of x)) (assert (not (of y))) (sat) (assert (= x y)) (unsat)`},
	{"an enumeration", `(enum E red green) (fun c () E) (fun d () E) (assert (not (= c d))) (assert (not (= c red))) (sat)
		(assert (not (= d red))) (unsat)`},
	{"ite of servers", `(sort S) (fun a () S) (fun b () S) (assert (not (= (ite x a b) a))) (sat) (assert x) (unsat)`},
	{"names of theories", `(sort Set) (enum String abs nil) (fun select (Set) String) (fun let (Int) Bool) (fun lambda () Set)
		(fun tuple (Set) Int) (fun is-nil (Set) Bool) (fun update (Bool) Int) (fun bvadd (Int) Int) (fun - (Int) Int)
		(assert (= (select lambda) abs)) (assert (let (tuple lambda))) (assert (is-nil lambda)) (assert (= (update x) (bvadd (- 1))))
		(sat) (assert (= (select lambda) nil)) (unsat)`},
	{"names to be quoted", `(sort |a sort|) (fun |f.x[]| (|a sort|) |a sort|)
		(assert (forall ((|x y| |a sort|)) (! (= (|f.x[]| |x y|) |x y|) :pattern ((|f.x[]| |x y|)))))
		(assert (exists ((|x y| |a sort|)) (not (= (|f.x[]| (|f.x[]| |x y|)) |x y|)))) (unsat)`},

	{"instances", `(sort S) (fun a () S) (fun p (S) Bool) (fun f (S) S)
		(assert (forall ((x S)) (or (not (p x)) (p (f x))))) (assert (p a)) (assert (not (p (f (f (f a)))))) (unsat)`},
	{"hidden variable", `(sort S) (fun a () S) (fun p (S) Bool) (fun f (S) S)
		(assert (forall ((x S)) (or (p (f x)) (forall ((x S)) (and (p (f x)) (p x))))))
		(assert (not (p a))) (assert (not (p (f a)))) (unsat)`},
	{"exists inside forall", `(sort S) (fun r (S S) Bool)
		(assert (forall ((x S)) (exists ((y S)) (and (r x y) (not (r y x)))))) (assert (forall ((x S) (y S)) (r x y))) (unsat)`},
	{"satisfiable with a pattern", `(sort S) (fun a () S) (fun p (S) Bool)
		(assert (forall ((x S)) (! (p x) :pattern ((p x))))) (assert (p a)) (consistent)`},
	{"two patterns", `(sort S) (fun a () S) (fun p (S) Bool) (fun q (S S) Bool) (fun f (S) S)
		(assert (forall ((x S) (y S)) (! (or (not (q x y)) (p (f y))) :pattern ((q x y)) :pattern ((p x) (f y)))))
		(assert (q a (f a))) (assert (not (p (f (f a))))) (unsat)`},
	{"quorums", `(sort S) (sort Q) (fun in (Q S) Bool) (fun vote (S) S) (fun a () S) (fun b () S) (fun p () Q) (fun q () Q)
		(assert (forall ((p Q) (q Q)) (exists ((s S)) (and (in p s) (in q s)))))
		(assert (forall ((s S)) (or (not (in p s)) (= (vote s) a)))) (assert (forall ((s S)) (or (not (in q s)) (= (vote s) b))))
		(push) (assert (not (= a b))) (unsat) (pop)`},
	{"counting up", `(sort S) (fun t (S) Int) (fun a () S)
		(assert (forall ((s S)) (<= 0 (t s)))) (assert (exists ((s S)) (< (t s) (+ (t a) -1)))) (assert (<= (t a) 0)) (unsat)`},

	{"core of quantifiers", `(sort S) (fun a () S) (fun p (S) Bool) (fun q (S) Bool)
		(label all (forall ((x S)) (p x))) (label other (forall ((x S)) (q x))) (label goal (not (p a))) (unsat all goal)`},
	{"many goals", `(sort S) (fun a () S) (fun p (S) Bool) (fun q (S) Bool)
		(label all (forall ((x S)) (or (not (p x)) (q x)))) (push) (label goal (exists ((x S)) (and (p x) (not (q x))))) (unsat all goal) (pop)
		(push) (sort T) (fun f (T) S) (label goal (exists ((x T)) (and (p (f x)) (not (q (f x)))))) (unsat all goal) (pop)
		(push) (enum C one two) (fun c () C) (label goal (and (not (= c one)) (not (= c two)))) (unsat goal) (pop)
		(push) (enum C one two) (fun c () C) (label goal (and (p a) (not (ite (= c two) (q a) (q a))))) (unsat all goal) (pop)`},
	{"first Booleans, then quantifiers", `(sort S) (fun p (S) Bool) (assert y) (sat y) (push) (assert (forall ((x S)) (p x)))
		(assert (exists ((x S)) (not (p x)))) (unsat) (pop) (sat y) (push) (assert (bvult v:3 v:3)) (unsat) (pop)
		(push) (assert (= v:3 1:3)) (assert (forall ((x S)) (= (p x) (bvult v:3 1:3)))) (assert (exists ((x S)) (p x))) (unsat) (pop) (sat y)`},
}

// symbols are the sorts, functions, values and bound variables of a dialogue, by
// name.
type symbols map[string]any

// declare carries out a command that declares something.
func (s *speaker) declare(command string, args []smt.Sexp) {
	name := args[0].Text
	switch command {
	case "sort":
		s.symbols["sort "+name] = smt.Uninterpreted(name)
	case "enum":
		var values []string
		for _, v := range args[1:] {
			values = append(values, v.Text)
		}
		sort := smt.Enumeration(name, values...)
		s.symbols["sort "+name] = sort
		for _, v := range values {
			s.symbols[v] = s.Enum(sort, v)
		}
	case "fun":
		var sorts []smt.Sort
		for _, a := range args[1].List {
			sorts = append(sorts, s.symbols.sort(a.Text))
		}
		s.symbols[name] = s.Func(name, sorts, s.symbols.sort(args[2].Text))
	}
}

func (m symbols) sort(name string) smt.Sort {
	switch name {
	case "Bool":
		return smt.Bool
	case "Int":
		return smt.Int
	}
	return m["sort "+name].(smt.Sort)
}

// term reads a term that begins with a symbol, quantifier or number, nil if it
// does not.
func (m symbols) term(s *speaker, e smt.Sexp) *smt.Term {
	head := e
	var args []smt.Sexp
	if e.Kind == smt.SexpList {
		head, args = e.List[0], e.List[1:]
	}
	switch v := m[head.Text].(type) {
	case *smt.Term:
		return v
	case *smt.Func:
		return s.Apply(v, s.terms(args)...)
	}
	switch head.Text {
	case "forall", "exists":
		return s.quantifier(head.Text, args[0].List, args[1])
	case "+":
		return s.Add(s.term(args[0]), s.term(args[1]))
	case "<":
		return s.Lt(s.term(args[0]), s.term(args[1]))
	case "<=":
		return s.Le(s.term(args[0]), s.term(args[1]))
	}
	if n, err := strconv.ParseInt(head.Text, 10, 64); err == nil {
		return s.IntLit(n)
	}
	return nil
}

func (s *speaker) terms(es []smt.Sexp) []*smt.Term {
	ts := make([]*smt.Term, len(es))
	for i, e := range es {
		ts[i] = s.term(e)
	}
	return ts
}

func (s *speaker) quantifier(op string, bound []smt.Sexp, body smt.Sexp) *smt.Term {
	outer := s.symbols
	s.symbols = symbols{}
	for name, v := range outer {
		s.symbols[name] = v
	}
	defer func() { s.symbols = outer }()
	var vars []*smt.Term
	for _, b := range bound {
		v := s.Var(b.List[0].Text, s.symbols.sort(b.List[1].Text))
		s.symbols[b.List[0].Text] = v
		vars = append(vars, v)
	}
	var patterns [][]*smt.Term
	if body.Kind == smt.SexpList && body.List[0].IsSymbol("!") {
		for i := 3; i < len(body.List); i += 2 { // behind each :pattern
			patterns = append(patterns, s.terms(body.List[i].List))
		}
		body = body.List[1]
	}
	f := s.term(body)
	switch op {
	case "forall":
		return s.Forall(vars, f, patterns...)
	case "exists":
		return s.Exists(vars, f, patterns...)
	}
	panic(fmt.Sprintf("no quantifier: %s", op))
}

func (s *speaker) firstOrder() bool { return slices.ContainsFunc(s.asserted, (*smt.Term).FirstOrder) }

// unsupported reports whether the back end cannot take what is asserted, and
// checks that it says so.
func (s *speaker) unsupported(t *testing.T, b Backend) bool {
	t.Helper()
	if !b.Propositional || !slices.ContainsFunc(s.asserted, func(f *smt.Term) bool { return !f.Propositional() }) {
		return false
	}
	res, err := s.Check(t.Context())
	var no *solver.UnsupportedError
	if !errors.As(err, &no) {
		t.Errorf("got %v, %v, want an *UnsupportedError", res, err)
	}
	return true
}
