package report_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// check runs the driver on raft without some properties.
func check(t *testing.T, without ...string) *proofs.Report {
	t.Helper()
	sys, errs, err := protocol.Load(os.DirFS("../../specs"), "raft.yaml")
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
	cfg := proofs.Config{
		NewSolver: func(l solver.Limits) (solver.Solver, error) { return smtlib.New(profile, l, smtlib.Options{}), nil },
		Solver:    solver.Info{Name: "z3", Version: "0.0.0"},
		Jobs:      2,
		Timeout:   time.Minute,
		Without:   map[string]bool{},
	}
	for _, id := range without {
		cfg.Without[id] = true
	}
	rep, err := proofs.Run(t.Context(), []*protocol.System{sys}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestSmoke(t *testing.T) {
	for _, without := range strings.Fields(os.Getenv("WITHOUT") + " -") {
		rep := check(t, strings.Split(without, ",")...)
		var b bytes.Buffer
		if err := report.Text(&b, rep, report.Options{Verbose: os.Getenv("V") != ""}); err != nil {
			t.Fatal(err)
		}
		os.Stdout.Write(b.Bytes())
		for _, l := range strings.Split(b.String(), "\n") {
			if utf8.RuneCountInString(l) > 100 {
				t.Errorf("too wide: %s", l)
			}
		}
	}
}
