package proofs_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
	"github.com/speckl/kraftprove/solver/z3"
	"github.com/speckl/kraftprove/specs"
)

// small is a scope in which Raft is proved in about a second and in which every
// single deletion of a lemma is refuted.
var small = map[string]int{"Server": 3, "Term": 2, "Index": 2, "Value": 2, protocol.MessagesScope: 2}

// raft is Raft without what it says of mutants, which would not fit changed actions.
func raft(tb testing.TB) string {
	tb.Helper()
	return regexp.MustCompile(`(?m)^    survives: \|\n(      .*\n)+`).ReplaceAllString(spec(tb, "raft.yaml"), "")
}

func spec(tb testing.TB, name string) string {
	tb.Helper()
	text, err := specs.FS.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func parse(tb testing.TB, text string) *protocol.System {
	tb.Helper()
	sys, errs := protocol.Parse("test.yaml", []byte(text))
	if errs.HasErrors() {
		tb.Fatal(errs)
	}
	return sys
}

// replace changes one place of a spec, which must be there.
func replace(tb testing.TB, text, old, new string) string {
	tb.Helper()
	if strings.Count(text, old) != 1 {
		tb.Fatalf("%q stands %d times in the spec, want once", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, new, 1)
}

// config uses the named solver; the test is skipped if it is missing and not required.
func config(tb testing.TB, name string) proofs.Config {
	tb.Helper()
	cfg := proofs.Config{Jobs: 2, Timeout: time.Minute, Scope: small}
	if name == z3.Name {
		info, err := z3.Info()
		if err != nil {
			missing(tb, err)
		}
		cfg.Solver, cfg.NewSolver = info, z3.New
		return cfg
	}
	p, err := smtlib.Find(name, "")
	if err != nil {
		missing(tb, err)
	}
	cfg.Solver = solver.Info{Name: name}
	cfg.NewSolver = func(l solver.Limits) (solver.Solver, error) { return smtlib.New(p, l, smtlib.Options{}), nil }
	return cfg
}

func missing(tb testing.TB, err error) {
	tb.Helper()
	if os.Getenv("KRAFTPROVE_REQUIRE_SOLVERS") == "1" {
		tb.Fatal(err)
	}
	tb.Skip(err)
}

func check(tb testing.TB, sys *protocol.System, cfg proofs.Config) *proofs.SystemReport {
	tb.Helper()
	rep, err := proofs.Run(tb.Context(), []*protocol.System{sys}, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return rep.Systems[0]
}

// failures lists what is not as expected.
func failures(s *proofs.SystemReport) []string {
	var out []string
	for _, r := range s.Results {
		if !r.AsExpected() {
			out = append(out, fmt.Sprintf("%s %v (%v) %s", r.ID(), r.Verdict, r.Answer, r.Reason))
		}
	}
	return out
}

// proved checks that everything is as expected, in the mode: literal claims are
// refuted, all other properties proved.
func proved(t *testing.T, s *proofs.SystemReport, mode proofs.Mode) {
	t.Helper()
	if f := failures(s); len(f) > 0 {
		t.Errorf("%v: not as expected:\n%s", mode, strings.Join(f, "\n"))
	}
	for _, p := range s.Properties {
		if p.Property.Kind == protocol.Literal {
			if p.Verdict != proofs.Refuted {
				t.Errorf("%s is %v", p.Property.ID, p.Verdict)
			}
		} else if p.Verdict != proofs.Proved || p.Mode != mode {
			t.Errorf("%s is %v, %v, want it proved, %v; lacking %v", p.Property.ID, p.Verdict, p.Mode, mode, p.Lacking)
		}
	}
}

func TestRaftIsProved(t *testing.T) {
	t.Parallel()
	s := check(t, parse(t, raft(t)), config(t, "z3"))
	proved(t, s, proofs.Bounded)
	if unsat := s.Count(proofs.Proved, proofs.Unsat); unsat < 150 {
		t.Errorf("the solver decided only %d obligations", unsat)
	}
}

// Every lemma is needed: without it something is refuted, by a counterexample
// that the evaluator has replayed.
func TestEveryLemmaIsNeeded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a minute")
	}
	sys := parse(t, raft(t))
	for _, p := range sys.Properties {
		if p.Kind != protocol.Lemma {
			continue
		}
		t.Run(p.ID, func(t *testing.T) {
			cfg := config(t, "z3")
			cfg.Without = map[string]bool{p.ID: true}
			s := check(t, sys, cfg)
			refuted := 0
			for _, r := range s.Results {
				if r.CTI != nil {
					refuted++
					replayed(t, s, r)
				}
				if r.Verdict == proofs.Unknown {
					t.Errorf("%s is unknown: %s", r.ID(), r.Reason)
				}
			}
			if refuted == 0 {
				t.Errorf("nothing is refuted without %s", p.ID)
			}
		})
	}
}

// replayed checks a counterexample once more, from outside the driver.
func replayed(t *testing.T, s *proofs.SystemReport, r *proofs.Result) {
	t.Helper()
	c := r.CTI
	ev := semantics.NewEvaluator(c.Structure)
	if r.Kind != proofs.Initiation {
		for _, p := range s.Properties {
			if p.Property.Inductive() && !ev.Formula(p.Property.Formula, c.Pre) {
				t.Errorf("%s: the pre-state breaks %s", r.ID(), p.Property.ID)
			}
		}
	}
	switch r.Kind {
	case proofs.TwoState:
		if ev.TwoState(r.Property.Formula, c.Step()) {
			t.Errorf("%s: the property holds of the step", r.ID())
		}
	case proofs.Consecution:
		if ev.Formula(r.Property.Formula, c.Post) {
			t.Errorf("%s: the property holds afterwards", r.ID())
		}
	default:
		if ev.Formula(r.Property.Formula, c.Pre) {
			t.Errorf("%s: the property holds", r.ID())
		}
	}
	if c.Post != nil {
		if out := ev.Do(r.Action, c.Args, c.Pre); out.Status != semantics.Enabled || !out.Post.Equal(c.Post) {
			t.Errorf("%s: the evaluator does not perform the step", r.ID())
		}
	}
}

// Each mutation changes one thing in the protocol, and the property named must break. Those without lines are the spec's own.
func TestBrokenProtocolsAreRefuted(t *testing.T) {
	t.Parallel()
	for _, m := range []struct{ name, change, breaks string }{
		{"Figure8", "", "committedInTerm"},
		{"StaleVoteCounted", "", "tally"},
		{"LogTestByComponent", "", "voteComplete"},
		{"EmptyAppendTruncates", "", "ackKept"},
		{"VoteNotDurable", "", "voteIsVotedFor"},
		{"VotesWithoutLogTest", patch("HandleRequestVoteRequest", "- logOk"), "voteComplete"},
		{"VotesTwice", patch("HandleRequestVoteRequest", "- votedFor[i] ∈ {Nil, j}"), "electedByVotes"},
		{"LeadsWithoutVotes", patch("BecomeLeader", "- q ⊆ votesGranted[i]"), "electedByVotes"},
	} {
		t.Run(m.name, func(t *testing.T) {
			s := check(t, mutated(t, raft(t), m.name, m.change), config(t, "z3"))
			for _, r := range s.Results {
				if r.Property != nil && r.Property.ID == m.breaks && r.CTI != nil {
					return
				}
			}
			t.Errorf("%s is not refuted; not as expected:\n%s", m.breaks, strings.Join(failures(s), "\n"))
		})
	}
}

// mutated is a spec with a mutation: one of its own, or else that change.
func mutated(tb testing.TB, text, name, change string) *protocol.System {
	tb.Helper()
	if change != "" {
		text = replace(tb, text, "\nmutations:\n", "\nmutations:\n  "+name+":\n    "+strings.ReplaceAll(change, "\n", "\n    ")+"\n")
	}
	sys := parse(tb, text)
	m := sys.MutationNamed(name)
	if m == nil {
		tb.Fatalf("there is no mutation %s", name)
	}
	out, errs := sys.Mutated(m)
	if errs.HasErrors() {
		tb.Fatal(errs)
	}
	return out
}

// All back ends give the same verdict on every obligation, of the spec and of a
// broken one.
func TestBackEndsAgree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a minute")
	}
	sys := parse(t, raft(t))
	for _, without := range []string{"", "voteComplete"} {
		var mu sync.Mutex
		verdicts := map[string]map[string]string{}
		t.Run("without "+without, func(t *testing.T) {
			for _, name := range []string{"z3", "cvc5", z3.Name} {
				t.Run(name, func(t *testing.T) {
					cfg := config(t, name)
					if without != "" {
						cfg.Without = map[string]bool{without: true}
					}
					s := check(t, sys, cfg)
					mu.Lock()
					defer mu.Unlock()
					for _, r := range s.Results {
						if verdicts[r.ID()] == nil {
							verdicts[r.ID()] = map[string]string{}
						}
						verdicts[r.ID()][name] = fmt.Sprint(r.Verdict, " ", r.Answer)
					}
				})
			}
		})
		for id, by := range verdicts {
			for name, v := range by {
				if v != by["z3"] {
					t.Errorf("without %q: %s is %s by %s, %s by z3", without, id, v, name, by["z3"])
				}
			}
		}
	}
}

