package specs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
	"github.com/speckl/kraftprove/specs"
)

// Each mutation is a protocol that makes the same claims, and differs where it says so.
func TestMutationsAreProtocols(t *testing.T) {
	eachSpec(t, func(t *testing.T, sys *protocol.System, _ string) {
		t.Helper()
		for _, m := range sys.Mutations {
			t.Run(m.Name, func(t *testing.T) {
				t.Parallel()
				mutated, errs := sys.Mutated(m)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				if mutated.Mutation != m || mutated.Name != sys.Name+"/"+m.Name || len(mutated.Mutations) > 0 || m.Title == "" || m.Cites == "" {
					t.Errorf("not the mutation, or it is not explained: %+v", m)
				}
				for i, p := range mutated.Properties {
					if p.ID != sys.Properties[i].ID || p.Kind != sys.Properties[i].Kind || len(mutated.Properties) != len(sys.Properties) {
						t.Fatalf("claims %s", p.ID)
					}
				}
				var changed []string
				whole := false // what actions use has changed
				for _, c := range m.Changes {
					changed = append(changed, c.Name)
					whole = whole || c.Section == "state"
				}
				for _, a := range sys.Actions {
					b := mutated.Action(a.Name)
					same := b != nil && a.Expanded() == b.Expanded()
					if same == slices.Contains(changed, a.Name) && !whole {
						t.Errorf("%s: the same is %v", a.Name, same)
					}
				}
			})
		}
	})
}

// A mutation is what the same change, made by hand, is.
func TestMutationsByHand(t *testing.T) {
	t.Parallel()
	sys := load(t, "kraft.yaml")
	text, err := specs.FS.ReadFile("kraft.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range byHand {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := sys.MutationNamed(c.name)
			if m == nil {
				t.Fatal("no such mutation")
			}
			got, errs := sys.Mutated(m)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			edited := withoutMutations(string(text))
			for _, e := range c.edits {
				edited = e.apply(t, edited)
			}
			want, errs := protocol.Parse("kraft.yaml", []byte(edited))
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			if d := cmp.Diff(expanded(want), expanded(got)); d != "" {
				t.Errorf("by hand (-), as a mutation (+):\n%s", d)
			}
		})
	}
}

// withoutMutations is a spec without its mutations and their scenarios, which would not fit any more when it is edited by hand.
func withoutMutations(text string) string {
	before, rest, _ := strings.Cut(text, "\nmutations:\n")
	if end := regexp.MustCompile(`(?m)^[a-z]`).FindStringIndex(rest); end != nil {
		rest = rest[end[0]:]
	}
	before = regexp.MustCompile(`(?m)^    survives: \|\n(      .*\n)+`).ReplaceAllString(before, "")
	return before + "\n" + storyOfMutation.ReplaceAllString(rest, "")
}

var storyOfMutation = regexp.MustCompile(`(?m)^  \w+:\n(    .*\n)*    mutation: .*\n(    .*\n)*`)

