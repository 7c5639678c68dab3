package encode

import (
	"fmt"
	"math/bits"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Many runs lead to the same state. Of these, an unrolling has as few as is cheap to say. Of steps in the gaps of its
// script:
//
//   - Two steps behind one another, in one gap, commute if each reads and writes the cells of its actor only,
//     the actors differ, and the second one does not receive what the first one has sent. The
//     actor of the second one is then not before that of the first one.
//   - Unless the script names any, elements of a symmetric sort act for the first time in order, in each part of
//     the sort; values of another symmetric sort are first used in order.
//   - A step that only sends is not the last one, and what it sends is received.
//
// One run is left of each kind. Take, of all runs to the goal that are as short as possible, and that
// differ in names and in the order of commuting steps only, the one with the least sequence of
// actors, and among those with this sequence the one with the least sequence of values. Exchanging two commuting steps
// in the wrong order, or two names in the wrong order, makes the sequence less; and leaving
// out a step whose only message nobody receives makes the run shorter. If the goal is about
// the last step, that one stays where it is.

// local is how an action depends on one element alone.
type local struct {
	param *protocol.Binding
	field string // of the parameter, if it is a message
}

// shape says what an action does in the cone.
type shape struct {
	mute bool // it changes no variable
}

func shapeOf(a *protocol.Action, c *cone) shape {
	s := shape{mute: true}
	for _, up := range a.Updates {
		s.mute = s.mute && !c.vars[up.State]
	}
	return s
}

// localOf is the element of which alone an action reads and writes cells; nil if there is none.
func localOf(a *protocol.Action, c *cone) *local {
	w := &localWalk{cone: c, terms: map[*protocol.Binding]protocol.Term{}, params: map[*protocol.Binding]bool{}, ok: true}
	for _, p := range a.Params {
		w.params[p.Binding] = true
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			w.terms[s.Var] = s.X
		case *protocol.Guard:
			w.walk(s.Cond)
		case *protocol.Update:
			if !c.vars[s.State] {
				continue
			}
			if len(s.Path) == 0 {
				return nil
			}
			w.actor(s.Path[0])
			for _, p := range s.Path[1:] {
				w.walk(p)
			}
			w.walk(s.Value)
		case *protocol.Send:
			if c.fields[s.Message.Of] == nil {
				continue
			}
			if s.Cond != nil {
				w.walk(s.Cond)
			}
			for i, f := range s.Message.Of.Fields {
				if c.fields[s.Message.Of][f] {
					w.walk(s.Message.Fields[i])
				}
			}
		}
	}
	if !w.ok {
		return nil
	}
	return w.found
}

type localWalk struct {
	cone   *cone
	terms  map[*protocol.Binding]protocol.Term // lets, and parameters of definitions
	params map[*protocol.Binding]bool
	found  *local
	ok     bool
}

// atom is the parameter, or the field of one, that a term is; nil if it is neither.
func (w *localWalk) atom(t protocol.Term) *local {
	switch t := t.(type) {
	case *protocol.Var:
		if x := w.terms[t.To]; x != nil {
			return w.atom(x)
		}
		if w.params[t.To] {
			return &local{param: t.To}
		}
	case *protocol.Select:
		if x := w.atom(t.X); x != nil && x.field == "" {
			return &local{x.param, t.Field.Name}
		}
	}
	return nil
}

// actor notes that a cell of the element is read or written.
func (w *localWalk) actor(t protocol.Term) {
	x := w.atom(t)
	switch {
	case x == nil || t.Sort().Kind != protocol.ElementKind:
		w.ok = false
	case w.found == nil:
		w.found = x
	case *w.found != *x:
		w.ok = false
	}
}

func (w *localWalk) walk(t protocol.Term) {
	if !w.ok {
		return
	}
	switch t := t.(type) {
	case *protocol.StateRead, *protocol.StepIs: // of all cells
		w.ok = false
	case *protocol.Apply:
		if _, ok := t.Fun.(*protocol.StateRead); ok {
			w.actor(t.Arg)
			return
		}
	case *protocol.Quant:
		if typesOf(t.Var.Sort) != nil {
			w.ok = false
		}
	case *protocol.Var:
		if x := w.terms[t.To]; x != nil {
			w.walk(x)
		}
	case *protocol.LetTerm:
		w.terms[t.Var] = t.X
		w.walk(t.Body)
		delete(w.terms, t.Var)
		return
	case *protocol.Call:
		before := w.terms
		inner := map[*protocol.Binding]protocol.Term{}
		for b, x := range before {
			inner[b] = x
		}
		for i, x := range t.Args {
			w.walk(x)
			if y := w.atom(x); y != nil {
				inner[t.Def.Params[i]] = term(y)
			} else {
				delete(inner, t.Def.Params[i])
			}
		}
		w.terms = inner
		w.walk(t.Def.Body)
		w.terms = before
		return
	}
	for x := range protocol.Children(t) {
		w.walk(x)
	}
}

// term is a parameter, or a field of one, as a term.
func term(x *local) protocol.Term {
	v := &protocol.Var{To: x.param}
	if x.field == "" {
		return v
	}
	return &protocol.Select{X: v, Field: x.param.Sort.Field(x.field)}
}

