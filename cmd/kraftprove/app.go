package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/speckl/kraftprove/proofs"
)

// app is what the commands share: streams and facts about the terminal.
type app struct {
	in       io.Reader
	out, err io.Writer

	color    bool // stdout is a terminal and NO_COLOR is not set
	progress bool // stderr is a terminal
	width    int  // columns of the report

	specsDir   string
	mutation   string
	solverName string
	solverPath string
	verbose    bool
	debug      bool
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) (code int) {
	a := &app{in: in, out: out, err: errw, width: 100}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.color = os.Getenv("NO_COLOR") == ""
	}
	if f, ok := errw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.progress = true
	}
	defer func() {
		if v := recover(); v != nil {
			code = a.crashed(v, debug.Stack())
		}
	}()
	root := newRootCmd(a)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var internal *proofs.InternalError
	if errors.As(err, &internal) {
		return a.crashed(internal, internal.Stack)
	}
	var exit *exitError
	if !errors.As(err, &exit) || !exit.printed && exit.err != nil {
		fmt.Fprintf(a.err, "kraftprove: %v\n", err)
		if codeOf(err) == exitUsage {
			fmt.Fprintln(a.err, "Run 'kraftprove --help' for the commands and their flags.")
		}
	}
	if ctx.Err() != nil && codeOf(err) != exitInternal {
		return exitInterrupted
	}
	return codeOf(err)
}

// crashed reports a fault of the program itself: one line, and a file with the stack.
func (a *app) crashed(v any, stack []byte) int {
	where := "no file could be written"
	if f, err := os.CreateTemp("", "kraftprove-crash-*.txt"); err == nil {
		fmt.Fprintf(f, "%v\n\nkraftprove %s\n%s\n\n%s\n", v, versionString(), strings.Join(os.Args, " "), stack)
		f.Close()
		where = "details in " + f.Name()
	}
	fmt.Fprintf(a.err, "kraftprove: internal error, please report it: %v (%s)\n", v, where)
	return exitInternal
}

// logger writes debug records to stderr if --debug is set.
func (a *app) logger() *slog.Logger {
	if !a.debug {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func newRootCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kraftprove",
		Short: "Prove consensus protocols safe with SMT",
		Long: `kraftprove proves that a consensus protocol keeps its safety properties in every
reachable state: each action is encoded for an SMT solver, and each invariant and
lemma must hold initially and survive each action. What is not proved is shown as
the one step that breaks it.`,
		Example: `  kraftprove check                 prove everything
  kraftprove check raft/I2         one property and what it leans on
  kraftprove cti I2                the step that breaks I2's proof, if any
  kraftprove simulate raft/I2      random walks that look for a run that breaks I2
  kraftprove zoo                   bugs of real systems, played
  kraftprove list raft --expanded  the model, with everything made explicit`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&a.specsDir, "specs", "", "folder with the specs to use instead of the built-in ones")
	cmd.PersistentFlags().StringVar(&a.mutation, "mutation", "", "the specs that have this mutation, with it: a bug, say")
	cmd.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "show more")
	cmd.PersistentFlags().BoolVar(&a.debug, "debug", false, "log each solver call to stderr")
	cmd.AddCommand(newCheckCmd(a), newCTICmd(a), newTraceCmd(a), newListCmd(a), newWhyCmd(a), newSimulateCmd(a), newExploreCmd(a),
		newZooCmd(a), newMutantsCmd(a), newDoctorCmd(a), newVersionCmd(a))
	return cmd
}

// checkoutSpecs finds the specs folder of the kraftprove checkout that the
// current folder lies in, or "".
func checkoutSpecs() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			if strings.HasPrefix(string(mod), "module github.com/speckl/kraftprove\n") {
				return filepath.Join(dir, "specs")
			}
			return ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
