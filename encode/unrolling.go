package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Unrolling is all executions of a system in a scope from the initial state, step by
// step. In it messages are what they are: no message was sent before the first step, and each step may
// receive what the steps before it have sent. Scope.Messages means nothing here.
//
// A step is one of the actions, or, behind the last real step, idle; see matching.go for scripts. Actions share what
// they can: one parameter, and one message received, stands for those of all actions,
// so that what several actions read or write is one term; see parameters.go. There
// is one slot a step for each message that an action may send at once, of whatever
// type: a message is received by pointing to a slot. The bits of each state are
// constants with a definition, so that terms do not grow from step to step.
//
// What cannot have an influence on the goal is left out, see cone. Of runs that
// differ in names of elements or in the order of independent steps only, one is
// enough, see interleaving.go.
type Unrolling struct {
	e      *Encoder
	goal   *Goal
	script *script
	cone   *cone
	params *parameters
	locals map[*protocol.Action]*local
	shapes map[*protocol.Action]shape
	// symmetric are the sorts whose elements are interchangeable in every run.
	symmetric map[*protocol.Sort]bool

	start   []*smt.Term // what holds of the initial state
	states  []*symState // by number of steps before it
	moments []*moment   // moments[t] leads from states[t] to states[t+1]
	slots   []*sending  // of all steps, in order
	at      [][]*smt.Term
}

// moment is one step.
type moment struct {
	acts     []*smt.Term // by Action.Index: the step is of the action; false if it cannot be
	idle     *smt.Term   // it is none
	pool     map[*protocol.Sort][]*sym
	received []*reception
	sent     []*sending

	actor   number                         // who acts, in a local step
	local   *smt.Term                      // the step reads and writes the actor's cells only
	used    map[*protocol.Sort][]*smt.Term // elements that were a parameter up to this step
	ordered *smt.Term                      // the step may not stand before the one before it
	mute    *smt.Term                      // the step changes no variable
	matched *smt.Term                      // it is a step of the script, not one in a gap
	always  []*smt.Term                    // what holds whatever is asked
}

// Unroll begins an unrolling at the initial state, of runs that match a script.
func (e *Encoder) Unroll(goal Goal, patterns []Pattern) *Unrolling {
	e.reset()
	u := &Unrolling{e: e, goal: &goal, script: newScript(e.sys, patterns), locals: map[*protocol.Action]*local{}, shapes: map[*protocol.Action]shape{}}
	u.cone = newCone(e.sys, u.goal)
	u.cone.addScript(patterns)
	u.cone.close()
	u.params = newParameters(u.cone)
	u.symmetric = u.symmetricSorts()
	for _, a := range e.sys.Actions {
		if u.cone.actions[a] {
			u.locals[a] = localOf(a, u.cone)
			u.shapes[a] = shapeOf(a, u.cone)
		}
	}
	nothings := &symState{vars: make([]*sym, len(e.sys.State)), msgs: make([][]slot, len(e.sys.Messages))}
	for i := range nothings.vars {
		nothings.vars[i] = nothing
	}
	f := &frame{pre: nothings, action: e.sys.Init}
	u.start = e.guards(e.sys.Init, f)
	first := &symState{vars: append([]*sym(nil), nothings.vars...), msgs: nothings.msgs}
	for _, up := range e.sys.Init.Updates {
		if !u.cone.vars[up.State] {
			continue
		}
		v := e.term(up.Value, f)
		u.start = append(u.start, e.inScope(up.State.Sort, v))
		first.vars[up.State.Index] = e.clip(up.State.Sort, v)
	}
	u.states = []*symState{first}
	u.start = append(u.start, e.assumptions(first)...)
	e.ranges = nil
	u.at = [][]*smt.Term{u.begun()}
	return u
}

// Depth is how many steps there are so far.
func (u *Unrolling) Depth() int { return len(u.moments) }

// Extend adds a step.
func (u *Unrolling) Extend() {
	e, t := u.e, len(u.moments)
	pre := u.states[t]
	e.calls = map[callKey]*sym{}
	m := &moment{acts: make([]*smt.Term, len(e.sys.Actions)), used: map[*protocol.Sort][]*smt.Term{}}
	may := u.allowed(t)
	u.declare(m, t, may.pattern)
	var tried []*attempt
	for _, a := range e.sys.Actions {
		m.acts[a.Index] = e.b.False()
		if !u.cone.actions[a] || !may.actions[a] || !u.receivable(a) {
			continue
		}
		if x := u.attempt(a, m, pre); x.enabled != e.b.False() {
			tried = append(tried, x)
		}
	}
	u.choice(m, t, tried, may)
	for _, x := range tried {
		m.always = append(m.always, e.b.Implies(m.acts[x.action.Index], x.enabled))
	}
	u.receive(m, t)
	post := &symState{vars: append([]*sym(nil), pre.vars...), msgs: make([][]slot, len(pre.msgs))}
	u.write(m, t, tried, pre, post)
	u.send(m, t, tried, pre, post)
	u.follow(m, t)
	u.interleave(m, t, tried)
	m.always = append(m.always, e.ranges...)
	e.ranges = nil
	u.states = append(u.states, post)
	u.moments = append(u.moments, m)
	u.slots = append(u.slots, m.sent...)
}