const counter = `
protocol: counter
sorts: {N: {natural: true}, P: {finite: true}}
scope: {N: 3, P: 2}
state:
  x: P → N
init: |
  x := [p ∈ P ↦ 0]
actions:
  Up:
    do: |
      with p ∈ P
      x[p] := x[p] + 1
invariants:
  Small:
    formula: |
      ∀ p ∈ P: x[p] ≤ 3
  Grows:
    formula: |
      ∀ p ∈ P: x'[p] ≥ x[p]
`

// A contradiction among the axioms proves everything, and is caught.
func TestVacuousProofIsNoProof(t *testing.T) {
	t.Parallel()
	text := counter + "axioms:\n  wrong:\n    formula: |\n      ∀ p ∈ P: p ≠ p\n"
	s := check(t, parse(t, text), config(t, "z3"))
	if r := s.Result("init/possible"); r.Verdict != proofs.Refuted {
		t.Errorf("init/possible is %v", r.Verdict)
	}
	for _, p := range s.Properties {
		if p.Verdict == proofs.Proved {
			t.Errorf("%s is called proved", p.Property.ID)
		}
	}
}

// An action that can never happen is reported.
func TestDeadActionIsReported(t *testing.T) {
	t.Parallel()
	text := replace(t, counter, "      x[p] := x[p] + 1\n", "      require x[p] > 3\n      x[p] := x[p] + 1\n")
	s := check(t, parse(t, text), config(t, "z3"))
	if r := s.Result("Up/fires"); r.Verdict != proofs.Refuted || r.Answer != proofs.Unsat {
		t.Errorf("Up/fires is %v (%v)", r.Verdict, r.Answer)
	}
}

