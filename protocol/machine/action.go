package machine

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// action is a compiled action. Its parameters and lets have fixed slots; what it
// tests is sorted by the parameters that it needs, so that a guard cuts off all
// values of the parameters after those.
type action struct {
	decl   *protocol.Action
	params []param
	stages [][]op // by how many parameters are bound
	writes []func(f *frame) bool
	sends  []func(f *frame) bool
	reads  mask // all that decides whether it has a step in the scope
}

// param is a parameter: a slot, and what it ranges over.
type param struct {
	slot  int
	size  int // of a scalar sort
	types []int
	typed bool // over the messages sent of the types
}

// op is a let or a guard.
type op struct {
	slot int
	let  expr
	test cond
}

func (c *compiler) action(a *protocol.Action) *action {
	out := &action{decl: a, stages: make([][]op, len(a.Params)+1), reads: c.m.mask()}
	stage := map[*protocol.Binding]int{}
	var bound []*protocol.Binding
	for i, p := range a.Params {
		bound = append(bound, p.Binding)
		stage[p.Binding] = i + 1
		c.m.noteMessages(p.Sort, out.reads)
	}
	for _, s := range a.Body {
		if let, ok := s.(*protocol.Let); ok {
			bound = append(bound, let.Var)
		}
	}
	first, release := c.bind(bound...)
	defer release()
	for i, p := range a.Params {
		out.params = append(out.params, c.param(first+i, p))
	}
	lets := first + len(a.Params)
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			c.m.noteReads(s.X, out.reads)
			d := need(s.X, stage)
			stage[s.Var] = d
			out.stages[d] = append(out.stages[d], op{slot: lets, let: c.expr(s.X)})
			lets++
		case *protocol.Guard:
			c.m.noteReads(s.Cond, out.reads)
			for _, p := range conjuncts(s.Cond) {
				d := need(p, stage)
				out.stages[d] = append(out.stages[d], op{test: c.cond(p)})
			}
		case *protocol.Update:
			c.m.noteReads(s.Value, out.reads)
			for _, x := range s.Path {
				c.m.noteReads(x, out.reads)
			}
			out.writes = append(out.writes, c.update(s))
		case *protocol.Send:
			c.m.noteReads(s.Message, out.reads)
			if s.Cond != nil {
				c.m.noteReads(s.Cond, out.reads)
			}
			out.sends = append(out.sends, c.send(s))
		default:
			panic(unhandled(s))
		}
	}
	return out
}

// need is how many parameters must be bound before t has a value; variables that are bound inside it
// need none.
func need(t protocol.Term, stage map[*protocol.Binding]int) int {
	if v, ok := t.(*protocol.Var); ok {
		return stage[v.To]
	}
	d := 0
	for sub := range protocol.Children(t) {
		d = max(d, need(sub, stage))
	}
	return d
}

func (c *compiler) param(slot int, p *protocol.Param) param {
	switch p.Sort.Kind {
	case protocol.MessageKind:
		return param{slot: slot, typed: true, types: []int{p.Sort.ID}}
	case protocol.UnionKind:
		out := param{slot: slot, typed: true}
		for _, typ := range p.Sort.Union {
			out.types = append(out.types, typ.ID)
		}
		return out
	default:
		return param{slot: slot, size: c.m.st.Size(p.Sort)}
	}
}

// update compiles an update; the closure is false if the step leaves the scope.
func (c *compiler) update(u *protocol.Update) func(f *frame) bool {
	l := &c.m.vars[u.State.Index]
	at := c.address(l, u.Path)
	put := c.assign(u.Value, l.dims[len(u.Path):], l)
	return func(f *frame) bool {
		i := at(f)
		return i >= 0 && put(f, i)
	}
}

// assign compiles writing a value to the cells from a place on; a function with dims as the sizes of its arguments.
func (c *compiler) assign(t protocol.Term, dims []int, l *layout) func(f *frame, at int) bool {
	if len(dims) == 0 {
		x, shape := c.expr(t), l.shape
		if shape.kind == scalar {
			size := shape.size
			return func(f *frame, at int) bool {
				w := x(f)
				f.write(at, w)
				return w < size
			}
		}
		return func(f *frame, at int) bool {
			w := x(f)
			f.write(at, w)
			return f.store.fits(shape, w)
		}
	}
	step := 1
	for _, d := range dims[1:] {
		step *= d
	}
	switch t := t.(type) {
	case *protocol.FuncTerm:
		slot, release := c.bind(t.Var)
		defer release()
		put, n := c.assign(t.Body, dims[1:], l), dims[0]
		return func(f *frame, at int) bool {
			for k := range n {
				f.vars[slot] = k
				if !put(f, at+k*step) {
					return false
				}
			}
			return true
		}
	case *protocol.Ite:
		p, yes, no := c.cond(t.Cond), c.assign(t.Then, dims, l), c.assign(t.Else, dims, l)
		return func(f *frame, at int) bool {
			if p(f) {
				return yes(f, at)
			}
			return no(f, at)
		}
	default:
	}
	x, shape := c.expr(t), l.shape
	var spread func(f *frame, at, node int, dims []int) bool
	spread = func(f *frame, at, word int, dims []int) bool {
		if len(dims) == 0 {
			f.write(at, word)
			return f.store.fits(shape, word)
		}
		step := 1
		for _, d := range dims[1:] {
			step *= d
		}
		for k, w := range f.store.of(word) {
			if !spread(f, at+k*step, w, dims[1:]) {
				return false
			}
		}
		return true
	}
	return func(f *frame, at int) bool { return spread(f, at, x(f), dims) }
}