// choice has the step be of one of the actions tried, or idle.
func (u *Unrolling) choice(m *moment, t int, tried []*attempt, may allowance) {
	e := u.e
	var choices []*smt.Term
	m.idle = e.b.False()
	if may.idle {
		m.idle = e.freshBit(fmt.Sprintf(":idle@%d", t))
		choices = append(choices, m.idle)
	}
	if t > 0 && may.goesOn {
		m.always = append(m.always, e.b.Implies(u.moments[t-1].idle, m.idle))
	}
	if len(tried) == 1 && !may.idle {
		m.acts[tried[0].action.Index] = e.b.True()
		return
	}
	for _, x := range tried {
		act := e.freshBit(fmt.Sprintf("%s@%d", x.action.Name, t))
		m.acts[x.action.Index] = act
		choices = append(choices, act)
	}
	m.always = append(m.always, e.b.Or(choices...))
	for i, x := range choices {
		for _, y := range choices[:i] {
			m.always = append(m.always, e.b.Or(e.b.Not(x), e.b.Not(y)))
		}
	}
}

// attempt is an action at some step.
type attempt struct {
	action  *protocol.Action
	frame   *frame // its parameters and lets
	enabled *smt.Term
	writes  []write
	sends   []message
}

type write struct {
	to    *protocol.StateVar
	path  []number
	value *sym
}

type message struct {
	typ   *protocol.Sort
	live  *smt.Term
	value *sym
}

// attempt evaluates an action with the step's parameters. Its values are clipped
// to the scope, since it is enabled only if they lie in it.
func (u *Unrolling) attempt(a *protocol.Action, m *moment, pre *symState) *attempt {
	e := u.e
	x := &attempt{action: a, frame: &frame{pre: pre, action: a}}
	for i, p := range a.Params {
		x.frame.bind(p.Binding, u.params.value(a, i, m))
	}
	needs := e.guards(a, x.frame)
	for _, up := range a.Updates {
		if !u.cone.vars[up.State] {
			continue
		}
		w := write{to: up.State}
		sort := up.State.Sort
		for _, p := range up.Path {
			n := e.term(p, x.frame).bits
			if sort.Domain.Kind == protocol.NaturalKind {
				needs = append(needs, e.less(n, e.constant(e.st.Size(sort.Domain)), false))
			}
			w.path = append(w.path, n)
			sort = sort.Elem
		}
		v := e.term(up.Value, x.frame)
		needs = append(needs, e.inScope(sort, v))
		w.value = e.clip(sort, v)
		x.writes = append(x.writes, w)
	}
	for _, s := range a.Sends {
		typ := s.Message.Of
		if u.cone.fields[typ] == nil {
			continue
		}
		msg := message{typ: typ, live: e.b.True(), value: &sym{kids: make([]*sym, len(typ.Fields))}}
		if s.Cond != nil {
			msg.live = e.formula(s.Cond, x.frame)
		}
		for i, f := range typ.Fields {
			msg.value.kids[i] = nothing
			if !u.cone.fields[typ][f] {
				continue
			}
			v := e.term(s.Message.Fields[i], x.frame)
			needs = append(needs, e.b.Implies(msg.live, e.inScope(f.Sort, v)))
			msg.value.kids[i] = e.clip(f.Sort, v)
		}
		x.sends = append(x.sends, msg)
	}
	x.enabled = e.b.And(needs...)
	return x
}

// write makes the variables of the post-state. Writers of the same cell are merged,
// so that a cell has one case for each way to reach it.
func (u *Unrolling) write(m *moment, t int, tried []*attempt, pre, post *symState) {
	e := u.e
	for _, v := range e.sys.State {
		type target struct {
			path    []number
			writers []*smt.Term
			value   *sym
		}
		var targets []*target
		for _, x := range tried {
			act := m.acts[x.action.Index]
			for _, w := range x.writes {
				if w.to != v {
					continue
				}
				var to *target
				for _, other := range targets {
					if samePath(other.path, w.path) {
						to = other
					}
				}
				if to == nil {
					to = &target{path: w.path, value: w.value}
					targets = append(targets, to)
				} else {
					to.value = e.choose(act, w.value, to.value)
				}
				to.writers = append(to.writers, act)
			}
		}
		if len(targets) == 0 {
			continue
		}
		cell := pre.vars[v.Index]
		for _, to := range targets {
			cell = e.updateIf(e.b.Or(to.writers...), v.Sort, cell, to.path, to.value)
		}
		n := 0
		post.vars[v.Index] = u.define(cell, pre.vars[v.Index], fmt.Sprintf("%s@%d", v.Name, t+1), &n, m)
	}
}

