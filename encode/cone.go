package encode

import "github.com/speckl/kraftprove/protocol"

// cone is all that can have an influence on whether a goal is reached: what it
// reads, what the actions read that change this, and so on. What is left out, first of
// all the ghosts, neither enables nor disables a step that is left in, nor changes what
// it does to the rest. So the rest has the same runs, but for steps that would take
// something left out beyond the scope.
type cone struct {
	sys        *protocol.System
	vars       map[*protocol.StateVar]bool
	fields     map[*protocol.Sort]map[*protocol.Field]bool // of each message type of which it matters whether one was sent
	actions    map[*protocol.Action]bool
	all        bool // every action matters, whatever it changes, since a step of it may be the one that is looked for
	quantified bool // some formula is about all messages sent
	grown      bool
}

// newCone is what a goal reads; close makes it a cone.
func newCone(sys *protocol.System, goal *Goal) *cone {
	c := &cone{sys: sys, vars: map[*protocol.StateVar]bool{}, fields: map[*protocol.Sort]map[*protocol.Field]bool{},
		actions: map[*protocol.Action]bool{}, all: goal.Whole || goal.TwoState}
	if goal.Whole {
		for _, v := range sys.State {
			c.vars[v] = true
		}
		for _, m := range sys.Messages {
			c.addMessage(m)
		}
	}
	if goal.Formula != nil {
		c.read(goal.Formula, nil)
	}
	for _, cell := range goal.Cells {
		c.vars[cell.Var] = true
	}
	for _, m := range goal.Sent {
		for _, f := range m.Type.Fields {
			if !f.Ghost {
				c.addField(m.Type, f)
			}
		}
		c.addType(m.Type)
	}
	return c
}

// close grows the cone until nothing outside has an influence on it.
func (c *cone) close() {
	for c.grown = true; c.grown; {
		c.grown = false
		for _, a := range c.sys.Actions {
			if c.matters(a) {
				c.add(a)
			}
		}
	}
}

// matters reports whether an action changes anything in the cone.
func (c *cone) matters(a *protocol.Action) bool {
	if c.all || c.actions[a] {
		return true
	}
	for _, u := range a.Updates {
		if c.vars[u.State] {
			return true
		}
	}
	for _, s := range a.Sends {
		if c.fields[s.Message.Of] != nil {
			return true
		}
	}
	return false
}

// add adds what an action's guards read, and what it writes into the cone.
func (c *cone) add(a *protocol.Action) {
	if !c.actions[a] {
		c.actions[a], c.grown = true, true
	}
	lets := map[*protocol.Binding]protocol.Term{}
	for _, p := range a.Params {
		for _, typ := range typesOf(p.Sort) {
			c.addType(typ)
		}
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			lets[s.Var] = s.X
		case *protocol.Guard:
			c.read(s.Cond, lets)
		case *protocol.Update:
			if c.vars[s.State] {
				c.read(s.Value, lets)
				for _, p := range s.Path {
					c.read(p, lets)
				}
			}
		case *protocol.Send:
			if c.fields[s.Message.Of] == nil {
				continue
			}
			if s.Cond != nil {
				c.read(s.Cond, lets)
			}
			for i, f := range s.Message.Of.Fields {
				if c.fields[s.Message.Of][f] {
					c.read(s.Message.Fields[i], lets)
				}
			}
		}
	}
}

// read adds all that a term depends on. Lets count where they are used.
func (c *cone) read(t protocol.Term, lets map[*protocol.Binding]protocol.Term) {
	switch t := t.(type) {
	case *protocol.StateRead:
		if !c.vars[t.State] {
			c.vars[t.State], c.grown = true, true
		}
	case *protocol.StepIs:
		c.all, c.grown = true, c.grown || !c.all
	case *protocol.Select:
		if v, ok := t.X.(*protocol.Var); ok && lets[v.To] == nil {
			for _, typ := range typesOf(v.To.Sort) {
				c.addField(typ, typ.Field(t.Field.Name))
			}
			return
		}
	case *protocol.Var:
		if x := lets[t.To]; x != nil {
			c.read(x, lets)
		}
		for _, typ := range typesOf(t.To.Sort) {
			c.addMessage(typ)
		}
	case *protocol.Quant:
		for _, typ := range typesOf(t.Var.Sort) {
			c.addType(typ)
			c.quantified = true
		}
	}
	for x := range protocol.Children(t) {
		c.read(x, lets)
	}
}

func (c *cone) addType(typ *protocol.Sort) {
	if c.fields[typ] == nil {
		c.fields[typ], c.grown = map[*protocol.Field]bool{}, true
	}
}

func (c *cone) addField(typ *protocol.Sort, f *protocol.Field) {
	c.addType(typ)
	if !c.fields[typ][f] {
		c.fields[typ][f], c.grown = true, true
	}
}

func (c *cone) addMessage(typ *protocol.Sort) {
	c.addType(typ)
	for _, f := range typ.Fields {
		c.addField(typ, f)
	}
}

// typesOf are the types of which a message sort's messages are; of another sort none.
func typesOf(s *protocol.Sort) []*protocol.Sort {
	switch s.Kind {
	case protocol.MessageKind:
		return []*protocol.Sort{s}
	case protocol.UnionKind:
		return s.Union
	default:
		return nil
	}
}
