package encode_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// levels are the states of a system in a scope by the number of steps after which they are first
// reached, and the steps that lead there and back, found by the evaluator.
type levels struct {
	*world
	states [][]*state.State
	steps  [][]*state.Step // from the states of each level
}

// explore goes as deep as depth, unless there are more than most steps on the way.
func (w *world) explore(depth, most int) *levels {
	l := &levels{world: w}
	seen := map[string]bool{}
	next := []*state.State{w.eval.Init()}
	seen[fmt.Sprint(*next[0])] = true
	count := 0
	for {
		l.states = append(l.states, next)
		if len(l.states) > depth {
			return l
		}
		var steps []*state.Step
		for _, s := range next {
			for _, a := range w.sys.Actions {
				for step := range w.eval.Steps(s, a) {
					steps = append(steps, step)
					if count++; count > most {
						return l
					}
				}
			}
		}
		l.steps = append(l.steps, steps)
		next = nil
		for _, step := range steps {
			if key := fmt.Sprint(*step.Post); !seen[key] {
				seen[key] = true
				next = append(next, step.Post)
			}
		}
	}
}

func (l *levels) depth() int { return len(l.states) - 1 }

// least is the least number of steps to a goal, by the evaluator; -1 if it is more than depth.
func (l *levels) least(g encode.Goal) int {
	if g.TwoState {
		for n, steps := range l.steps {
			for _, s := range steps {
				if l.eval.TwoState(g.Formula, s) != g.Fails {
					return n + 1
				}
			}
		}
		return -1
	}
	for n, states := range l.states {
		for _, s := range states {
			if l.meets(g, s) {
				return n
			}
		}
	}
	return -1
}

func (l *levels) meets(g encode.Goal, s *state.State) bool {
	if g.Formula != nil && l.eval.Formula(g.Formula, s) == g.Fails {
		return false
	}
	for _, c := range g.Cells {
		v := s.Vars[c.Var.Index]
		for _, x := range c.Path {
			v = v.Kids[x]
		}
		if !v.Equal(c.Value) {
			return false
		}
	}
	return !slices.ContainsFunc(g.Sent, func(m encode.Sent) bool {
		return !slices.ContainsFunc(s.Msgs[m.Type.ID], func(v state.Value) bool {
			return !slices.ContainsFunc(m.Type.Fields, func(f *protocol.Field) bool {
				return !f.Ghost && !v.Kids[f.Index].Equal(m.Value.Kids[f.Index])
			})
		})
	})
}

// ask looks for a run with a solver of its own, and replays it. It is false if there is
// none, and left is true if there is one for the encoder only, as something that is left out leaves the scope.
func (l *levels) ask(t *testing.T, u *encode.Unrolling, g encode.Goal, k int, within bool) (found, left bool) {
	t.Helper()
	p, err := smtlib.Find("z3", "")
	if err != nil {
		newSolver(t) // skips or fails
	}
	s := smtlib.New(p, solver.Limits{Timeout: time.Minute}, smtlib.Options{})
	defer s.Close()
	always, asked := u.Query(k, within)
	for _, f := range append(always, asked...) {
		s.Assert("", f)
	}
	if k > 1 {
		if before, _ := u.Query(k-1, within); !slices.Equal(before, always[:len(before)]) {
			t.Fatalf("what holds always of %d steps does not begin with what does of %d", k, k-1)
		}
	}
	res, err := s.Check(t.Context())
	switch {
	case err != nil:
		t.Fatal(err)
	case res.Status == solver.Unsat:
		return false, false
	case res.Status == solver.Unknown:
		t.Fatal(res.Reason)
	}
	pre := l.eval.Init()
	run := u.Decode(res.Model, k)
	if len(run) > k || !within && len(run) != k {
		t.Fatalf("a run of %d steps, asked for %d", len(run), k)
	}
	for n, taken := range run {
		args := slices.Clone(taken.Args)
		for i, p := range taken.Action.Params {
			args[i] = l.whole(u, p.Sort, args[i], pre)
		}
		out := l.eval.Do(taken.Action, args, pre)
		if out.Status == semantics.LeavesScope && !g.Whole {
			return true, true
		}
		if out.Status != semantics.Enabled {
			t.Fatalf("scope %v: step %d, %s%v, %v", l.scope, n+1, taken.Action.Name, args, out)
		}
		if !u.Project(out.Post).Equal(taken.Post) {
			t.Fatalf("scope %v: step %d, %s%v, leads to\n%v, decoded\n%v", l.scope, n+1, taken.Action.Name, args, u.Project(out.Post), taken.Post)
		}
		if n == len(run)-1 && g.TwoState {
			step := &state.Step{Action: taken.Action, Args: args, Pre: pre, Post: out.Post}
			if l.eval.TwoState(g.Formula, step) == g.Fails {
				t.Fatalf("the last step does not meet %s", show(g.Formula))
			}
		}
		pre = out.Post
	}
	if !g.TwoState && !l.meets(g, pre) {
		t.Fatalf("the last state does not meet the goal %v", g)
	}
	return true, false
}

