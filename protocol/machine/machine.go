// Package machine runs protocols: it compiles a system in a scope to closures
// over compact states, fast enough to walk through millions of them. It finds
// executions; whether one is real, package semantics decides, with which it
// shares no code.
//
// A state is a row of words, one for each cell of each state variable, and the
// messages sent. What is composed (records, sequences, messages) is kept once
// in a store and known by its number.
package machine

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Machine is a system compiled for one structure. It belongs to one goroutine.
type Machine struct {
	st     *state.Structure
	sys    *protocol.System
	store  store
	ids    map[*protocol.Sort]int // classes of composed sorts; messages have their Sort.ID
	shapes map[*protocol.Sort]*shape
	vars   []layout // by StateVar.Index
	cells  int

	actions []*action
	frame   *frame
	varOf   []int // cell → state variable
	changed mask  // by the last step that was looked at
	cut     int   // steps that were not taken, since they leave the scope

	actionVars int // slots of the frame that actions use: properties leave them alone
	fixed      int // how many nodes of the store the compiled code refers to

	init   *State
	unions map[*protocol.Sort][]int // union → message type → position in it, or -1
}

// layout is where a state variable lies in a state: its cells are a row-major
// array over its arguments.
type layout struct {
	base  int
	dims  []int // sizes of its arguments' sorts
	size  int
	leaf  *protocol.Sort // sort of a cell
	shape *shape
}

// State is a state of a machine. It means nothing to other machines.
type State struct {
	cells []int
	msgs  [][]int // nodes by message type, in the order in which they were sent
}

// New compiles the system of a structure. Its sets must not have more than 62 elements, which
// every scope sees to.
func New(st *state.Structure) *Machine {
	m := &Machine{
		st:     st,
		sys:    st.System,
		ids:    map[*protocol.Sort]int{},
		shapes: map[*protocol.Sort]*shape{},
		unions: map[*protocol.Sort][]int{},
		store:  store{table: make([]int32, 1<<12)},
	}
	for _, s := range m.sys.Messages {
		m.addClass(s)
	}
	for _, s := range m.sys.Messages {
		m.fillClass(s)
	}
	for _, v := range m.sys.State {
		l := layout{base: m.cells, size: 1, leaf: v.Sort}
		for l.leaf.Kind == protocol.FuncKind {
			n := st.Size(l.leaf.Domain)
			l.dims = append(l.dims, n)
			l.size *= n
			l.leaf = l.leaf.Elem
		}
		l.shape = m.shape(l.leaf)
		m.cells += l.size
		m.vars = append(m.vars, l)
		for range l.size {
			m.varOf = append(m.varOf, v.Index)
		}
	}
	m.changed = m.mask()
	m.frame = &frame{store: &m.store}
	c := &compiler{m: m}
	for _, a := range m.sys.Actions {
		m.actions = append(m.actions, c.action(a))
	}
	m.init = m.initial(c)
	m.settle(c)
	m.actionVars = c.most
	return m
}

// settle makes room for the variables of what has been compiled, and keeps its constants.
func (m *Machine) settle(c *compiler) {
	if c.most > len(m.frame.vars) {
		m.frame.vars = make([]int, c.most)
	}
	m.fixed = len(m.store.end)
}

// System is the system that the machine runs.
func (m *Machine) System() *protocol.System { return m.sys }

// Structure is the structure that the machine was made for.
func (m *Machine) Structure() *state.Structure { return m.st }

// Forget drops all values that no compiled code refers to. No state other than the initial one
// may be used afterwards.
func (m *Machine) Forget() { m.store.forget(m.fixed) }

// Nodes is how many composed values the machine knows.
func (m *Machine) Nodes() int { return len(m.store.end) }

func (m *Machine) addClass(s *protocol.Sort) int {
	id := len(m.store.classes)
	m.ids[s] = id
	m.store.classes = append(m.store.classes, &class{max: -1, salt: mix(uint64(id)+1, uint64(s.Kind))})
	return id
}

