package encode

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Hypothesis is the formula of a one-state property in the state, with the patterns
// that the spec gives it. It is equivalent to Formula: a pattern only says which
// instances a solver takes, so unsat with it is unsat. It is for arbitrary states, in
// which each read is an application.
func (s *OpenState) Hypothesis(p *protocol.Property) *smt.Term {
	if p.Patterns == nil || len(p.Patterns.Lists) == 0 {
		return s.Formula(p.Formula)
	}
	t := &triggered{u: s.u, patterns: p.Patterns}
	return t.level(p.Formula, 0, nil, nil, scopeOf{pre: s.s})
}

// triggered makes the outermost quantifier of a formula with its patterns. It has all
// variables of that quantifier and no others; those of finite sorts and of unions are
// written out around it.
type triggered struct {
	u        *Quantified
	patterns *protocol.Patterns
}

// level makes the quantifier from its variable number n on; vars and guards are those
// of the variables before.
func (t *triggered) level(f protocol.Term, n int, vars, guards []*smt.Term, s scopeOf) *smt.Term {
	u := t.u
	if n == len(t.patterns.Vars) {
		body := u.b.Implies(u.b.And(guards...), u.formula(f, s))
		return u.b.Forall(vars, body, t.triggers(s)...)
	}
	if domain, ok := f.(*protocol.BinaryTerm); ok { // of the variable before
		return t.level(domain.Y, n, vars, with(guards, u.formula(domain.X, s)), s)
	}
	q := f.(*protocol.Quant)
	var parts []*smt.Term
	switch sort := q.Var.Sort; sort.Kind {
	case protocol.BoolKind, protocol.EnumKind:
		values := 2
		if sort.Kind == protocol.EnumKind {
			values = len(sort.Consts)
		}
		for k := range values {
			value := u.scalar(u.literal(&protocol.Lit{Of: sort, Value: k}))
			parts = append(parts, t.level(q.Body, n+1, vars, guards, s.bind(q.Var, value)))
		}
	case protocol.UnionKind:
		for _, typ := range sort.Union {
			m := u.b.Var(q.Var.Name, u.sort(typ))
			sent := u.sentIn(q.Primed, typ, m, s)
			parts = append(parts, t.level(q.Body, n+1, with(vars, m), with(guards, sent), s.quantified(q.Var, u.ofUnion(typ, m))))
		}
	default:
		x := u.b.Var(q.Var.Name, u.sort(sort))
		if g := u.domainGuard(q, x, s); g != nil {
			guards = with(guards, g)
		}
		parts = append(parts, t.level(q.Body, n+1, with(vars, x), guards, s.quantified(q.Var, u.scalar(x))))
	}
	return u.b.And(parts...)
}

// triggers are the patterns at the quantifier's variables. Quorums are looked for by
// the predicate that everything is one: only of such is it known that they meet.
func (t *triggered) triggers(s scopeOf) [][]*smt.Term {
	u := t.u
	var quorums []*smt.Term
	for _, b := range t.patterns.Vars {
		if b.Sort.Kind == protocol.QuorumKind {
			quorums = append(quorums, u.b.Apply(u.isQuorum[b.Sort], s.lookup(b).term))
		}
	}
	var out [][]*smt.Term
	for _, list := range t.patterns.Lists {
		pattern := append([]*smt.Term(nil), quorums...)
		for _, term := range list {
			v := u.term(term, s)
			if term.Sort().Kind == protocol.OptionKind {
				pattern = append(pattern, v.has)
			} else {
				pattern = append(pattern, v.term)
			}
		}
		out = append(out, pattern)
	}
	return out
}

// with is a list with one more at its end, which shares nothing with list.
func with(list []*smt.Term, t *smt.Term) []*smt.Term {
	return append(append([]*smt.Term(nil), list...), t)
}
