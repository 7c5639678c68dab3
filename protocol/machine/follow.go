package machine

import (
	"math"
	"slices"

	"github.com/speckl/kraftprove/protocol/state"
)

// Follow does what moves say, from the initial state, as far as it can: where the arguments of a move do not
// fit, it takes the step of the same action whose arguments are nearest, and where there is none, it goes on with the
// next move. It stops where a property of k breaks, and returns what it has done and whether one broke.
func (m *Machine) Follow(moves []state.Move, k *Checker) (done []state.Move, broken bool) {
	pre, post := m.init.Clone(), m.blank()
	k.restart()
	if k.state(pre) != nil {
		return nil, true
	}
	var want []int
	for _, mv := range moves {
		a := m.actions[mv.Action.Index]
		want = want[:0]
		for i, p := range mv.Action.Params {
			want = append(want, m.word(p.Sort, mv.Args[i]))
		}
		best, least := []int(nil), math.MaxInt
		for range m.steps(a, pre, post, nil) {
			if d := m.distance(a, want); d < least {
				best, least = m.args(a), d
			}
			if least == 0 {
				break
			}
		}
		if best == nil {
			continue
		}
		m.redo(a, best, pre, post)
		done = append(done, m.taken(a))
		m.noteChanges()
		if k.step() != nil {
			return done, true
		}
		k.moved()
		pre, post = post.Clone(), m.blank()
	}
	return done, false
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

// Shrink makes a run that breaks a property of k shorter, as long as some part of it can be left out and the rest
// followed. The result breaks one of these properties with its last step.
func (m *Machine) Shrink(moves []state.Move, k *Checker) []state.Move {
	best := moves
	for size := max(1, len(best)/2); ; {
		shorter := false
		for from := 0; from < len(best); {
			without := slices.Concat(best[:from], best[min(len(best), from+size):])
			if done, broken := m.Follow(without, k); broken && len(done) < len(best) {
				best, shorter = done, true
			} else {
				from += size
			}
			if m.Nodes() > manyNodes {
				m.Forget()
			}
		}
		switch {
		case shorter && size > 1:
			size = max(1, min(size, len(best)/2))
		case shorter:
		case size == 1:
			return best
		default:
			size /= 2
		}
	}
}
