package machine

import (
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// frame is what compiled code runs in.
type frame struct {
	store     *store
	pre, post *State
	vars      []int // of bound variables
	step      int   // Action.Index of the step that a two-state property is about

	room    []int  // for kids that are put together
	written []int  // cells that the step changed
	sent    []sent // messages that it added
}

// sent is a message.
type sent struct{ typ, node int }

type (
	expr func(*frame) int
	cond func(*frame) bool
)

// compiler makes closures of terms. A variable lives in a slot of the frame, which is
// found out here; a definition is compiled where it is called.
type compiler struct {
	m     *Machine
	slots map[*protocol.Binding]int
	depth int // slots in use
	most  int // ever in use
}

// bind gives variables slots, until the returned function is called.
func (c *compiler) bind(vars ...*protocol.Binding) (first int, release func()) {
	if c.slots == nil {
		c.slots = map[*protocol.Binding]int{}
	}
	first = c.depth
	type entry struct {
		slot int
		had  bool
	}
	old := make([]entry, len(vars))
	c.reserve(len(vars))
	for i, v := range vars {
		old[i].slot, old[i].had = c.slots[v]
		c.slots[v] = first + i
	}
	return first, func() {
		c.depth = first
		for i, v := range vars {
			if old[i].had {
				c.slots[v] = old[i].slot
			} else {
				delete(c.slots, v)
			}
		}
	}
}

func (c *compiler) reserve(n int) {
	c.depth += n
	c.most = max(c.most, c.depth)
}

// expr compiles a term of any sort but that its Booleans are 0 and 1.
func (c *compiler) expr(t protocol.Term) expr {
	switch t := t.(type) {
	case *protocol.Lit:
		return constant(t.Value)
	case *protocol.Default:
		return constant(c.m.fallback(t.Of))
	case *protocol.Var:
		slot, ok := c.slots[t.To]
		if !ok {
			panic("unbound variable " + t.To.Name)
		}
		return func(f *frame) int { return f.vars[slot] }
	case *protocol.SubsortTerm:
		return constant(c.m.st.Subset(t.Of))
	case *protocol.StateRead, *protocol.Apply:
		return c.application(t)
	case *protocol.At:
		return c.at(t)
	case *protocol.Select:
		return c.selection(t)
	case *protocol.UnaryTerm:
		if t.Op != protocol.Not && t.Op != protocol.IsQuorum {
			return c.unary(t)
		}
	case *protocol.BinaryTerm:
		if t.Of != protocol.BoolSort {
			return c.binary(t)
		}
	case *protocol.Shift:
		x, d := c.expr(t.X), t.Delta
		return func(f *frame) int { return max(0, x(f)+d) }
	case *protocol.Ite:
		if t.Sort() != protocol.BoolSort {
			p, x, y := c.cond(t.Cond), c.expr(t.Then), c.expr(t.Else)
			return func(f *frame) int {
				if p(f) {
					return x(f)
				}
				return y(f)
			}
		}
	case *protocol.SetTerm:
		return c.setTerm(t)
	case *protocol.SetOf:
		return c.setOf(t)
	case *protocol.FuncTerm:
		return c.funcTerm(t)
	case *protocol.SeqTerm:
		return c.node(c.m.class(t.Of), t.Elems)
	case *protocol.RecordTerm:
		return c.node(c.m.class(t.Of), t.Fields)
	case *protocol.LetTerm:
		slot, release := c.bind()
		c.reserve(1)
		x := c.expr(t.X)
		body := c.scoped(slot, t.Var, func() expr { return c.expr(t.Body) })
		release()
		return func(f *frame) int {
			f.vars[slot] = x(f)
			return body(f)
		}
	case *protocol.Call:
		first, args, release := c.call(t)
		body := c.expr(t.Def.Body)
		release()
		if len(args) == 1 {
			x := args[0]
			return func(f *frame) int {
				f.vars[first] = x(f)
				return body(f)
			}
		}
		return func(f *frame) int {
			for i, x := range args {
				f.vars[first+i] = x(f)
			}
			return body(f)
		}
	case *protocol.Nary, *protocol.Quant, *protocol.StepIs:
	}
	p := c.cond(t)
	return func(f *frame) int {
		if p(f) {
			return 1
		}
		return 0
	}
}

func constant(w int) expr { return func(*frame) int { return w } }

// scoped compiles something in which the variable is in the slot.
func (c *compiler) scoped(slot int, v *protocol.Binding, compile func() expr) expr {
	old, had := c.slots[v]
	c.slots[v] = slot
	x := compile()
	if had {
		c.slots[v] = old
	} else {
		delete(c.slots, v)
	}
	return x
}

// call compiles the arguments of a call and binds the parameters for its body, until release.
func (c *compiler) call(t *protocol.Call) (first int, args []expr, release func()) {
	at := c.depth
	c.reserve(len(t.Args)) // while an argument is computed, those before it are kept
	for _, x := range t.Args {
		args = append(args, c.expr(x))
	}
	c.depth = at
	first, release = c.bind(t.Def.Params...)
	return first, args, release
}

// place is a state variable with arguments, if t is that.
func place(t protocol.Term) (read *protocol.StateRead, args []protocol.Term) {
	for {
		switch x := t.(type) {
		case *protocol.StateRead:
			slices.Reverse(args)
			return x, args
		case *protocol.Apply:
			args = append(args, x.Arg)
			t = x.Fun
		default:
			return nil, nil
		}
	}
}

// application is a state variable or something applied to arguments.
func (c *compiler) application(t protocol.Term) expr {
	read, terms := place(t)
	if read == nil {
		return c.apply(t.(*protocol.Apply))
	}
	l := &c.m.vars[read.State.Index]
	if len(terms) < len(l.dims) {
		return c.gather(read, terms, t.Sort())
	}
	if read.Primed {
		return c.primedCell(l, terms)
	}
	base, def := l.base, c.m.fallback(l.leaf)
	switch len(terms) {
	case 0:
		return func(f *frame) int { return f.pre.cells[base] }
	case 1:
		n := l.dims[0]
		if v, ok := terms[0].(*protocol.Var); ok {
			slot := c.slots[v.To]
			return func(f *frame) int {
				if i := f.vars[slot]; i < n {
					return f.pre.cells[base+i]
				}
				return def
			}
		}
		x := c.expr(terms[0])
		return func(f *frame) int {
			if i := x(f); i < n {
				return f.pre.cells[base+i]
			}
			return def
		}
	case 2:
		n, k := l.dims[0], l.dims[1]
		x, y := c.expr(terms[0]), c.expr(terms[1])
		return func(f *frame) int {
			i, j := x(f), y(f)
			if i < n && j < k {
				return f.pre.cells[base+i*k+j]
			}
			return def
		}
	}
	at := c.address(l, terms)
	return func(f *frame) int {
		if i := at(f); i >= 0 {
			return f.pre.cells[i]
		}
		return def
	}
}

func (c *compiler) primedCell(l *layout, terms []protocol.Term) expr {
	at, def := c.address(l, terms), c.m.fallback(l.leaf)
	return func(f *frame) int {
		if i := at(f); i >= 0 {
			return f.post.cells[i]
		}
		return def
	}
}

// address is where the cells of a state variable with arguments, maybe not all, begin; negative if
// there are none.
func (c *compiler) address(l *layout, terms []protocol.Term) expr {
	base := l.base
	switch len(terms) {
	case 0:
		return constant(base)
	case 1:
		n, step := l.dims[0], l.size/max(1, l.dims[0])
		x := c.expr(terms[0])
		return func(f *frame) int {
			if i := x(f); i < n {
				return base + i*step
			}
			return -1
		}
	}
	var args []expr
	var steps []int
	size := l.size
	for i, t := range terms {
		size /= max(1, l.dims[i])
		args = append(args, c.expr(t))
		steps = append(steps, size)
	}
	dims := l.dims
	return func(f *frame) int {
		at := base
		for i, x := range args {
			k := x(f)
			if k >= dims[i] {
				return -1
			}
			at += k * steps[i]
		}
		return at
	}
}

// gather is a function that a state variable holds, as a node.
func (c *compiler) gather(read *protocol.StateRead, terms []protocol.Term, s *protocol.Sort) expr {
	l := &c.m.vars[read.State.Index]
	at, def, primed := c.address(l, terms), c.m.fallback(s), read.Primed
	m, dims := c.m, l.dims[len(terms):]
	for x := s; x.Kind == protocol.FuncKind; x = x.Elem {
		m.class(x)
	}
	return func(f *frame) int {
		i := at(f)
		if i < 0 {
			return def
		}
		cells := f.pre.cells
		if primed {
			cells = f.post.cells
		}
		return m.collect(cells[i:], dims, s)
	}
}

// collect is the node of a function whose values are the first cells.
func (m *Machine) collect(cells []int, dims []int, s *protocol.Sort) int {
	if len(dims) == 0 {
		return cells[0]
	}
	step := 1
	for _, d := range dims[1:] {
		step *= d
	}
	kids := make([]int, dims[0])
	for i := range kids {
		kids[i] = m.collect(cells[i*step:], dims[1:], s.Elem)
	}
	return m.store.intern(m.class(s), kids)
}

// apply is a function that is not part of the state, applied to an argument.
func (c *compiler) apply(t *protocol.Apply) expr {
	fun, x, def := c.expr(t.Fun), c.expr(t.Arg), c.m.fallback(t.Sort())
	return func(f *frame) int {
		kids, i := f.store.of(fun(f)), x(f)
		if i < len(kids) {
			return kids[i]
		}
		return def
	}
}

func (c *compiler) at(t *protocol.At) expr {
	seq, x, def := c.expr(t.Seq), c.expr(t.Index), c.m.fallback(t.Sort())
	return func(f *frame) int {
		kids, i := f.store.of(seq(f)), x(f)
		if i >= 1 && i <= len(kids) {
			return kids[i-1]
		}
		return def
	}
}

func (c *compiler) selection(t *protocol.Select) expr {
	x, i := c.expr(t.X), t.Field.Index
	if s := t.X.Sort(); s.Kind == protocol.UnionKind {
		fields := make([]int, len(c.m.sys.Messages))
		for _, typ := range s.Union {
			fields[typ.ID] = typ.Field(t.Field.Name).Index
		}
		return func(f *frame) int {
			node := x(f)
			return f.store.of(node)[fields[f.store.class[node]]]
		}
	}
	if v, ok := t.X.(*protocol.Var); ok {
		slot := c.slots[v.To]
		return func(f *frame) int { return f.store.of(f.vars[slot])[i] }
	}
	return func(f *frame) int { return f.store.of(x(f))[i] }
}

func (c *compiler) unary(t *protocol.UnaryTerm) expr {
	x := c.expr(t.X)
	switch t.Op {
	case protocol.Len:
		return func(f *frame) int { return len(f.store.of(x(f))) }
	case protocol.Some:
		return func(f *frame) int { return 1 + x(f) }
	case protocol.Value:
		def := c.m.fallback(t.Of)
		return func(f *frame) int {
			if w := x(f); w > 0 {
				return w - 1
			}
			return def
		}
	case protocol.MembersOf:
		st, s := c.m.st, t.X.Sort()
		members := make([]int, st.Size(s))
		for k := range members {
			members[k] = st.Quorum(s, k)
		}
		return func(f *frame) int {
			if q := x(f); q < len(members) {
				return members[q]
			}
			return 0
		}
	case protocol.Not, protocol.IsQuorum:
	}
	panic(unhandled(t))
}

func (c *compiler) binary(t *protocol.BinaryTerm) expr {
	x, y := c.expr(t.X), c.expr(t.Y)
	switch t.Op {
	case protocol.Union:
		return func(f *frame) int { return x(f) | y(f) }
	case protocol.Intersect:
		return func(f *frame) int { return x(f) & y(f) }
	case protocol.Difference:
		return func(f *frame) int { return x(f) &^ y(f) }
	case protocol.Min:
		return func(f *frame) int { return min(x(f), y(f)) }
	case protocol.Max:
		return func(f *frame) int { return max(x(f), y(f)) }
	case protocol.Append:
		cl := c.m.class(t.Of)
		return func(f *frame) int {
			kids, e := f.store.of(x(f)), y(f)
			f.room = append(append(f.room[:0], kids...), e)
			return f.store.intern(cl, f.room)
		}
	case protocol.Truncate:
		cl := c.m.class(t.Of)
		return func(f *frame) int {
			s, n := x(f), y(f)
			kids := f.store.of(s)
			if n >= len(kids) {
				return s
			}
			return f.store.intern(cl, kids[:n])
		}
	case protocol.Extend:
		cl := c.m.class(t.Of)
		return func(f *frame) int {
			a, b := x(f), y(f)
			s, t := f.store.of(a), f.store.of(b)
			if len(t) <= len(s) {
				return a
			}
			f.room = append(append(f.room[:0], s...), t[len(s):]...)
			return f.store.intern(cl, f.room)
		}
	case protocol.Eq, protocol.Lt, protocol.Le, protocol.Implies, protocol.Iff, protocol.In, protocol.Subset:
	}
	panic(unhandled(t))
}
