package proofs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
)

func TestScratch(t *testing.T) {
	sys, errs, err := protocol.Load(os.DirFS("../specs"), "raft.yaml")
	if err != nil || errs.HasErrors() {
		t.Fatal(err, errs)
	}
	p, err := smtlib.Find("z3", "")
	if err != nil {
		t.Fatal(err)
	}
	cfg := proofs.Config{NewSolver: func(l solver.Limits) (solver.Solver, error) { return smtlib.New(p, l, smtlib.Options{}), nil },
		Jobs: 2, Timeout: 60 * time.Second, Scope: map[string]int{"Server": 3, "Term": 3, "Index": 3, "Value": 2, "Messages": 2}}
	if w := os.Getenv("WITHOUT"); w != "" {
		cfg.Without = map[string]bool{w: true}
	}
	rep, err := proofs.Run(context.Background(), []*protocol.System{sys}, cfg)
	if err != nil {
		var ie *proofs.InternalError
		if errors.As(err, &ie) {
			fmt.Println(string(ie.Stack))
		}
		t.Fatal(err)
	}
	s := rep.Systems[0]
	for _, r := range s.Results {
		if !r.AsExpected() {
			fmt.Println(r.ID(), r.Verdict, r.Answer, r.Reason, r.Elapsed)
			if r.CTI != nil {
				fmt.Println("   ", r.CTI.Scope, r.CTI.Args)
				for _, v := range r.CTI.Broken.Vars {
					fmt.Print("   ", v.Var.Name, "=", v.Value)
				}
				fmt.Println()
				for _, v := range s.System.State {
					fmt.Println("   ", v.Name, r.CTI.Pre.Vars[v.Index])
				}
				for _, m := range s.System.Messages {
					fmt.Println("   ", m.Name, r.CTI.Pre.Msgs[m.ID])
				}
			}
		}
	}
	for _, p := range s.Properties {
		if p.Verdict != proofs.Proved {
			fmt.Println(p.Property.ID, p.Verdict, p.Lacking)
		}
	}
	seen := map[string]bool{}
	for _, r := range s.Results {
		if !seen[r.Query] && r.Elapsed > 50*time.Millisecond {
			seen[r.Query] = true
			fmt.Println(r.Query, r.Elapsed)
		}
	}
	fmt.Println(rep.Elapsed, s.Count(proofs.Proved, proofs.Unsat), s.Count(proofs.Proved, proofs.Untouched))
	_ = syntax.FormatExpr
}
