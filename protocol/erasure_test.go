package protocol_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// The erasure theorem: ghosts have no effect on the protocol. The real part of
// each step is a step of the model without ghost updates and ghost fields, and
// each step of that model from the real part of a state is the real part of a
// step of the full model, unless a ghost would leave the scope.
func TestErasure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file  string
		sizes map[string]int
	}{
		{"../specs/raft.yaml", map[string]int{"Server": 2, "Term": 2, "Index": 2, "Value": 1}},
		{"testdata/terms.yaml", map[string]int{"Server": 2, "Term": 3, "Index": 3, "Value": 1}},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			e := newErasure(t, parseFile(t, c.file), c.sizes)
			r := rand.New(rand.NewPCG(7, 7))
			for range 150 {
				if diff := e.compare(e.full.RandomState(r, 2)); diff != "" {
					t.Fatal(diff)
				}
			}
			for range 5 {
				e.full.RandomWalk(r, 40, func(s *state.Step) bool {
					if diff := e.compare(s.Post); diff != "" {
						t.Fatal(diff)
					}
					return true
				})
			}
			for _, a := range e.sys.Actions {
				if e.seen[a.Name] == 0 {
					t.Errorf("%s never happens", a.Name)
				}
			}
		})
	}
}

// TestErasureFindsLeaks sees to it that the comparison fails where something
// real does depend on what is called a ghost.
func TestErasureFindsLeaks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"votedFor", "log", "votesGranted", "term", "voteGranted", "entry"} {
		sys := parseFile(t, "../specs/raft.yaml")
		for _, v := range sys.State {
			v.Ghost = v.Ghost || v.Name == name
		}
		for _, m := range sys.Messages {
			if f := m.Field(name); f != nil {
				f.Ghost = true
			}
		}
		e := newErasure(t, sys, map[string]int{"Server": 2, "Term": 2, "Index": 2, "Value": 1})
		r := rand.New(rand.NewPCG(7, 7))
		found := false
		for range 150 {
			found = found || e.compare(e.full.RandomState(r, 2)) != ""
		}
		if !found {
			t.Errorf("a leak of %s is not found", name)
		}
	}
}

func parseFile(t *testing.T, name string) *protocol.System {
	t.Helper()
	sys, errs := protocol.Parse(name, []byte(readFile(t, name)))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	return sys
}

// erasure compares a model with its erased form, in which ghosts have their
// default values and stay so.
type erasure struct {
	sys          *protocol.System
	st           *state.Structure
	full, erased *semantics.Evaluator
	actions      map[string]*protocol.Action // of the erased model
	seen         map[string]int              // steps compared
}

func newErasure(t *testing.T, sys *protocol.System, sizes map[string]int) *erasure {
	t.Helper()
	without := *sys
	without.Actions = nil
	e := &erasure{sys: sys, st: state.NewStructure(sys, sizes), actions: map[string]*protocol.Action{}, seen: map[string]int{}}
	for _, a := range sys.Actions {
		b := erase(a)
		without.Actions = append(without.Actions, b)
		e.actions[a.Name] = b
	}
	e.full = semantics.NewEvaluator(e.st)
	e.erased = semantics.NewEvaluator(state.NewStructure(&without, sizes))
	return e
}

// erase leaves out the ghost updates of an action and the values of the ghost
// fields in what it sends.
func erase(a *protocol.Action) *protocol.Action {
	b := *a
	b.Body = nil
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Update:
			if s.State.Ghost {
				continue
			}
			b.Body = append(b.Body, s)
		case *protocol.Send:
			m := &protocol.RecordTerm{Of: s.Message.Of, Fields: append([]protocol.Term(nil), s.Message.Fields...)}
			for i, f := range m.Of.Fields {
				if f.Ghost {
					m.Fields[i] = &protocol.Default{Of: f.Sort}
				}
			}
			b.Body = append(b.Body, &protocol.Send{Message: m, Cond: s.Cond, Span: s.Span})
		default:
			b.Body = append(b.Body, s)
		}
	}
	return &b
}

