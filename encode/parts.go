package encode

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// Part is a piece of a symbolic state that may be simple: a message that was not
// sent, a variable or a cell that has its initial value. If all of it cannot be
// simple at once, its parts may be.
type Part struct {
	Simple *smt.Term
	Parts  []Part
}

// Parts takes a state apart, in the order in which a reader wants it simple:
// messages, then real variables, then ghosts, in declared order.
func (s *State) Parts() []Part {
	e := s.e
	var out []Part
	for i := range s.s.msgs {
		for _, slot := range s.s.msgs[i] {
			out = append(out, Part{Simple: e.b.Not(slot.sent)})
		}
	}
	initial := &symState{vars: make([]*sym, len(e.sys.State)), msgs: make([][]slot, len(e.sys.Messages))}
	for i := range initial.vars {
		initial.vars[i] = nothing
	}
	initial, _ = e.perform(e.sys.Init, initial, &frame{pre: initial, action: e.sys.Init})
	for _, ghost := range []bool{false, true} {
		for i, v := range e.sys.State {
			if v.Ghost == ghost {
				out = append(out, e.part(v.Sort, s.s.vars[i], initial.vars[i]))
			}
		}
	}
	for i, typ := range e.sys.Messages {
		for _, slot := range s.s.msgs[i] {
			for _, f := range typ.Fields {
				out = append(out, e.part(f.Sort, slot.value.kid(f.Index), nothing))
			}
		}
	}
	return out
}

// part is a value with a simple value of its sort; functions have parts.
func (e *Encoder) part(s *protocol.Sort, v, simple *sym) Part {
	p := Part{Simple: e.equal(v, simple)}
	if s.Kind == protocol.FuncKind {
		for k := range e.st.Size(s.Domain) {
			p.Parts = append(p.Parts, e.part(s.Elem, v.kid(k), simple.kid(k)))
		}
	}
	return p
}
