package protocol

import (
	"slices"

	"github.com/speckl/kraftprove/protocol/syntax"
)

// Patterns say for which values a solver shall take the instances of a property's
// outermost quantifier, where the property is a hypothesis: those for which the
// terms of one of the lists occur. They change speed and never meaning: what a
// solver proves from some instances follows from all of them.
type Patterns struct {
	Vars  []*Binding // that the quantifier binds, in order
	Lists [][]Term   // reads of the state at these variables
}

// patterns checks what a spec says behind `patterns`. The formula is written as
// expr and means t.
func (c *checker) patterns(e entry, p *Property, expr syntax.Expr, t Term) {
	if e.node == nil {
		return
	}
	start, end, ok := c.formula(e.node)
	if !ok {
		return
	}
	q, ok := expr.(*syntax.Quant)
	switch {
	case p.TwoState:
		c.patternNowhere(e.keySpan, p.ID+" is about steps and never a hypothesis")
		return
	case !ok || !q.Forall:
		c.patternNowhere(e.keySpan, "the formula does not begin with ∀")
		return
	}
	vars := outermost(q, t)
	lists, errs := syntax.ParsePatterns(c.file, start, end)
	c.errs = append(c.errs, errs...)
	x := &exprs{checker: c, ctx: context{what: "a pattern"}, locals: slices.Clone(vars)}
	p.Patterns = &Patterns{Vars: vars}
	for _, list := range lists {
		if terms, ok := x.pattern(list, vars, errs.HasErrors()); ok {
			p.Patterns.Lists = append(p.Patterns.Lists, terms)
		}
	}
}

// outermost lists the variables of the quantifier q, which means t.
func outermost(q *syntax.Quant, t Term) []*Binding {
	var vars []*Binding
	for _, g := range q.Groups {
		for range g.Names {
			if guarded, ok := t.(*BinaryTerm); ok { // by the domain of the variable before
				t = guarded.Y
			}
			level := t.(*Quant)
			vars = append(vars, level.Var)
			t = level.Body
		}
	}
	return vars
}

// pattern checks one list of terms. Together they must have all variables by which
// a solver looks for instances; of one that was partly unreadable nobody knows.
func (x *exprs) pattern(list syntax.Pattern, vars []*Binding, partly bool) ([]Term, bool) {
	var out []Term
	have := map[*Binding]bool{}
	good := true
	for _, e := range list.Terms {
		o := x.expr(e, nil)
		if o.bad() {
			good = false
			continue
		}
		t := direct(o.t)
		found := map[*Binding]bool{}
		mentioned(t, found)
		switch {
		case !isTrigger(t):
			x.noTrigger(e.Span())
			good = false
		case !slices.ContainsFunc(vars, func(b *Binding) bool { return found[b] && !b.Sort.expanded() }):
			x.triggerOfNothing(e.Span())
			good = false
		}
		for b := range found {
			have[b] = true
		}
		out = append(out, t)
	}
	if !good {
		return nil, false
	}
	var missing []string
	for _, b := range vars {
		if !have[b] && !b.Sort.expanded() && b.Sort.Kind != QuorumKind {
			missing = append(missing, b.Name)
		}
	}
	if len(missing) > 0 && !partly {
		x.patternLacks(list.Sp, missing)
	}
	return out, len(missing) == 0
}

// expanded reports whether a quantifier over the sort is written out, so that there
// is nothing to look for.
func (s *Sort) expanded() bool { return s.Kind == BoolKind || s.Kind == EnumKind }

// direct is a membership without the name that the checker gave what is a member.
func direct(t Term) Term {
	let, ok := t.(*LetTerm)
	if !ok {
		return t
	}
	in, ok := let.Body.(*BinaryTerm)
	if !ok || in.Op != In {
		return t
	}
	if v, ok := in.X.(*Var); ok && v.To == let.Var {
		return &BinaryTerm{Op: In, X: let.X, Y: in.Y, Of: in.Of}
	}
	return t
}

// mentioned collects the variables in a term.
func mentioned(t Term, into map[*Binding]bool) {
	if v, ok := t.(*Var); ok {
		into[v.To] = true
	}
	for c := range Children(t) {
		mentioned(c, into)
	}
}

// isTrigger reports whether a term is one function of the encoding, applied to such
// functions, variables and constants: a read of the state, or membership in a set
// that is read.
func isTrigger(t Term) bool {
	if in, ok := t.(*BinaryTerm); ok && in.Op == In {
		set := in.Y
		if m, ok := set.(*UnaryTerm); ok && m.Op == MembersOf {
			set = m.X
		}
		_, fixed := set.(*SubsortTerm)
		return isPlace(in.X) && (fixed || isPath(set))
	}
	if _, bare := t.(*Var); bare {
		return false
	}
	switch t.Sort().Kind {
	case BoolKind, ElementKind, EnumKind, NaturalKind, QuorumKind, OptionKind, MessageKind:
		return isPath(t)
	case Invalid, RecordKind, UnionKind, SetKind, SeqKind, FuncKind:
	}
	return false
}

// isPath reports whether t reads the state, or a message, at places.
func isPath(t Term) bool {
	switch t := t.(type) {
	case *Var:
		return true
	case *StateRead:
		return !t.Primed
	case *Apply:
		return isPath(t.Fun) && isPlace(t.Arg)
	case *At:
		return isPath(t.Seq) && isPlace(t.Index)
	case *Select:
		return isPath(t.X)
	case *UnaryTerm:
		return (t.Op == Value || t.Op == Len) && isPath(t.X)
	default:
		return false
	}
}

// isPlace reports whether t is what a function may be read at in a pattern.
func isPlace(t Term) bool {
	_, lit := t.(*Lit)
	return lit || isPath(t)
}
