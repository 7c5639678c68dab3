package semantics_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

func TestDo(t *testing.T) {
	t.Parallel()
	init := evaluator().Init()
	one := binding("k", term)
	jump := func(u protocol.Stmt, ps ...*protocol.Binding) *protocol.Action {
		return action("Jump", actionOf{ps, []protocol.Stmt{u}})
	}
	full := with(init, map[*protocol.StateVar]state.Value{logOf: kids(kids(nums(1, 1), nums(2, 0)), kids(), kids())})
	voted := sent(init, vote, nums(0, 1, 2))

	for _, c := range []struct {
		name   string
		action *protocol.Action
		args   []state.Value
		pre    *state.State
		status semantics.Status
		post   *state.State
	}{
		{"nothing to do", nop, nil, init, semantics.Enabled, init},
		{"updates", timeout, []state.Value{num(1)}, init, semantics.Enabled, with(init, map[*protocol.StateVar]state.Value{
			currentTerm: nums(0, 1, 0), roleOf: nums(0, candidate, 0),
			votedFor: kids(num(0), just(1), num(0)), votesGranted: nums(0, 0b010, 0)})},
		{"guard", timeout, []state.Value{num(1)}, with(init, map[*protocol.StateVar]state.Value{roleOf: nums(0, leader, 0)}), semantics.Disabled, nil},
		{"updates are simultaneous", swap, nil, with(init, map[*protocol.StateVar]state.Value{currentTerm: nums(1, 2, 3)}),
			semantics.Enabled, with(init, map[*protocol.StateVar]state.Value{currentTerm: nums(2, 1, 3)})},
		{"nested cell", appendEntry, []state.Value{num(2), num(1)}, init, semantics.Enabled, with(init, map[*protocol.StateVar]state.Value{
			logOf:     kids(kids(), kids(), kids(nums(0, 1))),
			nextIndex: kids(nums(0, 0, 0), nums(0, 0, 0), nums(0, 0, 1))})},
		{"natural leaves the scope", timeout, []state.Value{num(1)}, with(init, map[*protocol.StateVar]state.Value{currentTerm: nums(0, 3, 0)}), semantics.LeavesScope, nil},
		{"sequence leaves the scope", appendEntry, []state.Value{num(0), num(1)}, full, semantics.LeavesScope, nil},
		{"path leaves the scope", jump(set(leaders, lit(value, 1), shift(use(one), 1)), one), []state.Value{num(3)}, init, semantics.LeavesScope, nil},
		{"nested path leaves the scope", jump(set(nextIndex, lit(index, 1), lit(server, 0), lit(server, 3))), nil, init, semantics.LeavesScope, nil},
		{"whole variable", jump(set(nextIndex, def(indexes), lit(server, 0))), nil, init, semantics.Enabled, init},
		{"message leaves the scope", jump(send(record(vote, lit(server, 0), lit(server, 0), lit(term, 4)), nil)), nil, init, semantics.LeavesScope, nil},
		{"such a message is not sent", jump(send(record(vote, lit(server, 0), lit(server, 0), lit(term, 4)), lit(boolean, 0))), nil, init, semantics.Enabled, init},
		{"argument outside the structure", timeout, []state.Value{num(3)}, init, semantics.LeavesScope, nil},

		{"receive, update and send by the pre-state", handleVote, []state.Value{nums(0, 1, 2)}, voted, semantics.Enabled,
			sent(with(voted, map[*protocol.StateVar]state.Value{votedFor: kids(num(0), just(0), num(0))}), ack, nums(2, 1, 1))},
		{"not sent", handleVote, []state.Value{nums(0, 1, 1)}, voted, semantics.Disabled, nil},
		{"sent twice is once", requestVote, []state.Value{num(0), num(1)},
			sent(with(init, map[*protocol.StateVar]state.Value{roleOf: nums(candidate, 0, 0)}), vote, nums(0, 1, 0)), semantics.Enabled,
			sent(with(init, map[*protocol.StateVar]state.Value{roleOf: nums(candidate, 0, 0)}), vote, nums(0, 1, 0))},
		{"union", handleAny, []state.Value{tag(1, nums(2, 1, 1))}, sent(init, ack, nums(2, 1, 1)), semantics.Enabled,
			sent(with(init, map[*protocol.StateVar]state.Value{epoch: num(2), seen: num(0b010)}), ack, nums(2, 1, 1))},
		{"union: of that type", handleAny, []state.Value{tag(0, nums(2, 1, 1))}, sent(init, ack, nums(2, 1, 1)), semantics.Disabled, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := c.pre.Clone()
			out := evaluator().Do(c.action, c.args, c.pre)
			if out.Status != c.status {
				t.Fatalf("status %d, want %d", out.Status, c.status)
			}
			if c.post != nil && !out.Post.Equal(c.post) {
				t.Errorf("post-state\n%v, want\n%v", out.Post, c.post)
			}
			if c.post == nil && out.Post != nil {
				t.Error("a step that does not happen has no post-state")
			}
			if !c.pre.Equal(before) {
				t.Error("the pre-state has changed")
			}
		})
	}
}

