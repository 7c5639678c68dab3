package proofs_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// reach looks for a run; with a time limit of its own.
func reach(tb testing.TB, sys *protocol.System, target proofs.Target, scope map[string]int, depth int, atOnce bool) *proofs.ReachResult {
	tb.Helper()
	res, err := proofs.Reach(tb.Context(), sys, target, proofs.ReachConfig{
		NewSolver: config(tb, "z3").NewSolver, Scope: scope, Depth: depth, AtOnce: atOnce,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// found fails unless there is a run, of the given length if that is not 0.
func found(tb testing.TB, res *proofs.ReachResult, steps int) {
	tb.Helper()
	if res.Reached != proofs.Found {
		tb.Fatalf("%v, %d steps, %v", res.Reached, res.Depth, res.Reason)
	}
	if res.Depth != len(res.Run.Steps) || steps != 0 && res.Depth != steps {
		tb.Errorf("a run of %d steps, and %d in it, want %d", res.Depth, len(res.Run.Steps), steps)
	}
	ev := semantics.NewEvaluator(res.Run.Structure)
	pre := ev.Init()
	for n, s := range res.Run.Steps {
		out := ev.Do(s.Action, s.Args, pre)
		if out.Status != semantics.Enabled || !out.Post.Equal(s.Post) || !pre.Equal(s.Pre) {
			tb.Fatalf("step %d, %s, is none", n+1, s.Action.Name)
		}
		pre = s.Post
	}
}

// Runs to what literal claims say is false are found without a hint, and none is longer than the one that
// the spec gives.
func TestReachLiterals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec, property string
		steps          int
	}{
		{"raft.yaml", "K2.literal", 8},
		{"raft.yaml", "I3.literal", 10},
		{"raft.yaml", "I6.literal", 16},
		{"kraft.yaml", "K2.literal", 5},
		{"kraft.yaml", "I4.literal", 6},
		{"kraft.yaml", "S2.literal", 0},
	} {
		t.Run(strings.TrimSuffix(c.spec, ".yaml")+"/"+c.property, func(t *testing.T) {
			t.Parallel()
			sys := parse(t, spec(t, c.spec))
			p := sys.Property(c.property)
			res := reach(t, sys, proofs.Target{Breaks: p}, p.RefutedBy.Scope, len(p.RefutedBy.Steps), false)
			found(t, res, c.steps)
			if res.Broken == nil {
				t.Error("it is not said how the claim is broken")
			}
		})
	}
}

// The actions of a run, without its parameters, are enough of a script to find a run that refutes the claim.
func TestReachActions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"raft.yaml", "kraft.yaml"} {
		sys := parse(t, spec(t, name))
		for _, p := range sys.Properties {
			if p.RefutedBy == nil {
				continue
			}
			t.Run(sys.Name+"/"+p.ID, func(t *testing.T) {
				script := patterns(p.RefutedBy, func(*protocol.Action, *protocol.Param) bool { return false })
				res := reach(t, sys, proofs.Target{Breaks: p, Script: script}, p.RefutedBy.Scope, 0, false)
				t.Log(res.Elapsed)
				found(t, res, len(script))
			})
		}
	}
}

// A voter that votes twice lets two leaders be elected, in no more than 16 steps; one that does not, does not.
func TestReachVotesTwice(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	scope := map[string]int{"Server": 3, "Term": 2, "Index": 1, "Value": 1}
	sys := parse(t, raft(t))
	res := reach(t, sys, proofs.Target{Breaks: sys.Property("I1")}, scope, 16, false)
	if res.Reached != proofs.Excluded || res.Depth != 16 {
		t.Errorf("Raft: %v, %d steps", res.Reached, res.Depth)
	}
	mutant := parse(t, replace(t, raft(t), "logOk ∧ votedFor[i] ∈ {Nil, j}", "logOk"))
	target := proofs.Target{Breaks: mutant.Property("I1")}
	found(t, reach(t, mutant, target, scope, 16, false), 16)
	found(t, reach(t, mutant, target, scope, 40, true), 0)
}

// A state of a run is found; one with a value that no run leads to is excluded.
func TestReachState(t *testing.T) {
	t.Parallel()
	sys := parse(t, raft(t))
	run := sys.Property("I3.literal").RefutedBy
	st := state.NewStructure(sys, run.Scope)
	replayed, err := semantics.NewEvaluator(st).Replay(run)
	if err != nil {
		t.Fatal(err)
	}
	steps, last := replayed.Steps, replayed.Last()
	found(t, reach(t, sys, proofs.StateTarget(st, last, nil), run.Scope, len(steps), false), len(steps))

	skipped := func(v *protocol.StateVar, args []int) bool { return v.Name != "state" }
	target := proofs.StateTarget(st, last, skipped)
	target.Sent = nil
	if len(target.Cells) != 2 {
		t.Fatalf("%d cells count, want the state of each of two servers", len(target.Cells))
	}
	found(t, reach(t, sys, target, run.Scope, len(steps), false), 8+1) // without the request of a client

	target.Cells[1].Value = target.Cells[0].Value // both lead, which they do in different terms
	if res := reach(t, sys, target, run.Scope, len(steps), false); res.Reached != proofs.Excluded || res.Depth != len(steps) {
		t.Errorf("two leaders: %v, %d steps", res.Reached, res.Depth)
	}
}

