package proofs_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/proofs"
)

// cluster elects leaders among voters, of which quorums are, crashes, and passes
// snapshots of logs around: records with sequences in optionals, in functions and in
// messages.
const cluster = `
protocol: cluster
scope: {Replica: 3, Voter: 2, Epoch: 2, Index: 2, Messages: 1}
sorts:
  Replica: {finite: true, prefix: n}
  Voter:   {subset: Replica}
  Quorum:  {quorum: Voter}
  Epoch:   {natural: true}
  Index:   {natural: true, index: true}
enums:
  Role: [Follower, Candidate, Leader]
records:
  Entry:    {epoch: Epoch}
  Snapshot: {last: Index, records: Seq(Entry)}
state:
  epoch:     Replica → Epoch
  vote:      Replica → Replica?
  role:      volatile Replica → Role
  granted:   volatile Replica → Set(Replica)
  log:       Replica → Seq(Entry)
  snapshots: Replica → Index → Snapshot?
  votes:     ghost Replica → Epoch → Replica?
  marks:     ghost Epoch → Index
messages:
  Ask:     {from: Replica, to: Replica, epoch: Epoch}
  Yes:     {from: Replica, to: Replica, epoch: Epoch}
  Fetched: {to: Replica, at: Index, snapshot: "Snapshot?", records: Seq(Entry)}
actions:
  Stand:
    do: |
      with i ∈ Voter
      epoch[i] := epoch[i] + 1
      vote[i] := Nil
      role[i] := Candidate
      granted[i] := {}
  Request:
    do: |
      with i, j ∈ Voter
      require role[i] = Candidate
      send Ask{from: i, to: j, epoch: epoch[i]}
  Answer:
    do: |
      receive m ∈ Ask
      let i == m.to
      require i ∈ Voter
      require m.epoch = epoch[i] ∧ vote[i] ∈ {Nil, m.from}
      vote[i] := m.from
      votes[i][m.epoch] := m.from
      send Yes{from: i, to: m.from, epoch: m.epoch}
  Count:
    do: |
      receive m ∈ Yes
      require m.epoch = epoch[m.to] ∧ role[m.to] = Candidate
      granted[m.to] := granted[m.to] ∪ {m.from}
  Lead:
    do: |
      with i ∈ Replica
      require role[i] = Candidate ∧ granted[i] ∈ Quorum
      role[i] := Leader
  Crash:
    do: |
      with i ∈ Replica
      crash i
  Save:
    do: |
      with i ∈ Replica, n ∈ Index
      require n ≤ len(log[i])
      let old == snapshots[i][n]
      snapshots[i][n] := IF old = Nil THEN Snapshot{last: n, records: log[i][1..n]} ELSE old
      marks := [e ∈ Epoch ↦ IF e ≥ epoch[i] THEN max(marks[e], n) ELSE marks[e]]
  Drop:
    do: |
      with i ∈ Replica, k ∈ Index
      require ∀ n ∈ Index: snapshots[i][n] = Nil ∨ n ≤ len(log[i])
      snapshots[i] := [n ∈ Index ↦ IF n < k THEN Nil ELSE snapshots[i][n]]
  Send:
    do: |
      with i, j ∈ Replica, n ∈ Index
      let s == IF n ≤ len(log[i]) THEN snapshots[i][n] ELSE Nil
      send Fetched{to: j, at: n, snapshot: s, records: IF s = Nil THEN ⟨⟩ ELSE truncate(s!.records, n)}
  Load:
    do: |
      receive m ∈ Fetched
      let i == m.to
      require m.snapshot ≠ Nil
      log[i] := extend(m.snapshot!.records, log[i])
axioms:
  someone: {formula: "∃ i ∈ Replica: i ∈ Voter"}
invariants:
  safe:
    formula: |
      ∀ i, j ∈ Replica: role[i] = Leader ∧ role[j] = Leader ∧ epoch[i] = epoch[j] ⇒ i = j
  votersLead:
    formula: |
      ∀ i ∈ Replica: role[i] ≠ Follower ⇒ i ∈ Voter
  crashForgets:
    formula: |
      step = Crash ⇒ epoch' = epoch ∧ vote' = vote ∧ log' = log ∧ snapshots' = snapshots ∧ (∃ i ∈ Replica: ∀ k ∈ Replica:
        IF k = i THEN role'[k] = Follower ∧ granted'[k] = {} ELSE role'[k] = role[k] ∧ granted'[k] = granted[k])
  logsGrow:
    formula: |
      ∀ i ∈ Replica: len(log'[i]) ≥ len(log[i])
  loads:
    formula: |
      ∀ i ∈ Replica: log'[i] = log[i] ∨ (∃ m ∈ Fetched: m.snapshot ≠ Nil ∧ m.snapshot!.records = log'[i][1..m.at])
  dropped:
    formula: |
      ∀ i ∈ Replica, n ∈ Index: step = Drop ⇒ snapshots'[i] = snapshots[i] ∨ snapshots'[i][n] = Nil ∨ snapshots'[i][n] = snapshots[i][n] ∧ n ≤ len(log[i])
  marksGrow:
    formula: |
      ∀ e, f ∈ Epoch: marks'[e] ≥ marks[e] ∧ (e ≤ f ⇒ marks[e] ≤ marks[f])
lemmas:
  tally:
    formula: |
      ∀ i, k ∈ Replica: role[i] = Candidate ∧ k ∈ granted[i] ⇒ votes[k][epoch[i]] = i
  leaderVotes:
    formula: |
      ∀ i ∈ Replica: role[i] = Leader ⇒ (∃ q ∈ Quorum: ∀ k ∈ q: votes[k][epoch[i]] = i)
  yes:
    formula: |
      ∀ m ∈ Yes: votes[m.from][m.epoch] = m.to ∧ m.from ∈ Voter
  voted:
    formula: |
      ∀ i ∈ Replica: vote[i] = votes[i][epoch[i]]
  bound:
    formula: |
      ∀ i ∈ Replica, e ∈ Epoch: e > epoch[i] ⇒ votes[i][e] = Nil
  saved:
    formula: |
      ∀ i ∈ Replica, n ∈ Index: snapshots[i][n] ≠ Nil ⇒ len(snapshots[i][n]!.records) = n ∧ snapshots[i][n]!.last = n
  fetched:
    formula: |
      ∀ m ∈ Fetched: m.snapshot ≠ Nil ⇒ len(m.snapshot!.records) = m.at ∧ m.snapshot!.records = m.records
  marked:
    formula: |
      ∀ e, f ∈ Epoch: e ≤ f ⇒ marks[e] ≤ marks[f]
theorems:
  quorums:
    formula: |
      ∀ q, r ∈ Quorum: q ⊆ Voter ∧ (∃ v ∈ Voter: v ∈ q ∩ r)
  someone:
    formula: |
      Voter ≠ {}
  extended:
    formula: |
      ∀ i, j ∈ Replica, k ∈ Index: LET s == log[i], t == log[j], e == extend(s, t) IN
        ∧ len(e) = max(len(s), len(t)) ∧ e[1..len(s)] = s
        ∧ extend(s, s[1..k]) = s ∧ extend(s[1..k], s) = s
        ∧ (k > len(s) ∧ k ≤ len(t) ⇒ e[k] = t[k])
`