// whole is a message sent that is the given one in the fields that the unrolling has.
func (l *levels) whole(u *encode.Unrolling, s *protocol.Sort, v state.Value, pre *state.State) state.Value {
	typ := s
	switch s.Kind {
	case protocol.MessageKind:
	case protocol.UnionKind:
		typ = s.Union[v.N]
	default:
		return v
	}
	for _, m := range pre.Msgs[typ.ID] {
		if u.ProjectMessage(typ, m).Equal(state.Value{Kids: v.Kids}) {
			return state.Value{N: v.N, Kids: m.Kids}
		}
	}
	return state.Value{N: v.N, Kids: v.Kids}
}

// goals are random ones: formulas that the initial state does not meet, formulas about steps, states with names and
// without, and states with a value changed.
func (l *levels) goal(g *protocoltest.Generator) encode.Goal {
	switch l.r.IntN(6) {
	case 0:
		f := g.Formula(false)
		return encode.Goal{Formula: f, Fails: l.eval.Formula(f, l.eval.Init())}
	case 1:
		return encode.Goal{Formula: g.Formula(true), TwoState: true, Fails: l.r.IntN(2) == 0}
	case 2:
		p := l.sys.Properties[l.r.IntN(len(l.sys.Properties))]
		return encode.Goal{Formula: p.Formula, TwoState: p.TwoState, Fails: true}
	case 3, 4:
		if f := l.described(l.some()); f != nil {
			return encode.Goal{Formula: f}
		}
	}
	s := l.some()
	var out encode.Goal
	for _, v := range l.sys.State {
		if l.r.IntN(2) == 0 {
			out.Cells = append(out.Cells, encode.Cell{Var: v, Value: s.Vars[v.Index]})
		}
	}
	for _, typ := range l.sys.Messages {
		for _, m := range s.Msgs[typ.ID] {
			if l.r.IntN(2) == 0 {
				out.Sent = append(out.Sent, encode.Sent{Type: typ, Value: m})
			}
		}
	}
	if n := len(out.Cells); n > 0 && l.r.IntN(3) == 0 {
		c := &out.Cells[l.r.IntN(n)]
		c.Value = l.randomValue(c.Var.Sort)
	}
	return out
}

// some is a state of a deep level.
func (l *levels) some() *state.State {
	n := max(l.r.IntN(len(l.states)), l.r.IntN(len(l.states)))
	for len(l.states[n]) == 0 {
		n--
	}
	return l.states[n][l.r.IntN(len(l.states[n]))]
}

// described says of some variables that they have the values that they have in a state, up to the names
// of the elements of the sort that is the domain of most.
func (l *levels) described(s *state.State) protocol.Term {
	var sort *protocol.Sort
	for _, v := range l.sys.State {
		if v.Sort.Kind == protocol.FuncKind && v.Sort.Domain.Kind == protocol.ElementKind {
			sort = v.Sort.Domain
			break
		}
	}
	if sort == nil {
		return nil
	}
	d := &describer{sort: sort, st: l.st, ok: true}
	var all []protocol.Term
	for k := range l.st.Size(sort) {
		d.names = append(d.names, &protocol.Binding{Name: fmt.Sprint("x", k), Sort: sort, InRange: true})
		for _, b := range d.names[:k] {
			all = append(all, &protocol.UnaryTerm{Op: protocol.Not, Of: protocol.BoolSort,
				X: &protocol.BinaryTerm{Op: protocol.Eq, X: &protocol.Var{To: b}, Y: &protocol.Var{To: d.names[k]}, Of: protocol.BoolSort}})
		}
	}
	for _, v := range l.sys.State {
		if l.r.IntN(2) == 0 {
			continue
		}
		d.ok = true
		part := d.is(&protocol.StateRead{State: v}, s.Vars[v.Index])
		if d.ok {
			all = append(all, part...)
		}
	}
	var f protocol.Term = &protocol.Nary{And: true, Args: all}
	for _, b := range d.names {
		f = &protocol.Quant{Var: b, Body: f}
	}
	return f
}

