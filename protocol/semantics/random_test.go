package semantics_test

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

func inScope(st *state.Structure, s *state.State) bool {
	for _, v := range system.State {
		if !st.InScope(v.Sort, s.Vars[v.Index]) {
			return false
		}
	}
	for _, typ := range system.Messages {
		for i, m := range s.Msgs[typ.ID] {
			if !st.InScope(typ, m) || i > 0 && s.Msgs[typ.ID][i-1].Compare(m) >= 0 {
				return false
			}
		}
	}
	return true
}

func TestRandomState(t *testing.T) {
	t.Parallel()
	e, st := evaluator(), structure()
	r := rand.New(rand.NewPCG(3, 4))
	wanted := map[string]func(*state.State) bool{ // each is seen
		"greatest term":      func(s *state.State) bool { return s.Vars[epoch.Index].N == 3 },
		"all servers":        func(s *state.State) bool { return s.Vars[seen.Index].N == 0b111 },
		"longest log":        func(s *state.State) bool { return len(s.Vars[logOf.Index].Kids[0].Kids) == 2 },
		"nobody voted":       func(s *state.State) bool { return s.Vars[votedFor.Index].Kids[0].N == 0 },
		"voted for the last": func(s *state.State) bool { return s.Vars[votedFor.Index].Kids[0].Equal(just(2)) },
		"two messages":       func(s *state.State) bool { return len(s.Msgs[0]) == 2 && len(s.Msgs[1]) == 2 },
		"no message":         func(s *state.State) bool { return len(s.Msgs[0]) == 0 },
	}
	for range 1000 {
		s := e.RandomState(r, 2)
		if !inScope(st, s) {
			t.Fatalf("not in scope or not canonical: %v", s)
		}
		if len(s.Msgs[0]) > 2 {
			t.Fatalf("%d messages", len(s.Msgs[0]))
		}
		for name, seen := range wanted {
			if seen(s) {
				delete(wanted, name)
			}
		}
	}
	for name := range wanted {
		t.Errorf("never seen: %s", name)
	}
}

func TestRandomStateOfOneElement(t *testing.T) {
	t.Parallel()
	st := state.NewStructure(system, map[string]int{"Term": 0, "Index": 0})
	s := semantics.NewEvaluator(st).RandomState(rand.New(rand.NewPCG(1, 1)), 0)
	if !inScope(st, s) {
		t.Errorf("not in scope: %v", s)
	}
}

func TestRandomWalk(t *testing.T) {
	t.Parallel()
	e, st := evaluator(), structure()
	fired := map[*protocol.Action]int{}
	for seed := range uint64(20) {
		at := e.Init()
		e.RandomWalk(rand.New(rand.NewPCG(seed, 0)), 60, func(s *state.Step) bool {
			if !s.Pre.Equal(at) {
				t.Fatal("a step does not start where the one before ended")
			}
			out := e.Do(s.Action, s.Args, s.Pre)
			if out.Status != semantics.Enabled || !out.Post.Equal(s.Post) || !inScope(st, s.Post) {
				t.Fatalf("not a step: %s %v", s.Action.Name, s.Args)
			}
			fired[s.Action]++
			at = s.Post
			return true
		})
	}
	for _, a := range system.Actions {
		if a != becomeLeader && fired[a] == 0 { // votes are never counted in this protocol
			t.Errorf("%s never fires", a.Name)
		}
	}
}

func TestRandomWalkIsUniformOverEnabledActions(t *testing.T) {
	t.Parallel()
	e := evaluator() // at first Timeout, Append, Swap and Nop are enabled
	first := map[*protocol.Action]int{}
	args := map[int]int{}
	const walks = 4000
	r := rand.New(rand.NewPCG(5, 6))
	for range walks {
		e.RandomWalk(r, 1, func(s *state.Step) bool {
			first[s.Action]++
			if s.Action == timeout {
				args[s.Args[0].N]++
			}
			return true
		})
	}
	for _, a := range []*protocol.Action{timeout, appendEntry, swap, nop} {
		if n := first[a]; n < walks/4-200 || n > walks/4+200 {
			t.Errorf("%s came first %d times in %d", a.Name, n, walks)
		}
	}
	for k := range 3 {
		if args[k] < 200 {
			t.Errorf("server %d timed out %d times", k, args[k])
		}
	}
}

func TestRandomWalkStops(t *testing.T) {
	t.Parallel()
	count := func(sys *protocol.System, limit int) int {
		n := 0
		semantics.NewEvaluator(state.NewStructure(sys, sizes)).RandomWalk(rand.New(rand.NewPCG(1, 1)), 50, func(*state.Step) bool {
			n++
			return n < limit
		})
		return n
	}
	if n := count(system, 7); n != 7 {
		t.Errorf("%d steps after visit asked to stop at 7", n)
	}
	stuck := *system
	stuck.Actions = []*protocol.Action{becomeLeader, handleVote}
	if n := count(&stuck, 7); n != 0 {
		t.Errorf("%d steps where nothing is enabled", n)
	}
	if n := count(withInit(action("Init", actionOf{body: []protocol.Stmt{set(epoch, lit(term, 9))}})), 7); n != 0 {
		t.Errorf("%d steps without an initial state", n)
	}
}

func BenchmarkRandomWalk(b *testing.B) {
	st := state.NewStructure(system, map[string]int{"Server": 5, "Value": 3, "Term": 10, "Index": 10})
	e := semantics.NewEvaluator(st)
	for b.Loop() {
		e.RandomWalk(rand.New(rand.NewPCG(1, 1)), 1000, func(*state.Step) bool { return true })
	}
}
