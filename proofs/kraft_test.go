package proofs_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/specs"
)

// little is a scope in which nearly everything that is wrong with KRaft shows within a
// second.
var little = map[string]int{"Replica": 3, "Voter": 3, "Epoch": 2, "Offset": 2, "CorrelationId": 1, "Value": 1, protocol.MessagesScope: 1}

func resized(scope, sizes map[string]int) map[string]int {
	scope = maps.Clone(scope)
	maps.Copy(scope, sizes)
	return scope
}

// KRaft is proved in a scope with three voters and an observer, in which every action
// has a step.
func TestKRaftIsProved(t *testing.T) {
	t.Parallel()
	cfg := config(t, "z3")
	cfg.Scope = resized(little, map[string]int{"Replica": 4})
	proved(t, check(t, parse(t, spec(t, "kraft.yaml")), cfg), proofs.Bounded)
}

// KRaft is proved for any number of voters, observers, epochs, offsets and messages. What
// a step or a run shows is left to the scope.
func TestKRaftIsProvedForAllSizes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	sys := parse(t, spec(t, "kraft.yaml"))
	cfg := unboundedConfig(t)
	cfg.Scope = nil
	if lock, err := specs.FS.ReadFile("kraft.lock"); err == nil { // without it, it takes longer
		cfg.Locks = map[string]proofs.Lock{sys.Name: proofs.ParseLock(lock)}
	}
	cfg.Only = func(o proofs.Obligation) bool {
		return o.Kind == proofs.Majorities || o.Property != nil && o.Property.Kind != protocol.Literal
	}
	proved(t, check(t, sys, cfg), proofs.Unbounded)
}

// patch is what a mutation does to one action, line by line.
func patch(action string, lines ...string) string {
	return "actions:\n  " + action + ": |\n    " + strings.Join(lines, "\n    ")
}

// stepwise is KRaft with a mutation: one of the spec's own, or else that change. Of each
// action it is asked whether it keeps also those headline properties that the spec derives
// from lemmas: what is wrong shall break them, and not only a lemma.
func stepwise(tb testing.TB, name, change string) *protocol.System {
	tb.Helper()
	return mutated(tb, strings.ReplaceAll(spec(tb, "kraft.yaml"), "    implied: true\n", ""), name, change)
}

// kraftMutant is KRaft with something wrong.
type kraftMutant struct {
	name   string
	change string         // "": the spec has it as a mutation
	at     string         // the action that is wrong, or init
	breaks string         // properties that a step of it breaks
	scope  map[string]int // sizes in which they break, if they hold in little
}

// publicBugs are errors of real systems, which the spec has as mutations.
var publicBugs = []kraftMutant{
	{name: "Figure8", at: "AdvanceHighWatermark", breaks: "CurrentEpochCommit I6 I6.state I6.real K2.leaders"},
	{name: "RestartAsLeader", at: "Restart", breaks: "NoIllegalState.restart I2 I2.real"},
	{name: "RestartForgetsLeadership", at: "Restart", breaks: "NoIllegalState.restart NoIllegalState.leaderItself K6.real"},
	{name: "AckBeforeFlush", at: "SendFetchRequest", breaks: "I6.disk"},
	{name: "VoteLostInEpoch", at: "LosePreVote", breaks: "K6.real NoIllegalState PreVoteChangesNothing"},
	{name: "HwFromDiverging", at: "HandleDivergingFetchResponse", breaks: "SMS SMS.ever K3 I2.real I6.real"},
	{name: "PositionNotChecked", at: "HandleFetchRequest", breaks: "I6.counted"},
	{name: "HwBeyondVerified", at: "HandleFetchResponse", breaks: "SMS SMS.ever K3 K2.log I3"},
	{name: "VoteNotDurable", at: "Restart", breaks: "K6.real NoIllegalState.restart"},
	{name: "StaleVoteCounted", at: "HandleVoteResponse", breaks: "K6.counted NoIllegalState.votes.rejected"},
	{name: "LogTestByComponent", at: "HandleVoteRequest", breaks: "VoteUpToDate"},
	{name: "BumpCountsAsGrant", at: "LearnEpoch", breaks: "VoteUpToDate"},
	{name: "SmallSnapshotInstalled", at: "HandleFetchSnapshotResponse", breaks: "KeepsCommitted I6.real K2.log K2.replica"},
	{name: "EmptyAnswerTruncates", at: "HandleFetchResponse", breaks: "KeepsCommitted AtomicTruncation I6.real SMS"},
	{name: "AcksKept", at: "BecomeLeader", breaks: "I6.counted"},
	{name: "PreVoteCountsAsVote", at: "BecomeCandidate", breaks: "K6.counted"},
	{name: "ShortMajority", at: "AdvanceHighWatermark", breaks: "I6 I6.state I6.real I2 I2.ever SMS SMS.ever committedForever"},
	{name: "LeaderCommitsBeforeFlush", at: "AdvanceHighWatermark", breaks: "I6.real", scope: map[string]int{"Voter": 1}},
}

