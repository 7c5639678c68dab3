package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smtlib"
	"github.com/speckl/kraftprove/solver/z3"
	"github.com/speckl/kraftprove/specs"

	"github.com/speckl/kraftprove/protocol"
)

func newDoctorCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say which solvers there are and what is missing",
		Long: `doctor looks for the solvers, on all of PATH for those of other versions, asks their
versions, and says what each serves. For what is missing it names the command that installs it.

Exit code: 0 everything needed is there, 4 z3 is missing.`,
		Example: "  kraftprove doctor",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a) },
	}
}

func runDoctor(ctx context.Context, a *app) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	var todos []string
	row := func(name, state, serves, todo string) {
		if serves == "" {
			fmt.Fprintf(w, "%s\t%s\n", name, state)
		} else {
			fmt.Fprintf(w, "%s\t%s\t%s\n", name, state, serves)
		}
		if todo != "" {
			todos = append(todos, fmt.Sprintf("to get %s: %s", name, todo))
		}
	}
	row("kraftprove", fmt.Sprintf("%s, %s %s/%s, %d CPUs", versionString(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), "", "")
	ok := true
	shown := map[string]bool{} // programs by path
	for _, s := range []struct{ name, serves string }{
		{"z3", "all proofs (the default)"},
		{"cvc5", "--solver cvc5: the same proofs by another solver"},
	} {
		state, path, todo := programState(ctx, s.name)
		shown[path] = true
		if todo != "" && s.name == "z3" {
			ok = false
		}
		row(s.name, state, s.serves, todo)
	}
	for _, b := range a.others(ctx, solver.Info{}) {
		if info := b.Info; !shown[info.Path] {
			row(info.Name, fmt.Sprintf("%s at %s", info.Version, info.Path), "check --second-opinion: proofs again by another version", "")
		}
	}
	info, err := z3.Info()
	switch {
	case errors.Is(err, z3.ErrNotBuilt):
		row("z3-lib", "not built in", "--solver z3-lib: the same proofs in this process", "scripts/install-z3.sh && make build")
	case err != nil:
		row("z3-lib", err.Error(), "--solver z3-lib: the same proofs in this process", "scripts/install-z3.sh && make build")
	default:
		row("z3-lib", info.String(), "--solver z3-lib: the same proofs in this process", "")
	}
	systems, diags, err := protocol.LoadAll(specs.FS)
	switch {
	case err != nil || diags.HasErrors():
		row("specs", "the built-in specs do not load", "", "build again: make build")
		ok = false
	default:
		for _, s := range systems {
			row("spec "+s.Name, fmt.Sprintf("%d actions, %d properties", len(s.Actions), len(s.Properties)), s.Title, "")
		}
	}
	if err := w.Flush(); err != nil {
		return environment(err)
	}
	for _, t := range todos {
		fmt.Fprintln(a.out, t)
	}
	if !ok {
		return &exitError{code: exitEnvironment, printed: true}
	}
	return nil
}

// programState says where a solver's program is and its version, or how to get it.
func programState(ctx context.Context, name string) (state, path, todo string) {
	p, err := smtlib.Find(name, "")
	if err != nil {
		return "not found", "", installCommand(name)
	}
	info, err := p.Info(ctx)
	if err != nil {
		return err.Error(), p.Path, installCommand(name)
	}
	return fmt.Sprintf("%s at %s", info.Version, info.Path), info.Path, ""
}