// write sets a cell of the post-state.
func (f *frame) write(at, word int) {
	if f.post.cells[at] != word {
		f.post.cells[at] = word
		f.written = append(f.written, at)
	}
}

// send compiles a send; the closure is false if the step leaves the scope.
func (c *compiler) send(s *protocol.Send) func(f *frame) bool {
	msg := c.expr(s.Message)
	var when cond
	if s.Cond != nil {
		when = c.cond(s.Cond)
	}
	typ := s.Message.Of.ID
	return func(f *frame) bool {
		if when != nil && !when(f) {
			return true
		}
		w := msg(f)
		if f.store.bad[w] {
			return false
		}
		for _, have := range f.post.msgs[typ] {
			if have == w {
				return true
			}
		}
		f.post.msgs[typ] = append(f.post.msgs[typ], w)
		f.sent = append(f.sent, sent{typ, w})
		return true
	}
}

// inOrder takes the values of a parameter in their order.
func inOrder(int) int { return 0 }

// steps yields each enabled step of an action from pre that stays in the scope, in the order of its
// arguments; start says with which of n values of a parameter to begin (nil: the first). The
// post-state is in post, the arguments are in the frame; both are overwritten by the next step. Post takes
// over the message lists of pre and adds to their ends, so that of all that was made from pre one list may be kept.
func (m *Machine) steps(a *action, pre, post *State, start func(n int) int) func(yield func() bool) {
	if start == nil {
		start = inOrder
	}
	return func(yield func() bool) {
		m.enumerate(&enumeration{a: a, start: start, yield: yield}, pre, post)
	}
}

// walking is steps of which the arguments match.
func (m *Machine) walking(a *action, pre, post *State, start func(n int) int, args []match) func(yield func() bool) {
	return func(yield func() bool) {
		m.enumerate(&enumeration{a: a, start: start, args: args, yield: yield}, pre, post)
	}
}

// matching is steps in order, of which the arguments match.
func (m *Machine) matching(a *action, pre, post *State, args []match) func(yield func() bool) {
	return func(yield func() bool) {
		m.enumerate(&enumeration{a: a, start: inOrder, args: args, yield: yield}, pre, post)
	}
}

func (m *Machine) enumerate(e *enumeration, pre, post *State) {
	m.frame.pre, m.frame.post = pre, post
	m.frame.step = e.a.decl.Index
	e.m, e.f = m, m.frame
	e.from(0)
}

// enumeration is the binding of an action's parameters in progress.
type enumeration struct {
	m     *Machine
	f     *frame
	a     *action
	start func(int) int
	args  []match // by parameter, nil: any; fewer, or none: any
	yield func() bool
}

// from yields the steps with the first d parameters bound, and reports whether
// the caller wants more.
func (e *enumeration) from(d int) bool {
	f := e.f
	for i := range e.a.stages[d] {
		switch o := &e.a.stages[d][i]; {
		case o.test == nil:
			f.vars[o.slot] = o.let(f)
		case !o.test(f):
			return true
		}
	}
	if d == len(e.a.params) {
		return !e.effects() || e.yield()
	}
	p := &e.a.params[d]
	if !p.typed {
		at := e.start(p.size)
		for range p.size {
			f.vars[p.slot] = at
			if e.matches(d, at) && !e.from(d+1) {
				return false
			}
			if at++; at == p.size {
				at = 0
			}
		}
		return true
	}
	n := 0
	for _, typ := range p.types {
		n += len(f.pre.msgs[typ])
	}
	if n == 0 {
		return true
	}
	at := e.start(n)
	for range n {
		w := message(f.pre, p.types, at)
		f.vars[p.slot] = w
		if e.matches(d, w) && !e.from(d+1) {
			return false
		}
		if at++; at == n {
			at = 0
		}
	}
	return true
}

func (e *enumeration) matches(d, word int) bool {
	return d >= len(e.args) || e.args[d] == nil || e.args[d](word)
}

// message is the k-th message of the types, which has so many.
func message(s *State, types []int, k int) int {
	for _, typ := range types {
		list := s.msgs[typ]
		if k < len(list) {
			return list[k]
		}
		k -= len(list)
	}
	panic("no such message")
}

// effects makes the post-state, and reports whether it lies in the scope.
func (e *enumeration) effects() bool {
	f := e.f
	copy(f.post.cells, f.pre.cells)
	copy(f.post.msgs, f.pre.msgs)
	f.written, f.sent = f.written[:0], f.sent[:0]
	for _, w := range e.a.writes {
		if !w(f) {
			e.m.cut++
			return false
		}
	}
	for _, s := range e.a.sends {
		if !s(f) {
			e.m.cut++
			return false
		}
	}
	return true
}

// args copies the arguments of the step in the frame.
func (m *Machine) args(a *action) []int {
	out := make([]int, len(a.params))
	for i, p := range a.params {
		out[i] = m.frame.vars[p.slot]
	}
	return out
}

// taken is the step in the frame as plain data.
func (m *Machine) taken(a *action) state.Move {
	return state.Move{Action: a.decl, Args: m.Args(a.decl, m.args(a))}
}