// weakGuards are guards and updates of Kafka's that are left out, or changed.
var weakGuards = []kraftMutant{
	// Logs
	{name: "RestartForgetsLogStart", at: "Restart", breaks: "LogStartMonotonicity",
		change: patch("Restart", "- let start == …", "+ let start == s")},
	{name: "SendsWhatIsDeleted", at: "HandleFetchRequest", breaks: "SentFromDisk",
		change: patch("HandleFetchRequest", "- require ¬needsSnapshot(i, f, m.lastFetchedEpoch)")},

	// Elections
	{name: "PreVoteIsWritten", at: "HandlePreVoteRequest", breaks: "PreVoteChangesNothing K6.real NoIllegalState",
		change: patch("HandlePreVoteRequest", "+ votedKey[i] := IF grant THEN m.from ELSE votedKey[i]")},
	{name: "PreVoteForLaterEpoch", at: "SendPreVoteRequest", breaks: "NoInvalidRequest.preVote",
		change: patch("SendPreVoteRequest", "- lastEpoch: lastEpoch(i)", "+ lastEpoch: lastEpoch(i) + 1")},
	{name: "PreVoteNotAwaited", at: "HandlePreVoteResponse", breaks: "NoIllegalState.votes.rejected",
		change: patch("HandlePreVoteResponse", "- awaited(i, m.from, m.id)")},
	{name: "StandsWithoutPreVotes", at: "BecomeCandidate", breaks: "PreVoteQuorum",
		change: patch("BecomeCandidate", "- q ⊆ granted[i]")},
	{name: "StandsInOldEpoch", at: "BecomeCandidate", breaks: "K6 K6.real K6.messages NoIllegalState",
		change: patch("BecomeCandidate", "- epoch[i] + 1", "+ epoch[i]")},
	{name: "ObserverStands", at: "BecomeProspective", breaks: "NoIllegalState", scope: map[string]int{"Voter": 2},
		change: patch("BecomeProspective", "- Voter", "+ Replica")},
	{name: "ResignedStands", at: "BecomeProspective", breaks: "NoIllegalState NoIllegalState.leaderItself",
		change: patch("BecomeProspective", "- {Unattached, Follower, Candidate}", "+ {Unattached, Follower, Candidate, Resigned}")},
	{name: "VotesTwice", at: "HandleVoteRequest", breaks: "K6 K6.real K6.messages",
		change: patch("HandleVoteRequest", "- votedKey[i] = Nil")},
	{name: "RestartKeepsLeader", at: "Restart", breaks: "ValidRoles",
		change: patch("Restart", "- IF stands THEN Nil ELSE leaderId[i]", "+ leaderId[i]")},
	{name: "VotesWithoutLogTest", at: "HandleVoteRequest", breaks: "VoteUpToDate",
		change: patch("HandleVoteRequest", "- upToDate(m.lastEpoch, m.lastEpochEndOffset, i)")},
	{name: "VotesAgainstLeader", at: "HandleVoteRequest", breaks: "NoIllegalState",
		change: patch("HandleVoteRequest", "- leaderId[i] = Nil")},
	{name: "VoteNotAwaited", at: "HandleVoteResponse", breaks: "NoIllegalState.votes.rejected",
		change: patch("HandleVoteResponse", "- awaited(i, m.from, m.id)")},
	{name: "VoteAwaitedAgain", at: "HandleVoteResponse", breaks: "NoIllegalState.votes",
		change: patch("HandleVoteResponse", "- inFlight[i][m.from] := …")},
	{name: "LeadsWithoutVotes", at: "BecomeLeader",
		breaks: "I1 I1.ever K5 K5.elected I2 I3 NoIllegalState NoIllegalState.leader NoIllegalState.request NoInvalidRequest",
		change: patch("BecomeLeader", "- q ⊆ granted[i]")},
	{name: "ObserversCount", at: "init", breaks: "K1", scope: map[string]int{"Voter": 2},
		change: "sorts: {Quorum: {quorum: Replica}}"},
	{name: "LeaderKeepsHighWatermark", at: "BecomeLeader", breaks: "CurrentEpochCommit.state",
		change: patch("BecomeLeader", "- highWatermark[i] := …")},
	{name: "ResignedKeepsEpoch", at: "ResignedTimeout", breaks: "K6.real NoIllegalState NoIllegalState.leaderItself",
		change: patch("ResignedTimeout", "- epoch[i] := …")},
	{name: "ResignedAwaits", at: "Resign", breaks: "NoIllegalState.acknowledgement",
		change: patch("Resign", "- inFlight[i] := …")},

	// Learning of epochs and leaders
	{name: "EpochFalls", at: "LearnEpoch", breaks: "I5 I2.real K3.committed NoIllegalState",
		change: patch("LearnEpoch", "- m.epoch > epoch[i]", "+ m.epoch ≠ epoch[i]")},
	{name: "LeaderOfOldEpoch", at: "LearnEpoch", breaks: "K5 K5.elected NoIllegalState.leader NoIllegalState.request",
		change: patch("LearnEpoch", "- leaderId[i] := …")},
	{name: "VoteOfOldEpoch", at: "LearnFromResponse", breaks: "VoteUpToDate",
		change: patch("LearnFromResponse", "- votedKey[i] := …")},
	{name: "FollowsItself", at: "LearnLeader", breaks: "NoIllegalState NoIllegalState.leaderItself",
		change: patch("LearnLeader", "- role[i] ∉ {Leader, Resigned}")},

	// Replication
	{name: "ResignedAppends", at: "ClientAppend", breaks: "I3",
		change: patch("ClientAppend", "- role[i] = Leader", "+ role[i] ∈ {Leader, Resigned}")},
	{name: "FetchFromItself", at: "SendFetchRequest", breaks: "NoIllegalState.self",
		change: patch("SendFetchRequest", "- j ≠ i")},
	{name: "FetchOfLaterEpoch", at: "SendFetchRequest", breaks: "NoInvalidRequest.fetch",
		change: patch("SendFetchRequest", "- lastFetchedEpoch: lastEpoch(i)", "+ lastFetchedEpoch: lastEpoch(i) + 1")},
	{name: "FetchOfOtherEpochCounts", at: "HandleFetchRequest", breaks: "I6.counted",
		change: patch("HandleFetchRequest", "- m.epoch = epoch[i]")},
	{name: "RecordsFromElsewhere", at: "HandleFetchRequest", breaks: "NoIllegalState.fetch",
		change: patch("HandleFetchRequest", "- baseOffset: f", "+ baseOffset: n")},
	{name: "SendsLogHighWatermark", at: "HandleFetchRequest", breaks: "NoIllegalState.highWatermark",
		change: patch("HandleFetchRequest", "- highWatermark: highWatermark[i]", "+ highWatermark: logHighWatermark[i]")},
	{name: "FetchNotAwaited", at: "HandleFetchResponse", breaks: "I3 SMS K2.log K2.replica",
		change: patch("HandleFetchResponse", "- awaited(i, m.from, m.id)")},
	{name: "HighWatermarkBeyondLog", at: "HandleFetchResponse", breaks: "K3 SMS I6.real",
		change: patch("HandleFetchResponse", "- highWatermark[i] := …", "+ highWatermark[i] := IF m.highWatermark = Nil THEN highWatermark[i] ELSE m.highWatermark!", "- logHighWatermark[i] := …", "+ logHighWatermark[i] := IF m.highWatermark = Nil THEN logHighWatermark[i] ELSE m.highWatermark!")},
	{name: "DivergesAnywhere", at: "HandleDivergingFetchRequest", breaks: "NoIllegalState.truncation",
		change: patch("HandleDivergingFetchRequest", "- endsEpoch(i, e, d)")},
	{name: "TruncatesTooMuch", at: "HandleDivergingFetchResponse", breaks: "KeepsCommitted SMS K3 SnapshotAtLogStart",
		change: patch("HandleDivergingFetchResponse", "- k ∈ n..len(log[i])", "+ k ≤ len(log[i])")},
	{name: "ObserverTruncatesTooMuch", at: "HandleDivergingFetchResponse", breaks: "K4 KeepsCommitted", scope: map[string]int{"Voter": 2},
		change: patch("HandleDivergingFetchResponse", "- k ∈ n..len(log[i])", "+ k ≤ len(log[i]) ∧ (i ∈ Voter ⇒ k ≥ n)")},
	{name: "HighWatermarkFalls", at: "AdvanceHighWatermark", breaks: "K2.replica K2.log leaderLogForever K3",
		change: patch("AdvanceHighWatermark", "- highWatermark[i] = Nil ∨ n > highWatermark[i]!")},

	// Snapshots
	{name: "SnapshotAboveHighWatermark", at: "CreateSnapshot", breaks: "S2 S2.log S2.agree S1.sorted",
		change: patch("CreateSnapshot", "- n ≤ logHighWatermark[i]")},
	{name: "SnapshotOfOtherEpoch", at: "CreateSnapshot", breaks: "S2 S2.agree S1.sorted",
		change: patch("CreateSnapshot", "- epochAt(i, n)", "+ epochAt(i, n + 1)")},
	{name: "CleansAboveHighWatermark", at: "CleanLog", breaks: "I4 K3 NoIllegalState.snapshot",
		change: patch("CleanLog", "- n ≤ logHighWatermark[i]")},
	{name: "CleansLastSnapshot", at: "CleanLog", breaks: "S1 SnapshotAtLogStart",
		change: patch("CleanLog", "- p < n", "+ p ≤ n")},
	{name: "SendsOtherSnapshot", at: "HandleFetchSnapshotRequest", breaks: "S2.sent",
		change: patch("HandleFetchSnapshotRequest", "- snapshots[i][n]!.epoch = m.snapshotId.epoch")},
	{name: "StoresPartOfSnapshot", at: "HandleFetchSnapshotResponse", breaks: "S2 S2.agree S2.kept AtomicTruncation",
		change: patch("HandleFetchSnapshotResponse", "- records: m.records", "+ records: truncate(m.records, n - 1)")},

	// Restarts
	{name: "RestartForgetsVote", at: "Restart", breaks: "K6.real NoIllegalState.restart",
		change: patch("Restart", "+ votedKey[i] := Nil")},
	{name: "RestartForgetsEpoch", at: "Restart", breaks: "I5 K5.elected NoIllegalState.restart",
		change: "state: {epoch: volatile Replica → Epoch}"},
	{name: "RestartLosesFlushed", at: "Restart", breaks: "AtomicTruncation I6.real",
		change: patch("Restart", "- max(flushed[i], logStart[i])", "+ logStart[i]")},
}