// interleave notes who acts in step t, and what makes the run one of the few.
func (u *Unrolling) interleave(m *moment, t int, tried []*attempt) {
	e := u.e
	var locals, mutes []*smt.Term
	var actor *sym
	var sort *protocol.Sort
	for _, x := range tried {
		act := m.acts[x.action.Index]
		if u.shapes[x.action].mute {
			mutes = append(mutes, act)
		}
		l := u.locals[x.action]
		if l == nil {
			continue
		}
		at := term(l)
		if sort == nil {
			sort = u.actorSort()
		}
		if at.Sort() != sort {
			continue
		}
		v := e.term(at, x.frame)
		if actor == nil {
			actor = v
		} else {
			actor = e.choose(act, v, actor)
		}
		locals = append(locals, act)
	}
	m.mute, m.local = e.b.Or(mutes...), e.b.Or(locals...)
	if actor != nil {
		m.actor = actor.bits
	}
	m.ordered = e.b.True()
	if t > 0 {
		before := u.moments[t-1]
		received := []*smt.Term{}
		for _, r := range m.received {
			received = append(received, r.picks[len(r.picks)-len(before.sent):]...)
		}
		m.ordered = e.b.Or(append(received, before.matched, m.matched, e.b.Not(before.local), e.b.Not(m.local),
			e.less(before.actor, m.actor, true))...)
	}
	if sort = u.actorSort(); sort != nil && u.symmetric[sort] {
		u.inOrder(m, t, sort, m.local, m.actor)
	}
	for _, s := range u.params.pool {
		if s == sort || !u.symmetric[s] || u.params.onLane(s) {
			continue
		}
		var uses []*smt.Term
		for _, x := range tried {
			for _, p := range x.action.Params {
				if at := u.params.seats[p.Binding]; p.Sort == s && at.n == 0 {
					uses = append(uses, m.acts[x.action.Index])
				}
			}
		}
		u.inOrder(m, t, s, e.b.Or(uses...), m.pool[s][0].bits)
	}
}

// onLane reports whether parameters of the sort may share a lane of messages.
func (p *parameters) onLane(s *protocol.Sort) bool {
	for _, l := range p.lanes {
		if l.sort == s && (l.name == "to" || l.name == "from") {
			return true
		}
	}
	return false
}

// actorSort is the sort of the first local action's actor; nil if there is none.
func (u *Unrolling) actorSort() *protocol.Sort {
	for _, a := range u.e.sys.Actions {
		if l := u.locals[a]; l != nil {
			return term(l).Sort()
		}
	}
	return nil
}

// inOrder says that the step, if it uses the element n, is not the first to use it
// unless the one before it in its part of the sort was used before.
func (u *Unrolling) inOrder(m *moment, t int, s *protocol.Sort, uses *smt.Term, n number) {
	e := u.e
	size := e.st.Size(s)
	second := size
	if s.Subset != nil {
		second = bits.OnesCount(uint(e.st.Subset(s.Subset)))
	}
	bit := 0
	for x := range size {
		here := e.b.And(uses, e.equalNumbers(n, e.constant(x)))
		before := func(x int) *smt.Term {
			if t == 0 {
				return e.b.False()
			}
			return u.moments[t-1].used[s][x]
		}
		if x > 0 && x != second {
			m.always = append(m.always, e.b.Implies(here, before(x-1)))
		}
		m.used[s] = append(m.used[s], u.defineBit(e.b.Or(here, before(x)), fmt.Sprintf("used:%s@%d", s.Name, t), &bit, m))
	}
}

// inPlace says that step t of k does not stand behind a step that it may stand before.
func (u *Unrolling) inPlace(t, k int) *smt.Term {
	return u.e.b.Or(u.asked(t, k), u.moments[t].ordered)
}

// heard says of each of k steps that only sends that its message is received.
func (u *Unrolling) heard(k int) []*smt.Term {
	if u.cone.quantified || len(u.goal.Sent) > 0 {
		return nil
	}
	var out []*smt.Term
	first := 0 // slot of the step
	for t, m := range u.moments[:k] {
		any := []*smt.Term{u.asked(t, k), m.matched, u.e.b.Not(m.mute)}
		for _, later := range u.moments[t+1 : k] {
			for _, r := range later.received {
				any = append(any, r.picks[first:first+len(m.sent)]...)
			}
		}
		first += len(m.sent)
		out = append(out, u.e.b.Or(any...))
	}
	return out
}

// asked says that the goal is about step t of k.
func (u *Unrolling) asked(t, k int) *smt.Term {
	if u.goal.Formula == nil || !u.goal.TwoState {
		return u.e.b.False()
	}
	return u.isLast(t, k)
}

// symmetricSorts are the sorts whose elements are interchangeable in all that the
// unrolling is made of: the system, the initial state, and the goal.
func (u *Unrolling) symmetricSorts() map[*protocol.Sort]bool {
	if len(u.goal.Cells) > 0 || len(u.goal.Sent) > 0 || u.script.named() {
		return map[*protocol.Sort]bool{}
	}
	return u.e.sys.SymmetricFromInit(u.goal.Formula, func(v *protocol.StateVar) bool { return u.cone.vars[v] })
}