// A property that leans on one that is not proved is conditional and says on what.
func TestConditional(t *testing.T) {
	t.Parallel()
	text := replace(t, counter, "  Grows:", "  Even:\n    formula: |\n      ∀ p ∈ P: x[p] ≤ 1\n  Grows:")
	s := check(t, parse(t, text), config(t, "z3"))
	want := map[string]proofs.Verdict{"Small": proofs.Conditional, "Even": proofs.Refuted, "Grows": proofs.Conditional}
	for _, p := range s.Properties {
		if p.Verdict != want[p.Property.ID] {
			t.Errorf("%s is %v, want %v", p.Property.ID, p.Verdict, want[p.Property.ID])
		}
		if p.Verdict == proofs.Conditional && !strings.Contains(strings.Join(p.Lacking, " "), "Even") {
			t.Errorf("%s lacks %v, want Even", p.Property.ID, p.Lacking)
		}
	}
}

// With cores, what a proof leans on is what the cores name.
func TestCores(t *testing.T) {
	t.Parallel()
	cfg := config(t, "z3")
	cfg.Cores = true
	text := replace(t, counter, "  Grows:", "  Zero:\n    formula: |\n      ∀ p ∈ P: x[p] ≥ 0\n  Grows:")
	text = strings.Replace(text, "invariants:\n  Small", "lemmas:\n  Idle:\n    formula: |\n      ∃ p ∈ P: x[p] ≥ 0\ninvariants:\n  Small", 1)
	s := check(t, parse(t, text), cfg)
	if f := failures(s); len(f) > 0 {
		t.Fatal(f)
	}
	if got := strings.Join(s.Unneeded, " "); got != "Idle" {
		t.Errorf("unneeded: %q, want Idle", got)
	}
	for _, r := range s.Results {
		if r.Answer == proofs.Unsat && r.Core == nil {
			t.Errorf("%s has no core", r.ID())
		}
	}
}

