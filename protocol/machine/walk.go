package machine

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Random walks from the initial state seldom get far: most of what a protocol can do at any moment is to
// begin again. Four things lead a Walker on.
//
//   - An action counts the less, the more often it was taken, in this walk and in all; steps that
//     change nothing are left out.
//   - Each walk draws a taste: some actions seldom, some often. What goes wrong may need many
//     steps of a kind that others would undo.
//   - Every other walk takes place among some of the replicas only, as if the others were cut off: what two do together is not
//     undone by a third. Replicas are the elements that index most of the state.
//   - The walker remembers the first state, or the one nearest to the initial state, of each of many sketches
//     (see sketch), and most walks go on from one of these; from those that were chosen least.

// Walker takes random walks. The same random numbers give the same walks.
type Walker struct {
	m      *Machine
	k      *Checker
	a, b   *State
	taste  []float64 // by action: how often the walk likes it
	taken  []int     // by action: in this walk
	weight []float64 // by action: see weigh
	off    []bool    // by action: known to have no step in the state where the walk is
	path   []move
	args   []int

	known   map[uint64]*landmark
	choices [][]*landmark // by action that led there
	starts  []int         // by action: how many walks began at one of these
	outline outline

	among int       // the replicas that take part in the walk, as a set
	size  int       // how many replicas there are
	part  [][]match // by action and parameter: whether an argument is among them

	Fired []int // by action: in all walks
	Steps int   // in all walks
}

// move is a state.Move with words, which lie in args from a place on.
type move struct {
	action *action
	from   int
}

// landmark is a state that walks go on from, and the way to it.
type landmark struct {
	state  *State
	path   []move
	args   []int
	visits int
}

const (
	manyNodes     = 1 << 20 // composed values that a walker keeps from one walk to the next
	manyLandmarks = 256     // behind each action
	stretch       = 24      // at most so many steps from one landmark on
)

// Walker makes a walker that tests the checker's properties at each step, none if it is nil.
func (m *Machine) Walker(k *Checker) *Walker {
	n := len(m.actions)
	w := &Walker{m: m, k: k, a: m.blank(), b: m.blank(), known: map[uint64]*landmark{}, outline: m.outline(),
		choices: make([][]*landmark, n), starts: make([]int, n),
		taste: make([]float64, n), taken: make([]int, n), weight: make([]float64, n), off: make([]bool, n), Fired: make([]int, n)}
	w.partition()
	return w
}

// partition finds the replicas, and makes what tests whether arguments are among those of a walk.
func (w *Walker) partition() {
	m := w.m
	cells := map[*protocol.Sort]int{}
	var replica *protocol.Sort
	for i, v := range m.sys.State {
		for s := v.Sort; s.Kind == protocol.FuncKind; s = s.Elem {
			if cells[s.Domain] += m.vars[i].size; s.Domain.Kind == protocol.ElementKind && (replica == nil || cells[s.Domain] > cells[replica]) {
				replica = s.Domain
			}
		}
	}
	w.part = make([][]match, len(m.actions))
	if replica == nil {
		return
	}
	w.size = m.st.Size(replica)
	for i, a := range m.actions {
		for j, p := range a.decl.Params {
			var test match
			switch {
			case p.Sort == replica:
				test = func(word int) bool { return w.among>>word&1 != 0 }
			case a.params[j].typed:
				test = w.received(replica)
			}
			w.part[i] = append(w.part[i], test)
		}
	}
}

// received tests whether all replicas that a message names in its fields are among those of the walk.
func (w *Walker) received(replica *protocol.Sort) match {
	m := w.m
	fields := make([][]int, len(m.sys.Messages))
	for _, typ := range m.sys.Messages {
		for _, f := range typ.Fields {
			if f.Sort == replica {
				fields[typ.ID] = append(fields[typ.ID], f.Index)
			}
		}
	}
	return func(node int) bool {
		kids := m.store.of(node)
		for _, f := range fields[m.store.class[node]] {
			if w.among>>kids[f]&1 == 0 {
				return false
			}
		}
		return true
	}
}

// Walk takes steps up to a depth, counted from the initial state, and returns the property that the last of them broke, if one
// did. The initial state must have been tested. It stops early if there is no step to take or ctx is done.
func (w *Walker) Walk(ctx context.Context, r *rand.Rand, depth int) *protocol.Property {
	m := w.m
	pre, post := w.a, w.b
	w.begin(r, pre)
	for n, end := 0, 8+r.IntN(stretch-8); len(w.path) < depth && n < end; n++ {
		if n&0xff == 0xff && ctx.Err() != nil {
			return nil
		}
		a := w.step(r, pre, post)
		if a == nil {
			return nil
		}
		w.record(a)
		m.noteChanges()
		if w.k != nil {
			if p := w.k.step(); p != nil {
				return p
			}
			w.k.moved()
		}
		for i, b := range m.actions {
			if w.off[i] && b.reads.meets(m.changed) {
				w.off[i] = false
			}
		}
		pre, post = post, pre
		w.remember(pre, a)
	}
	return nil
}