// The cluster is proved in a scope and for all sizes.
func TestClusterIsProved(t *testing.T) {
	t.Parallel()
	for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
		cfg := unboundedConfig(t)
		cfg.Mode, cfg.Scope = mode, nil
		proved(t, check(t, parse(t, cluster), cfg), mode)
	}
}

// Each mutant changes one thing of the cluster. Its property is refuted in a scope,
// by a counterexample in as small a one as there is, and not proved for all sizes.
func TestBrokenClustersAreRefuted(t *testing.T) {
	t.Parallel()
	type scope = map[string]int
	for _, m := range []struct {
		name, old, new, breaks string
		scope                  scope // of the counterexample; the sizes that are not named do not count
	}{
		{"quorums of all replicas", "{quorum: Voter}", "{quorum: Replica}", "quorums/implied", scope{"Replica": 2, "Voter": 1}},
		{"anybody votes", "      require i ∈ Voter\n", "", "yes/Answer", scope{"Replica": 2, "Voter": 1}},
		{"anybody stands", "with i ∈ Voter\n      epoch", "with i ∈ Replica\n      epoch", "votersLead/Stand", scope{"Replica": 2, "Voter": 1}},
		{"a vote is forgotten", "vote:      Replica", "vote:      volatile Replica", "voted/Crash", scope{"Replica": 1, "Voter": 1}},
		{"a role is not", "role:      volatile Replica", "role:      Replica", "crashForgets/Crash", scope{"Replica": 1}},
		{"crash and stay", "      crash i\n", "      crash i\n      granted[i] := granted[i] ∪ {i}\n", "crashForgets/Crash", scope{"Replica": 1}},
		{"a crash resets the log", "log:       Replica", "log:       volatile Replica", "logsGrow/Crash", scope{"Replica": 1, "Voter": 1}},
		{"save what is not there", "      require n ≤ len(log[i])\n", "", "saved/Save", scope{"Replica": 1, "Voter": 1}},
		{"drop the others", "IF n < k THEN Nil ELSE snapshots[i][n]]", "IF n < k THEN Nil ELSE snapshots[i][k]]", "dropped/Drop", scope{"Replica": 1, "Voter": 1}},
		{"drop without a guard", "      require ∀ n ∈ Index: snapshots[i][n] = Nil ∨ n ≤ len(log[i])\n", "", "dropped/Drop", scope{"Replica": 1}},
		{"send another snapshot", "snapshots[i][n] ELSE Nil\n", "snapshots[i][n - 1] ELSE Nil\n", "fetched/Send", scope{"Replica": 1}},
		{"send other records", "truncate(s!.records, n)", "truncate(s!.records, n - 1)", "fetched/Send", scope{"Replica": 1}},
		{"replace the log", "extend(m.snapshot!.records, log[i])", "m.snapshot!.records", "logsGrow/Load", scope{"Replica": 1}},
		{"keep the log", "extend(m.snapshot!.records, log[i])", "extend(log[i], m.snapshot!.records)", "loads/Load", scope{"Replica": 1}},
		{"marks fall", "max(marks[e], n) ELSE", "n ELSE", "marksGrow/Save", scope{"Replica": 1}},
		{"marks of one epoch", "IF e ≥ epoch[i] THEN", "IF e = epoch[i] THEN", "marked/Save", scope{"Replica": 1}},
		{"nobody need vote", "Voter ≠ {}\n", "∀ i ∈ Replica: i ∈ Voter\n", "someone/implied", scope{"Replica": 2, "Voter": 1}},
		{"two voters", "Voter ≠ {}\n", "∀ i, j ∈ Voter: i = j\n", "someone/implied", scope{"Replica": 2, "Voter": 2}},
		{"voters and others", "Voter ≠ {}\n", "∀ i, j ∈ Voter, k ∈ Replica: i = j ∨ k ∈ Voter\n", "someone/implied", scope{"Replica": 3, "Voter": 2}},
		{"extend is symmetric", "Voter ≠ {}\n", "∀ i, j ∈ Replica: extend(log[i], log[j]) = extend(log[j], log[i])\n", "someone/implied", scope{"Replica": 2}},
	} {
		t.Run(m.name, func(t *testing.T) {
			for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
				cfg := unboundedConfig(t)
				cfg.Mode, cfg.Scope = mode, scope{"Replica": 4, "Voter": 3, "Epoch": 2, "Index": 2, "Messages": 1}
				cfg.Only = func(o proofs.Obligation) bool { return o.ID() == m.breaks }
				s := check(t, parse(t, replace(t, cluster, m.old, m.new)), cfg)
				r := s.Result(m.breaks)
				if r.CTI == nil {
					t.Fatalf("%v: %s is %v: %s", mode, m.breaks, r.Verdict, r.Reason)
				}
				replayed(t, s, r)
				got := maps.Clone(r.CTI.Scope.Sizes)
				maps.DeleteFunc(got, func(name string, _ int) bool { return !slices.Contains(slices.Collect(maps.Keys(m.scope)), name) })
				if mode == proofs.Bounded && !maps.Equal(got, m.scope) {
					t.Errorf("the counterexample is in scope %v, want %v", r.CTI.Scope.Sizes, m.scope)
				}
			}
		})
	}
}
