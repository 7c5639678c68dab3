package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs/report"
)

// runFlags say how and where a run is written.
type runFlags struct {
	format string
	output string
	parsed report.Format
}

func (f *runFlags) bind(cmd *cobra.Command, run string) {
	cmd.Flags().StringVar(&f.format, "format", "text", "of the run in --output: text, json, tla, ndjson, mermaid, svg")
	cmd.Flags().StringVar(&f.output, "output", "", "write "+run+" to FILE, or to standard output in place of the text: -")
}

// check checks the flags against each other, and against where JSON is to go.
func (f *runFlags) check(json string) error {
	var err error
	f.parsed, err = report.ParseFormat(f.format)
	switch {
	case err != nil:
		return usage("--format %s: %v", f.format, err)
	case f.parsed != report.TextFormat && f.output == "":
		return usage("--format %s: say where to write the run, --output FILE", f.format)
	case f.output == "-" && json == "-":
		return usage("--output - and --json -: standard output takes one of them")
	}
	return nil
}

// writeRun writes the run to where the flags say, if they do.
func (f *runFlags) writeRun(a *app, e *report.Execution) error {
	if f.output == "" {
		return nil
	}
	return a.writeTo(f.output, func(w io.Writer) error {
		return report.WriteExecution(w, e, f.parsed, report.Options{Width: a.width, Verbose: a.verbose})
	})
}

// writeTo writes to a file, or to standard output if it is called "-".
func (a *app) writeTo(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.out)
	}
	return writeFile(name, write)
}

func (a *app) tool() report.ToolInfo {
	return report.ToolInfo{Name: "kraftprove", Version: versionString()}
}
