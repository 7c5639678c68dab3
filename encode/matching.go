package encode

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Pattern is a place of a script: a step that is of one of the actions, with
// the given arguments, or any number of steps of these actions.
type Pattern struct {
	Actions []*protocol.Action // nil: any
	// Many makes a gap of the pattern: any number of steps, also none, but at most Most, unless that is 0. It has no Args.
	Many bool
	Most int
	// Args has, if there is one action, a closed term for each parameter; nil is any
	// value. A quorum may be given as the set of its members. A message is given as a
	// record, of which fields that are nil match anything.
	Args []protocol.Term
}

// Any is the script that every run matches.
func Any() []Pattern { return []Pattern{{Many: true}} }

// A script of which every gap has a bound is laid out: each of its steps, and each of those that a gap may
// have, has a place in the unrolling, and steps that a gap does not have are idle. So it is known of each
// step what it may be. Any other script is matched from the left. A position is how many of its steps, those that are
// no gaps, were taken; at[t][p] says that this is so of p steps after t steps of the run.

// script is a script by position.
type script struct {
	steps []Pattern                   // those that are no gaps
	gaps  []map[*protocol.Action]bool // gaps[p] is what may come between steps[p-1] and steps[p]

	laid []*Pattern // of a script that is laid out, by number of the step; else nil
}

func newScript(sys *protocol.System, patterns []Pattern) *script {
	s := &script{gaps: []map[*protocol.Action]bool{{}}}
	for _, p := range patterns {
		if !p.Many {
			s.steps = append(s.steps, p)
			s.gaps = append(s.gaps, map[*protocol.Action]bool{})
			continue
		}
		for _, a := range p.choices(sys) {
			s.gaps[len(s.steps)][a] = true
		}
	}
	for i := range patterns {
		p := &patterns[i]
		n := 1
		if p.Many {
			n = p.Most
		}
		if n == 0 {
			s.laid = nil
			break
		}
		for range n {
			s.laid = append(s.laid, p)
		}
	}
	return s
}

// choices are the actions of which a step may be.
func (p *Pattern) choices(sys *protocol.System) []*protocol.Action {
	if p.Actions == nil {
		return sys.Actions
	}
	return p.Actions
}

// only is the action of which all steps are that match, or nil.
func (p *Pattern) only() *protocol.Action {
	if len(p.Actions) == 1 {
		return p.Actions[0]
	}
	return nil
}

// named reports whether a script asks for values of parameters, so that elements are not interchangeable.
func (s *script) named() bool {
	for _, p := range s.steps {
		for _, arg := range p.Args {
			if arg != nil {
				return true
			}
		}
	}
	return false
}

// addScript adds the actions that a script names, and the fields of messages that it asks for.
func (c *cone) addScript(script []Pattern) {
	for _, p := range script {
		if !p.Many {
			for _, a := range p.choices(c.sys) {
				c.actions[a] = true
			}
		}
		for _, arg := range p.Args {
			if r, ok := arg.(*protocol.RecordTerm); ok && r.Of.Kind == protocol.MessageKind {
				for i, f := range r.Fields {
					if f != nil {
						c.addField(r.Of, r.Of.Fields[i])
					}
				}
			}
		}
	}
}

func (u *Unrolling) begun() []*smt.Term {
	at := make([]*smt.Term, len(u.script.gaps))
	for p := range at {
		at[p] = u.e.b.Bool(p == 0)
	}
	return at
}

// allowance is what a step may be.
type allowance struct {
	actions map[*protocol.Action]bool
	pattern *Pattern // which the step must match, if that is known
	idle    bool
	goesOn  bool // if the step before was idle, this one is
}

// allowed is what step t may be, by where in the script it may stand.
func (u *Unrolling) allowed(t int) allowance {
	out := allowance{actions: map[*protocol.Action]bool{}}
	if u.script.laid != nil {
		p := u.script.laid[t]
		for _, a := range p.choices(u.e.sys) {
			out.actions[a] = true
		}
		out.idle = p.Many
		if t > 0 {
			out.goesOn = p.Many && u.script.laid[t-1] == p
		}
		if !p.Many && p.only() != nil {
			out.pattern = p
		}
		return out
	}
	out.goesOn = true
	ways := 0
	for p, at := range u.at[t] {
		if at == u.e.b.False() {
			continue
		}
		for a := range u.script.gaps[p] {
			out.actions[a] = true
			ways += 2
		}
		if p == len(u.script.steps) {
			out.idle = true
			continue
		}
		ways++
		out.pattern = &u.script.steps[p]
		for _, a := range out.pattern.choices(u.e.sys) {
			out.actions[a] = true
		}
	}
	if ways != 1 || out.pattern.only() == nil {
		out.pattern = nil
	}
	return out
}

// follow notes where in the script the run is after step t.
func (u *Unrolling) follow(m *moment, t int) {
	e, n := u.e, len(u.script.steps)
	if u.script.laid != nil {
		p := u.script.laid[t]
		m.matched = e.b.Bool(!p.Many)
		if !p.Many {
			m.always = append(m.always, u.matches(*p, m))
		}
		return
	}
	m.matched = e.b.False() // it is a step of the script, and in no gap
	if slices.ContainsFunc(u.at[t][:n], func(at *smt.Term) bool { return at != e.b.False() }) {
		m.matched = e.freshBit(fmt.Sprintf(":matched@%d", t))
	}
	next := make([]*smt.Term, n+1)
	bit := 0
	for p := range next {
		var any []*smt.Term
		if p > 0 && u.at[t][p-1] != e.b.False() {
			any = append(any, e.b.And(u.at[t][p-1], m.matched, u.matches(u.script.steps[p-1], m)))
		}
		if u.at[t][p] != e.b.False() {
			var stay []*smt.Term
			for _, a := range e.sys.Actions {
				if u.script.gaps[p][a] {
					stay = append(stay, m.acts[a.Index])
				}
			}
			if p == n {
				stay = append(stay, m.idle)
			}
			any = append(any, e.b.And(u.at[t][p], e.b.Not(m.matched), e.b.Or(stay...)))
		}
		next[p] = u.defineBit(e.b.Or(any...), fmt.Sprintf(":script@%d", t+1), &bit, m)
	}
	m.always = append(m.always, e.b.Or(next...))
	u.at = append(u.at, next)
}