// updateIf is a value with the cell at path replaced, if c holds.
func (e *Encoder) updateIf(c *smt.Term, s *protocol.Sort, old *sym, path []number, v *sym) *sym {
	if len(path) == 0 {
		return e.choose(c, v, old)
	}
	out := &sym{kids: make([]*sym, e.st.Size(s.Domain))}
	for k := range out.kids {
		here := e.b.And(c, e.equalNumbers(path[0], e.constant(k)))
		out.kids[k] = old.kid(k)
		if here != e.b.False() {
			out.kids[k] = e.updateIf(here, s.Elem, old.kid(k), path[1:], v)
		}
	}
	return out
}

func samePath(p, q []number) bool {
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if !sameBits(p[i], q[i]) {
			return false
		}
	}
	return true
}

func sameBits(x, y number) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// define gives the bits of a value that are not constants names, unless they are those
// of the old value.
func (u *Unrolling) define(v, old *sym, name string, n *int, m *moment) *sym {
	if v == old || v == nothing {
		return v
	}
	out := &sym{}
	if len(v.bits) > 0 {
		out.bits = make(number, len(v.bits))
		for i, b := range v.bits {
			out.bits[i] = u.defineBit(b, name, n, m)
		}
	}
	if len(v.kids) > 0 {
		out.kids = make([]*sym, len(v.kids))
		for i, k := range v.kids {
			out.kids[i] = u.define(k, old.kid(i), name, n, m)
		}
	}
	return out
}

func (u *Unrolling) defineBit(b *smt.Term, name string, n *int, m *moment) *smt.Term {
	switch b.Op() {
	case smt.OpTrue, smt.OpFalse, smt.OpConst:
		return b
	default:
	}
	c := u.e.freshBit(fmt.Sprintf("%s#%d", name, *n))
	*n++
	m.always = append(m.always, u.e.b.Iff(c, b))
	return c
}

// clip is a value, which lies in the scope, without the bits and cells that are
// then the default.
func (e *Encoder) clip(s *protocol.Sort, v *sym) *sym {
	if v == nothing {
		return v
	}
	width := func(n int) number { return v.bits[:min(len(v.bits), len(e.constant(n)))] }
	switch s.Kind {
	case protocol.NaturalKind:
		return &sym{bits: width(e.st.MaxNatural(s))}
	case protocol.OptionKind:
		return &sym{bits: v.bits, kids: []*sym{e.clip(s.Elem, v.kid(0))}}
	case protocol.SeqKind, protocol.FuncKind:
		out := &sym{bits: v.bits, kids: v.kids}
		if s.Kind == protocol.SeqKind {
			most := e.st.MaxNatural(s.Domain)
			out.bits = width(most)
			out.kids = out.kids[:min(len(out.kids), most)]
		}
		kids := make([]*sym, len(out.kids))
		for i, k := range out.kids {
			kids[i] = e.clip(s.Elem, k)
		}
		out.kids = kids
		return out
	case protocol.RecordKind, protocol.MessageKind:
		out := &sym{kids: make([]*sym, len(v.kids))}
		for i, k := range v.kids {
			out.kids[i] = e.clip(s.Fields[i].Sort, k)
		}
		return out
	default:
		return v
	}
}

// Query is what to assert to look for a run to the goal: of exactly k steps, or, if
// within, of at most k. What its unsat proves: that no run of the scope so long that matches the script leads
// to the goal, given (unless within) that no shorter one does.
//
// What holds always begins with what it is for any smaller k that is at least 1, so that a solver need be
// told the rest only; what is asked is about this k.
func (u *Unrolling) Query(k int, within bool) (always, asked []*smt.Term) {
	e := u.e
	always = append(always, u.start...)
	for t, m := range u.moments[:k] {
		always = append(always, m.always...)
		if t > 0 {
			always = append(always, u.inPlace(t-1, k))
		}
	}
	if k > 0 {
		asked = append(asked, u.inPlace(k-1, k))
		if !within {
			asked = append(asked, e.b.Not(u.moments[k-1].idle))
		}
	}
	asked = append(asked, u.through(k))
	asked = append(asked, u.heard(k)...)
	return always, append(asked, u.reached(k, within))
}
