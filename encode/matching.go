package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Pattern is a place of a script: a step that is of one of the actions, with
// the given arguments, or any number of steps.
type Pattern struct {
	// Actions are those that the step may be of. Nil stands for any number of
	// steps of any actions, also none.
	Actions []*protocol.Action
	// Args has, if there is one action, a closed term for each parameter; nil is any
	// value. A quorum may be given as the set of its members. A message is given as a
	// record, of which fields that are nil match anything.
	Args []protocol.Term
}

// A script is matched from the left. A position is how many of its steps, those that are
// no gaps, were taken; at[t][p] says that after t steps the position may be p.

// steps are the patterns of a script that are no gaps; gap[p] says that there
// is a gap behind p of them.
func split(script []Pattern) (steps []Pattern, gap []bool) {
	gap = []bool{false}
	for _, p := range script {
		if p.Actions == nil {
			gap[len(steps)] = true
			continue
		}
		steps = append(steps, p)
		gap = append(gap, false)
	}
	return steps, gap
}

// addScript adds the actions that a script names, and the fields of messages that it asks for.
func (c *cone) addScript(script []Pattern) {
	for _, p := range script {
		for _, a := range p.Actions {
			c.actions[a] = true
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
	steps, _ := split(u.script)
	at := make([]*smt.Term, len(steps)+1)
	for p := range at {
		at[p] = u.e.b.Bool(p == 0)
	}
	return at
}

// allowance is what a step may be.
type allowance struct {
	actions map[*protocol.Action]bool // nil: any
	pattern *Pattern                  // which the step must match, if that is known
	idle    bool
}

// allowed is what step t may be, by where in the script it may stand.
func (u *Unrolling) allowed(t int) allowance {
	if u.script == nil {
		return allowance{idle: true}
	}
	steps, gap := split(u.script)
	out := allowance{actions: map[*protocol.Action]bool{}}
	possible := 0
	for p, at := range u.at[t] {
		if at == u.e.b.False() {
			continue
		}
		possible++
		out.idle = out.idle || p == len(steps)
		if gap[p] {
			possible++
			out.actions = nil
		}
		if p == len(steps) {
			continue
		}
		out.pattern = &steps[p]
		if out.actions != nil {
			for _, a := range steps[p].Actions {
				out.actions[a] = true
			}
		}
	}
	if possible != 1 || out.pattern != nil && len(out.pattern.Actions) != 1 {
		out.pattern = nil
	}
	return out
}

// follow notes where in the script the run may be after step t.
func (u *Unrolling) follow(m *moment, t int) {
	e := u.e
	steps, gap := split(u.script)
	next := make([]*smt.Term, len(steps)+1)
	bit := 0
	for p := range next {
		var any []*smt.Term
		if p > 0 && u.at[t][p-1] != e.b.False() {
			any = append(any, e.b.And(u.at[t][p-1], u.matches(steps[p-1], m)))
		}
		if gap[p] {
			any = append(any, e.b.And(u.at[t][p], e.b.Not(m.idle)))
		}
		if p == len(steps) {
			any = append(any, e.b.And(u.at[t][p], m.idle))
		}
		next[p] = u.defineBit(e.b.Or(any...), fmt.Sprintf("script@%d", t+1), &bit, m)
	}
	u.at = append(u.at, next)
}

// through says that the first k steps match the script.
func (u *Unrolling) through(k int) *smt.Term { return u.at[k][len(u.at[k])-1] }

// matches says that a step matches a pattern that is no gap.
func (u *Unrolling) matches(p Pattern, m *moment) *smt.Term {
	e := u.e
	if len(p.Actions) != 1 || p.Args == nil {
		var any []*smt.Term
		for _, a := range p.Actions {
			any = append(any, m.acts[a.Index])
		}
		return e.b.Or(any...)
	}
	a := p.Actions[0]
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
			all = append(all, e.equal(u.params.value(a, i, m), u.closed(arg)))
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
	a := p.Actions[0]
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
