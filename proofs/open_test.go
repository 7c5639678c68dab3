package proofs_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// Raft is proved for any number of servers, terms, indexes and messages.
func TestRaftIsProvedForAllSizes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	proved(t, check(t, parse(t, raft(t)), unboundedConfig(t)), proofs.Unbounded)
}

// verdicts are what a check says of each obligation, beside how it came to it.
func verdicts(s *proofs.SystemReport) string {
	var b strings.Builder
	for _, r := range s.Results {
		fmt.Fprintln(&b, r.ID(), r.Mode, r.Verdict, r.Answer)
	}
	return b.String()
}

// A lock file that is wrong in every way costs time and nothing else: neither is
// something proved that is not, nor the other way round.
func TestLockIsNotTrusted(t *testing.T) {
	t.Parallel()
	text := raft(t)
	for name, text := range map[string]string{
		"correct": text,
		"broken":  replace(t, text, "require state[i] = Candidate ∧ q ⊆ votesGranted[i]", "require state[i] = Candidate"),
	} {
		sys := parse(t, text)
		cfg := unboundedConfig(t)
		cfg.Only = func(o proofs.Obligation) bool {
			return o.Action != nil && o.Action.Name == "BecomeLeader" && o.Property != nil && !strings.Contains(o.Property.ID, "omplete")
		}
		want := verdicts(check(t, sys, cfg))
		hostile := proofs.Lock{}
		for i, o := range proofs.Plan(sys, proofs.Unbounded, nil) {
			hostile[o.ID()] = []proofs.LockEntry{
				{Setting: "matching", Hypotheses: nil},
				{Setting: "absurd", Hypotheses: []string{"noSuchLemma", "I1.literal", "I4", "voteComplete"}},
				{Setting: "models", Hypotheses: []string{"nextIndexBound"}},
			}[i%3]
		}
		cfg.Locks = map[string]proofs.Lock{sys.Name: hostile}
		if got := verdicts(check(t, sys, cfg)); got != want {
			t.Errorf("%s: with a hostile lock file\n%s\nwithout\n%s", name, got, want)
		}
	}
}

// A lock file survives being written and read, and garbage in it is left out.
func TestLockText(t *testing.T) {
	t.Parallel()
	lock := proofs.Lock{
		"I2/implied":      {Setting: "matching", Hypotheses: []string{"b", "a"}},
		"C1/BecomeLeader": {Setting: "models"},
	}
	text := lock.String()
	if !strings.HasSuffix(text, "C1/BecomeLeader: models\nI2/implied: matching a b\n") {
		t.Errorf("got\n%s", text)
	}
	again := proofs.ParseLock([]byte(text + "\n<<<<<<< ours\n:::\nno colon here\n\x00\xff: \n"))
	if got := again.String(); got != text {
		t.Errorf("read back\n%s\nwant\n%s", got, text)
	}
}

// An axiom that contradicts the others proves everything in the unbounded mode, too,
// and is caught.
func TestVacuousUnboundedProofIsNoProof(t *testing.T) {
	t.Parallel()
	text := counter + "axioms:\n  wrong:\n    formula: |\n      ∀ p ∈ P: p ≠ p\n"
	s := check(t, parse(t, text), unboundedConfig(t))
	for _, p := range s.Properties {
		if p.Verdict == proofs.Proved {
			t.Errorf("%s is called proved", p.Property.ID)
		}
	}
}

// What is false without a bound is refuted, though it holds in a scope that does
// not reach the bound; and what no scope refutes but nothing proves is unknown.
func TestUnboundedIsNotBounded(t *testing.T) {
	t.Parallel()
	cfg := unboundedConfig(t)
	cfg.Scope = map[string]int{"N": 3, "P": 2}
	s := check(t, parse(t, counter), cfg)
	if r := s.Result("Small/Up"); r.Verdict == proofs.Proved {
		t.Errorf("x ≤ 3 is proved for all sizes, though Up goes beyond")
	}
	if r := s.Result("Grows/Up"); r.Verdict != proofs.Proved || r.Mode != proofs.Unbounded {
		t.Errorf("Grows/Up is %v, %v", r.Verdict, r.Mode)
	}
	cfg.Scope = map[string]int{"N": 5, "P": 2}
	if r := check(t, parse(t, counter), cfg).Result("Small/Up"); r.Verdict != proofs.Refuted || r.CTI == nil {
		t.Errorf("Small/Up is %v in a scope that reaches 4", r.Verdict)
	}
	cfg.Scope, cfg.Mode = map[string]int{"N": 3, "P": 2}, proofs.Auto
	if r := check(t, parse(t, counter), cfg).Result("Small/Up"); r.Verdict != proofs.Proved || r.Mode != proofs.Bounded {
		t.Errorf("in auto mode Small/Up is %v, %v, want proved in the scope only", r.Verdict, r.Mode)
	}
}

