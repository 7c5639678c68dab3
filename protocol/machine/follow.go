package machine

import (
	"math"
	"slices"

	"github.com/speckl/kraftprove/protocol/state"
)

// A run gets shorter by leaving steps out and following the rest as far as that goes. The rest does not fit as it
// is: without a request, later requests have other numbers. So a message that a step receives is remembered as that which some
// other step has sent, and is what this one sends now.

// followed is a step to be followed.
type followed struct {
	id     int // position in the run that steps are left out of
	action *action
	args   []int
	sender []origin // by argument: who sent the message
}

// origin is a message as the k-th that a step adds to those sent.
type origin struct{ step, k int }

// nobody sent the message, or the argument is none.
var nobody = origin{-1, 0}

// track is a run, which the machine can take, as steps to be followed.
func (m *Machine) track(moves []state.Move) []followed {
	pre, post := m.init.Clone(), m.blank()
	sender := map[sent]origin{}
	var out []followed
	for i, mv := range moves {
		a := m.actions[mv.Action.Index]
		f := followed{id: i, action: a}
		for j, p := range mv.Action.Params {
			w := m.word(p.Sort, mv.Args[j])
			from := nobody
			if a.params[j].typed {
				if o, ok := sender[sent{m.store.class[w], w}]; ok {
					from = o
				}
			}
			f.args, f.sender = append(f.args, w), append(f.sender, from)
		}
		m.redo(a, f.args, pre, post)
		for k, s := range m.frame.sent {
			sender[s] = origin{i, k}
		}
		out = append(out, f)
		pre, post = post.Clone(), m.blank()
	}
	return out
}

// follow takes the steps that it can, from the initial state: where the arguments of one do not
// fit, it takes the step of the same action whose arguments are nearest, and where there is none, it goes on with the
// next. It stops where a property of k breaks, and returns what it has done and whether one broke.
func (m *Machine) follow(steps []followed, k *Checker) (done []state.Move, broken bool) {
	pre, post := m.init.Clone(), m.blank()
	k.restart()
	if k.state(pre) != nil {
		return nil, true
	}
	sends := map[origin]int{}
	for _, f := range steps {
		want := slices.Clone(f.args)
		for j, o := range f.sender {
			if w, ok := sends[o]; ok {
				want[j] = w
			}
		}
		best := m.nearest(f.action, want, pre, post)
		if best == nil {
			continue
		}
		m.redo(f.action, best, pre, post)
		for i, s := range m.frame.sent {
			sends[origin{f.id, i}] = s.node
		}
		done = append(done, m.taken(f.action))
		m.noteChanges()
		if k.step() != nil {
			return done, true
		}
		k.moved()
		pre, post = post.Clone(), m.blank()
	}
	return done, false
}

// nearest is the arguments of a possible step that differ least from those wanted; nil if no step is possible.
func (m *Machine) nearest(a *action, want []int, pre, post *State) []int {
	best, least := []int(nil), math.MaxInt
	m.steps(a, pre, post, nil)(func() bool {
		if d := m.distance(a, want); d < least {
			best, least = m.args(a), d
		}
		return least > 0
	})
	return best
}

// redo takes a step that is known to be possible.
func (m *Machine) redo(a *action, args []int, pre, post *State) {
	for range m.steps(a, pre, post, nil) {
		if m.distance(a, args) == 0 {
			return
		}
	}
	panic("a step is not possible that was")
}

// distance says how different the arguments of the step in the frame are from others: a message counts by its
// fields.
func (m *Machine) distance(a *action, want []int) int {
	const whole = 100
	d := 0
	for i, p := range a.params {
		have := m.frame.vars[p.slot]
		switch {
		case have == want[i]:
		case !p.typed:
			d += whole
		case m.store.class[have] != m.store.class[want[i]]:
			d += 4 * whole
		default:
			x, y := m.store.of(have), m.store.of(want[i])
			for j := range x {
				if x[j] != y[j] {
					d++
				}
			}
		}
	}
	return d
}

// Shrink makes a run that breaks a property of k with its last step shorter, as long as some part of it can be left out and
// the rest followed: pieces, in the end single steps, and pairs of steps. The result breaks one of these properties with its last step.
func (m *Machine) Shrink(moves []state.Move, k *Checker) []state.Move {
	const few = 100 // steps of which all pairs are tried
	s := &shrinking{m: m, k: k, moves: moves, best: m.track(moves)}
	for size := max(1, len(s.best)/2); ; {
		shorter := false
		for from := 0; from < len(s.best); {
			if s.without(from, min(len(s.best), from+size), len(s.best)) {
				shorter = true
			} else {
				from += size
			}
		}
		switch {
		case shorter:
			size = max(1, min(size, len(s.best)/2))
		case size > 1:
			size /= 2
		case len(s.best) > few || !s.pair():
			return s.moves
		}
	}
}

// shrinking is a run that gets shorter.
type shrinking struct {
	m     *Machine
	k     *Checker
	moves []state.Move
	best  []followed // moves
}

// without leaves out the steps from one to another, and one more (the length of the run for none), if what is left
// still breaks a property.
func (s *shrinking) without(from, to, other int) bool {
	rest := slices.Concat(s.best[:from], s.best[to:min(other, len(s.best))])
	if other < len(s.best) {
		rest = append(rest, s.best[other+1:]...)
	}
	done, broken := s.m.follow(rest, s.k)
	if !broken || len(done) >= len(s.best) {
		return false
	}
	if s.m.Nodes() > manyNodes {
		s.m.Forget()
	}
	s.moves, s.best = done, s.m.track(done)
	return true
}

// pair leaves out two steps, if it can.
func (s *shrinking) pair() bool {
	for i := range s.best {
		for j := i + 1; j < len(s.best); j++ {
			if s.without(i, i+1, j) {
				return true
			}
		}
	}
	return false
}
