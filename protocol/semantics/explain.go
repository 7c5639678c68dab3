package semantics

import (
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// Broken says why a formula is false, in terms of its literals. Each literal
// is a part of the formula as it was written; with Vars for Env.Vars, a caller
// can evaluate it in the state where the formula is broken and in others.
type Broken struct {
	Vars     []Bound         // those of the environment, then those of the formula, in written order
	Literals []protocol.Term // in written order
}

// Explain takes a false formula apart, and returns nil if t is true in env.
// From the outside in, it chooses the first value that falsifies a ∀ (or that
// satisfies what a ¬∃ rules out), and lists the conjuncts of the antecedents
// and the conjuncts and disjuncts of the consequents. What is deeper stays one
// literal.
func (e *Evaluator) Explain(t protocol.Term, env Env) *Broken {
	x := &explanation{evaluation: e.evaluation(env)}
	if x.holds(t) {
		return nil
	}
	x.refute(t)
	return &Broken{Vars: x.vars, Literals: x.literals}
}

// explanation goes down a false formula; its bindings stay.
type explanation struct {
	*evaluation
	literals []protocol.Term
	opened   []*protocol.Definition // taken apart: once each, since a variable has one value in Broken.Vars
}

// refute explains why t, which is false, is so.
func (x *explanation) refute(t protocol.Term) {
	switch t := t.(type) {
	case *protocol.Quant:
		if t.Forall {
			x.choose(t)
			x.refute(t.Body)
			return
		}
	case *protocol.UnaryTerm:
		if q, ok := t.X.(*protocol.Quant); ok && t.Op == protocol.Not && !q.Forall {
			x.confirm(q)
			return
		}
	case *protocol.BinaryTerm:
		if t.Op == protocol.Implies {
			x.conjuncts(t.X)
			x.refute(t.Y)
			return
		}
	case *protocol.Nary:
		x.refuteNary(t)
		return
	case *protocol.LetTerm:
		if isClaim(t.Body) {
			x.bind(t.Var, x.eval(t.X))
			x.refute(t.Body)
			return
		}
	case *protocol.Call:
		if isClaim(t.Def.Body) && !slices.Contains(x.opened, t.Def) {
			x.opened = append(x.opened, t.Def)
			x.bindParams(t)
			x.refute(t.Def.Body)
			return
		}
	}
	x.literals = append(x.literals, t)
}

// confirm explains what is wrong with a ¬∃: it binds the variables of the
// true ∃ and lists the conjuncts of its body.
func (x *explanation) confirm(t protocol.Term) {
	if q, ok := t.(*protocol.Quant); ok && !q.Forall {
		x.choose(q)
		x.confirm(q.Body)
		return
	}
	x.conjuncts(t)
}

// choose binds the variable of a ∀ that is false, or of an ∃ that is true, to
// the first value that makes it so.
func (x *explanation) choose(q *protocol.Quant) {
	v, _ := x.find(q)
	x.bind(q.Var, v)
}

// refuteNary takes all of a disjunction apart, since all of it is false; of a
// conjunction just the first false part.
func (x *explanation) refuteNary(t *protocol.Nary) {
	culprit := -1
	if t.And {
		culprit = slices.IndexFunc(t.Args, func(a protocol.Term) bool { return !x.holds(a) })
	}
	for i, a := range t.Args {
		if !t.And || i == culprit {
			x.refute(a)
		} else {
			x.conjuncts(a)
		}
	}
}

// conjuncts lists the conjuncts of t, flattened.
func (x *explanation) conjuncts(t protocol.Term) {
	if and, ok := t.(*protocol.Nary); ok && and.And {
		for _, a := range and.Args {
			x.conjuncts(a)
		}
		return
	}
	x.literals = append(x.literals, t)
}

// isClaim reports whether t starts as properties do. The body of a let or of a
// definition is taken apart only if it does.
func isClaim(t protocol.Term) bool {
	switch t := t.(type) {
	case *protocol.Quant:
		return t.Forall
	case *protocol.BinaryTerm:
		return t.Op == protocol.Implies
	case *protocol.LetTerm:
		return isClaim(t.Body)
	}
	return false
}