type describer struct {
	sort  *protocol.Sort
	st    *state.Structure
	names []*protocol.Binding
	ok    bool
}

// is says that a term has the value.
func (d *describer) is(t protocol.Term, v state.Value) []protocol.Term {
	s := t.Sort()
	if s.Kind != protocol.FuncKind {
		return []protocol.Term{&protocol.BinaryTerm{Op: protocol.Eq, X: t, Y: d.term(s, v), Of: protocol.BoolSort}}
	}
	var out []protocol.Term
	for k, x := range v.Kids {
		out = append(out, d.is(&protocol.Apply{Fun: t, Arg: d.term(s.Domain, state.Value{N: k})}, x)...)
	}
	return out
}

// term is a closed term, but for the names, with the value. Without a sort there are none, and elements are literals.
func (d *describer) term(s *protocol.Sort, v state.Value) protocol.Term {
	switch s.Kind {
	case protocol.ElementKind:
		switch d.sort {
		case s:
			return &protocol.Var{To: d.names[v.N]}
		case nil:
			return &protocol.Lit{Of: s, Value: v.N}
		}
	case protocol.QuorumKind:
		if d.sort == nil {
			return &protocol.Lit{Of: s, Value: v.N}
		}
	case protocol.BoolKind, protocol.EnumKind, protocol.NaturalKind:
		return &protocol.Lit{Of: s, Value: v.N}
	case protocol.OptionKind:
		if v.N == 0 {
			return &protocol.Default{Of: s}
		}
		return &protocol.UnaryTerm{Op: protocol.Some, X: d.term(s.Elem, v.Kids[0]), Of: s}
	case protocol.SetKind:
		out := &protocol.SetTerm{Of: s}
		for k := range d.st.Size(s.Elem) {
			if v.N>>k&1 == 1 {
				out.Elems = append(out.Elems, d.term(s.Elem, state.Value{N: k}))
			}
		}
		return out
	case protocol.SeqKind:
		out := &protocol.SeqTerm{Of: s}
		for _, x := range v.Kids {
			out.Elems = append(out.Elems, d.term(s.Elem, x))
		}
		return out
	case protocol.RecordKind, protocol.MessageKind:
		out := &protocol.RecordTerm{Of: s}
		for i, f := range s.Fields {
			out.Fields = append(out.Fields, d.term(f.Sort, v.Kids[i]))
		}
		return out
	default:
	}
	d.ok = false
	return &protocol.Default{Of: s}
}

