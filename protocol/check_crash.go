package protocol

import (
	"slices"

	"github.com/speckl/kraftprove/protocol/syntax"
)

// What a crash loses is said once, where the state is declared: volatile. A crash
// statement stands for an update of each volatile variable at the element that
// crashes, to the default value. The checker writes these updates, so that nothing
// behind it knows of crashes.

// losable reports whether a variable can be volatile: it is no ghost, and a crash
// can name the element that loses it.
func (c *checker) losable(typ syntax.TypeDecl, v *StateVar) bool {
	switch {
	case v.Sort == InvalidSort:
	case v.Ghost:
		c.volatileGhost(typ.Sp, v)
	case v.Sort.Kind != FuncKind || v.Sort.Domain.Kind != ElementKind:
		c.volatileOfNobody(typ.Type.Span(), v)
	default:
		return true
	}
	c.brokenVolatile = true
	return false
}

// notVolatile reports a type that is marked volatile where nothing can be.
func (c *checker) notVolatile(typ syntax.TypeDecl) {
	if typ.Volatile {
		c.misplacedVolatile(typ.Sp)
	}
}

// crashes checks a crash statement. What it means is added by reset.
func (b *bodyChecker) crashes(s *syntax.Crash) {
	switch {
	case b.init:
		b.misplaced(s.Sp, "crash", "init gives each state variable its value")
		return
	case b.crash != nil:
		b.crashesTwice(s.Sp, b.crash.Sp)
		return
	}
	b.crash = s
	o := b.expr(s.X, nil)
	loses := func(v *StateVar) bool { return v.lostBy(o.sort()) }
	switch {
	case o.bad():
	case o.sort().Kind != ElementKind:
		b.notElement(s.X.Span(), o.sort())
	case o.ghost:
		b.ghostIn(s.X.Span(), "who crashes")
	case !slices.ContainsFunc(b.sys.State, loses):
		if !b.brokenVolatile {
			b.losesNothing(s.Sp, o.sort())
		}
	default:
		b.crashed = o.t
	}
}

// lostBy reports whether a crash of an element of the sort resets a cell of v.
func (v *StateVar) lostBy(s *Sort) bool {
	return v.Volatile && v.Sort.Kind == FuncKind && v.Sort.Domain == s
}

// reset adds the updates that the crash statement stands for: of each volatile
// variable that the action does not assign, the cell of the element that crashes.
func (b *bodyChecker) reset() {
	for _, v := range b.sys.State {
		if !v.lostBy(b.crashed.Sort()) {
			continue
		}
		if at, assigned := b.written[v]; assigned {
			if b.missesCrash(v) {
				b.updatedBesideCrash(at, v, b.crash)
			}
			continue
		}
		u := &Update{State: v, Path: []Term{b.crashed}, Value: &Default{Of: v.Sort.Elem}, Crash: true, Span: b.crash.Sp}
		b.action.Body = append(b.action.Body, u)
		b.action.Updates = append(b.action.Updates, u)
	}
}

// missesCrash reports whether the action's update of v is of another cell than that
// of the element that crashes, or of a part of it: the rest would survive the crash.
func (b *bodyChecker) missesCrash(v *StateVar) bool {
	lets := map[*Binding]Term{}
	for _, s := range b.action.Body {
		if l, ok := s.(*Let); ok {
			lets[l.Var] = l.X
		}
	}
	same := &equality{resolve: func(x *Binding) Term { return lets[x] }, budget: 1 << 10}
	for _, u := range b.action.Updates {
		if u.State == v {
			return len(u.Path) > 1 || len(u.Path) == 1 && !same.terms(u.Path[0], b.crashed)
		}
	}
	return false // it has an error
}
