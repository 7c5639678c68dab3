package semantics_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

func do(a *protocol.Action, args ...protocol.Term) *protocol.ScenarioStep {
	return &protocol.ScenarioStep{Action: a, Args: args}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	n := func(k int) protocol.Term { return lit(server, k) }
	candidates := []*protocol.ScenarioStep{ // 0 asks 1 and 2 for their votes in term 1
		do(timeout, n(0)), do(requestVote, n(0), n(1)), do(requestVote, n(0), n(2)),
	}
	i, j := binding("i", server), binding("j", server)
	granted := apply(read(votesGranted), use(i))
	countVote := action("CountVote", actionOf{[]*protocol.Binding{i, j}, []protocol.Stmt{
		set(votesGranted, same(protocol.Union, granted, &protocol.SetTerm{Elems: []protocol.Term{use(j)}, Of: servers}), use(i)),
	}})
	for _, c := range []struct {
		name   string
		steps  []*protocol.ScenarioStep // after candidates
		want   int                      // steps performed after candidates
		guard  *protocol.Guard
		reason string // empty: no error
	}{
		{"nothing", nil, 0, nil, ""},
		{"one message matches", []*protocol.ScenarioStep{do(handleVote, record(vote, nil, n(1), nil))}, 1, nil, ""},
		{"all fields given", []*protocol.ScenarioStep{do(handleVote, record(vote, n(0), n(2), lit(term, 1)))}, 1, nil, ""},
		{"two messages match", []*protocol.ScenarioStep{do(nop), do(handleVote, record(vote, n(0), nil, nil))}, 1, nil, "2 messages sent match m, want 1"},
		{"no message matches", []*protocol.ScenarioStep{do(handleVote, record(vote, nil, nil, lit(term, 2)))}, 0, nil, "0 messages sent match m, want 1"},
		{"union", []*protocol.ScenarioStep{do(handleAny, record(vote, nil, n(1), nil))}, 1, nil, ""},
		{"union, second type", []*protocol.ScenarioStep{
			do(handleVote, record(vote, nil, n(1), nil)),
			do(handleAny, record(ack, nil, nil, nil)),
		}, 2, nil, ""},
		{"union, other type", []*protocol.ScenarioStep{do(handleAny, record(ack, nil, nil, nil))}, 0, nil, "0 messages sent match m, want 1"},
		{"guard", []*protocol.ScenarioStep{do(becomeLeader, lit(quorum, 0), n(0))}, 0, guardQuorum, "a guard is false"},
		{"quorum by its members", []*protocol.ScenarioStep{
			do(countVote, n(0), n(1)), do(becomeLeader, setOfServers(0, 1), n(0))}, 2, nil, ""},
		{"quorum by other members", []*protocol.ScenarioStep{
			do(countVote, n(0), n(1)), do(becomeLeader, setOfServers(0, 2), n(0))}, 1, guardQuorum, "a guard is false"},
		{"no quorum", []*protocol.ScenarioStep{do(becomeLeader, setOfServers(0), n(0))}, 0, nil, "q is not the members of a quorum of the scope"},
		{"no value", []*protocol.ScenarioStep{do(timeout, nil)}, 0, nil, "i has no value"},
		{"argument outside the scope", []*protocol.ScenarioStep{do(timeout, n(3))}, 0, nil, "the value of i is outside the scope"},
		{"send leaves the scope", []*protocol.ScenarioStep{do(action("Send", actionOf{body: []protocol.Stmt{
			send(record(vote, n(0), n(0), lit(term, 4)), nil)}}))}, 0, nil, "a Vote sent is outside the scope"},
		{"update leaves the scope", []*protocol.ScenarioStep{do(timeout, n(0)), do(timeout, n(0)), do(timeout, n(0))}, 2, nil, "the update of currentTerm leaves the scope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := evaluator()
			scenario := &protocol.Scenario{Steps: append(candidates[:len(candidates):len(candidates)], c.steps...)}
			run, err := e.Replay(scenario)
			steps := run.Steps
			if !run.Init.Equal(e.Init()) || run.Structure == nil {
				t.Errorf("the run begins in %v", run.Init)
			}
			if len(steps) != len(candidates)+c.want {
				t.Errorf("%d steps, want %d", len(steps), len(candidates)+c.want)
			}
			for i, s := range steps {
				if i == 0 && !s.Pre.Equal(e.Init()) || i > 0 && s.Pre != steps[i-1].Post {
					t.Errorf("step %d does not start where the one before ended", i)
				}
			}
			var fail *semantics.ReplayError
			switch {
			case c.reason == "" && err != nil:
				t.Errorf("error %v", err)
			case c.reason != "" && !errors.As(err, &fail):
				t.Errorf("error %v, want a ReplayError", err)
			case c.reason != "":
				if fail.Reason != c.reason || fail.Guard != c.guard || fail.Step != len(steps) || fail.At != scenario.Steps[len(steps)] {
					t.Errorf("error %+v, want reason %q", fail, c.reason)
				}
			}
		})
	}
}

func TestReplayTakesTheMatchingMessage(t *testing.T) {
	t.Parallel()
	scenario := &protocol.Scenario{Steps: []*protocol.ScenarioStep{
		do(timeout, lit(server, 0)),
		do(requestVote, lit(server, 0), lit(server, 1)),
		do(handleVote, record(vote, nil, nil, nil)),
		do(handleAny, record(ack, nil, lit(boolean, 1), nil)),
	}}
	run, err := evaluator().Replay(scenario)
	if err != nil {
		t.Fatal(err)
	}
	last := run.Steps[len(run.Steps)-1]
	if want := tag(1, nums(1, 1, 1)); !last.Args[0].Equal(want) {
		t.Errorf("received %v, want %v", last.Args[0], want)
	}
	if !last.Post.Vars[epoch.Index].Equal(num(1)) || !last.Post.Vars[votedFor.Index].Equal(kids(just(0), just(0), num(0))) {
		t.Errorf("post-state %v", last.Post)
	}
}

func TestReplayErrorText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step *protocol.ScenarioStep
		want string
	}{
		{do(becomeLeader, lit(quorum, 0), lit(server, 0)), "step 2, BecomeLeader: a guard is false"},
		{do(becomeLeader, lit(quorum, 0), nil), "step 2, BecomeLeader: i has no value"},
		{do(nil), "step 2: any steps may stand here, which a replay does not look for"},
	} {
		_, err := evaluator().Replay(&protocol.Scenario{Steps: []*protocol.ScenarioStep{do(nop), c.step}})
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestReplayWithoutInitialState(t *testing.T) {
	t.Parallel()
	sys := withInit(action("Init", actionOf{body: []protocol.Stmt{require(lit(boolean, 0))}}))
	_, err := semantics.NewEvaluator(state.NewStructure(sys, sizes)).Replay(&protocol.Scenario{})
	var fail *semantics.ReplayError
	if !errors.As(err, &fail) || fail.Step != -1 {
		t.Errorf("error %v", err)
	}
}
