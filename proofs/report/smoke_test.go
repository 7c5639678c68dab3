package report_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// check runs the driver on raft in a small scope without a property.
func check(t *testing.T, without string) *proofs.Report {
	t.Helper()
	sys, cfg := driver(t, "raft.yaml")
	cfg.Scope = map[string]int{"Server": 3, "Term": 2, "Index": 2, "Value": 2, "Messages": 2}
	cfg.Without = map[string]bool{without: true}
	rep, err := proofs.Run(t.Context(), []*protocol.System{sys}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// driver is a spec, and how to prove things of it.
func driver(t *testing.T, spec string) (*protocol.System, proofs.Config) {
	t.Helper()
	sys, errs, err := protocol.Load(os.DirFS("../../specs"), spec)
	if err != nil || errs.HasErrors() {
		t.Fatal(err, errs)
	}
	profile, err := smtlib.Find("z3", "")
	if err != nil {
		if os.Getenv("KRAFTPROVE_REQUIRE_SOLVERS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return sys, proofs.Config{
		NewSolver: func(l solver.Limits) (solver.Solver, error) { return smtlib.New(profile, l, smtlib.Options{}), nil },
		Solver:    solver.Info{Name: "z3"},
		Jobs:      2,
		Timeout:   time.Minute,
	}
}

// TestEveryChangeIsShown draws every counterexample that appears when a lemma is
// left out: no line is too wide, and no changed cell is folded.
func TestEveryChangeIsShown(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the driver")
	}
	for _, without := range []string{"voteComplete", "electedByVotes", "commitAgrees", "appendEntry"} {
		rep := check(t, without)
		sys := rep.Systems[0]
		var whole bytes.Buffer
		if err := report.Text(&whole, rep, report.Options{Verbose: true}); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, whole.String(), 100)
		seen := 0
		for _, r := range sys.Results {
			if r.CTI == nil {
				continue
			}
			seen++
			checkDrawing(t, r)
		}
		if seen == 0 {
			t.Errorf("nothing breaks without %s", without)
		}
	}
}

// TestManyVariables draws a counterexample of a spec with more state than fits in one
// table, with a subset and with functions of functions.
func TestManyVariables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the driver")
	}
	sys, cfg := driver(t, "kraft.yaml")
	cfg.Without = map[string]bool{"voteComplete": true}
	rep, chains, err := proofs.Search(t.Context(), sys, "leaderComplete", cfg, false)
	if err != nil {
		t.Fatal(err)
	}
	r := rep.Systems[0].FirstRefuted(chains)
	if r == nil || r.ID() != "leaderComplete/BecomeLeader" {
		t.Fatalf("got %v", r)
	}
	checkDrawing(t, r)
}

// checkDrawing draws a counterexample, with and without what is not needed.
func checkDrawing(t *testing.T, r *proofs.Result) {
	t.Helper()
	for _, verbose := range []bool{false, true} {
		var b bytes.Buffer
		if err := report.CTI(&b, r, report.Origin{Solver: "z3"}, report.Options{Verbose: verbose}); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, b.String(), 100)
		if r.CTI.Post != nil {
			checkChanges(t, r, b.String())
		}
	}
}

// checkChanges looks up each changed cell in the tables of the text.
func checkChanges(t *testing.T, r *proofs.Result, text string) {
	t.Helper()
	sys := r.CTI.Structure.System
	for _, s := range sys.State {
		pre, post := r.CTI.Pre.Vars[s.Index], r.CTI.Post.Vars[s.Index]
		for k := range pre.Kids {
			if pre.Kids[k].Equal(post.Kids[k]) {
				continue
			}
			key := rowKey(s.Sort.Domain, k)
			if cell := lookUp(text, s.Name, key); !strings.Contains(cell, "→") {
				t.Errorf("%s: %s[%s] changes, shown is %q:\n%s", r.ID(), s.Name, key, cell, text)
			}
		}
	}
	for i, typ := range sys.Messages {
		for _, m := range r.CTI.Post.Msgs[i] {
			if !slices.ContainsFunc(r.CTI.Pre.Msgs[i], func(p state.Value) bool { return p.Equal(m) }) && !strings.Contains(text, "+ "+typ.Name) {
				t.Errorf("%s: a %s sent is not shown:\n%s", r.ID(), typ.Name, text)
			}
		}
	}
}

func rowKey(s *protocol.Sort, k int) string {
	if s.Kind == protocol.ElementKind {
		return protocol.ElementName(s, k)
	}
	return string(rune('0' + k))
}

// lookUp finds the entry of a table by its column's head and its row's name.
func lookUp(text, column, key string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, "  ") || strings.HasPrefix(l, "   ") { // tables stand two blanks in
			continue
		}
		head := strings.Split(l, "   ") // columns are three blanks apart
		if !slices.ContainsFunc(head[1:], func(h string) bool { return strings.TrimSpace(h) == column }) || strings.Contains(l, ":") {
			continue
		}
		from := len([]rune(l[:strings.Index(l+" ", " "+column+" ")+1]))
		to := from + len(column)
		for rest := []rune(l); to < len(rest) && rest[to] == ' '; {
			to++
		}
		if to >= len([]rune(l)) {
			to = 1 << 20
		}
		cell, in := "", false
		for _, row := range lines[i+1:] {
			if row == "" {
				break
			}
			if name := strings.Fields(row)[0]; strings.HasPrefix(row, "  "+name) {
				in = name == key
			}
			if r := []rune(row); in && from < len(r) {
				cell += string(r[from:min(to, len(r))])
			}
		}
		return cell
	}
	return ""
}