// The same seed gives the same counterexample.
func TestCounterexampleIsStable(t *testing.T) {
	t.Parallel()
	sys := parse(t, raft(t))
	var first string
	for range 2 {
		cfg := config(t, "z3")
		cfg.Without = map[string]bool{"voteComplete": true}
		rep, chains, err := proofs.Search(t.Context(), sys, "I2", cfg, false)
		if err != nil {
			t.Fatal(err)
		}
		r := rep.Systems[0].FirstRefuted(chains)
		if r == nil {
			t.Fatal("nothing is refuted")
		}
		got := fmt.Sprint(r.ID(), r.CTI.Pre, r.CTI.Args, r.CTI.Post)
		if first != "" && got != first {
			t.Errorf("two searches differ:\n%s\n%s", first, got)
		}
		first = got
	}
}

// A run that is cancelled ends soon, and what was not decided is unknown.
func TestCancel(t *testing.T) {
	t.Parallel()
	cfg := config(t, "z3")
	cfg.Scope = map[string]int{"Server": 5, "Term": 4, "Index": 4}
	ctx, cancel := context.WithCancel(t.Context())
	cfg.Progress = func(p proofs.Progress) {
		if p.Done > 0 || p.Running != "" {
			time.AfterFunc(300*time.Millisecond, cancel)
		}
	}
	rep, err := proofs.Run(ctx, []*protocol.System{parse(t, raft(t))}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	unknown := 0
	for _, r := range rep.Systems[0].Results {
		if r.Verdict == proofs.Unknown {
			unknown++
			if r.Reason != "cancelled" {
				t.Errorf("%s is unknown because of %q", r.ID(), r.Reason)
			}
		}
	}
	if unknown == 0 {
		t.Error("everything was decided before the cancellation")
	}
}

// Without enough time the verdict is unknown, never proved or refuted.
func TestTimeout(t *testing.T) {
	t.Parallel()
	cfg := config(t, "z3")
	cfg.Timeout = 30 * time.Millisecond
	cfg.Scope = map[string]int{"Server": 4, "Term": 3, "Index": 3}
	cfg.Only = func(o proofs.Obligation) bool {
		return o.Action != nil && o.Action.Name == "BecomeLeader" && o.Property != nil && o.Property.ID == "leaderComplete"
	}
	s := check(t, parse(t, raft(t)), cfg)
	if r := s.Results[0]; r.Verdict != proofs.Unknown || r.Reason != "timeout" {
		t.Errorf("%s is %v: %s", r.ID(), r.Verdict, r.Reason)
	}
	for _, p := range s.Properties {
		if p.Verdict == proofs.Proved {
			t.Errorf("%s is called proved", p.Property.ID)
		}
	}
}

// Without enough memory the verdict is unknown as well, and the reason says so, in
// either mode.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
		cfg := config(t, "z3")
		cfg.Mode, cfg.MemoryMB = mode, 20 // of which Z3 takes 19 before it begins
		cfg.Scope = map[string]int{"Server": 4, "Term": 3, "Index": 3}
		cfg.Only = func(o proofs.Obligation) bool {
			return o.Action != nil && o.Action.Name == "BecomeLeader" && o.Property != nil && o.Property.ID == "leaderComplete"
		}
		s := check(t, parse(t, raft(t)), cfg)
		if r := s.Results[0]; r.Verdict != proofs.Unknown || r.Reason != "memory" {
			t.Errorf("%v: %s is %v: %s", mode, r.ID(), r.Verdict, r.Reason)
		}
	}
}

// A property of which only a part was asked is not proved, whatever that part says.
func TestPartIsNoProof(t *testing.T) {
	t.Parallel()
	text := replace(t, counter, "invariants:", "  Down:\n    do: |\n      with p ∈ P\n      x[p] := x[p] - 1\ninvariants:")
	for _, mode := range []proofs.Mode{proofs.Bounded, proofs.Unbounded} {
		for _, alone := range []bool{false, true} {
			cfg := config(t, "z3")
			cfg.Mode, cfg.Alone = mode, alone
			cfg.Only = func(o proofs.Obligation) bool { return o.ID() == "Grows/Up" || o.ID() == "init/possible" }
			s := check(t, parse(t, text), cfg) // Grows is false of Down, which is not asked
			if r := s.Result("Grows/Up"); r.Verdict != proofs.Proved {
				t.Errorf("%v: Grows/Up is %v", mode, r.Verdict)
			}
			if p := s.Properties[0]; p.Verdict != proofs.Conditional {
				t.Errorf("%v, alone %v: Grows is %v, though Down was not asked", mode, alone, p.Verdict)
			}
		}
	}
}
