package proofs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Lock records, for obligations of one system, which setting and which
// hypotheses proved them for all sizes. It is tried first and never trusted: an
// entry is one more rung of the ladder, so a wrong one costs time and nothing else.
type Lock map[string]LockEntry

// LockEntry is what proved one obligation.
type LockEntry struct {
	Setting    string   // a setting's short name
	Hypotheses []string // property ids, sorted
}

const lockHead = `# What proved each obligation for all sizes: a solver setting and the hypotheses.
# Written by kraftprove check --update-lock. It is tried first and never trusted:
# a wrong line costs time and nothing else.
`

// ParseLock reads a lock file. What cannot be read is left out: it would only
// have saved time.
func ParseLock(text []byte) Lock {
	lock := Lock{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, rest, ok := strings.Cut(line, ":")
		words := strings.Fields(rest)
		id = strings.TrimSpace(id)
		if !ok || id == "" || len(words) == 0 {
			continue
		}
		lock[id] = LockEntry{Setting: words[0], Hypotheses: words[1:]}
	}
	return lock
}

// String is the text of a lock file: a line an obligation, sorted, so that two
// branches' changes merge line by line.
func (l Lock) String() string {
	var b strings.Builder
	b.WriteString(lockHead)
	for _, id := range slices.Sorted(maps.Keys(l)) {
		e := l[id]
		fmt.Fprintf(&b, "%s: %s\n", id, strings.Join(append([]string{e.Setting}, slices.Sorted(slices.Values(e.Hypotheses))...), " "))
	}
	return b.String()
}

// Lock is what the unbounded proofs of a report used.
func (s *SystemReport) Lock() Lock {
	lock := Lock{}
	for _, r := range s.Results {
		if r.Mode == Unbounded && r.Answer == Unsat && r.setting != "" {
			lock[r.ID()] = LockEntry{Setting: r.setting, Hypotheses: r.Core}
		}
	}
	return lock
}
