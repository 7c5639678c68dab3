package machine

import (
	"context"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Explorer visits all states that can be reached in the scope, breadth first, each one once: states that are
// alike (see symmetry) count as one. States are told apart by 64-bit fingerprints.
//
// What it stops at, it can go on from: the counts are those of one run.
type Explorer struct {
	m    *Machine
	k    *Checker
	sym  *symmetry
	a, b *State

	seen  fingerprints
	trail trail // the states in the order in which they were found
	queue queue // those that are not expanded yet

	next      int   // position in the trail of the state to expand next
	levels    []int // how many states are known at each depth
	depthAt   int   // depth of the state to expand next
	levelEnd  int   // position in the trail behind the last state of that depth
	generated int
	cut       int // steps that leave the scope
	fired     []int
	found     []int // by action: new states
	started   bool
	recent    []uint64 // raw fingerprints of states that were seen lately
	violation *Violation
}

// Violation is a property and the run that breaks it with its last step; without steps, the initial
// state does.
type Violation struct {
	Property *protocol.Property
	Moves    []state.Move
}

// ExploreStats is how far an exploration has come.
type ExploreStats struct {
	Generated int   // states, the initial one and repeated ones included
	Distinct  int   // of them, up to symmetry
	Queue     int   // distinct states that are not expanded yet
	Levels    []int // distinct states by depth
	Cut       int   // steps that were left out because they leave the scope
	Bytes     int   // of memory that the exploration holds
	Steps     []int // by action
	New       []int // by action: distinct states that a step of it found first
}

// Limits end an exploration early; 0 is no limit.
type Limits struct {
	States int // distinct
	Depth  int // steps from the initial state
	Bytes  int // of memory
}

// Outcome says why an exploration stopped.
type Outcome uint8

// The outcomes of an exploration.
const (
	Exhausted Outcome = iota // every state within the scope was visited
	Violated
	StateLimit
	DepthLimit
	MemoryLimit
	Stopped // the context was done
)

// recentSize is how many raw fingerprints are kept.
const recentSize = 1 << 16

// Explorer makes an explorer that tests the properties of k, none if it is nil. With symmetric
// sorts, states count up to renaming of their elements.
func (m *Machine) Explorer(k *Checker, symmetric map[*protocol.Sort]bool) *Explorer {
	return &Explorer{
		m: m, k: k, sym: newSymmetry(m, symmetric), a: m.blank(), b: m.blank(),
		fired: make([]int, len(m.actions)), found: make([]int, len(m.actions)),
		recent: make([]uint64, recentSize), seen: newFingerprints(),
	}
}

// Run explores until everything is visited, a property is broken, a limit is reached, or ctx is done.
func (x *Explorer) Run(ctx context.Context, l Limits) Outcome {
	if x.m.init == nil {
		return Exhausted
	}
	if !x.started {
		x.begin()
	}
	if x.violation != nil {
		return Violated
	}
	for n := 0; ; n++ {
		switch {
		case x.queue.count == 0:
			return Exhausted
		case l.States > 0 && len(x.trail.parents) >= l.States:
			return StateLimit
		case n&0xff == 0 && ctx.Err() != nil:
			return Stopped
		case n&0xff == 0 && l.Bytes > 0 && x.bytes() > l.Bytes:
			return MemoryLimit
		}
		if x.next == x.levelEnd {
			x.depthAt++
			x.levelEnd = len(x.trail.parents)
		}
		if l.Depth > 0 && x.depthAt >= l.Depth {
			return DepthLimit
		}
		x.queue.pop(x.m, x.a)
		cut := x.m.cut
		x.expand(x.next)
		x.cut += x.m.cut - cut
		if x.violation != nil {
			return Violated
		}
		x.next++
	}
}

func (x *Explorer) begin() {
	x.started = true
	x.generated, x.levelEnd = 1, 1
	x.levels = []int{1}
	fp := x.sym.fingerprint(x.m.init)
	x.seen.add(fp)
	x.trail.add(fp, 0)
	x.queue.push(x.m, x.m.init)
	if x.k != nil {
		if p := x.k.state(x.m.init); p != nil {
			x.violation = &Violation{Property: p}
		}
	}
}

// expand takes all steps from the state in x.a, which has the position at in the trail.
func (x *Explorer) expand(at int) {
	m := x.m
	raw := x.sym.raw(x.a)
	if x.k != nil {
		x.k.restart()
	}
	for i, a := range m.actions {
		for range m.steps(a, x.a, x.b, nil) {
			x.generated++
			x.fired[i]++
			if x.k != nil {
				m.noteChanges()
				if p := x.k.twoState(); p != nil {
					x.violate(at, p, 0)
					return
				}
			}
			child := raw + x.difference()
			slot := &x.recent[child%recentSize]
			if *slot == child {
				continue
			}
			*slot = child
			fp := x.sym.fingerprint(x.b)
			if !x.seen.add(fp) {
				continue
			}
			x.found[i]++
			x.trail.add(fp, at)
			if len(x.levels) == x.depthAt+1 {
				x.levels = append(x.levels, 0)
			}
			x.levels[x.depthAt+1]++
			x.queue.push(m, x.b)
			if x.k != nil {
				if p := x.k.oneState(); p != nil {
					x.violate(at, p, fp)
					return
				}
			}
		}
	}
}

// difference is what the step in the frame adds to the raw fingerprint.
func (x *Explorer) difference() uint64 {
	var sum uint64
	f := x.m.frame
	for _, at := range f.written {
		sum += x.sym.cell(at, f.post.cells[at]) - x.sym.cell(at, f.pre.cells[at])
	}
	for _, m := range f.sent {
		sum += x.sym.message(m.typ, m.node)
	}
	return sum
}

// violate finds the way to a state, and a step from it that breaks the property; fp is the fingerprint
// of the state behind that step, 0 for any.
func (x *Explorer) violate(at int, p *protocol.Property, fp uint64) {
	var way []uint64
	for ; at != 0; at = int(x.trail.parents[at]) {
		way = append(way, x.trail.fps[at])
	}
	v := &Violation{Property: p}
	s, t := x.m.init.Clone(), x.m.blank()
	for i := len(way) - 1; i >= 0; i-- {
		v.Moves = append(v.Moves, x.move(s, t, func() bool { return x.sym.fingerprint(t) == way[i] }))
		s = t.Clone()
	}
	own := x.m.Checker([]*protocol.Property{p})
	v.Moves = append(v.Moves, x.move(s, t, func() bool {
		x.m.noteChanges()
		own.restart()
		return (fp == 0 || x.sym.fingerprint(t) == fp) && own.step() != nil
	}))
	x.violation = v
}

// move is the first step from s for which want holds of the step in the frame.
func (x *Explorer) move(s, t *State, want func() bool) state.Move {
	for _, a := range x.m.actions {
		for range x.m.steps(a, s, t, nil) {
			if want() {
				return x.m.taken(a)
			}
		}
	}
	panic("a state of the trail cannot be reached again")
}

// Violation is what Run found; nil if it found nothing.
func (x *Explorer) Violation() *Violation { return x.violation }

// Stats says how far the exploration has come.
func (x *Explorer) Stats() ExploreStats {
	return ExploreStats{
		Generated: x.generated,
		Distinct:  len(x.trail.parents),
		Queue:     x.queue.count,
		Levels:    x.levels,
		Cut:       x.cut,
		Bytes:     x.bytes(),
		Steps:     x.fired,
		New:       x.found,
	}
}

// bytes is the memory that grows with the number of states.
func (x *Explorer) bytes() int {
	s := &x.m.store
	store := 8*(cap(s.kids)+cap(s.end)+cap(s.class)+cap(s.hash)) + cap(s.bad) + 4*cap(s.table)
	return store + 8*cap(x.seen.table) + 8*cap(x.trail.fps) + 4*cap(x.trail.parents) + x.queue.bytes +
		8*(cap(x.sym.abstract)+cap(x.sym.stands))
}

// trail has for each state its fingerprint and the position of the state that it was found from.
type trail struct {
	fps     []uint64
	parents []uint32
}

func (t *trail) add(fp uint64, parent int) {
	t.fps = append(t.fps, fp)
	t.parents = append(t.parents, uint32(parent))
}

// fingerprints is a set; 0 is not told from 1.
type fingerprints struct {
	table []uint64
	count int
}

func newFingerprints() fingerprints { return fingerprints{table: make([]uint64, 1<<12)} }

// add reports whether fp is new.
func (s *fingerprints) add(fp uint64) bool {
	if fp == 0 {
		fp = 1
	}
	mask := uint64(len(s.table) - 1)
	at := fp & mask
	for ; s.table[at] != 0; at = (at + 1) & mask {
		if s.table[at] == fp {
			return false
		}
	}
	s.table[at] = fp
	s.count++
	if s.count*3 > len(s.table)*2 {
		s.grow()
	}
	return true
}

func (s *fingerprints) grow() {
	old := s.table
	s.table = make([]uint64, 2*len(old))
	mask := uint64(len(s.table) - 1)
	for _, fp := range old {
		if fp == 0 {
			continue
		}
		at := fp & mask
		for s.table[at] != 0 {
			at = (at + 1) & mask
		}
		s.table[at] = fp
	}
}
