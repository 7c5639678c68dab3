package machine_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

var tiny = []struct {
	spec  string
	sizes map[string]int
	depth int
}{
	{"raft.yaml", map[string]int{"Server": 2, "Value": 2, "Term": 2, "Index": 1}, 7},
	{"raft.yaml", map[string]int{"Server": 3, "Value": 1, "Term": 2, "Index": 1}, 5},
	{"kraft.yaml", map[string]int{"Replica": 2, "Voter": 1, "Epoch": 2, "Offset": 2, "CorrelationId": 2, "Value": 2}, 6},
	{"kraft.yaml", map[string]int{"Replica": 3, "Voter": 2, "Epoch": 1, "Offset": 1, "CorrelationId": 1, "Value": 1}, 4},
}

// bfs is the evaluator's own exploration: the states by depth, the generated ones counted.
func bfs(e *semantics.Evaluator, sys *protocol.System, depth int) (levels [][]*state.State, generated int) {
	seen := map[string]bool{}
	level := []*state.State{e.Init()}
	seen[key(level[0])] = true
	generated = 1
	for range depth {
		levels = append(levels, level)
		var next []*state.State
		for _, s := range level {
			for _, a := range sys.Actions {
				for step := range e.Steps(s, a) {
					generated++
					if k := key(step.Post); !seen[k] {
						seen[k] = true
						next = append(next, step.Post)
					}
				}
			}
		}
		level = next
	}
	return append(levels, level), generated
}

func key(s *state.State) string {
	var b strings.Builder
	var put func(v state.Value)
	put = func(v state.Value) {
		b.WriteByte(byte(v.N + 1))
		for _, k := range v.Kids {
			put(k)
		}
		b.WriteByte(0)
	}
	for _, v := range s.Vars {
		put(v)
	}
	for _, list := range s.Msgs {
		b.WriteByte(0xff)
		for _, v := range list {
			put(v)
		}
	}
	return b.String()
}

// Without symmetry the explorer counts what the evaluator's breadth-first search counts; with symmetry it
// counts the classes of states that are alike.
func TestExploreCounts(t *testing.T) {
	t.Parallel()
	for _, c := range tiny {
		t.Run(c.spec, func(t *testing.T) {
			t.Parallel()
			sys := load(t, c.spec)
			st := state.NewStructure(sys, sys.Sizes(c.sizes))
			levels, generated := bfs(semantics.NewEvaluator(st), sys, c.depth)
			x := machine.New(st).Explorer(nil, nil)
			out := x.Run(t.Context(), machine.Limits{Depth: c.depth})
			var want []int
			for _, l := range levels {
				want = append(want, len(l))
			}
			got := x.Stats()
			if diff := cmp.Diff(want, got.Levels); diff != "" || got.Generated != generated || out != machine.DepthLimit {
				t.Errorf("outcome %d, %d generated, want %d; levels: %s", out, got.Generated, generated, diff)
			}

			sorts := sys.SymmetricSorts()
			y := machine.New(st).Explorer(nil, sorts)
			y.Run(t.Context(), machine.Limits{Depth: c.depth})
			want = nil
			for _, l := range levels {
				want = append(want, orbits(st, sorts, l))
			}
			if diff := cmp.Diff(want, y.Stats().Levels); diff != "" {
				t.Errorf("with symmetry in %d sorts: %s", len(sorts), diff)
			}
			if slices.Equal(want, got.Levels) {
				t.Error("symmetry makes no difference")
			}
		})
	}
}

// orbits counts states up to renaming, by trying all renamings on plain data.
func orbits(st *state.Structure, sorts map[*protocol.Sort]bool, states []*state.State) int {
	perms := renamings(st, sorts)
	seen := map[string]bool{}
	n := 0
	for _, s := range states {
		if seen[key(s)] {
			continue
		}
		n++
		for _, p := range perms {
			seen[key(p.state(s))] = true
		}
	}
	return n
}

// renaming maps elements by sort.
type renaming struct {
	st *state.Structure
	to map[*protocol.Sort][]int
}

func renamings(st *state.Structure, sorts map[*protocol.Sort]bool) []renaming {
	out := []renaming{{st, map[*protocol.Sort][]int{}}}
	for _, s := range st.System.Sorts {
		if !sorts[s] {
			continue
		}
		var next []renaming
		for _, p := range permutations(st.Size(s)) {
			if s.Subset != nil && !keeps(p, st.Subset(s.Subset)) {
				continue
			}
			for _, r := range out {
				to := map[*protocol.Sort][]int{s: p}
				for k, v := range r.to {
					to[k] = v
				}
				next = append(next, renaming{st, to})
			}
		}
		out = next
	}
	return out
}

func keeps(p []int, set int) bool {
	for i, j := range p {
		if set>>i&1 != set>>j&1 {
			return false
		}
	}
	return true
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}

func (r renaming) set(elem *protocol.Sort, set int) int {
	out := 0
	for i := range r.st.Size(elem) {
		if set>>i&1 != 0 {
			j := i
			if p := r.to[elem]; p != nil {
				j = p[i]
			}
			out |= 1 << j
		}
	}
	return out
}