// What nothing proves says in which scope it holds: the largest one that was asked.
func TestUnknownSaysWhereItHolds(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{5: "refuted", 3: "map[N:3 P:2]", 2: "map[N:2 P:2]"} {
		cfg := unboundedConfig(t)
		cfg.Scope = map[string]int{"N": most, "P": 2}
		r := check(t, parse(t, counter), cfg).Result("Small/Up")
		got := "refuted"
		if r.Verdict == proofs.Unknown {
			got = "nowhere"
			if r.Held != nil {
				got = fmt.Sprint(r.Held.Sizes)
			}
		}
		if got != want || len(r.Tried) < 5 {
			t.Errorf("in a scope up to %d it holds in %s, want %s; %s; tried %v", most, got, want, r.Reason, r.Tried)
		}
	}
	// Where the solver gives up in the scope itself, the small one is what is left.
	cfg := unboundedConfig(t)
	cfg.Scope, cfg.Jobs = map[string]int{"N": 3, "P": 2}, 1
	cfg.Only = func(o proofs.Obligation) bool { return o.ID() == "Small/Up" }
	start, bounded := cfg.NewSolver, 0
	cfg.NewSolver = func(l solver.Limits) (solver.Solver, error) {
		if l.Steps == 0 { // no rung
			if bounded++; bounded > 1 {
				l.Steps = 1
			}
		}
		return start(l)
	}
	if r := check(t, parse(t, counter), cfg).Result("Small/Up"); r.Verdict != proofs.Unknown || r.Held == nil || fmt.Sprint(r.Held.Sizes) != "map[N:2 P:2]" {
		t.Errorf("Small/Up is %v, holds in %v", r.Verdict, r.Held)
	}
	// What is proved, and what is refuted, says nothing of the kind.
	cfg = unboundedConfig(t)
	cfg.Scope = map[string]int{"N": 5, "P": 2}
	for _, r := range check(t, parse(t, counter), cfg).Results {
		if r.Held != nil && r.Verdict != proofs.Unknown {
			t.Errorf("%s is %v and holds in %v", r.ID(), r.Verdict, r.Held)
		}
	}
}

// Two proofs that lean on each other prove nothing; the spec is refused.
func TestCircleIsRefused(t *testing.T) {
	t.Parallel()
	text := counter + "theorems:\n  A:\n    by: [B]\n    formula: |\n      ∀ p ∈ P: x[p] ≤ 3\n  B:\n    by: [A]\n    formula: |\n      ∀ p ∈ P: x[p] ≤ 3\n"
	_, errs := protocol.Parse("test.yaml", []byte(text))
	if !errs.HasErrors() || !strings.Contains(errs.Error(), "circle") {
		t.Errorf("got %v, want an error about the circle", errs)
	}
}

// Other solvers agree, each for itself; what a solver has proved itself it is not
// asked.
func TestSecondOpinion(t *testing.T) {
	t.Parallel()
	for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
		cfg := unboundedConfig(t)
		cfg.Mode = mode
		cfg.Scope = map[string]int{"N": 3, "P": 2}
		text := replace(t, counter, "      x[p] := x[p] + 1\n", "      require x[p] < 3\n      x[p] := x[p] + 1\n")
		s := check(t, parse(t, text), cfg)
		again := proofs.Backend{Info: solver.Info{Name: "z3", Version: "other"}, New: cfg.NewSolver}
		if err := proofs.SecondOpinion(t.Context(), s, cfg, []proofs.Backend{cfg.Second, again}, cfg.Timeout); err != nil {
			t.Fatal(err)
		}
		if len(s.Opinions) != 2 || s.Opinions[0].Solver != cfg.Second.Info || s.Opinions[1].Solver != again.Info {
			t.Fatalf("%v: %d opinions, want one of each solver", mode, len(s.Opinions))
		}
		for _, o := range s.Opinions {
			if o.Agreed != 3 || len(o.Contradicts) > 0 || len(o.Undecided) > 0 {
				t.Errorf("%v: %+v, want 3 agreements", mode, o)
			}
		}
		s.Opinions = nil
		for _, r := range s.Results {
			r.Solver = cfg.Second.Info
		}
		if err := proofs.SecondOpinion(t.Context(), s, cfg, []proofs.Backend{cfg.Second}, cfg.Timeout); err != nil {
			t.Fatal(err)
		}
		if o := s.Opinions[0]; o.Agreed+len(o.Undecided)+len(o.Contradicts) > 0 {
			t.Errorf("%v: %+v: it was asked about its own proofs", mode, o)
		}
	}
}

