package machine

import (
	"context"
	"math/rand/v2"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Move is an action with its arguments.
type Move struct {
	Action *protocol.Action
	Args   []state.Value
}

// Walker takes random walks from the initial state. A walk draws a taste first: some actions
// seldom, some often, since what goes wrong needs many steps of a kind that others would undo. In the walk, an action counts the
// less, the more often it was taken.
type Walker struct {
	m     *Machine
	k     *Checker
	a, b  *State
	taste []float64 // by action: how often the walk likes it
	taken []int     // by action: in this walk
	off   []bool    // by action: known to have no step in the state where the walk is
	Fired []int     // by action: in all walks
	Steps int       // in all walks
	path  []move
	args  []int
}

// move is a Move with words, which lie in Walker.args.
type move struct {
	action *action
	from   int
}

// manyNodes is how many composed values a walker keeps from one walk to the next.
const manyNodes = 1 << 20

// Walker makes a walker that tests the checker's properties at each step, none if it is nil.
func (m *Machine) Walker(k *Checker) *Walker {
	n := len(m.actions)
	return &Walker{m: m, k: k, a: m.blank(), b: m.blank(),
		taste: make([]float64, n), taken: make([]int, n), off: make([]bool, n), Fired: make([]int, n)}
}

// Walk takes at most depth steps and returns the property that the last of them broke, if one did. The initial state
// must have been tested. It stops early if there is no step to take or ctx is done.
func (w *Walker) Walk(ctx context.Context, r *rand.Rand, depth int) *protocol.Property {
	m := w.m
	if m.Nodes() > manyNodes {
		m.Forget()
	}
	w.begin(r)
	pre, post := w.a, w.b
	copy(pre.cells, m.init.cells)
	for i, list := range m.init.msgs {
		pre.msgs[i] = append(pre.msgs[i][:0:0], list...)
	}
	for n := range depth {
		if n&0xfff == 0xfff && ctx.Err() != nil {
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
	}
	return nil
}

func (w *Walker) begin(r *rand.Rand) {
	const extreme = 6
	even := r.IntN(4) == 0
	for i := range w.taste {
		w.taste[i] = 1
		if !even {
			w.taste[i] = 1 / float64(int(1)<<r.IntN(extreme))
		}
	}
	clear(w.taken)
	clear(w.off)
	w.path, w.args = w.path[:0], w.args[:0]
	if w.k != nil {
		w.k.restart()
	}
}

// step takes a random step, and returns its action, or nil if there is none.
func (w *Walker) step(r *rand.Rand, pre, post *State) *action {
	var weight [64]float64
	ws := weight[:0]
	total := 0.0
	for i, t := range w.taste {
		x := 0.0
		if !w.off[i] {
			x = t / float64(1+w.taken[i])
		}
		ws = append(ws, x)
		total += x
	}
	for total > 1e-9 {
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
		w.m.steps(a, pre, post, r.IntN)(func() bool {
			found = true
			return false
		})
		if found {
			return a
		}
		w.off[pick] = true
		total -= ws[pick]
		ws[pick] = 0
	}
	return nil
}

func (w *Walker) record(a *action) {
	w.Steps++
	w.Fired[a.decl.Index]++
	w.taken[a.decl.Index]++
	w.path = append(w.path, move{a, len(w.args)})
	for _, p := range a.params {
		w.args = append(w.args, w.m.frame.vars[p.slot])
	}
}

// Moves is the last walk.
func (w *Walker) Moves() []Move {
	out := make([]Move, len(w.path))
	for i, mv := range w.path {
		words := w.args[mv.from : mv.from+len(mv.action.params)]
		out[i] = Move{mv.action.decl, w.m.Args(mv.action.decl, words)}
	}
	return out
}