// fillClass comes after addClass, since a record may have a field of a sort that has it in turn.
func (m *Machine) fillClass(s *protocol.Sort) {
	c := m.store.classes[m.ids[s]]
	switch s.Kind {
	case protocol.RecordKind, protocol.MessageKind:
		c.fields = make([]shape, len(s.Fields))
		for i, f := range s.Fields {
			c.fields[i] = *m.shape(f.Sort)
		}
	case protocol.SeqKind:
		c.elem = *m.shape(s.Elem)
		c.max = m.st.MaxNatural(s.Domain)
	case protocol.FuncKind:
		c.elem = *m.shape(s.Elem)
	default:
		panic("no class for sort " + s.Name)
	}
}

// class is the class of a composed sort.
func (m *Machine) class(s *protocol.Sort) int {
	if id, ok := m.ids[s]; ok {
		return id
	}
	id := m.addClass(s)
	m.fillClass(s)
	return id
}

// shape is how to look at words of a sort; there are none of a union, whose words have the shape of
// a message.
func (m *Machine) shape(s *protocol.Sort) *shape {
	if x, ok := m.shapes[s]; ok {
		return x
	}
	x := &shape{}
	m.shapes[s] = x
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind:
		x.size = m.st.Size(s)
	case protocol.SetKind:
		x.kind = bitset
	case protocol.OptionKind:
		x.kind, x.inner = optional, m.shape(s.Elem)
		x.node = x.inner.node
	case protocol.RecordKind, protocol.MessageKind, protocol.SeqKind, protocol.FuncKind, protocol.UnionKind:
		x.kind, x.node = composed, true
		if s.Kind != protocol.UnionKind {
			m.class(s)
		}
	case protocol.Invalid:
		panic("no values of sort " + s.Name)
	}
	return x
}

// fallback is the word of the default value of a sort.
func (m *Machine) fallback(s *protocol.Sort) int {
	if s.Kind == protocol.UnionKind {
		panic("no default value of sort " + s.Name)
	}
	return m.word(s, m.st.Default(s))
}

// word is a value as a word.
func (m *Machine) word(s *protocol.Sort, v state.Value) int {
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.SetKind:
		return v.N
	case protocol.OptionKind:
		if v.N == 0 {
			return 0
		}
		return 1 + m.word(s.Elem, v.Kids[0])
	case protocol.RecordKind, protocol.MessageKind:
		kids := make([]int, len(v.Kids))
		for i, k := range v.Kids {
			kids[i] = m.word(s.Fields[i].Sort, k)
		}
		return m.store.intern(m.class(s), kids)
	case protocol.SeqKind, protocol.FuncKind:
		kids := make([]int, len(v.Kids))
		for i, k := range v.Kids {
			kids[i] = m.word(s.Elem, k)
		}
		return m.store.intern(m.class(s), kids)
	case protocol.UnionKind:
		typ := s.Union[v.N]
		return m.word(typ, state.Value{Kids: v.Kids})
	case protocol.Invalid:
	}
	panic("no values of sort " + s.Name)
}

// value is a word as a value.
func (m *Machine) value(s *protocol.Sort, w int) state.Value {
	switch s.Kind {
	case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind, protocol.SetKind:
		return state.Value{N: w}
	case protocol.OptionKind:
		if w == 0 {
			return state.Value{}
		}
		return state.Value{N: 1, Kids: []state.Value{m.value(s.Elem, w-1)}}
	case protocol.RecordKind, protocol.MessageKind:
		words := m.store.of(w)
		v := state.Value{Kids: make([]state.Value, len(words))}
		for i, k := range words {
			v.Kids[i] = m.value(s.Fields[i].Sort, k)
		}
		return v
	case protocol.SeqKind, protocol.FuncKind:
		var v state.Value
		if words := m.store.of(w); len(words) > 0 {
			v.Kids = make([]state.Value, len(words))
			for i, k := range words {
				v.Kids[i] = m.value(s.Elem, k)
			}
		}
		return v
	case protocol.UnionKind:
		typ := m.sys.Messages[m.store.class[w]]
		return state.Value{N: m.position(s, typ.ID), Kids: m.value(typ, w).Kids}
	case protocol.Invalid:
	}
	panic("no values of sort " + s.Name)
}