// TestUnrolling compares the least number of steps in which a goal is reached, by an unrolling and by the evaluator,
// which takes all steps from all states.
func TestUnrolling(t *testing.T) { // not parallel: one solver at a time
	for _, test := range []struct {
		spec  string
		scope map[string]int // nil: random ones
		depth int
		seeds int
		goals int
	}{
		{"features.yaml", nil, 3, 4, 4},
		{"symmetric.yaml", nil, 4, 4, 4},
		{"cluster.yaml", nil, 3, 4, 4},
		{"raft.yaml", map[string]int{"Server": 2, "Term": 2, "Index": 1, "Value": 1}, 7, 1, 12},
		{"raft.yaml", map[string]int{"Server": 3, "Term": 2, "Index": 1, "Value": 1}, 5, 1, 8},
		{"raft.yaml", map[string]int{"Server": 1, "Term": 3, "Index": 2, "Value": 2}, 8, 1, 8},
		{"kraft.yaml", map[string]int{"Replica": 1, "Voter": 1, "Epoch": 2, "Offset": 2, "CorrelationId": 1, "Value": 1}, 8, 1, 8},
		{"kraft.yaml", map[string]int{"Replica": 3, "Voter": 2, "Epoch": 1, "Offset": 1, "CorrelationId": 2, "Value": 1}, 4, 1, 8},
	} {
		sys := load(t, test.spec)
		t.Run(test.spec, func(t *testing.T) {
			seen := map[string]int{}
			seeds := test.seeds
			if testing.Short() {
				seeds = (seeds + 2) / 3
			}
			forSeeds(t, seeds, func(t *testing.T, r *rand.Rand) {
				scope := maps.Clone(test.scope)
				if scope == nil {
					scope = randomScope(sys, r, 3)
				}
				l := newWorld(sys, scope, r).explore(test.depth, 30000)
				l.compare(t, test.goals, seen)
			})
			t.Log(seen)
		})
	}
}

func showGoal(g encode.Goal) string {
	if g.Formula == nil {
		return ""
	}
	return show(g.Formula)
}

// The same system, scope, goal and script give the same terms in the same order.
func TestUnrollingIsPure(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	query := func() string {
		u := encode.NewEncoder(sys, encode.NewScope(sys, nil)).Unroll(encode.Goal{Formula: sys.Property("I1").Formula, Fails: true}, encode.Any())
		for range 4 {
			u.Extend()
		}
		always, asked := u.Query(4, false)
		return fmt.Sprint(always, asked)
	}
	first := query()
	for range 3 {
		if query() != first {
			t.Fatal("another query")
		}
	}
}

// compare takes random goals.
func (l *levels) compare(t *testing.T, goals int, seen map[string]int) {
	t.Helper()
	gen := protocoltest.NewGenerator(l.st, l.r)
	for range goals {
		goal := l.goal(gen)
		goal.Whole = l.r.IntN(3) == 0
		want := l.least(goal)
		u := encode.NewEncoder(l.sys, l.scope).Unroll(goal, encode.Any())
		got := -1
		left := false
		first := 0
		if goal.TwoState {
			first = 1
		}
		for k := first; k <= l.depth() && got < 0; k++ {
			for u.Depth() < k {
				u.Extend()
			}
			var found bool
			if found, left = l.ask(t, u, goal, k, false); found {
				got = k
			}
		}
		kind := fmt.Sprint("two-state ", goal.TwoState)
		if goal.Cells != nil {
			kind = "cells"
		}
		switch {
		case left && !goal.Whole:
			seen["leaves the scope"]++
		case got != want:
			t.Fatalf("scope %v, goal %v %s: reached after %d steps, by the evaluator %d", l.scope, goal, showGoal(goal), got, want)
		default:
			seen[fmt.Sprintf("%s, %d steps", kind, got)]++
			for u.Depth() < l.depth() {
				u.Extend()
			}
			if u.Depth() < first {
				continue
			}
			if found, left := l.ask(t, u, goal, u.Depth(), true); found != (want >= 0) && !left {
				t.Fatalf("scope %v, goal %v %s: within %d steps %v, by the evaluator %d", l.scope, goal, showGoal(goal), u.Depth(), found, want)
			}
		}
	}
}

// TestUnrollingOfChance does the same with protocols of chance.
func TestUnrollingOfChance(t *testing.T) { // not parallel: one solver at a time
	seeds := 6
	if testing.Short() {
		seeds = 3
	}
	seen := map[string]int{}
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml"} {
		sys := load(t, name)
		forSeeds(t, seeds, func(t *testing.T, r *rand.Rand) {
			scope := randomScope(sys, r, 2)
			chance := protocoltest.System(encode.NewScope(sys, scope).Structure(sys), r)
			w := newWorld(chance, scope, r)
			if w.eval.Init() == nil {
				return
			}
			w.explore(2, 3000).compare(t, 4, seen)
		})
	}
	t.Log(seen)
	if steps := seen["two-state false, 1 steps"] + seen["two-state true, 1 steps"] + seen["cells, 1 steps"]; steps == 0 {
		t.Error("no goal is one step away")
	}
}
