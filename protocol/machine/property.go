package machine

import "github.com/speckl/kraftprove/protocol"

// property is a compiled property.
type property struct {
	decl  *protocol.Property
	holds cond
	reads mask
	step  bool // it asks which action the step is
	// still says of a two-state property that it is known to hold of a step that changes
	// nothing in the state where the machine is.
	still bool
}

// mask is a set of state variables and, behind them, message types.
type mask []uint64

func (m mask) add(i int) { m[i>>6] |= 1 << (i & 63) }

func (m mask) meets(n mask) bool {
	for i, w := range m {
		if w&n[i] != 0 {
			return true
		}
	}
	return false
}

func (m *Machine) mask() mask { return make(mask, (len(m.vars)+len(m.sys.Messages)+63)/64) }

// Checker tests properties along steps, each only where a step can have changed its truth.
type Checker struct {
	m     *Machine
	props []*property
}

// Checker compiles properties, which belong to the machine's system.
func (m *Machine) Checker(props []*protocol.Property) *Checker {
	k := &Checker{m: m}
	c := &compiler{m: m, depth: m.actionVars}
	for _, p := range props {
		out := &property{decl: p, holds: c.cond(p.Formula), reads: m.mask()}
		out.step = m.noteReads(p.Formula, out.reads)
		k.props = append(k.props, out)
	}
	m.settle(c)
	return k
}

// noteReads adds what a term reads, in either state, and reports whether it asks for the step.
func (m *Machine) noteReads(t protocol.Term, reads mask) (step bool) {
	f := protocol.Reads(t)
	for v := range f.Vars {
		reads.add(v.Index)
	}
	for typ := range f.Messages {
		reads.add(len(m.vars) + typ.ID)
	}
	return f.Step
}

// noteMessages adds the messages over which a variable of the sort ranges.
func (m *Machine) noteMessages(s *protocol.Sort, reads mask) {
	switch s.Kind {
	case protocol.MessageKind:
		reads.add(len(m.vars) + s.ID)
	case protocol.UnionKind:
		for _, typ := range s.Union {
			reads.add(len(m.vars) + typ.ID)
		}
	default:
	}
}

// noteChanges finds out what the step in the frame has changed.
func (m *Machine) noteChanges() {
	clear(m.changed)
	for _, at := range m.frame.written {
		m.changed.add(m.varOf[at])
	}
	for _, s := range m.frame.sent {
		m.changed.add(len(m.vars) + s.typ)
	}
}

// state is the first one-state property that is false in s; nil if there is none.
func (k *Checker) state(s *State) *protocol.Property {
	k.m.frame.pre, k.m.frame.post = s, s
	for _, p := range k.props {
		if !p.decl.TwoState && !p.holds(k.m.frame) {
			return p.decl
		}
	}
	return nil
}

// step is the first property that the step in the frame breaks, where all of them held in its
// pre-state; nil if there is none. Machine.noteChanges comes first.
func (k *Checker) step() *protocol.Property {
	if p := k.twoState(); p != nil {
		return p
	}
	return k.oneState()
}

// twoState is the first two-state property that the step breaks.
func (k *Checker) twoState() *protocol.Property {
	f := k.m.frame
	for _, p := range k.props {
		if !p.decl.TwoState {
			continue
		}
		touched := p.step || p.reads.meets(k.m.changed)
		if !touched && p.still {
			continue
		}
		if !p.holds(f) {
			return p.decl
		}
		p.still = p.still || !touched
	}
	return nil
}

// oneState is the first one-state property that the step breaks.
func (k *Checker) oneState() *protocol.Property {
	f := k.m.frame
	pre := f.pre
	f.pre = f.post
	defer func() { f.pre = pre }()
	for _, p := range k.props {
		if !p.decl.TwoState && p.reads.meets(k.m.changed) && !p.holds(f) {
			return p.decl
		}
	}
	return nil
}

// moved is called when the machine goes on from the step's post-state.
func (k *Checker) moved() {
	for _, p := range k.props {
		if p.still && p.reads.meets(k.m.changed) {
			p.still = false
		}
	}
}

// restart is called when the machine goes on from some other state.
func (k *Checker) restart() {
	for _, p := range k.props {
		p.still = false
	}
}