// compare compares the steps from one state; it returns a step that only one
// of the two models has.
func (e *erasure) compare(pre *state.State) string {
	real := e.state(pre)
	for _, a := range e.sys.Actions {
		full, erased := map[string]bool{}, map[string]bool{}
		for s := range e.full.Steps(pre, a) {
			full[e.key(a, s.Args, e.state(s.Post))] = true
		}
		for s := range e.erased.Steps(real, e.actions[a.Name]) {
			key := e.key(a, s.Args, s.Post)
			erased[key] = true
			if !full[key] && !e.ghostLeaves(a, s.Args, pre) {
				return "only without ghosts: " + key
			}
		}
		for key := range full {
			e.seen[a.Name]++
			if !erased[key] {
				return "only with ghosts: " + key
			}
		}
	}
	return ""
}

// ghostLeaves reports whether a step of the full model whose real arguments are
// args leaves the scope by a ghost.
func (e *erasure) ghostLeaves(a *protocol.Action, args []state.Value, pre *state.State) bool {
	var try func(k int, chosen []state.Value) bool
	try = func(k int, chosen []state.Value) bool {
		if k == len(args) {
			out := e.full.Do(a, chosen, pre)
			return out.Status == semantics.LeavesScope && (out.Send != nil || out.Update != nil && out.Update.State.Ghost)
		}
		sort := a.Params[k].Sort
		var types []*protocol.Sort
		switch sort.Kind {
		case protocol.MessageKind:
			types = []*protocol.Sort{sort}
		case protocol.UnionKind:
			types = sort.Union
		default:
			return try(k+1, append(chosen, args[k]))
		}
		for i, typ := range types {
			for _, m := range pre.Msgs[typ.ID] {
				if len(types) > 1 {
					m = state.Value{N: i, Kids: m.Kids}
				}
				if e.value(sort, m).Equal(args[k]) && try(k+1, append(chosen, m)) {
					return true
				}
			}
		}
		return false
	}
	return try(0, nil)
}

// key is the real part of a step as text.
func (e *erasure) key(a *protocol.Action, args []state.Value, post *state.State) string {
	real := make([]state.Value, len(args))
	for i, v := range args {
		real[i] = e.value(a.Params[i].Sort, v)
	}
	return fmt.Sprint(a.Name, real, *post)
}

// state is the real part of a state.
func (e *erasure) state(s *state.State) *state.State {
	out := &state.State{Vars: make([]state.Value, len(s.Vars)), Msgs: make([][]state.Value, len(s.Msgs))}
	for _, v := range e.sys.State {
		out.Vars[v.Index] = e.st.Default(v.Sort)
		if !v.Ghost {
			out.Vars[v.Index] = e.value(v.Sort, s.Vars[v.Index])
		}
	}
	for _, typ := range e.sys.Messages {
		for _, m := range s.Msgs[typ.ID] {
			out.AddMessage(typ, e.value(typ, m))
		}
	}
	return out
}

// value is the real part of a value.
func (e *erasure) value(s *protocol.Sort, v state.Value) state.Value {
	kids := func(sort func(i int) *protocol.Sort) state.Value {
		out := state.Value{N: v.N, Kids: make([]state.Value, len(v.Kids))}
		for i, k := range v.Kids {
			out.Kids[i] = e.value(sort(i), k)
		}
		return out
	}
	switch s.Kind {
	case protocol.UnionKind:
		return state.Value{N: v.N, Kids: e.value(s.Union[v.N], state.Value{Kids: v.Kids}).Kids}
	case protocol.RecordKind, protocol.MessageKind:
		out := kids(func(i int) *protocol.Sort { return s.Fields[i].Sort })
		for i, f := range s.Fields {
			if f.Ghost {
				out.Kids[i] = e.st.Default(f.Sort)
			}
		}
		return out
	case protocol.OptionKind, protocol.SeqKind, protocol.FuncKind:
		return kids(func(int) *protocol.Sort { return s.Elem })
	default:
		return v
	}
}
