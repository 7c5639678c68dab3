package encode

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver/smt"
)

// Goal is what a run shall lead to. All that is given shall hold after its last step.
type Goal struct {
	// Formula is about one state, or, if TwoState, about the last step; it shall be
	// false if Fails, else true. Nil says nothing.
	Formula         protocol.Term
	TwoState, Fails bool
	Cells           []Cell // shall have these values
	Sent            []Sent // shall have been sent

	// Whole has all variables and messages encoded, also those that have no influence.
	Whole bool
}

// Cell is a state variable, or a part of one at arguments, and a value for it.
type Cell struct {
	Var   *protocol.StateVar
	Path  []int
	Value state.Value
}

// Sent is a message; its ghost fields do not count.
type Sent struct {
	Type  *protocol.Sort
	Value state.Value
}

// reached says that the goal is reached after k steps, or, within them, before.
func (u *Unrolling) reached(k int, within bool) *smt.Term {
	e := u.e
	all := []*smt.Term{}
	last := u.states[k]
	if g := u.goal; g.Formula != nil && g.TwoState {
		var any []*smt.Term
		for t := k - 1; t >= 0; t-- {
			m := u.moments[t]
			holds := e.formula(g.Formula, &frame{pre: u.states[t], post: u.states[t+1], acts: m.acts})
			if g.Fails {
				holds = e.b.Not(holds)
			}
			any = append(any, e.b.And(u.isLast(t, k), holds))
			if !within {
				break
			}
		}
		all = append(all, e.b.Or(any...))
	} else if g.Formula != nil {
		holds := e.formula(g.Formula, &frame{pre: last})
		if g.Fails {
			holds = e.b.Not(holds)
		}
		all = append(all, holds)
	}
	for _, c := range u.goal.Cells {
		sort, v := c.Var.Sort, last.vars[c.Var.Index]
		for _, x := range c.Path {
			sort, v = sort.Elem, v.kid(x)
		}
		all = append(all, e.equal(v, e.constantOf(sort, c.Value)))
	}
	for _, s := range u.goal.Sent {
		var any []*smt.Term
		for _, slot := range last.msgs[s.Type.ID] {
			same := []*smt.Term{slot.sent}
			for i, f := range s.Type.Fields {
				if !f.Ghost {
					same = append(same, e.equal(slot.value.kid(i), e.constantOf(f.Sort, s.Value.Kids[i])))
				}
			}
			any = append(any, e.b.And(same...))
		}
		all = append(all, e.b.Or(any...))
	}
	return e.b.And(all...)
}

// isLast says that step t is the last one of a run within k steps.
func (u *Unrolling) isLast(t, k int) *smt.Term {
	all := []*smt.Term{u.e.b.Not(u.moments[t].idle)}
	for _, m := range u.moments[t+1 : k] {
		all = append(all, m.idle)
		if u.script.laid == nil { // and so are all that follow
			break
		}
	}
	return u.e.b.And(all...)
}

// constantOf is the constant value.
func (e *Encoder) constantOf(s *protocol.Sort, v state.Value) *sym {
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.SetKind:
		return e.literal(v.N)
	case protocol.OptionKind:
		if v.N == 0 {
			return nothing
		}
		return &sym{bits: e.constant(1), kids: []*sym{e.constantOf(s.Elem, v.Kids[0])}}
	case protocol.SeqKind, protocol.FuncKind:
		out := &sym{kids: make([]*sym, len(v.Kids))}
		if s.Kind == protocol.SeqKind {
			out.bits = e.constant(len(v.Kids))
		}
		for i, k := range v.Kids {
			out.kids[i] = e.constantOf(s.Elem, k)
		}
		return out
	case protocol.RecordKind, protocol.MessageKind:
		out := &sym{kids: make([]*sym, len(v.Kids))}
		for i, k := range v.Kids {
			out.kids[i] = e.constantOf(s.Fields[i].Sort, k)
		}
		return out
	case protocol.Invalid, protocol.UnionKind:
	}
	panic("no values of sort " + s.Name)
}