// expanded is all that a system says: its state, definitions, actions and properties. The
// lines of an action are sorted: their order means nothing.
func expanded(sys *protocol.System) string {
	var b strings.Builder
	for _, v := range sys.State {
		b.WriteString(v.Name + ": " + v.Sort.Name)
		if v.Volatile {
			b.WriteString(", volatile")
		}
		b.WriteString("\n")
	}
	for _, a := range append([]*protocol.Action{sys.Init}, sys.Actions...) {
		lines := strings.Split(a.Expanded(), "\n")
		slices.Sort(lines[1:])
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	for _, d := range sys.Defs {
		b.WriteString(d.Name + ": " + syntax.FormatExpr(protocol.Express(d.Body)) + "\n")
	}
	for _, p := range sys.Properties {
		b.WriteString(p.ID + ": " + syntax.FormatExpr(protocol.Express(p.Formula)) + "\n")
	}
	return b.String()
}

// edit changes one place of one entry of a spec.
type edit struct{ entry, old, new string }

var nextEntry = regexp.MustCompile(`\n {0,2}\S`)

func (e edit) apply(tb testing.TB, text string) string {
	tb.Helper()
	before, entry, ok := strings.Cut(text, "\n  "+e.entry+":")
	if !ok {
		tb.Fatalf("no %s", e.entry)
	}
	end := len(entry)
	if next := nextEntry.FindStringIndex(entry); next != nil {
		end = next[0] + 1
	}
	if n := strings.Count(entry[:end], e.old); n != 1 {
		tb.Fatalf("%s has %q %d times", e.entry, e.old, n)
	}
	return before + "\n  " + e.entry + ":" + strings.Replace(entry[:end], e.old, e.new, 1) + entry[end:]
}

var byHand = []struct {
	name  string
	edits []edit
}{
	{
		name:  "Figure8",
		edits: []edit{{"AdvanceHighWatermark", "n > epochStart[i]", "n ≥ epochStart[i]"}},
	},
	{
		name: "RestartAsLeader",
		edits: []edit{
			{"reaches", "len(log[i]) ≥ n", "flushed[i] ≥ n"},
			{"ClientAppend", "      flushed[i] := len(log[i]) + 1\n", ""},
			{"Restart", "THEN Resigned", "THEN Leader"},
			{"leaderLogIsLog", " ∧ flushed[i] = len(log[i])", ""},
			{"ackKept", "o ≤ flushed[i]", "(o ≤ flushed[i] ∨ (role[i] = Leader ∧ epoch[i] = e))"},
		},
	},
	{
		name: "RestartForgetsLeadership",
		edits: []edit{
			{"reaches", "len(log[i]) ≥ n", "flushed[i] ≥ n"},
			{"BecomeLeader", "      flushed[i] := len(log[i]) + 1\n", ""},
			{"leaderLogIsLog", " ∧ flushed[i] = len(log[i])", ""},
			{"ackKept", "o ≤ flushed[i]", "(o ≤ flushed[i] ∨ (role[i] = Leader ∧ epoch[i] = e))"},
			{"Restart", "THEN Resigned", "THEN Unattached"},
			{"Restart", "      leaderId[i] := IF stands THEN Nil ELSE leaderId[i]\n", `      leaderId[i] := IF stands ∨ leaderId[i] = i THEN Nil ELSE leaderId[i]
      votedKey[i] := IF leaderId[i] = i THEN Nil ELSE votedKey[i]
`},
		},
	},
	{
		name:  "AckBeforeFlush",
		edits: []edit{{"SendFetchRequest", "      require flushed[i] = len(log[i]) ∨ i ∉ Voter\n", ""}},
	},
	{
		name:  "VoteLostInEpoch",
		edits: []edit{{"LosePreVote", "      hasFetched[i] := FALSE\n", "      hasFetched[i] := FALSE\n      votedKey[i] := Nil\n"}},
	},
	{
		name: "HwFromDiverging",
		edits: []edit{{"HandleDivergingFetchResponse", "      fetching[i] := Nil\n", `      fetching[i] := Nil
      highWatermark[i] := IF m.highWatermark = Nil THEN highWatermark[i] ELSE min(len(log[i]), m.highWatermark!)
      logHighWatermark[i] := IF m.highWatermark = Nil THEN logHighWatermark[i] ELSE min(len(log[i]), m.highWatermark!)
`}},
	},
	{
		name:  "PositionNotChecked",
		edits: []edit{{"HandleFetchRequest", " ∧ f ≤ d", ""}},
	},
	{
		name: "HwBeyondVerified",
		edits: []edit{
			{"HandleFetchResponse", "awaited(i, m.from, m.id) ∧ ", ""},
			{"HandleFetchResponse", " highWatermark[i] ELSE min(end, m.highWatermark!)", " highWatermark[i] ELSE m.highWatermark!"},
			{"HandleFetchResponse", " logHighWatermark[i] ELSE min(end, m.highWatermark!)", " logHighWatermark[i] ELSE m.highWatermark!"},
		},
	},
	{
		name:  "VoteNotDurable",
		edits: []edit{{"votedKey", "Replica → Replica?", "volatile Replica → Replica?"}},
	},
	{
		name:  "StaleVoteCounted",
		edits: []edit{{"HandleVoteResponse", "awaited(i, m.from, m.id) ∧ m.epoch = epoch[i] ∧ ", ""}},
	},
	{
		name:  "LogTestByComponent",
		edits: []edit{{"upToDate", "e > lastEpoch(i) ∨ (e = lastEpoch(i) ∧ o ≥ len(log[i]))", "e ≥ lastEpoch(i) ∨ o ≥ len(log[i])"}},
	},
	{
		name: "BumpCountsAsGrant",
		edits: []edit{{"LearnEpoch", "      votedKey[i] := Nil\n", `      votedKey[i] := m.from
      votes[i][m.epoch] := m.from
      send VoteResponse{from: i, to: m.from, id: m.id, epoch: m.epoch, leaderId: Nil, error: Nil, voteGranted: TRUE}
`}},
	},
	{
		name: "SmallSnapshotInstalled",
		edits: []edit{
			{"HandleFetchSnapshotResponse", "awaited(i, m.from, m.id) ∧ ", ""},
			{"HandleFetchSnapshotResponse", "larger == beyond(e, n, lastEpoch(i), len(log[i]))", "larger == TRUE"},
		},
	},
	{
		name: "EmptyAnswerTruncates",
		edits: []edit{
			{"HandleFetchResponse", "awaited(i, m.from, m.id) ∧ ", ""},
			{"HandleFetchResponse", "max(len(log[i]), len(m.records))", "len(m.records)"},
			{"HandleFetchResponse", "extend(log[i], m.records)", "m.records\n      flushed[i] := min(flushed[i], end)"},
		},
	},
	{
		name:  "AcksKept",
		edits: []edit{{"BecomeLeader", "      endOffset[i] := [j ∈ Replica ↦ Nil]\n", ""}},
	},
	{
		name:  "PreVoteCountsAsVote",
		edits: []edit{{"BecomeCandidate", "      granted[i] := {i}\n", ""}},
	},
	{
		name:  "ShortMajority",
		edits: []edit{{"reaches", "∀ k ∈ q: IF", "∃ x ∈ q: ∀ k ∈ q: k = x ∨ IF"}},
	},
	{
		name: "LeaderCommitsBeforeFlush",
		edits: []edit{
			{"ClientAppend", "      flushed[i] := len(log[i]) + 1\n", ""},
			{"AdvanceHighWatermark", "require role[i] = Leader\n", "require role[i] = Leader ∧ (flushed[i] = len(log[i]) ∨ Voter = {i})\n"},
			{"leaderLogIsLog", " ∧ flushed[i] = len(log[i])", ""},
			{"ackKept", "o ≤ flushed[i]", "(o ≤ flushed[i] ∨ (role[i] = Leader ∧ epoch[i] = e))"},
		},
	},
	{
		name: "AllPreVotesGranted",
		edits: []edit{{"HandlePreVoteRequest",
			"m.epoch = epoch[i] ∧ role[i] ≠ Leader ∧ (role[i] = Follower ⇒ ¬hasFetched[i])\n                   ∧ upToDate(m.lastEpoch, m.lastEpochEndOffset, i)", "TRUE"}},
	},
	{
		name:  "EndOffsetNeverFalls",
		edits: []edit{{"HandleFetchRequest", "endOffset[i][m.from] := f", "endOffset[i][m.from] := IF endOffset[i][m.from] = Nil THEN f ELSE max(f, endOffset[i][m.from]!)"}},
	},
}
