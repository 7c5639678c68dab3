package encode

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// parameters says what the actions of a step share. All messages, whatever their type,
// have one lane for fields of the same name and sort; a received message is one
// value for each lane. Other parameters are numbered by sort. Those of elements share
// the lanes of the receiver and the sender where the action receives nothing, so that
// whoever acts is one term in actions of both kinds.
type parameters struct {
	cone  *cone
	lanes []lane
	lane  map[*protocol.Field]int // of a message type's fields
	seats map[*protocol.Binding]seat
	pool  []*protocol.Sort // sorts with parameters in the pool, in order of use
	size  map[*protocol.Sort]int
	most  int // messages that an action receives
	sends int // messages that an action may send
}

// lane has the fields of one name and sort.
type lane struct {
	name string
	sort *protocol.Sort
}

// seat is where a parameter's value is: the n-th message, or its lane if it is no message, or in the pool.
type seat struct {
	message bool
	lane    int // of the first message; -1: in the pool
	n       int
}

// reception is the message that a step receives.
type reception struct {
	lanes []*sym
	takes map[*protocol.Sort]*smt.Term // by sort of parameter: the step has a parameter of it
	picks []*smt.Term                  // by slot: it is the message in that slot
}

// sending is a slot with the message that a step sends, if it does.
type sending struct {
	live  map[*protocol.Sort]*smt.Term // it has a message of the type
	lanes []*sym
}

func newParameters(c *cone) *parameters {
	p := &parameters{cone: c, lane: map[*protocol.Field]int{}, seats: map[*protocol.Binding]seat{}, size: map[*protocol.Sort]int{}}
	known := map[lane]int{}
	for _, typ := range c.sys.Messages {
		for _, f := range receiverFirst(typ.Fields) {
			if !c.fields[typ][f] {
				continue
			}
			l := lane{f.Name, f.Sort}
			n, ok := known[l]
			if !ok {
				n = len(p.lanes)
				known[l] = n
				p.lanes = append(p.lanes, l)
			}
			p.lane[f] = n
		}
	}
	for _, a := range c.sys.Actions {
		if c.actions[a] {
			p.add(a)
		}
	}
	return p
}

func (p *parameters) add(a *protocol.Action) {
	messages, used, taken := 0, map[*protocol.Sort]int{}, map[int]bool{}
	receives := firstMessage(a) >= 0
	for _, q := range a.Params {
		if typesOf(q.Sort) != nil {
			p.seats[q.Binding] = seat{message: true, n: messages}
			messages++
			continue
		}
		at := seat{lane: -1, n: used[q.Sort]}
		if !receives && q.Sort.Kind == protocol.ElementKind {
			for _, name := range []string{"to", "from"} {
				for n, l := range p.lanes {
					if at.lane < 0 && l.name == name && l.sort == q.Sort && !taken[n] {
						at.lane = n
					}
				}
			}
		}
		if at.lane >= 0 {
			taken[at.lane] = true
		} else {
			used[q.Sort]++
			if p.size[q.Sort] == 0 {
				p.pool = append(p.pool, q.Sort)
			}
			p.size[q.Sort] = max(p.size[q.Sort], used[q.Sort])
		}
		p.seats[q.Binding] = at
	}
	sends := 0
	for _, s := range a.Sends {
		if p.cone.fields[s.Message.Of] != nil {
			sends++
		}
	}
	p.most, p.sends = max(p.most, messages), max(p.sends, sends)
}

// declare makes the step's parameters. Those that a pattern gives are constants.
func (u *Unrolling) declare(m *moment, t int, given *Pattern) {
	e, p := u.e, u.params
	known := u.given(given)
	m.pool = map[*protocol.Sort][]*sym{}
	for n := range max(p.most, 1) {
		r := &reception{takes: map[*protocol.Sort]*smt.Term{}}
		for k, l := range p.lanes {
			v := known.lanes[[2]int{n, k}]
			if v == nil {
				v = e.fresh(l.sort, fmt.Sprintf("%s%d@%d", l.name+":"+l.sort.Name, n+1, t))
			}
			r.lanes = append(r.lanes, v)
		}
		m.received = append(m.received, r)
	}
	for _, s := range p.pool {
		for n := range p.size[s] {
			v := known.pool[s][n]
			if v == nil {
				v = e.fresh(s, fmt.Sprintf("%s:%d@%d", s.Name, n+1, t))
			}
			m.pool[s] = append(m.pool[s], v)
		}
	}
}

// value is the action's i-th parameter at a step.
func (p *parameters) value(a *protocol.Action, i int, m *moment) *sym {
	q := a.Params[i]
	at := p.seats[q.Binding]
	switch {
	case at.message:
		return p.messageOf(q.Sort, m.received[at.n].lanes)
	case at.lane >= 0:
		return m.received[0].lanes[at.lane]
	}
	return m.pool[q.Sort][at.n]
}