// A script that asks for what is not in the scope is matched by no run.
func TestReachOutsideScope(t *testing.T) {
	t.Parallel()
	sys := parse(t, raft(t))
	timeout := sys.Action("Timeout")
	server := timeout.Params[0].Sort
	for n, want := range []proofs.Reached{proofs.Found, proofs.Found, proofs.Excluded, proofs.Excluded} {
		script := []encode.Pattern{{Actions: []*protocol.Action{timeout}, Args: []protocol.Term{&protocol.Lit{Of: server, Value: n}}}}
		res := reach(t, sys, proofs.Target{Script: script}, map[string]int{"Server": 2}, 1, false)
		if res.Reached != want {
			t.Errorf("server %d of 2 times out: %v", n+1, res.Reached)
		}
	}
}

// A search that runs out of time says so, and up to which length there is no run.
func TestReachGivesUp(t *testing.T) {
	t.Parallel()
	sys := parse(t, raft(t))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	res, err := proofs.Reach(ctx, sys, proofs.Target{Breaks: sys.Property("I1")}, proofs.ReachConfig{
		NewSolver: config(t, "z3").NewSolver, Scope: map[string]int{"Server": 3, "Term": 3, "Index": 3, "Value": 2}, Depth: 40,
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Reached != proofs.NotFound || res.Reason != solver.Timeout || res.Depth < 3 || res.Depth >= 40 || res.Run != nil {
		t.Errorf("%v, %d steps, %v", res.Reached, res.Depth, res.Reason)
	}
}

// figure8 is how a leader of KRaft commits a record of an old epoch, and a later leader lacks it, if a leader
// may commit before a record of its own epoch is on a quorum (KAFKA-12619).
const figure8 = `      BecomeProspective(i = n1)                                  # epoch 1: n1 leads, by n1 and n3
      SendPreVoteRequest(i = n1, j = n3)
      HandlePreVoteRequest(m = PreVoteRequest{from: n1})
      HandlePreVoteResponse(m = PreVoteResponse{to: n1})
      BecomeCandidate(i = n1, q = {n1, n3})
      SendVoteRequest(i = n1, j = n3)
      LearnEpoch(m = VoteRequest{from: n1})
      HandleVoteRequest(m = VoteRequest{from: n1}, regrant = FALSE)
      HandleVoteResponse(m = VoteResponse{to: n1})
      BecomeLeader(i = n1, q = {n1, n3})                         # its record reaches nobody else
      BecomeProspective(i = n3)                                  # epoch 2: n3 leads, by n2 and n3
      SendPreVoteRequest(i = n3, j = n2)
      LearnEpoch(m = PreVoteRequest{from: n3})
      HandlePreVoteRequest(m = PreVoteRequest{from: n3})
      HandlePreVoteResponse(m = PreVoteResponse{to: n3})
      BecomeCandidate(i = n3, q = {n2, n3})
      SendVoteRequest(i = n3, j = n2)
      LearnEpoch(m = VoteRequest{from: n3})
      HandleVoteRequest(m = VoteRequest{from: n3}, regrant = FALSE)
      HandleVoteResponse(m = VoteResponse{to: n3})
      BecomeLeader(i = n3, q = {n2, n3})                         # its record reaches nobody else
      SendBeginQuorumEpochRequest(i = n3, j = n1)
      LearnFromLeader(m = BeginQuorumEpochRequest{to: n1})
      BecomeProspective(i = n1)                                  # epoch 3: n1 leads, by n1 and n2
      SendPreVoteRequest(i = n1, j = n2)
      HandlePreVoteRequest(m = PreVoteRequest{from: n1, epoch: 2})
      HandlePreVoteResponse(m = PreVoteResponse{to: n1, epoch: 2})
      BecomeCandidate(i = n1, q = {n1, n2})
      SendVoteRequest(i = n1, j = n2)
      LearnEpoch(m = VoteRequest{from: n1, epoch: 3})
      HandleVoteRequest(m = VoteRequest{from: n1, epoch: 3}, regrant = FALSE)
      HandleVoteResponse(m = VoteResponse{to: n1, epoch: 3})
      BecomeLeader(i = n1, q = {n1, n2})
      SendFetchRequest(i = n2, j = n1)                           # n2 fetches the record of epoch 1
      HandleFetchRequest(m = FetchRequest{from: n2}, d = 0, n = 1)
      HandleFetchResponse(m = FetchResponse{to: n2})
      Flush(i = n2)
      SendFetchRequest(i = n2, j = n1)
      HandleFetchRequest(m = FetchRequest{from: n2, fetchOffset: 1}, d = 1, n = 1)
      AdvanceHighWatermark(i = n1, n = 1, q = {n1, n2})          # which is committed
      SendBeginQuorumEpochRequest(i = n1, j = n3)
      LearnFromLeader(m = BeginQuorumEpochRequest{to: n3})
      BecomeProspective(i = n2)                                  # so that it grants a pre-vote
      BecomeProspective(i = n3)                                  # epoch 4: n3 leads, by n2 and n3
      SendPreVoteRequest(i = n3, j = n2)
      HandlePreVoteRequest(m = PreVoteRequest{from: n3, epoch: 3})
      HandlePreVoteResponse(m = PreVoteResponse{to: n3, epoch: 3})
      BecomeCandidate(i = n3, q = {n2, n3})
      SendVoteRequest(i = n3, j = n2)
      LearnEpoch(m = VoteRequest{from: n3, epoch: 4})
      HandleVoteRequest(m = VoteRequest{from: n3, epoch: 4}, regrant = FALSE)
      HandleVoteResponse(m = VoteResponse{to: n3, epoch: 4})
      BecomeLeader(i = n3, q = {n2, n3})
`

// figure8Scope is as small as the run allows.
const figure8Scope = "{Replica: 3, Voter: 3, Epoch: 4, Offset: 2, CorrelationId: 5, Value: 1}"

// patterns are the steps of a scenario. What keep is false for may have any value.
func patterns(run *protocol.Scenario, keep func(a *protocol.Action, p *protocol.Param) bool) []encode.Pattern {
	var out []encode.Pattern
	for _, s := range run.Steps {
		p := encode.Pattern{Actions: []*protocol.Action{s.Action}, Args: make([]protocol.Term, len(s.Args))}
		for i, q := range s.Action.Params {
			if keep(s.Action, q) {
				p.Args[i] = s.Args[i]
			}
		}
		out = append(out, p)
	}
	return out
}

// gapped is a script in which the steps of other actions are gaps of at most most steps.
func gapped(steps []encode.Pattern, most int, keep ...string) []encode.Pattern {
	var out []encode.Pattern
	for _, p := range steps {
		if slices.Contains(keep, p.Actions[0].Name) {
			out = append(out, p)
		} else if n := len(out); n == 0 || !out[n-1].Many {
			out = append(out, encode.Pattern{Many: true, Most: most})
		}
	}
	return out
}

// story is KRaft with the mutation Figure8, and as it is, each with the scenario theStory.
func story(t *testing.T) (mutant, right *protocol.System) {
	t.Helper()
	sys := parse(t, replace(t, spec(t, "kraft.yaml"), "\nscenarios:\n", "\nscenarios:\n  theStory:\n    mutation: Figure8\n    scope: "+
		figure8Scope+"\n    steps: |\n"+figure8))
	bug := sys.MutationNamed("Figure8")
	mutant, errs := sys.Mutated(bug)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	right, errs = sys.Spared(bug)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	return mutant, right
}

// Where a script has gaps for what is received, they are filled.
func TestReachGaps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	sys, _ := story(t)
	run := sys.Scenario("theStory")
	all := patterns(run, func(_ *protocol.Action, p *protocol.Param) bool { return p.Sort.Kind == protocol.ElementKind })
	target := proofs.Target{Breaks: sys.Property("I2.real"), Script: gapped(all, 3, "BecomeProspective", "SendPreVoteRequest", "BecomeCandidate",
		"SendVoteRequest", "BecomeLeader", "SendBeginQuorumEpochRequest", "SendFetchRequest", "Flush", "AdvanceHighWatermark")}
	res := reach(t, sys, target, run.Scope, 0, false)
	t.Log(res.Elapsed)
	found(t, res, 0)
}

// A script with the actions and who acts leads to the bug in KRaft with it, and nowhere in KRaft.
func TestReachScript(t *testing.T) {
	t.Parallel()
	mutant, right := story(t)
	for _, c := range []struct {
		name string
		keep func(a *protocol.Action, p *protocol.Param) bool
	}{
		{"all given", func(*protocol.Action, *protocol.Param) bool { return true }},
		{"replicas and messages", func(_ *protocol.Action, p *protocol.Param) bool {
			return p.Sort.Kind == protocol.ElementKind || p.Sort.Kind == protocol.MessageKind || p.Sort.Kind == protocol.UnionKind
		}},
		{"replicas", func(_ *protocol.Action, p *protocol.Param) bool { return p.Sort.Kind == protocol.ElementKind }},
		{"actions", func(*protocol.Action, *protocol.Param) bool { return false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := mutant.Scenario("theStory")
			target := proofs.Target{Breaks: mutant.Property("I2.real"), Script: patterns(run, c.keep)}
			res := reach(t, mutant, target, run.Scope, 0, false)
			t.Log(res.Elapsed)
			found(t, res, len(run.Steps))
			for n, s := range res.Run.Steps {
				if s.Action != run.Steps[n].Action {
					t.Errorf("step %d is %s, the script has %s", n+1, s.Action.Name, run.Steps[n].Action.Name)
				}
			}
			run = right.Scenario("theStory")
			target = proofs.Target{Breaks: right.Property("I2.real"), Script: patterns(run, c.keep)}
			if res := reach(t, right, target, run.Scope, 0, false); res.Reached != proofs.Excluded {
				t.Errorf("KRaft: %v, %d steps", res.Reached, res.Depth)
			} else {
				t.Log(res.Elapsed)
			}
		})
	}
}