// Each mutant has a step, from a state in which all invariants and lemmas hold, that breaks the
// properties named.
func TestKRaftMutants(t *testing.T) {
	t.Parallel()
	mutants := publicBugs
	if !testing.Short() {
		mutants = slices.Concat(publicBugs, weakGuards)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := m.check(t, resized(little, m.scope))
			named := strings.Fields(m.breaks)
			var more []string
			for _, r := range s.Results {
				if r.CTI != nil {
					replayed(t, s, r)
				}
				switch wanted := slices.Contains(named, r.Property.ID); {
				case r.Verdict == proofs.Unknown || wanted && r.Verdict != proofs.Refuted:
					t.Errorf("%s is %v: %s", r.ID(), r.Verdict, r.Reason)
				case !wanted && r.Verdict == proofs.Refuted:
					more = append(more, r.Property.ID)
				}
			}
			for _, id := range named {
				if s.Result(id+"/"+m.at) == nil {
					t.Errorf("%s/%s is no question about a step", id, m.at)
				}
			}
			if len(more) > 0 {
				t.Logf("breaks also %s", strings.Join(more, " "))
			}
			if m.scope == nil {
				return
			}
			s = m.check(t, little)
			for _, id := range named {
				if r := s.Result(id + "/" + m.at); r.Verdict != proofs.Proved {
					t.Errorf("%s is %v without the sizes %v", r.ID(), r.Verdict, m.scope)
				}
			}
		})
	}
}

