package protocoltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// System is the system of a structure with actions and properties of chance in the place of its own. What the actions do
// makes no sense; now and then it is possible.
func System(st *state.Structure, r *rand.Rand) *protocol.System {
	sys := *st.System
	sys.Actions, sys.Properties, sys.Scenarios, sys.Mutations = nil, nil, nil, nil
	g := NewGenerator(state.NewStructure(&sys, st.Sizes()), r)
	for n := range 2 + r.IntN(5) {
		sys.Actions = append(sys.Actions, g.action(n))
	}
	for n := range 8 {
		two := n%2 == 1
		p := &protocol.Property{ID: fmt.Sprint("P", n), Formula: g.Formula(two), TwoState: two, Index: n}
		sys.Properties = append(sys.Properties, p)
	}
	return &sys
}

// action is an action of the position n.
func (g *Generator) action(n int) *protocol.Action {
	a := &protocol.Action{Name: fmt.Sprint("Act", n), Index: n}
	for k := range g.r.IntN(4) {
		s := g.find((*protocol.Sort).IsScalar)
		if k == 0 && g.r.IntN(2) == 0 && len(g.sys.Messages) > 0 {
			if s = g.sys.Messages[g.r.IntN(len(g.sys.Messages))]; len(g.sys.Messages) > 1 && g.r.IntN(2) == 0 {
				s = union(append([]*protocol.Sort(nil), g.sys.Messages...), g.r)
			}
		}
		a.Params = append(a.Params, &protocol.Param{Binding: &protocol.Binding{Name: fmt.Sprint("p", k), Sort: s, InRange: true}})
	}
	for _, p := range a.Params {
		g.vars = append(g.vars, p.Binding)
	}
	defer func() { g.vars = nil }()
	free := g.r.Perm(len(g.sys.State)) // each variable is assigned once at most
	for range 2 + g.r.IntN(5) {
		g.twoState, g.budget = false, 15
		switch k := g.r.IntN(5); {
		case k == 0:
			let := &protocol.Let{Var: &protocol.Binding{Name: fmt.Sprint("l", len(a.Body)), Sort: g.AnySort()}}
			let.X = g.term(let.Var.Sort, 3)
			a.Body = append(a.Body, let)
			g.vars = append(g.vars, let.Var)
		case k == 1:
			a.Body = append(a.Body, &protocol.Guard{Cond: g.term(protocol.BoolSort, 3)})
		case k == 2 && len(g.sys.Messages) > 0:
			s := &protocol.Send{Message: &protocol.RecordTerm{Of: g.sys.Messages[g.r.IntN(len(g.sys.Messages))]}}
			for _, f := range s.Message.Of.Fields {
				s.Message.Fields = append(s.Message.Fields, g.term(f.Sort, 2))
			}
			if g.r.IntN(3) == 0 {
				s.Cond = g.term(protocol.BoolSort, 2)
			}
			a.Body, a.Sends = append(a.Body, s), append(a.Sends, s)
		case len(free) > 0:
			u := g.update(g.sys.State[free[0]])
			free = free[1:]
			a.Body, a.Updates = append(a.Body, u), append(a.Updates, u)
		}
	}
	return a
}

// update sets a variable, or some of its cells.
func (g *Generator) update(v *protocol.StateVar) *protocol.Update {
	u := &protocol.Update{State: v}
	s := v.Sort
	for s.Kind == protocol.FuncKind && g.r.IntN(4) > 0 {
		u.Path = append(u.Path, g.term(s.Domain, 2))
		s = s.Elem
	}
	u.Value = g.term(s, 3)
	return u
}
