package smt

import (
	"fmt"
	"slices"
)

// A quantifier's arguments are its variables, its body and its patterns, the
// latter as terms of OpPattern. A variable is a term that differs from all
// others, whatever their names; so a quantifier captures nothing by accident, and
// one that binds the variable of another hides it, as usual.

// Var returns a new variable. The name is for people: it may be that of another
// variable.
func (b *Builder) Var(name string, s Sort) *Term {
	checkName(name)
	b.use(s)
	t := b.alloc(OpVar, s)
	t.has |= open
	t.info = &info{name: name, free: []*Term{t}}
	return t
}

// Forall returns ∀ vars: body. Variables that are not free in the body are left
// out, and so are patterns that have one of those.
//
// A pattern tells a solver to instantiate the quantifier for values with which
// all terms of the pattern occur, and is a hint only. Its terms are applications
// without quantifiers, in which all variables occur that are free in the body.
func (b *Builder) Forall(vars []*Term, body *Term, patterns ...[]*Term) *Term {
	return b.quantify(OpForall, vars, body, patterns)
}

// Exists returns ∃ vars: body. Variables and patterns are as in [Builder.Forall].
func (b *Builder) Exists(vars []*Term, body *Term, patterns ...[]*Term) *Term {
	return b.quantify(OpExists, vars, body, patterns)
}

func (b *Builder) quantify(op Op, vars []*Term, body *Term, patterns [][]*Term) *Term {
	wantBool(body)
	var args []*Term
	for i, v := range vars {
		switch {
		case v.op != OpVar:
			panic(fmt.Sprintf("smt: quantifier binds %s, which is no variable", v))
		case slices.Contains(vars[:i], v):
			panic(fmt.Sprintf("smt: quantifier binds %s twice", v))
		case slices.Contains(body.Free(), v):
			args = append(args, v)
		}
	}
	n := len(args)
	if n == 0 {
		return body // no sort is empty
	}
	args = append(args, body)
	for _, p := range patterns {
		p := b.pattern(p)
		missing := func(v *Term) bool { return !slices.Contains(p.Free(), v) }
		unused := func(v *Term) bool { return slices.Contains(vars, v) && !slices.Contains(args[:n], v) }
		switch {
		case slices.ContainsFunc(p.Free(), unused):
		case slices.ContainsFunc(args[:n], missing):
			panic(fmt.Sprintf("smt: pattern %s lacks a variable of %s", p, args[:n]))
		default:
			args = append(args, p)
		}
	}
	return b.make(op, Bool, args...)
}

func (b *Builder) pattern(terms []*Term) *Term {
	if len(terms) == 0 {
		panic("smt: pattern without terms")
	}
	for _, t := range terms {
		if t.op != OpApp || t.Quantified() {
			panic(fmt.Sprintf("smt: %s in a pattern", t))
		}
	}
	return b.make(OpPattern, Sort{}, terms...)
}

// Vars returns the variables that t binds, nil unless it is a quantifier. The
// caller must not change the list.
func (t *Term) Vars() []*Term {
	if !t.isQuantifier() {
		return nil
	}
	return t.args[:t.bodyIndex()]
}

// Body returns the body of a quantifier. For any other term it panics.
func (t *Term) Body() *Term {
	if !t.isQuantifier() {
		panic(fmt.Sprintf("smt: body of %s", t.op))
	}
	return t.args[t.bodyIndex()]
}

// Patterns returns the patterns of a quantifier, each a term of [OpPattern] whose
// arguments are the pattern's terms, nil for any other term. The caller must not
// change the list.
func (t *Term) Patterns() []*Term {
	if !t.isQuantifier() {
		return nil
	}
	return t.args[t.bodyIndex()+1:]
}

func (t *Term) isQuantifier() bool { return t.op == OpForall || t.op == OpExists }

// bodyIndex returns where the arguments of a quantifier have its body: in front
// of the patterns.
func (t *Term) bodyIndex() int {
	i := len(t.args) - 1
	for t.args[i].op == OpPattern {
		i--
	}
	return i
}

// describe gives the new term t its info and, if it is a quantifier, its
// content.
func (t *Term) describe(fn *Func) {
	free := freeIn(t.args)
	if vars := t.Vars(); vars != nil {
		free = slices.DeleteFunc(slices.Clone(free), func(v *Term) bool { return slices.Contains(vars, v) })
		t.has |= quantifiers
	}
	if fn != nil {
		t.has |= firstOrder
	}
	switch {
	case len(free) > 0:
		t.info = &info{fn: fn, free: free}
	case fn != nil:
		t.info = &fn.info
	default:
		t.info = nil
	}
	if len(free) == 0 {
		t.has &^= open
	}
}

// freeIn returns the variables that are free in some of the terms, by number. It
// makes a new list only where no term has all of them.
func freeIn(ts []*Term) []*Term {
	var free []*Term
	for _, t := range ts {
		switch f := t.Free(); {
		case containsAll(free, f):
		case containsAll(f, free):
			free = f
		default:
			free = slices.Concat(free, f)
			slices.SortFunc(free, func(v, w *Term) int { return int(v.id) - int(w.id) })
			free = slices.Compact(free)
		}
	}
	return free
}

func containsAll(set, of []*Term) bool {
	for _, v := range of {
		if !slices.Contains(set, v) {
			return false
		}
	}
	return true
}