// through says that the first k steps match the script.
func (u *Unrolling) through(k int) *smt.Term {
	if u.script.laid != nil {
		return u.e.b.Bool(k == len(u.script.laid))
	}
	return u.at[k][len(u.script.steps)]
}

// matches says that a step matches a pattern that is no gap.
func (u *Unrolling) matches(p Pattern, m *moment) *smt.Term {
	e := u.e
	a := p.only()
	if a == nil || p.Args == nil {
		var any []*smt.Term
		for _, a := range p.choices(e.sys) {
			any = append(any, m.acts[a.Index])
		}
		return e.b.Or(any...)
	}
	all := []*smt.Term{m.acts[a.Index]}
	for i, arg := range p.Args {
		if arg == nil {
			continue
		}
		q := a.Params[i]
		if q.Sort.Kind == protocol.QuorumKind {
			k, ok := u.quorum(q.Sort, arg)
			if !ok {
				return e.b.False()
			}
			all = append(all, e.equal(u.params.value(a, i, m), e.literal(k)))
			continue
		}
		r, ok := arg.(*protocol.RecordTerm)
		if !ok || r.Of.Kind != protocol.MessageKind {
			v := u.closed(arg)
			if n, ok := e.known(v.bits); !ok || n >= e.st.Size(q.Sort) {
				return e.b.False() // not in the scope
			}
			all = append(all, e.equal(u.params.value(a, i, m), v))
			continue
		}
		at := m.received[u.params.seats[q.Binding].n]
		for f, x := range r.Fields {
			if x != nil {
				all = append(all, u.like(x, at.lanes[u.params.lane[r.Of.Fields[f]]]))
			}
		}
		if q.Sort.Kind == protocol.UnionKind { // of the record's type
			for k, s := range u.slots {
				all = append(all, e.b.Or(e.b.Not(at.picks[k]), s.live[r.Of]))
			}
		}
	}
	return e.b.And(all...)
}

// like says that a value is that of a closed term, where a nil field of a record matches anything.
func (u *Unrolling) like(t protocol.Term, v *sym) *smt.Term {
	r, ok := t.(*protocol.RecordTerm)
	if !ok {
		return u.e.equal(u.closed(t), v)
	}
	var all []*smt.Term
	for i, x := range r.Fields {
		if x != nil {
			all = append(all, u.like(x, v.kid(i)))
		}
	}
	return u.e.b.And(all...)
}

func (u *Unrolling) closed(t protocol.Term) *sym { return u.e.term(t, &frame{pre: u.states[0]}) }

// quorum is the number of a quorum that is given as itself or as the set of its members.
func (u *Unrolling) quorum(s *protocol.Sort, t protocol.Term) (int, bool) {
	e := u.e
	v := u.closed(t)
	if t.Sort().Kind == protocol.QuorumKind {
		return e.known(v.bits)
	}
	set, ok := e.known(v.bits)
	for k := range e.st.Size(s) {
		if ok && e.st.Quorum(s, k) == set {
			return k, true
		}
	}
	return 0, false
}

// given are the values that the only pattern that a step can match gives to its parameters.
func (u *Unrolling) given(p *Pattern) (out givens) {
	out = givens{lanes: map[[2]int]*sym{}, pool: map[*protocol.Sort]map[int]*sym{}}
	if p == nil || p.Args == nil {
		return out
	}
	a := p.only()
	for i, arg := range p.Args {
		if arg == nil {
			continue
		}
		q := a.Params[i]
		at := u.params.seats[q.Binding]
		if r, ok := arg.(*protocol.RecordTerm); ok && at.message {
			for f, x := range r.Fields {
				if n, ok := u.params.lane[r.Of.Fields[f]]; ok && x != nil && complete(x) {
					out.lanes[[2]int{at.n, n}] = u.closed(x)
				}
			}
			continue
		}
		v := u.e.literal(0)
		if q.Sort.Kind != protocol.QuorumKind {
			v = u.closed(arg)
		} else if k, ok := u.quorum(q.Sort, arg); ok {
			v = u.e.literal(k)
		}
		if at.lane >= 0 {
			out.lanes[[2]int{0, at.lane}] = v
			continue
		}
		if out.pool[q.Sort] == nil {
			out.pool[q.Sort] = map[int]*sym{}
		}
		out.pool[q.Sort][at.n] = v
	}
	return out
}

// complete reports whether a closed term has a value, without fields that match anything.
func complete(t protocol.Term) bool {
	r, ok := t.(*protocol.RecordTerm)
	if !ok {
		return true
	}
	for _, x := range r.Fields {
		if x == nil || !complete(x) {
			return false
		}
	}
	return true
}

// givens are values of parameters: by message and lane, and in the pool.
type givens struct {
	lanes map[[2]int]*sym
	pool  map[*protocol.Sort]map[int]*sym
}