// check asks in a scope which of the headline properties, and of those named, the mutant breaks.
// Counterexamples stay as the solver found them: to make them small, which is given up as soon as
// everything is decided, takes longer than all the rest.
func (m kraftMutant) check(t *testing.T, scope map[string]int) *proofs.SystemReport {
	t.Helper()
	cfg := config(t, "z3")
	cfg.Scope = scope
	cfg.Only = func(o proofs.Obligation) bool {
		return o.Property != nil && o.ID() == o.Property.ID+"/"+m.at && !o.Untouched &&
			(o.Property.Kind == protocol.Invariant || slices.Contains(strings.Fields(m.breaks), o.Property.ID))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg.Progress = func(p proofs.Progress) {
		if p.Done == p.Total {
			cancel()
		}
	}
	rep, err := proofs.Run(ctx, []*protocol.System{stepwise(t, m.name, m.change)}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rep.Systems[0]
}

// Each headline property can break: some mutant breaks it.
func TestEveryKRaftPropertyIsBroken(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, m := range slices.Concat(publicBugs, weakGuards) {
		for _, id := range strings.Fields(m.breaks) {
			broken[id] = true
		}
	}
	for _, p := range parse(t, spec(t, "kraft.yaml")).Properties {
		if p.Kind == protocol.Invariant && !broken[p.ID] {
			t.Errorf("no mutant breaks %s", p.ID)
		}
	}
}

// What safety does not rest on can be changed: each action that differs keeps every property, and
// still has a step. Without one that is dropped there is nothing to ask: all others are the same.
func TestKRaftControls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, change string }{
		{name: "AllPreVotesGranted"},
		{name: "NoEndQuorumEpoch"},
		{name: "EndOffsetNeverFalls"},
		{"NeverGrantsAgain", patch("HandleVoteRequest", "- role[i] = Follower ∧ regrant")},

		// A guard that other guards, or what the correlation ids ensure, make superfluous.
		{"VotesInAnyRole", patch("HandleVoteRequest", "- role[i] ∈ {Unattached, Prospective} ∨ (role[i] = Follower ∧ regrant)")},
		{"VotesOnInvalidRequests", patch("HandleVoteRequest", "- let valid == …", "+ let valid == TRUE")},
		{"VotesBeforeItFlushes", patch("HandleVoteRequest", "- flushed[i] = len(log[i]) ∨ i ∉ Voter")},
		{"LeadsBeforeItFlushes", patch("BecomeLeader", "- flushed[i] = len(log[i])")},
		{"LeaderListensToLeaders", patch("LearnFromLeader", "- role[i] ∉ {Leader, Resigned}")},
		{"LearnsWhatIsNotAwaited", patch("LearnFromResponse", "- awaited(i, m.from, m.id)") +
			"\n  LearnLeader: |\n    - awaited(i, m.from, m.id)"},
		{"ResignedKeepsHighWatermark", patch("Resign", "- highWatermark[i] := …")},
		{"MakesSnapshotAgain", patch("CreateSnapshot", "- snapshots[i][n] = Nil")},
		{"LoadsAnyAwaitedSnapshot", patch("HandleFetchSnapshotResponse", "- let larger == …", "+ let larger == TRUE")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sys := stepwise(t, c.name, c.change)
			var changed []string
			for _, x := range sys.Mutation.Changes {
				if x.Section != "actions" {
					t.Fatalf("changes %s, of which nothing is asked", x.Section)
				}
				if !x.Dropped {
					changed = append(changed, x.Name)
				}
			}
			if len(changed) == 0 {
				return
			}
			cfg := config(t, "z3")
			cfg.Scope = little
			cfg.Only = func(o proofs.Obligation) bool { return o.Action != nil && slices.Contains(changed, o.Action.Name) }
			s := check(t, sys, cfg)
			if f := failures(s); len(f) > 0 || len(s.Results) < len(sys.Properties)/2 {
				t.Errorf("of %d obligations, not as expected:\n%s", len(s.Results), strings.Join(f, "\n"))
			}
		})
	}
}
