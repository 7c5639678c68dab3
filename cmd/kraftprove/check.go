package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

type checkOptions struct {
	proofFlags
	all        bool
	cores      bool
	failFast   bool
	json       string
	second     bool
	others     []proofs.Backend // for a second opinion
	seeds      int
	updateLock bool
	witness    bool
	branches   bool
}

func newCheckCmd(a *app) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [SPEC | SPEC/PROPERTY ...]",
		Short: "Prove the properties of the specs",
		Long: `check proves every obligation of the specs, or of those named. For SPEC/PROPERTY
it proves the property and, following the unsat cores, what its proof leans on.

Exit code: 0 all as expected, 1 something refuted, 2 a spec is wrong, 3 something
unknown or conditional, 4 no solver, 64 wrong command line, 130 interrupted.`,
		Example: `  kraftprove check
  kraftprove check raft --scope Server=5 --json result.json
  kraftprove check raft/I2 raft/I3`,
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(cmd.Context(), a, &o, args) },
	}
	o.bind(cmd, a)
	fl := cmd.Flags()
	fl.BoolVar(&o.all, "all", false, "all specs (the default without arguments)")
	fl.BoolVar(&o.cores, "cores", false, "unsat core of each obligation; lists lemmas that nothing needs")
	fl.BoolVar(&o.failFast, "fail-fast", false, "stop at the first refutation")
	fl.BoolVar(&o.second, "second-opinion", false, "have each proved obligation proved again by the other solvers that are there: cvc5, and Z3 of other versions")
	fl.IntVar(&o.seeds, "seeds", 1, "repeat with so many seeds, which also rename and reorder what the solver is told, and report what changes")
	fl.BoolVar(&o.updateLock, "update-lock", false, "write beside each spec what proved its obligations for all sizes")
	fl.BoolVar(&o.witness, "witness", false, "show a state or step that satisfies Init, and each action under all invariants")
	fl.BoolVar(&o.branches, "branches", false, "ask as well whether each branch of each IF, and of each send with an if, can be taken; with --witness, show by which step")
	fl.StringVar(&o.json, "json", "", "write the result as JSON to FILE, or to standard output in place of the text: -")
	return cmd
}

func runCheck(ctx context.Context, a *app, o *checkOptions, args []string) error {
	if o.all && len(args) > 0 {
		return usage("--all and %s: name specs or say --all", args[0])
	}
	j, err := o.job(ctx, a, func(all []*protocol.System) (selection, error) { return selectSpecs(all, args) })
	if err != nil {
		return err
	}
	if o.second {
		o.others = a.others(ctx, j.cfg.Solver)
	}
	if err := o.fits(j); err != nil {
		return err
	}
	j.cfg.Cores, j.cfg.FailFast, j.cfg.Shrink = o.cores, o.failFast, o.updateLock || o.cores
	j.cfg.Branches = o.branches
	rep, err := o.prove(ctx, j)
	j.clear()
	if err != nil {
		return proofError(err)
	}
	if err := a.writeReport(rep, o.json); err != nil {
		return environment(err)
	}
	if o.json != "-" {
		if err := o.witnesses(a, rep); err != nil {
			return environment(err)
		}
	}
	if o.updateLock {
		if err := a.writeLocks(rep); err != nil {
			return environment(err)
		}
	}
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted: what was not decided is unknown")}
	}
	if code := verdictCode(rep); code != exitOK {
		return &exitError{code: code, printed: true}
	}
	return nil
}

// witnesses writes the steps that show that the proofs are not vacuous, once for
// each spec.
func (o *checkOptions) witnesses(a *app, rep *proofs.Report) error {
	done := map[*protocol.System]bool{}
	for _, s := range rep.Systems {
		if !o.witness || done[s.System] {
			continue
		}
		done[s.System] = true
		fmt.Fprintf(a.out, "\n%s can happen\n\n", s.System.Name)
		if err := report.Witnesses(a.out, s, report.Options{Width: a.width, Color: a.color, Verbose: a.verbose}); err != nil {
			return err
		}
	}
	return nil
}

// fits checks the flags against each other.
func (o *checkOptions) fits(j job) error {
	switch {
	case o.seeds < 1:
		return usage("--seeds %d: at least 1", o.seeds)
	case o.seeds > 1 && len(j.properties) > 0:
		return usage("--seeds repeats whole specs: name SPEC, not SPEC/PROPERTY")
	case o.updateLock && j.systems[0].Mutation != nil:
		return usage("--update-lock and --mutation: the lock file is for the spec as it is")
	case o.updateLock && (j.cfg.Mode == proofs.Bounded || len(j.properties) > 0):
		return usage("--update-lock records unbounded proofs of whole specs: add --mode unbounded, and name SPEC, not SPEC/PROPERTY")
	case o.second && len(o.others) == 0:
		return environment(fmt.Errorf("--second-opinion: no other solver is there\nTo install one: %s", installCommand("cvc5")))
	}
	return nil
}

// prove runs whole specs together, and follows single properties spec by spec.
func (o *checkOptions) prove(ctx context.Context, j job) (*proofs.Report, error) {
	var whole []*protocol.System
	for _, s := range j.systems {
		if len(j.properties[s]) == 0 {
			whole = append(whole, s)
		}
	}
	var rep *proofs.Report
	var err error
	if o.seeds > 1 {
		rep, err = proofs.Stable(ctx, whole, j.cfg, o.seeds)
	} else {
		rep, err = proofs.Run(ctx, whole, j.cfg)
	}
	if err != nil {
		return rep, err
	}
	for _, s := range j.systems {
		if ids := j.properties[s]; len(ids) > 0 {
			part, err := proofs.Follow(ctx, s, ids, j.cfg)
			if err != nil {
				return rep, err
			}
			join(rep, part)
		}
	}
	if o.second {
		for _, s := range rep.Systems {
			if err := proofs.SecondOpinion(ctx, s, j.cfg, o.others, o.timeout); err != nil {
				return rep, err
			}
		}
	}
	return rep, nil
}

// writeReport writes the text to stdout and JSON to the file; "-" is JSON on
// stdout and no text.
func (a *app) writeReport(rep *proofs.Report, json string) error {
	if json != "" {
		if err := a.writeJSON(rep, json); err != nil || json == "-" {
			return err
		}
	}
	return report.Text(a.out, rep, report.Options{Width: a.width, Color: a.color, Verbose: a.verbose})
}

// writeJSON writes the report to a file, or to stdout if it is called "-".
func (a *app) writeJSON(rep *proofs.Report, name string) error {
	tool := report.ToolInfo{Name: "kraftprove", Version: versionString()}
	if name == "-" {
		return report.JSON(a.out, rep, tool)
	}
	return writeFile(name, func(w io.Writer) error { return report.JSON(w, rep, tool) })
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.Close()
}

// proofError gives a failure of the world its exit code; an internal error has
// its own.
func proofError(err error) error {
	if codeOf(err) == exitInternal {
		return err
	}
	return environment(err)
}
