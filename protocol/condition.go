package protocol

import (
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// A condition has two branches, and an action that never takes one of them is not the
// action that its author had in mind. So for each condition there is a formula about a
// step that says: an evaluation of the step's statements, from left to right, meets the
// condition and finds it true, or finds it false.
//
// An evaluation meets a condition where what stands around it leads there: the branch
// of an IF in which it stands is the one taken; of a ⇒ the left side is true, of a ∧
// what stands in front is true, of a ∨ false. A condition below a quantifier, a set
// builder or a function literal is met once for each value of the bound variable; one
// value is enough, so the variable is bound by ∃. That is the weaker choice: such a
// condition need not be true (or false) for every value, nor for each value in some step.
//
// A condition of a definition belongs to the definition: a definition is more general
// than each of its uses, so it is enough that one use in one action takes the branch.

// Condition is what an IF, or a send with an if, of an action decides by.
type Condition struct {
	Action *Action     // in whose statements it stands; nil for one of a definition
	Def    *Definition // in whose body it stands; else nil
	Number int         // its place, from 1, among the conditions of Action or Def
	Send   bool        // of a send, not of an IF
	Source syntax.Expr // as written; nil in terms made by hand
	uses   []use
}

// use is one place where an evaluation of an action's statements meets a condition.
type use struct {
	action *Action
	cond   Term
	at     *reach
}

// Span is where the condition is written.
func (c *Condition) Span() diag.Span {
	if c.Source == nil {
		return diag.Span{}
	}
	return c.Source.Span()
}

// Users are the actions that meet the condition, in declared order.
func (c *Condition) Users() []*Action {
	var out []*Action
	for _, u := range c.uses {
		if len(out) == 0 || out[len(out)-1] != u.action {
			out = append(out, u.action)
		}
	}
	return out
}

// Taken says of a step of the action that it meets the condition and finds it to be
// value. The parameters and lets of the action are free in it.
func (c *Condition) Taken(a *Action, value bool) Term {
	var any []Term
	for _, u := range c.uses {
		if u.action == a {
			any = append(any, u.taken(value))
		}
	}
	if len(any) == 1 {
		return any[0]
	}
	return &Nary{Args: any}
}

func (u use) taken(value bool) Term {
	if value {
		return u.at.close(u.cond)
	}
	return u.at.close(not(u.cond))
}

// Conditions are those of the system's actions, action by action in written order, and
// behind them those of the definitions that an action uses. What is written twice in
// one action is one condition, also if a let stands for it.
func (s *System) Conditions() []*Condition {
	c := &collector{ofDef: map[*Ite]*Condition{}}
	for _, a := range s.Actions {
		c.action(a)
	}
	return append(c.out, c.defs(s.Defs)...)
}

// reach is how an evaluation gets to a term, the innermost part first: a variable that
// it binds to a value of its sort or, of a LET or a parameter, to a term; or what it
// found to be true.
type reach struct {
	up     *reach
	bound  *Binding
	to     Term // of a LET or a parameter
	primed bool
	holds  Term
}

// close says that an evaluation gets to a formula, and that it is true there.
func (r *reach) close(t Term) Term {
	for ; r != nil; r = r.up {
		switch {
		case r.holds != nil:
			t = &Nary{And: true, Args: []Term{r.holds, t}}
		case r.to != nil:
			t = &LetTerm{Var: r.bound, X: r.to, Body: t}
		default:
			t = &Quant{Var: r.bound, Primed: r.primed, Body: t}
		}
	}
	return t
}

func (r *reach) where(holds Term) *reach             { return &reach{up: r, holds: holds} }
func (r *reach) let(b *Binding, x Term) *reach       { return &reach{up: r, bound: b, to: x} }
func (r *reach) some(b *Binding, primed bool) *reach { return &reach{up: r, bound: b, primed: primed} }

// collector goes through the statements of one action after the other.
type collector struct {
	out   []*Condition
	ofDef map[*Ite]*Condition

	current *Action
	own     []*Condition
	lets    map[*Binding]Term
	inside  *Definition // the body that it is in
}

func (c *collector) action(a *Action) {
	c.current, c.own, c.lets = a, nil, map[*Binding]Term{}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *Let:
			c.term(s.X, nil)
			c.lets[s.Var] = s.X
		case *Guard:
			c.term(s.Cond, nil)
		case *Update:
			for _, p := range s.Path {
				c.term(p, nil)
			}
			c.term(s.Value, nil)
		case *Send:
			var sent *reach
			if s.Cond != nil {
				c.term(s.Cond, nil)
				c.add(&Condition{Action: a, Send: true, Source: s.Source}, s.Cond, nil)
				sent = sent.where(s.Cond)
			}
			c.term(s.Message, sent)
		}
	}
	c.out = append(c.out, c.own...)
}