// messageOf is a message of a type or union in the lanes.
func (p *parameters) messageOf(s *protocol.Sort, lanes []*sym) *sym {
	v := &sym{kids: make([]*sym, len(s.Fields))}
	first := typesOf(s)[0]
	for i, f := range s.Fields {
		v.kids[i] = nothing
		if n, ok := p.lane[first.Field(f.Name)]; ok {
			v.kids[i] = lanes[n]
		}
	}
	return v
}

// receivable reports whether messages may have been sent for all parameters of the action.
func (u *Unrolling) receivable(a *protocol.Action) bool {
	for _, p := range a.Params {
		types := typesOf(p.Sort)
		if types == nil {
			continue
		}
		found := false
		for _, s := range u.slots {
			for _, typ := range types {
				found = found || s.live[typ] != u.e.b.False()
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// receive says that what the step receives was sent before it.
func (u *Unrolling) receive(m *moment, t int) {
	e := u.e
	for n, r := range m.received {
		var sorts []*protocol.Sort
		for _, a := range e.sys.Actions {
			for _, p := range a.Params {
				if at := u.params.seats[p.Binding]; at.message && at.n == n && m.acts[a.Index] != e.b.False() {
					if r.takes[p.Sort] == nil {
						sorts = append(sorts, p.Sort)
						r.takes[p.Sort] = e.b.False()
					}
					r.takes[p.Sort] = e.b.Or(r.takes[p.Sort], m.acts[a.Index])
				}
			}
		}
		var all []*smt.Term
		for _, s := range sorts {
			all = append(all, r.takes[s])
		}
		takes := e.b.Or(all...)
		var any []*smt.Term
		for k, s := range u.slots {
			pick := e.b.False()
			for _, sort := range sorts {
				for _, typ := range typesOf(sort) {
					if s.live[typ] != e.b.False() {
						pick = nil
					}
				}
			}
			if pick == nil {
				pick = e.freshBit(fmt.Sprintf("take%d@%d:%d", n+1, t, k))
				m.always = append(m.always, e.b.Implies(pick, takes))
				for _, sort := range sorts {
					var live []*smt.Term
					for _, typ := range typesOf(sort) {
						live = append(live, s.live[typ])
					}
					m.always = append(m.always, e.b.Or(e.b.Not(pick), e.b.Not(r.takes[sort]), e.b.Or(live...)))
				}
				for i := range r.lanes {
					m.always = append(m.always, e.equalIf(pick, r.lanes[i], s.lanes[i])...)
				}
				any = append(any, pick)
			}
			r.picks = append(r.picks, pick)
		}
		m.always = append(m.always, e.b.Implies(takes, e.b.Or(any...)))
	}
}

// equalIf says, bit by bit, that two values are equal if c holds.
func (e *Encoder) equalIf(c *smt.Term, x, y *sym) []*smt.Term {
	var out []*smt.Term
	for i := range max(len(x.bits), len(y.bits)) {
		out = append(out, e.b.Implies(c, e.b.Iff(e.bit(x.bits, i), e.bit(y.bits, i))))
	}
	for i := range max(len(x.kids), len(y.kids)) {
		out = append(out, e.equalIf(c, x.kid(i), y.kid(i))...)
	}
	return out
}

// send makes the step's slots, and the messages of the post-state.
func (u *Unrolling) send(m *moment, t int, tried []*attempt, pre, post *symState) {
	e, p := u.e, u.params
	copy(post.msgs, pre.msgs)
	for n := range p.sends {
		s := &sending{live: map[*protocol.Sort]*smt.Term{}, lanes: make([]*sym, len(p.lanes))}
		live := map[*protocol.Sort][]*smt.Term{}
		for _, x := range tried {
			if n >= len(x.sends) {
				continue
			}
			act, msg := m.acts[x.action.Index], x.sends[n]
			live[msg.typ] = append(live[msg.typ], e.b.And(act, msg.live))
			for i, f := range msg.typ.Fields {
				k, ok := p.lane[f]
				switch {
				case !ok:
				case s.lanes[k] == nil:
					s.lanes[k] = msg.value.kids[i]
				default:
					s.lanes[k] = e.choose(act, msg.value.kids[i], s.lanes[k])
				}
			}
		}
		bit := 0
		for k := range s.lanes {
			if s.lanes[k] == nil {
				s.lanes[k] = nothing
			}
			s.lanes[k] = u.define(s.lanes[k], nothing, fmt.Sprintf("sent%d@%d", n+1, t), &bit, m)
		}
		for _, typ := range e.sys.Messages {
			s.live[typ] = u.defineBit(e.b.Or(live[typ]...), fmt.Sprintf("sent%d@%d", n+1, t), &bit, m)
			if s.live[typ] == e.b.False() {
				continue
			}
			list := post.msgs[typ.ID]
			post.msgs[typ.ID] = append(list[:len(list):len(list)], slot{sent: s.live[typ], value: p.messageOf(typ, s.lanes)})
		}
		m.sent = append(m.sent, s)
	}
}