// begin puts the walk at its start, which is copied to s.
func (w *Walker) begin(r *rand.Rand, s *State) {
	const extreme = 6
	even := r.IntN(4) == 0
	for i := range w.taste {
		w.taste[i] = 1
		if !even {
			w.taste[i] = 1 / float64(int(1)<<r.IntN(extreme))
		}
	}
	w.among = 1<<w.size - 1
	if w.size > 1 && r.IntN(2) == 0 {
		w.among = 1 + r.IntN(w.among)
	}
	clear(w.taken)
	clear(w.off)
	for i := range w.weight {
		w.weigh(i)
	}
	if w.k != nil {
		w.k.restart()
	}
	if w.m.Nodes() > manyNodes {
		w.m.Forget()
		clear(w.known)
		clear(w.choices)
	}
	start := &landmark{state: w.m.init}
	if list := w.rare(r); list != nil {
		start = list[r.IntN(len(list))]
		for range 3 {
			if other := list[r.IntN(len(list))]; other.visits < start.visits {
				start = other
			}
		}
		start.visits++
	}
	w.path = append(w.path[:0], start.path...)
	w.args = append(w.args[:0], start.args...)
	copy(s.cells, start.state.cells)
	for i, list := range start.state.msgs {
		s.msgs[i] = append([]int(nil), list...)
	}
}

// rare is the landmarks behind some action, one that was taken seldom more likely; nil for the initial state.
func (w *Walker) rare(r *rand.Rand) []*landmark {
	if r.IntN(8) == 0 {
		return nil
	}
	total, pick := 0.0, -1
	for i, list := range w.choices {
		if len(list) == 0 {
			continue
		}
		x := 1 / float64(1+w.Fired[i]/16+w.starts[i])
		total += x
		if r.Float64()*total < x {
			pick = i
		}
	}
	if pick < 0 {
		return nil
	}
	w.starts[pick]++
	return w.choices[pick]
}

// remember makes the state behind a step a landmark if it is the first with its sketch, or nearer than that.
func (w *Walker) remember(s *State, a *action) {
	key := w.m.sketch(&w.outline, s, a)
	old := w.known[key]
	switch {
	case old == nil && len(w.choices[a.decl.Index]) >= manyLandmarks:
		return
	case old == nil:
		old = &landmark{}
		w.known[key] = old
		w.choices[a.decl.Index] = append(w.choices[a.decl.Index], old)
	default:
		old.visits++
		if len(old.path) <= len(w.path) {
			return
		}
	}
	old.state, old.path, old.args = s.Clone(), slices.Clone(w.path), slices.Clone(w.args)
}

// outline says what a sketch looks at.
type outline struct {
	kinds []int    // cells of enumerations
	vars  []layout // other state variables that are no ghosts
	rest  []int    // words of their cells that count for nothing
}

func (m *Machine) outline() outline {
	var o outline
	for i, v := range m.sys.State {
		l := m.vars[i]
		switch {
		case v.Ghost:
		case l.leaf.Kind == protocol.EnumKind:
			for at := range l.size {
				o.kinds = append(o.kinds, l.base+at)
			}
		default:
			o.vars = append(o.vars, l)
			o.rest = append(o.rest, m.fallback(l.leaf))
		}
	}
	return o
}

// sketch is a hash of little of a state and the action that led to it: which constants of enumerations occur, and which real state variables do
// not have their default everywhere.
func (m *Machine) sketch(o *outline, s *State, a *action) uint64 {
	kinds, vars := uint64(0), uint64(0)
	for _, at := range o.kinds {
		kinds |= 1 << (s.cells[at] & 63)
	}
	for i, l := range o.vars {
		for _, w := range s.cells[l.base : l.base+l.size] {
			if w != o.rest[i] {
				vars |= 1 << (i & 63)
				break
			}
		}
	}
	return mix(mix(kinds, vars), uint64(a.decl.Index))
}

// step takes a random step that changes something, and returns its action, or nil if there is none.
func (w *Walker) step(r *rand.Rand, pre, post *State) *action {
	var room [64]float64
	ws := append(room[:0], w.weight...)
	for i, off := range w.off {
		if off {
			ws[i] = 0
		}
	}
	for {
		total := 0.0
		for _, x := range ws {
			total += x
		}
		at := r.Float64() * total
		pick := -1
		for i, x := range ws {
			if x == 0 {
				continue
			}
			pick = i
			if at -= x; at < 0 {
				break
			}
		}
		if pick < 0 {
			return nil
		}
		a := w.m.actions[pick]
		found := false
		w.m.walking(a, pre, post, r.IntN, w.part[pick])(func() bool {
			found = len(w.m.frame.written) > 0 || len(w.m.frame.sent) > 0
			return !found
		})
		if found {
			return a
		}
		w.off[pick] = true
		ws[pick] = 0
	}
}

// weigh finds out how likely an action is, among those that have a step.
func (w *Walker) weigh(i int) {
	w.weight[i] = w.taste[i] / float64(1+w.taken[i]) / float64(10+w.Fired[i])
}

func (w *Walker) record(a *action) {
	w.Steps++
	w.Fired[a.decl.Index]++
	w.taken[a.decl.Index]++
	w.weigh(a.decl.Index)
	w.path = append(w.path, move{a, len(w.args)})
	for _, p := range a.params {
		w.args = append(w.args, w.m.frame.vars[p.slot])
	}
}

// Moves is the last walk, from the initial state on.
func (w *Walker) Moves() []state.Move {
	out := make([]state.Move, len(w.path))
	for i, mv := range w.path {
		words := w.args[mv.from : mv.from+len(mv.action.params)]
		out[i] = state.Move{Action: mv.action.decl, Args: w.m.Args(mv.action.decl, words)}
	}
	return out
}