const patterned = `
protocol: patterned
sorts: {N: {natural: true}, P: {finite: true}}
scope: {N: 2, P: 2}
state:
  x: P → N
  y: P → N
init: |
  x := [p ∈ P ↦ 1]
actions:
  Copy:
    do: |
      with p ∈ P, q ∈ P
      x[p] := x[q]
lemmas:
  L:
    patterns: |
      x[p]
    formula: |
      ∀ p ∈ P: x[p] = 1
`

// A pattern says which rung proves and nothing of what is proved: with one that finds
// no instance E-matching fails, and another rung does it; and what is false stays
// refuted.
func TestPatternsChangeSpeedOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, formula string
		verdict          proofs.Verdict
		matching         bool
	}{
		{"x[p]", "x[p] = 1", proofs.Proved, true},
		{"x[p], y[p]", "x[p] = 1", proofs.Proved, false},
		{"x[p]", "x[p] = 0", proofs.Refuted, false},
		{"y[p]", "x[p] = 0", proofs.Refuted, false},
	} {
		text := replace(t, replace(t, patterned, "      x[p]\n    formula", "      "+c.pattern+"\n    formula"), "x[p] = 1\n", c.formula+"\n")
		s := check(t, parse(t, text), unboundedConfig(t))
		l := s.Properties[0]
		if l.Verdict != c.verdict {
			t.Errorf("%s: with pattern %s it is %v", c.formula, c.pattern, l.Verdict)
		}
		r := s.Result("L/Copy")
		if c.verdict == proofs.Proved && strings.Contains(r.Rung, "E-matching") != c.matching {
			t.Errorf("%s: with pattern %s it is proved by %s", c.formula, c.pattern, r.Rung)
		}
	}
}

// Seeds change neither verdicts nor their order. But for the first, which is 0, they
// change every name in what the solver is told, in either mode.
func TestStable(t *testing.T) {
	t.Parallel()
	for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
		cfg := unboundedConfig(t)
		cfg.Mode = mode
		cfg.Only = func(o proofs.Obligation) bool { return o.Action != nil && o.Action.Name == "Timeout" }
		p, err := smtlib.Find("z3", "")
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		told := map[int]*strings.Builder{}
		cfg.NewSolver = func(l solver.Limits) (solver.Solver, error) {
			mu.Lock()
			defer mu.Unlock()
			seed := l.Seed
			if told[seed] == nil {
				told[seed] = &strings.Builder{}
			}
			if l.Names%1000 != seed { // attempts count in thousands
				t.Errorf("names are of seed %d, the solver of %d", l.Names, seed)
			}
			return smtlib.New(p, l, smtlib.Options{Transcript: locked{&mu, told[seed]}}), nil
		}
		rep, err := proofs.Stable(t.Context(), []*protocol.System{parse(t, raft(t))}, cfg, 3)
		if err != nil {
			t.Fatal(err)
		}
		s := rep.Systems[0]
		if f := failures(s); len(f) > 0 {
			t.Errorf("%v: not as expected: %v", mode, f)
		}
		if st := s.Stability; st == nil || len(st.Changed) > 0 || st.Seeds != 3 || len(st.Spread) != len(s.Results) {
			t.Errorf("%v: got %+v", mode, st)
		}
		for seed := range 3 {
			text := told[seed].String()
			if named := strings.Contains(text, "currentTerm"); len(text) < 10_000 || named != (seed == 0) {
				t.Errorf("%v: seed %d: %d bytes, currentTerm in them: %v", mode, seed, len(text), named)
			}
		}
		if told[1].String() == told[2].String() {
			t.Errorf("%v: two seeds give the same text", mode)
		}
	}
}

// locked is a writer for several solvers.
type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