func (r renaming) value(s *protocol.Sort, v state.Value) state.Value {
	switch s.Kind {
	case protocol.ElementKind:
		if p := r.to[s]; p != nil {
			return state.Value{N: p[v.N]}
		}
		return v
	case protocol.SetKind:
		return state.Value{N: r.set(s.Elem, v.N)}
	case protocol.QuorumKind:
		want := r.set(s.Elem, r.st.Quorum(s, v.N))
		for k := range r.st.Size(s) {
			if r.st.Quorum(s, k) == want {
				return state.Value{N: k}
			}
		}
		panic("no such quorum")
	}
	out := state.Value{N: v.N, Kids: slices.Clone(v.Kids)}
	for i, k := range v.Kids {
		kid := s.Elem
		if s.Kind == protocol.RecordKind || s.Kind == protocol.MessageKind {
			kid = s.Fields[i].Sort
		}
		at := i
		if p := r.to[s.Domain]; s.Kind == protocol.FuncKind && p != nil {
			at = p[i]
		}
		out.Kids[at] = r.value(kid, k)
	}
	return out
}

func (r renaming) state(s *state.State) *state.State {
	out := &state.State{Msgs: make([][]state.Value, len(s.Msgs))}
	for i, v := range r.st.System.State {
		out.Vars = append(out.Vars, r.value(v.Sort, s.Vars[i]))
	}
	for _, typ := range r.st.System.Messages {
		for _, v := range s.Msgs[typ.ID] {
			out.AddMessage(typ, r.value(typ, v))
		}
	}
	return out
}

// An exploration that is stopped, saved, and resumed in another machine ends with the counts of one run.
func TestResume(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	st := state.NewStructure(sys, sys.Sizes(map[string]int{"Replica": 3, "Voter": 2, "Epoch": 2, "Offset": 2, "CorrelationId": 1, "Value": 1}))
	explorer := func() *machine.Explorer {
		m := machine.New(st)
		return m.Explorer(m.Checker(headline(sys)), sys.SymmetricSorts())
	}
	whole := explorer()
	if out := whole.Run(t.Context(), machine.Limits{States: 60000}); out != machine.StateLimit {
		t.Fatalf("outcome %d", out)
	}
	x := explorer()
	for _, n := range []int{1, 1000, 20000, 60000} {
		x.Run(t.Context(), machine.Limits{States: n})
		var file bytes.Buffer
		if err := x.Save(&file); err != nil {
			t.Fatal(err)
		}
		text := file.Bytes()
		x = explorer()
		if err := x.Resume(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{text[:len(text)-3], text[:40], slices.Concat(text[:len(text)/2], []byte{9}, text[len(text)/2+1:])} {
			if err := explorer().Resume(bytes.NewReader(bad)); err == nil {
				t.Error("a damaged checkpoint is taken")
			}
		}
		for at := 0; n == 1 && at < len(text); at += 1 + len(text)/100 {
			bad := slices.Clone(text)
			bad[at] ^= 0x80
			if err := explorer().Resume(bytes.NewReader(bad)); err == nil {
				t.Errorf("a checkpoint with another byte %d is taken", at)
			}
		}
	}
	got, want := x.Stats(), whole.Stats()
	got.Bytes, want.Bytes = 0, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	m := machine.New(st)
	var file bytes.Buffer
	if err := x.Save(&file); err != nil {
		t.Fatal(err)
	}
	var other *machine.MismatchError
	if err := m.Explorer(nil, sys.SymmetricSorts()).Resume(&file); !errors.As(err, &other) || !strings.Contains(err.Error(), "other properties") {
		t.Errorf("resumed with other properties: %v", err)
	}
}

func headline(sys *protocol.System) []*protocol.Property {
	var out []*protocol.Property
	for _, p := range sys.Properties {
		if p.Kind == protocol.Invariant {
			out = append(out, p)
		}
	}
	return out
}

// A violation comes with a shortest run, which the evaluator can perform.
func TestExploreFindsViolations(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	sizes := sys.Sizes(map[string]int{"Replica": 1, "Voter": 1, "Epoch": 3, "Offset": 2, "CorrelationId": 1, "Value": 1})
	for id, steps := range map[string]int{"I4.literal": 6, "K2.literal": 5, "S2.literal": 10} {
		st := state.NewStructure(sys, sizes)
		m := machine.New(st)
		p := sys.Property(id)
		x := m.Explorer(m.Checker([]*protocol.Property{p}), sys.SymmetricSorts())
		if out := x.Run(t.Context(), machine.Limits{}); out != machine.Violated {
			t.Errorf("%s is not violated: %d", id, out)
			continue
		}
		v := x.Violation()
		if len(v.Moves) > steps {
			t.Errorf("%s is broken after %d steps, want at most %d", id, len(v.Moves), steps)
		}
		e := semantics.NewEvaluator(st)
		s := e.Init()
		var last *state.Step
		for _, mv := range v.Moves {
			out := e.Do(mv.Action, mv.Args, s)
			if out.Status != semantics.Enabled {
				t.Fatalf("%s: the evaluator cannot do %s", id, mv.Action.Name)
			}
			last = &state.Step{Action: mv.Action, Args: mv.Args, Pre: s, Post: out.Post}
			s = out.Post
		}
		if p.TwoState && e.TwoState(p.Formula, last) || !p.TwoState && e.Formula(p.Formula, s) {
			t.Errorf("%s holds at the end of the run", id)
		}
	}
}

func TestExploreStops(t *testing.T) {
	t.Parallel()
	sys := load(t, "raft.yaml")
	x := machine.New(state.NewStructure(sys, sys.Sizes(nil))).Explorer(nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out := x.Run(ctx, machine.Limits{}); out != machine.Stopped {
		t.Errorf("outcome %d", out)
	}
	if out := x.Run(t.Context(), machine.Limits{States: 10}); out != machine.StateLimit {
		t.Errorf("outcome %d", out)
	}
	if out := x.Run(t.Context(), machine.Limits{Bytes: 1 << 20}); out != machine.MemoryLimit {
		t.Errorf("outcome %d", out)
	}
}