// position is the place of a message type in a union; -1 if it is not in it.
func (m *Machine) position(union *protocol.Sort, typ int) int {
	at, ok := m.unions[union]
	if !ok {
		at = make([]int, len(m.sys.Messages))
		for i := range at {
			at[i] = -1
		}
		for i, s := range union.Union {
			at[s.ID] = i
		}
		m.unions[union] = at
	}
	return at[typ]
}

// Import is a state as a state of the machine.
func (m *Machine) Import(s *state.State) *State {
	out := m.blank()
	for i, l := range m.vars {
		m.spread(out.cells[l.base:l.base+l.size], m.sys.State[i].Sort, s.Vars[i])
	}
	for _, typ := range m.sys.Messages {
		for _, v := range s.Msgs[typ.ID] {
			out.msgs[typ.ID] = append(out.msgs[typ.ID], m.word(typ, v))
		}
	}
	return out
}

func (m *Machine) spread(cells []int, s *protocol.Sort, v state.Value) {
	if s.Kind != protocol.FuncKind {
		cells[0] = m.word(s, v)
		return
	}
	step := len(cells) / max(1, len(v.Kids))
	for i, k := range v.Kids {
		m.spread(cells[i*step:(i+1)*step], s.Elem, k)
	}
}

// Export is a state of the machine as plain data.
func (m *Machine) Export(s *State) *state.State {
	out := &state.State{Vars: make([]state.Value, len(m.vars)), Msgs: make([][]state.Value, len(s.msgs))}
	for i, l := range m.vars {
		out.Vars[i] = m.gather(s.cells[l.base:l.base+l.size], m.sys.State[i].Sort)
	}
	for _, typ := range m.sys.Messages {
		for _, w := range s.msgs[typ.ID] {
			out.AddMessage(typ, m.value(typ, w))
		}
	}
	return out
}

func (m *Machine) gather(cells []int, s *protocol.Sort) state.Value {
	if s.Kind != protocol.FuncKind {
		return m.value(s, cells[0])
	}
	n := m.st.Size(s.Domain)
	step := len(cells) / max(1, n)
	v := state.Value{Kids: make([]state.Value, n)}
	for i := range v.Kids {
		v.Kids[i] = m.gather(cells[i*step:(i+1)*step], s.Elem)
	}
	return v
}

// Args are the arguments of a step as plain data.
func (m *Machine) Args(a *protocol.Action, words []int) []state.Value {
	out := make([]state.Value, len(words))
	for i, p := range a.Params {
		out[i] = m.value(p.Sort, words[i])
	}
	return out
}

func (m *Machine) blank() *State {
	return &State{cells: make([]int, m.cells), msgs: make([][]int, len(m.sys.Messages))}
}

// Init is the initial state; nil if there is none in the scope.
func (m *Machine) Init() *State { return m.init }

// initial performs System.Init on the default values.
func (m *Machine) initial(c *compiler) *State {
	s := m.blank()
	for _, l := range m.vars {
		w := m.fallback(l.leaf)
		for i := range l.size {
			s.cells[l.base+i] = w
		}
	}
	if m.sys.Init == nil {
		return s
	}
	a := c.action(m.sys.Init)
	m.settle(c)
	t := m.blank()
	for range m.steps(a, s, t, nil) {
		return t
	}
	return nil
}

// Clone copies a state.
func (s *State) Clone() *State {
	c := &State{cells: append([]int(nil), s.cells...), msgs: make([][]int, len(s.msgs))}
	for i, list := range s.msgs {
		c.msgs[i] = append([]int(nil), list...)
	}
	return c
}

func unhandled(x any) string { return fmt.Sprintf("unhandled %T", x) }
