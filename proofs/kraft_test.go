package proofs_test

import (
	"context"
	"maps"
	"regexp"
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

// edit changes one place of one entry of a spec: of an action, a definition, a state
// variable, a property.
type edit struct{ entry, old, new string }

func drop(entry, old string) edit { return edit{entry, old, ""} }

var nextEntry = regexp.MustCompile(`\n {0,2}\S`)

func (e edit) apply(tb testing.TB, text string) string {
	tb.Helper()
	head := "\n  " + e.entry + ":"
	if n := strings.Count(text, head); n != 1 {
		tb.Fatalf("%d entries of the spec are called %s, want one", n, e.entry)
	}
	before, entry, _ := strings.Cut(text, head)
	end := len(entry)
	if next := nextEntry.FindStringIndex(entry); next != nil {
		end = next[0] + 1
	}
	return before + head + replace(tb, entry[:end], e.old, e.new) + entry[end:]
}

// stepwise is KRaft with the edits. Of each action it is asked whether it keeps also those
// headline properties that the spec derives from lemmas: what is wrong shall break them, and
// not only a lemma.
func stepwise(tb testing.TB, edits []edit) *protocol.System {
	tb.Helper()
	text := strings.ReplaceAll(spec(tb, "kraft.yaml"), "    implied: true\n", "")
	for _, e := range edits {
		text = e.apply(tb, text)
	}
	return parse(tb, text)
}

// kraftMutant is KRaft with something wrong.
type kraftMutant struct {
	name   string
	edits  []edit
	at     string         // the action that is wrong, or init
	breaks string         // properties that a step of it breaks
	scope  map[string]int // sizes in which they break, if they hold in little
}

// publicBugs are errors of real systems.
var publicBugs = []kraftMutant{
	{
		name:   "Figure8", // KAFKA-12619; logcabin/logcabin issue 44
		edits:  []edit{{"AdvanceHighWatermark", "n > epochStart[i]", "n ≥ epochStart[i]"}},
		at:     "AdvanceHighWatermark",
		breaks: "CurrentEpochCommit I6 I6.state I6.real K2.leaders",
	},
	{
		name:   "RestartAsLeader", // KAFKA-10527
		edits:  []edit{{"Restart", "THEN Resigned", "THEN Leader"}},
		at:     "Restart",
		breaks: "NoIllegalState.restart I2 I2.real",
	},
	{
		name: "RestartForgetsLeadership", // KAFKA-10661
		edits: []edit{
			{"Restart", "THEN Resigned", "THEN Unattached"},
			{"Restart", "      leaderId[i] := IF stands THEN Nil ELSE leaderId[i]\n", `      leaderId[i] := IF stands ∨ leaderId[i] = i THEN Nil ELSE leaderId[i]
      votedKey[i] := IF leaderId[i] = i THEN Nil ELSE votedKey[i]
`},
		},
		at:     "Restart",
		breaks: "NoIllegalState.restart NoIllegalState.leaderItself K6.real",
	},
	{
		name:   "AckBeforeFlush", // KAFKA-10533
		edits:  []edit{drop("SendFetchRequest", "      require flushed[i] = len(log[i]) ∨ i ∉ Voter\n")},
		at:     "SendFetchRequest",
		breaks: "I6.disk",
	},
	{
		name:   "VoteLostInEpoch", // KAFKA-17641, KAFKA-17642; microsoft/CCF PR 8094
		edits:  []edit{{"LosePreVote", "      hasFetched[i] := FALSE\n", "      hasFetched[i] := FALSE\n      votedKey[i] := Nil\n"}},
		at:     "LosePreVote",
		breaks: "K6.real NoIllegalState PreVoteChangesNothing",
	},
	{
		name: "HwFromDiverging", // KAFKA-14704
		edits: []edit{{"HandleDivergingFetchResponse", "      fetching[i] := Nil\n", `      fetching[i] := Nil
      highWatermark[i] := IF m.highWatermark = Nil THEN highWatermark[i] ELSE min(len(log[i]), m.highWatermark!)
      logHighWatermark[i] := IF m.highWatermark = Nil THEN logHighWatermark[i] ELSE min(len(log[i]), m.highWatermark!)
`}},
		at:     "HandleDivergingFetchResponse",
		breaks: "SMS SMS.ever K3 I2.real I6.real",
	},
	{
		name:   "PositionNotChecked", // microsoft/CCF PR 6016; ravendb/ravendb PR 9325
		edits:  []edit{drop("HandleFetchRequest", " ∧ f ≤ d")},
		at:     "HandleFetchRequest",
		breaks: "I6.counted",
	},
	{
		name: "HwBeyondVerified", // atomix/copycat issue 265; scylladb/scylladb issue 9965; rabbitmq/ra PR 508
		edits: []edit{
			drop("HandleFetchResponse", "awaited(i, m.from, m.id) ∧ "),
			{"HandleFetchResponse", " highWatermark[i] ELSE min(end, m.highWatermark!)", " highWatermark[i] ELSE m.highWatermark!"},
			{"HandleFetchResponse", " logHighWatermark[i] ELSE min(end, m.highWatermark!)", " logHighWatermark[i] ELSE m.highWatermark!"},
		},
		at:     "HandleFetchResponse",
		breaks: "SMS SMS.ever K3 K2.log I3",
	},
	{
		name:   "VoteNotDurable", // hashicorp/raft issue 661; NodeDB-Lab/nodedb issue 161
		edits:  []edit{{"votedKey", "Replica → Replica?", "volatile Replica → Replica?"}},
		at:     "Restart",
		breaks: "K6.real NoIllegalState.restart",
	},
	{
		name:   "StaleVoteCounted", // andreev-io/little-raft issue 44
		edits:  []edit{drop("HandleVoteResponse", "awaited(i, m.from, m.id) ∧ m.epoch = epoch[i] ∧ ")},
		at:     "HandleVoteResponse",
		breaks: "K6.counted NoIllegalState.votes.rejected",
	},
	{
		name:   "LogTestByComponent", // markwylde/liferaft PR 10
		edits:  []edit{{"upToDate", "e > lastEpoch(i) ∨ (e = lastEpoch(i) ∧ o ≥ len(log[i]))", "e ≥ lastEpoch(i) ∨ o ≥ len(log[i])"}},
		at:     "HandleVoteRequest",
		breaks: "VoteUpToDate",
	},
	{
		name: "BumpCountsAsGrant", // databendlabs/openraft PR 1220
		edits: []edit{{"LearnEpoch", "      votedKey[i] := Nil\n", `      votedKey[i] := m.from
      votes[i][m.epoch] := m.from
      send VoteResponse{from: i, to: m.from, id: m.id, epoch: m.epoch, leaderId: Nil, error: Nil, voteGranted: TRUE}
`}},
		at:     "LearnEpoch",
		breaks: "VoteUpToDate",
	},
	{
		name: "SmallSnapshotInstalled", // camunda/camunda issue 6092
		edits: []edit{
			drop("HandleFetchSnapshotResponse", "awaited(i, m.from, m.id) ∧ "),
			{"HandleFetchSnapshotResponse", "larger == beyond(e, n, lastEpoch(i), len(log[i]))", "larger == TRUE"},
		},
		at:     "HandleFetchSnapshotResponse",
		breaks: "KeepsCommitted I6.real K2.log K2.replica",
	},
	{
		name: "EmptyAnswerTruncates", // willemt/raft issue 37
		edits: []edit{
			drop("HandleFetchResponse", "awaited(i, m.from, m.id) ∧ "),
			{"HandleFetchResponse", "max(len(log[i]), len(m.records))", "len(m.records)"},
			{"HandleFetchResponse", "extend(log[i], m.records)", "m.records\n      flushed[i] := min(flushed[i], end)"},
		},
		at:     "HandleFetchResponse",
		breaks: "KeepsCommitted AtomicTruncation I6.real SMS",
	},
	{
		name:   "AcksKept", // microsoft/CCF issue 5674
		edits:  []edit{drop("BecomeLeader", "      endOffset[i] := [j ∈ Replica ↦ Nil]\n")},
		at:     "BecomeLeader",
		breaks: "I6.counted",
	},
	{
		name:   "PreVoteCountsAsVote", // reference §7.3-3
		edits:  []edit{drop("BecomeCandidate", "      granted[i] := {i}\n")},
		at:     "BecomeCandidate",
		breaks: "K6.counted",
	},
	{
		name:   "ShortMajority", // reference §7.3-4: one member of the quorum is not needed
		edits:  []edit{{"reaches", "∀ k ∈ q: IF", "∃ x ∈ q: ∀ k ∈ q: k = x ∨ IF"}},
		at:     "AdvanceHighWatermark",
		breaks: "I6 I6.state I6.real I2 I2.ever SMS SMS.ever committedForever",
	},
	{
		// etcd-io/etcd issue 14370, facts §2.12: a leader counts its append before it flushes. One of
		// several voters has flushed when a fetch lets it count. So it takes a single voter.
		name: "LeaderCommitsBeforeFlush",
		edits: []edit{
			drop("ClientAppend", "      flushed[i] := len(log[i]) + 1\n"),
			{"AdvanceHighWatermark", "require role[i] = Leader\n", "require role[i] = Leader ∧ (flushed[i] = len(log[i]) ∨ Voter = {i})\n"},
			drop("leaderLogIsLog", " ∧ flushed[i] = len(log[i])"),
			{"ackKept", "o ≤ flushed[i]", "(o ≤ flushed[i] ∨ (role[i] = Leader ∧ epoch[i] = e))"},
		},
		at:     "AdvanceHighWatermark",
		breaks: "I6.real",
		scope:  map[string]int{"Voter": 1},
	},
}

// weakGuards are guards and updates of Kafka's that are left out, or changed.
var weakGuards = []kraftMutant{
	// Elections
	{name: "PreVoteIsWritten", at: "HandlePreVoteRequest", breaks: "PreVoteChangesNothing K6.real NoIllegalState",
		edits: []edit{{"HandlePreVoteRequest", "      send PreVoteResponse", "      votedKey[i] := IF grant THEN m.from ELSE votedKey[i]\n      send PreVoteResponse"}}},
	{name: "PreVoteForLaterEpoch", at: "SendPreVoteRequest", breaks: "NoInvalidRequest.preVote",
		edits: []edit{{"SendPreVoteRequest", "lastEpoch: lastEpoch(i)", "lastEpoch: lastEpoch(i) + 1"}}},
	{name: "PreVoteNotAwaited", at: "HandlePreVoteResponse", breaks: "NoIllegalState.votes.rejected",
		edits: []edit{drop("HandlePreVoteResponse", "awaited(i, m.from, m.id) ∧ ")}},
	{name: "StandsWithoutPreVotes", at: "BecomeCandidate", breaks: "PreVoteQuorum",
		edits: []edit{drop("BecomeCandidate", " ∧ q ⊆ granted[i]")}},
	{name: "StandsInOldEpoch", at: "BecomeCandidate", breaks: "K6 K6.real K6.messages NoIllegalState",
		edits: []edit{{"BecomeCandidate", "let e == epoch[i] + 1", "let e == epoch[i]"}}},
	{name: "ObserverStands", at: "BecomeProspective", breaks: "NoIllegalState", scope: map[string]int{"Voter": 2},
		edits: []edit{{"BecomeProspective", "with i ∈ Voter", "with i ∈ Replica"}}},
	{name: "ResignedStands", at: "BecomeProspective", breaks: "NoIllegalState NoIllegalState.leaderItself",
		edits: []edit{{"BecomeProspective", "Follower, Candidate}", "Follower, Candidate, Resigned}"}}},
	{name: "VotesTwice", at: "HandleVoteRequest", breaks: "K6 K6.real K6.messages",
		edits: []edit{drop("HandleVoteRequest", "votedKey[i] = Nil ∧ ")}},
	{name: "RestartKeepsLeader", at: "Restart", breaks: "ValidRoles",
		edits: []edit{{"Restart", "leaderId[i] := IF stands THEN Nil ELSE leaderId[i]", "leaderId[i] := leaderId[i]"}}},
	{name: "VotesWithoutLogTest", at: "HandleVoteRequest", breaks: "VoteUpToDate",
		edits: []edit{drop("HandleVoteRequest", " ∧ upToDate(m.lastEpoch, m.lastEpochEndOffset, i)")}},
	{name: "VotesAgainstLeader", at: "HandleVoteRequest", breaks: "NoIllegalState",
		edits: []edit{drop("HandleVoteRequest", " ∧ leaderId[i] = Nil")}},
	{name: "VoteNotAwaited", at: "HandleVoteResponse", breaks: "NoIllegalState.votes.rejected",
		edits: []edit{drop("HandleVoteResponse", "awaited(i, m.from, m.id) ∧ ")}},
	{name: "VoteAwaitedAgain", at: "HandleVoteResponse", breaks: "NoIllegalState.votes",
		edits: []edit{drop("HandleVoteResponse", "      inFlight[i][m.from] := Nil\n")}},
	{name: "LeadsWithoutVotes", at: "BecomeLeader",
		breaks: "I1 I1.ever K5 K5.elected I2 I3 NoIllegalState NoIllegalState.leader NoIllegalState.request NoInvalidRequest",
		edits:  []edit{drop("BecomeLeader", " ∧ q ⊆ granted[i]")}},
	{name: "ObserversCount", at: "init", breaks: "K1", scope: map[string]int{"Voter": 2},
		edits: []edit{{"Quorum", "{quorum: Voter}", "{quorum: Replica}"}}},
	{name: "LeaderKeepsHighWatermark", at: "BecomeLeader", breaks: "CurrentEpochCommit.state",
		edits: []edit{drop("BecomeLeader", "      highWatermark[i] := Nil\n")}},
	{name: "ResignedKeepsEpoch", at: "ResignedTimeout", breaks: "K6.real NoIllegalState NoIllegalState.leaderItself",
		edits: []edit{drop("ResignedTimeout", "      epoch[i] := epoch[i] + 1\n")}},
	{name: "ResignedAwaits", at: "Resign", breaks: "NoIllegalState.acknowledgement",
		edits: []edit{drop("Resign", "      inFlight[i] := [j ∈ Replica ↦ Nil]\n")}},

	// Learning of epochs and leaders
	{name: "EpochFalls", at: "LearnEpoch", breaks: "I5 I2.real K3.committed NoIllegalState",
		edits: []edit{{"LearnEpoch", "m.epoch > epoch[i]", "m.epoch ≠ epoch[i]"}}},
	{name: "LeaderOfOldEpoch", at: "LearnEpoch", breaks: "K5 K5.elected NoIllegalState.leader NoIllegalState.request",
		edits: []edit{drop("LearnEpoch", "      leaderId[i] := Nil\n")}},
	{name: "VoteOfOldEpoch", at: "LearnFromResponse", breaks: "VoteUpToDate",
		edits: []edit{drop("LearnFromResponse", "      votedKey[i] := Nil\n")}},
	{name: "FollowsItself", at: "LearnLeader", breaks: "NoIllegalState NoIllegalState.leaderItself",
		edits: []edit{drop("LearnLeader", "      require role[i] ∉ {Leader, Resigned}\n")}},

	// Replication
	{name: "ResignedAppends", at: "ClientAppend", breaks: "I3",
		edits: []edit{{"ClientAppend", "role[i] = Leader", "role[i] ∈ {Leader, Resigned}"}}},
	{name: "FetchFromItself", at: "SendFetchRequest", breaks: "NoIllegalState.self",
		edits: []edit{drop("SendFetchRequest", "j ≠ i ∧ ")}},
	{name: "FetchOfLaterEpoch", at: "SendFetchRequest", breaks: "NoInvalidRequest.fetch",
		edits: []edit{{"SendFetchRequest", "lastFetchedEpoch: lastEpoch(i)", "lastFetchedEpoch: lastEpoch(i) + 1"}}},
	{name: "FetchOfOtherEpochCounts", at: "HandleFetchRequest", breaks: "I6.counted",
		edits: []edit{drop("HandleFetchRequest", " ∧ m.epoch = epoch[i]")}},
	{name: "RecordsFromElsewhere", at: "HandleFetchRequest", breaks: "NoIllegalState.fetch",
		edits: []edit{{"HandleFetchRequest", "baseOffset: f,", "baseOffset: n,"}}},
	{name: "SendsLogHighWatermark", at: "HandleFetchRequest", breaks: "NoIllegalState.highWatermark",
		edits: []edit{{"HandleFetchRequest", "highWatermark: highWatermark[i]", "highWatermark: logHighWatermark[i]"}}},
	{name: "FetchNotAwaited", at: "HandleFetchResponse", breaks: "I3 SMS K2.log K2.replica",
		edits: []edit{drop("HandleFetchResponse", "awaited(i, m.from, m.id) ∧ ")}},
	{name: "HighWatermarkBeyondLog", at: "HandleFetchResponse", breaks: "K3 SMS I6.real",
		edits: []edit{
			{"HandleFetchResponse", " highWatermark[i] ELSE min(end, m.highWatermark!)", " highWatermark[i] ELSE m.highWatermark!"},
			{"HandleFetchResponse", " logHighWatermark[i] ELSE min(end, m.highWatermark!)", " logHighWatermark[i] ELSE m.highWatermark!"},
		}},
	{name: "DivergesAnywhere", at: "HandleDivergingFetchRequest", breaks: "NoIllegalState.truncation",
		edits: []edit{drop("HandleDivergingFetchRequest", "      require endsEpoch(i, e, d)\n")}},
	{name: "TruncatesTooMuch", at: "HandleDivergingFetchResponse", breaks: "KeepsCommitted SMS K3 SnapshotAtLogStart",
		edits: []edit{{"HandleDivergingFetchResponse", "require k ∈ n..len(log[i])", "require k ≤ len(log[i])"}}},
	{name: "ObserverTruncatesTooMuch", at: "HandleDivergingFetchResponse", breaks: "K4 KeepsCommitted", scope: map[string]int{"Voter": 2},
		edits: []edit{{"HandleDivergingFetchResponse", "require k ∈ n..len(log[i])", "require k ≤ len(log[i]) ∧ (i ∈ Voter ⇒ k ≥ n)"}}},
	{name: "HighWatermarkFalls", at: "AdvanceHighWatermark", breaks: "K2.replica K2.log leaderLogForever K3",
		edits: []edit{drop("AdvanceHighWatermark", "      require highWatermark[i] = Nil ∨ n > highWatermark[i]!\n")}},

	// Snapshots
	{name: "SnapshotAboveHighWatermark", at: "CreateSnapshot", breaks: "S2 S2.log S2.agree S1.sorted",
		edits: []edit{drop("CreateSnapshot", " ∧ n ≤ logHighWatermark[i]")}},
	{name: "SnapshotOfOtherEpoch", at: "CreateSnapshot", breaks: "S2 S2.agree S1.sorted",
		edits: []edit{{"CreateSnapshot", "epoch: epochAt(i, n)", "epoch: epochAt(i, n + 1)"}}},
	{name: "CleansAboveHighWatermark", at: "CleanLog", breaks: "I4 K3 NoIllegalState.snapshot",
		edits: []edit{drop("CleanLog", " ∧ n ≤ logHighWatermark[i]")}},
	{name: "CleansLastSnapshot", at: "CleanLog", breaks: "S1 SnapshotAtLogStart",
		edits: []edit{{"CleanLog", "IF p < n", "IF p ≤ n"}}},
	{name: "SendsOtherSnapshot", at: "HandleFetchSnapshotRequest", breaks: "S2.sent",
		edits: []edit{drop("HandleFetchSnapshotRequest", " ∧ snapshots[i][n]!.epoch = m.snapshotId.epoch")}},
	{name: "StoresPartOfSnapshot", at: "HandleFetchSnapshotResponse", breaks: "S2 S2.agree S2.kept AtomicTruncation",
		edits: []edit{{"HandleFetchSnapshotResponse", "records: m.records}", "records: truncate(m.records, n - 1)}"}}},

	// Restarts
	{name: "RestartForgetsVote", at: "Restart", breaks: "K6.real NoIllegalState.restart",
		edits: []edit{{"Restart", "      crash i\n", "      crash i\n      votedKey[i] := Nil\n"}}},
	{name: "RestartForgetsEpoch", at: "Restart", breaks: "I5 K5.elected NoIllegalState.restart",
		edits: []edit{{"epoch", "Replica → Epoch", "volatile Replica → Epoch"}}},
	{name: "RestartLosesFlushed", at: "Restart", breaks: "AtomicTruncation I6.real",
		edits: []edit{{"Restart", "max(flushed[i], logStart[i])", "logStart[i]"}}},
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
	rep, err := proofs.Run(ctx, []*protocol.System{stepwise(t, m.edits)}, cfg)
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
// still has a step, unless it never happens.
func TestKRaftControls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		edits []edit
		never bool
	}{
		{name: "all pre-votes are granted", edits: []edit{{"HandlePreVoteRequest",
			"m.epoch = epoch[i] ∧ role[i] ≠ Leader ∧ (role[i] = Follower ⇒ ¬hasFetched[i])\n                   ∧ upToDate(m.lastEpoch, m.lastEpochEndOffset, i)", "TRUE"}}},
		{name: "EndQuorumEpoch is never sent", never: true, edits: []edit{{"SendEndQuorumEpochRequest", "role[i] = Resigned", "FALSE"}}},
		{name: "a leader's end offset for a replica never falls", // as before KAFKA-12181
			edits: []edit{{"HandleFetchRequest", "endOffset[i][m.from] := f", "endOffset[i][m.from] := IF endOffset[i][m.from] = Nil THEN f ELSE max(f, endOffset[i][m.from]!)"}}},
		{name: "a follower never grants a vote again", edits: []edit{drop("HandleVoteRequest", " ∨ (role[i] = Follower ∧ regrant)")}},

		// A guard that other guards, or what the correlation ids ensure, make superfluous.
		{name: "votes in any role", edits: []edit{drop("HandleVoteRequest", " ∧ (role[i] ∈ {Unattached, Prospective} ∨ (role[i] = Follower ∧ regrant))")}},
		{name: "votes on requests that are invalid", edits: []edit{{"HandleVoteRequest", "valid == m.lastEpoch < m.epoch", "valid == TRUE"}}},
		{name: "votes before it flushes", edits: []edit{drop("HandleVoteRequest", "      require flushed[i] = len(log[i]) ∨ i ∉ Voter\n")}},
		{name: "leads before it flushes", edits: []edit{drop("BecomeLeader", "      require flushed[i] = len(log[i])\n")}},
		{name: "a leader listens to leaders of its epoch", edits: []edit{drop("LearnFromLeader", " ∧ role[i] ∉ {Leader, Resigned}")}},
		{name: "learns from responses that are not awaited", edits: []edit{
			drop("LearnFromResponse", "awaited(i, m.from, m.id) ∧ "), drop("LearnLeader", "awaited(i, m.from, m.id) ∧ ")}},
		{name: "keeps the high watermark when it resigns", edits: []edit{drop("Resign", "      highWatermark[i] := Nil\n")}},
		{name: "makes a snapshot again", edits: []edit{drop("CreateSnapshot", "      require snapshots[i][n] = Nil\n")}},
		{name: "loads an awaited snapshot that is not larger than the log", edits: []edit{
			{"HandleFetchSnapshotResponse", "larger == beyond(e, n, lastEpoch(i), len(log[i]))", "larger == TRUE"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sys := stepwise(t, c.edits)
			cfg := config(t, "z3")
			cfg.Scope = little
			cfg.Only = func(o proofs.Obligation) bool {
				return o.Action != nil && slices.ContainsFunc(c.edits, func(e edit) bool { return e.entry == o.Action.Name }) &&
					!(o.Kind == proofs.Fires && c.never)
			}
			s := check(t, sys, cfg)
			if f := failures(s); len(f) > 0 || len(s.Results) < len(sys.Properties)/2 {
				t.Errorf("of %d obligations, not as expected:\n%s", len(s.Results), strings.Join(f, "\n"))
			}
		})
	}
}