func TestOutcomeNamesTheCulprit(t *testing.T) {
	t.Parallel()
	e := evaluator()
	init := e.Init()
	late := with(sent(init, vote, nums(0, 1, 1)), map[*protocol.StateVar]state.Value{currentTerm: nums(0, 3, 0)})
	if out := e.Do(handleVote, []state.Value{nums(0, 1, 1)}, late); out.Guard != guardTerm || out.Param != nil {
		t.Errorf("guard: %+v", out)
	}
	if out := e.Do(handleVote, []state.Value{nums(0, 0, 0)}, late); out.Guard != nil || out.Param != handleVote.Params[0] {
		t.Errorf("message: %+v", out)
	}
	if out := e.Do(timeout, []state.Value{num(1)}, late); out.Update != timeout.Updates[0] {
		t.Errorf("update: %+v", out)
	}
	if out := e.Do(timeout, []state.Value{num(8)}, late); out.Param != timeout.Params[0] {
		t.Errorf("argument: %+v", out)
	}
	tooBig := action("TooBig", actionOf{body: []protocol.Stmt{send(record(vote, lit(server, 0), lit(server, 0), lit(term, 4)), nil)}})
	if out := e.Do(tooBig, nil, init); out.Send != tooBig.Sends[0] {
		t.Errorf("send: %+v", out)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	pre := sent(evaluator().Init(), vote, nums(0, 1, 2), nums(0, 2, 2))
	var got []string
	evaluator().Reads(&state.Step{Action: handleVote, Args: []state.Value{nums(0, 1, 2)}, Pre: pre}, recorder(&got))
	want := []string{"Vote{[0 1 2]}", "currentTerm[1]", "votedFor[1]", "votedFor[1]"} // guard, grant, condition of the send
	if !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	defaults := map[*protocol.StateVar]state.Value{
		currentTerm: nums(0, 0, 0), roleOf: nums(0, 0, 0), votedFor: nums(0, 0, 0),
		logOf: kids(kids(), kids(), kids()), votesGranted: nums(0, 0, 0),
		nextIndex: kids(nums(0, 0, 0), nums(0, 0, 0), nums(0, 0, 0)),
		leaders:   nums(0, 0, 0, 0), epoch: num(0), seen: num(0),
	}
	for _, c := range []struct {
		name string
		init *protocol.Action
		want map[*protocol.StateVar]state.Value // on top of the defaults; nil: no initial state
	}{
		{"none", nil, map[*protocol.StateVar]state.Value{}},
		{"updates read the defaults", action("Init", actionOf{body: []protocol.Stmt{
			set(epoch, lit(term, 2)),
			set(currentTerm, &protocol.FuncTerm{Var: binding("i", server), Body: shift(read(epoch), 1), Of: funcSort(server, term)}),
		}}), map[*protocol.StateVar]state.Value{epoch: num(2), currentTerm: nums(1, 1, 1)}},
		{"outside the scope", action("Init", actionOf{body: []protocol.Stmt{set(epoch, lit(term, 4))}}), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := semantics.NewEvaluator(state.NewStructure(withInit(c.init), sizes)).Init()
			if (got == nil) != (c.want == nil) {
				t.Fatalf("initial state %v", got)
			}
			if got == nil {
				return
			}
			want := with(with(&state.State{Vars: make([]state.Value, len(vars)), Msgs: make([][]state.Value, 2)}, defaults), c.want)
			if !got.Equal(want) {
				t.Errorf("initial state %v, want %v", got, want)
			}
		})
	}
}

// arguments lists all argument lists of an action, sent or not: the naive
// enumeration against which Steps is compared.
func arguments(st *state.Structure, s *state.State, a *protocol.Action) [][]state.Value {
	lists := [][]state.Value{nil}
	for _, p := range a.Params {
		var values []state.Value
		switch p.Sort.Kind {
		case protocol.MessageKind:
			values = s.Msgs[p.Sort.ID]
		case protocol.UnionKind:
			for i, m := range p.Sort.Union {
				for _, v := range s.Msgs[m.ID] {
					values = append(values, tag(i, v))
				}
			}
		default:
			for k := range st.Size(p.Sort) {
				values = append(values, num(k))
			}
		}
		var longer [][]state.Value
		for _, l := range lists {
			for _, v := range values {
				longer = append(longer, append(slices.Clip(l), v))
			}
		}
		lists = longer
	}
	return lists
}

func TestStepsAgreeWithDo(t *testing.T) {
	t.Parallel()
	e, st := evaluator(), structure()
	r := rand.New(rand.NewPCG(1, 2))
	fired := map[string]int{}
	for range 200 {
		pre := e.RandomState(r, 3)
		for _, a := range system.Actions {
			var want []*state.Step
			for _, args := range arguments(st, pre, a) {
				if out := e.Do(a, args, pre); out.Status == semantics.Enabled {
					want = append(want, &state.Step{Action: a, Args: args, Pre: pre, Post: out.Post})
				}
			}
			got := slices.Collect(e.Steps(pre, a))
			if !slices.EqualFunc(got, want, sameStep) {
				t.Fatalf("%s: %d steps, want %d", a.Name, len(got), len(want))
			}
			fired[a.Name] += len(got)
		}
	}
	for _, a := range system.Actions {
		if fired[a.Name] == 0 {
			t.Errorf("%s never fires: this test shows nothing about it", a.Name)
		}
	}
}

func sameStep(s, t *state.Step) bool {
	return s.Action == t.Action && slices.EqualFunc(s.Args, t.Args, state.Value.Equal) && s.Pre.Equal(t.Pre) && s.Post.Equal(t.Post)
}

func TestStepsStop(t *testing.T) {
	t.Parallel()
	e := evaluator()
	n := 0
	for range e.Steps(e.Init(), timeout) {
		n++
		if n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d steps", n)
	}
}