// term looks for conditions in a term that an evaluation gets to as r says.
func (c *collector) term(t Term, r *reach) {
	switch t := t.(type) {
	case *Ite:
		c.term(t.Cond, r)
		c.ite(t, r)
		c.term(t.Then, r.where(t.Cond))
		c.term(t.Else, r.where(not(t.Cond)))
	case *BinaryTerm:
		c.term(t.X, r)
		if t.Op == Implies {
			r = r.where(t.X)
		}
		c.term(t.Y, r)
	case *Nary:
		for _, x := range t.Args {
			c.term(x, r)
			if !t.And {
				x = not(x)
			}
			r = r.where(x)
		}
	case *Quant:
		c.term(t.Body, r.some(t.Var, t.Primed))
	case *SetOf:
		c.term(t.Cond, r.some(t.Var, false))
	case *FuncTerm:
		c.term(t.Body, r.some(t.Var, false))
	case *LetTerm:
		c.term(t.X, r)
		c.term(t.Body, r.let(t.Var, t.X))
	case *Call:
		for _, x := range t.Args {
			c.term(x, r)
		}
		for i, x := range t.Args { // no argument mentions a parameter: no definition uses itself
			r = r.let(t.Def.Params[i], x)
		}
		outer := c.inside
		c.inside = t.Def
		c.term(t.Def.Body, r)
		c.inside = outer
	default:
		for x := range Children(t) {
			c.term(x, r)
		}
	}
}

// ite notes the condition of an IF.
func (c *collector) ite(t *Ite, r *reach) {
	if c.inside == nil {
		c.add(&Condition{Action: c.current, Source: t.Source}, t.Cond, r)
		return
	}
	known := c.ofDef[t]
	if known == nil {
		known = &Condition{Def: c.inside, Source: t.Source}
		c.ofDef[t] = known
	}
	known.uses = append(known.uses, use{c.current, t.Cond, r})
}

// add notes a condition of the action itself, unless it is there.
func (c *collector) add(n *Condition, cond Term, r *reach) {
	n.uses = []use{{c.current, cond, r}}
	for _, o := range c.own {
		same := &equality{resolve: func(b *Binding) Term { return c.lets[b] }, budget: 1 << 14}
		if same.terms(o.uses[0].taken(true), n.uses[0].taken(true)) {
			return
		}
	}
	n.Number = len(c.own) + 1
	c.own = append(c.own, n)
}

// defs are the conditions of definitions in declared order.
func (c *collector) defs(all []*Definition) []*Condition {
	var out []*Condition
	for _, d := range all {
		n := 0
		var walk func(t Term)
		walk = func(t Term) {
			ite, ok := t.(*Ite)
			if ok {
				walk(ite.Cond)
				n++
				if x := c.ofDef[ite]; x != nil {
					x.Number = n
					out = append(out, x)
				}
				walk(ite.Then)
				walk(ite.Else)
				return
			}
			if call, ok := t.(*Call); ok { // the body of another definition
				for _, a := range call.Args {
					walk(a)
				}
				return
			}
			for x := range Children(t) {
				walk(x)
			}
		}
		walk(d.Body)
	}
	return out
}
