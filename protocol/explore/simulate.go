// Package explore looks for executions of a protocol: by random walks, by visiting every state of a scope, and by
// filling the holes of a scenario. Package machine takes the steps; every run that is returned was performed by
// package semantics, which shares no code with it.
package explore

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// Violation is a run that breaks a property with its last step; a run without steps, in its initial state.
type Violation struct {
	Property *protocol.Property
	Run      *state.Run
}

// confirm performs moves with the evaluator and tests that they break the property just at their end. It panics
// if they do not: machine and evaluator disagree, so one of them is wrong.
func confirm(st *state.Structure, p *protocol.Property, moves []state.Move) *Violation {
	e := semantics.NewEvaluator(st)
	run, err := e.Perform(moves)
	if err != nil {
		panic(fmt.Sprintf("the evaluator cannot perform a run of %d steps that the machine took: %v", len(moves), err))
	}
	if at := e.FirstBroken(p, run); at != len(moves) {
		panic(fmt.Sprintf("the machine breaks %s by step %d, the evaluator says %d", p.ID, len(moves), at))
	}
	return &Violation{p, run}
}

// SimulateOptions say how to walk.
type SimulateOptions struct {
	Properties []*protocol.Property // tested at each step
	Seed       uint64
	Depth      int                    // most steps from the initial state; at least 1
	Walks      int                    // how many; 0: until ctx is done
	Workers    int                    // at least 1; walk n belongs to worker n modulo this, whose walks build on one another
	Whole      bool                   // leave a violating run as it was found
	Vary       bool                   // every other walk of a worker takes place in smaller sizes: see smaller
	Progress   func(walks, steps int) // called now and then; may be nil
}

// Simulation is what random walks saw. Equal options give equal results if it ends by itself.
type Simulation struct {
	Walks, Steps int
	Fired        []int // steps by action
	Violation    *Violation
	Walk         int // the number of the walk that broke the property, from 1
	Found        int // steps of its run as it was found
	Elapsed      time.Duration
	Interrupted  bool // ctx was done before all walks were
}

// Simulate takes random walks until one breaks a property. Then the other workers finish the walks with smaller numbers, so
// that it is the first one whatever their speed.
func Simulate(ctx context.Context, st *state.Structure, o SimulateOptions) *Simulation {
	start := time.Now()
	s := &simulation{sizes: []*state.Structure{st}, o: o, best: -1}
	if o.Vary {
		if small := smaller(st); small != nil {
			s.sizes = append(s.sizes, small)
		}
	}
	out := &Simulation{Fired: make([]int, len(st.System.Actions))}
	if broken := s.initial(st); broken != nil {
		out.Violation, out.Elapsed = broken, time.Since(start)
		return out
	}
	var wg sync.WaitGroup
	walkers := make([][]*machine.Walker, o.Workers)
	for i := range o.Workers {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					s.panicked.CompareAndSwap(nil, fmt.Sprintf("%v\n%s", v, debug.Stack()))
				}
			}()
			walkers[i] = s.work(ctx, i)
		})
	}
	wg.Wait()
	if v := s.panicked.Load(); v != nil {
		panic(v) // to whoever deals with our errors, which are not seen in another goroutine
	}
	out.Walks = int(s.walks.Load())
	for _, w := range slices.Concat(walkers...) {
		out.Steps += w.Steps
		for i, n := range w.Fired {
			out.Fired[i] += n
		}
	}
	if s.best >= 0 {
		out.Walk, out.Found = s.best+1, len(s.moves)
		out.Violation = s.shrink()
	}
	out.Interrupted = s.best < 0 && ctx.Err() != nil
	out.Elapsed = time.Since(start)
	return out
}

// simulation is random walks in progress.
type simulation struct {
	sizes []*state.Structure // walks take turns
	o     SimulateOptions
	walks atomic.Int64
	steps atomic.Int64

	panicked atomic.Value

	mu    sync.Mutex
	best  int // the first walk that broke a property; -1 if none did
	in    *state.Structure
	prop  *protocol.Property
	moves []state.Move
}

// initial tests the initial state.
func (s *simulation) initial(st *state.Structure) *Violation {
	e := semantics.NewEvaluator(st)
	init := e.Init()
	if init == nil {
		return nil
	}
	for _, p := range s.o.Properties {
		if !p.TwoState && !e.Formula(p.Formula, init) {
			return confirm(st, p, nil)
		}
	}
	return nil
}

// smaller are sizes in which walks get round to more: without what is beside a subset, one value, and short logs in few
// terms. Naturals that are large, as counters of requests are, stay. It is nil if nothing would change.
func smaller(st *state.Structure) *state.Structure {
	const few, many, short = 4, 8, 3
	sizes := st.Sizes()
	for _, x := range st.System.Sorts {
		switch n := sizes[x.Name]; {
		case x.Kind == protocol.ElementKind && x.Subset != nil:
			sizes[x.Name] = sizes[x.Subset.Name]
		case x.Kind == protocol.ElementKind && x.Quorum == nil && !x.Finite:
			sizes[x.Name] = 1
		case x.Kind == protocol.NaturalKind && x.Index && n <= many:
			sizes[x.Name] = min(n, short)
		case x.Kind == protocol.NaturalKind && n <= many:
			sizes[x.Name] = min(n, few)
		}
	}
	if maps.Equal(sizes, st.Sizes()) {
		return nil
	}
	small := state.NewStructure(st.System, sizes)
	if machine.New(small).Init() == nil {
		return nil
	}
	return small
}

// work takes the walks of one worker.
func (s *simulation) work(ctx context.Context, worker int) []*machine.Walker {
	var walkers []*machine.Walker
	for _, st := range s.sizes {
		m := machine.New(st)
		if m.Init() == nil {
			return nil
		}
		walkers = append(walkers, m.Walker(m.Checker(s.o.Properties)))
	}
	r := rand.New(rand.NewPCG(s.o.Seed, uint64(worker)))
	for n := worker; (s.o.Walks == 0 || n < s.o.Walks) && ctx.Err() == nil; n += s.o.Workers {
		if s.beaten(n) {
			return walkers
		}
		turn := n / s.o.Workers % len(walkers)
		w := walkers[turn]
		before := w.Steps
		broken := w.Walk(ctx, r, s.o.Depth)
		walks, steps := s.walks.Add(1), s.steps.Add(int64(w.Steps-before))
		if s.o.Progress != nil && walks&0xff == 0 {
			s.o.Progress(int(walks), int(steps))
		}
		if broken != nil {
			s.note(n, s.sizes[turn], broken, w.Moves())
			return walkers
		}
	}
	return walkers
}

// beaten reports whether a walk before the n-th has broken a property.
func (s *simulation) beaten(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best >= 0 && s.best < n
}

func (s *simulation) note(n int, in *state.Structure, p *protocol.Property, moves []state.Move) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.best < 0 || n < s.best {
		s.best, s.in, s.prop, s.moves = n, in, p, moves
	}
}

func (s *simulation) shrink() *Violation {
	moves := s.moves
	if !s.o.Whole {
		m := machine.New(s.in)
		moves = m.Shrink(moves, m.Checker([]*protocol.Property{s.prop}))
	}
	return confirm(s.in, s.prop, moves)
}
