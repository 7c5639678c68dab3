package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

// searchFlags are the flags of the commands that search executions.
type searchFlags struct {
	runFlags
	scope      string
	properties string
	json       string
}

func (f *searchFlags) bind(cmd *cobra.Command, properties string) {
	f.runFlags.bind(cmd, "the run that breaks something")
	fl := cmd.Flags()
	fl.StringVar(&f.properties, "properties", properties, "which to test if none are named: all (invariants, lemmas, theorems), headline (invariants), none")
	fl.StringVar(&f.json, "json", "", "write the statistics, and the run if there is one, as JSON to FILE, or to standard output in place of the text: -")
}

// check checks the flags against each other.
func (f *searchFlags) check(systems []*protocol.System) error {
	if err := f.runFlags.check(f.json); err != nil {
		return err
	}
	switch {
	case f.output != "" && len(systems) > 1:
		return usage("--output takes one run: name one of %v", systemNames(systems))
	case !slices.Contains([]string{"all", "headline", "none"}, f.properties):
		return usage("--properties %s: there are all, headline and none", f.properties)
	}
	return nil
}

// tested are the properties with the names, or, if there are none, those that --properties means.
func (f *searchFlags) tested(sys *protocol.System, names []string) ([]*protocol.Property, error) {
	var out []*protocol.Property
	for _, name := range names {
		p := sys.Property(name)
		if p == nil {
			return nil, unknown([]*protocol.System{sys}, named{aProperty, name})
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, p := range sys.Properties {
		switch {
		case f.properties == "all" && p.Kind != protocol.Literal, f.properties == "headline" && p.Kind == protocol.Invariant:
			out = append(out, p)
		}
	}
	return out, nil
}

// text reports whether standard output takes the text of the report.
func (f *searchFlags) text() bool { return f.output != "-" && f.json != "-" }

// write writes the run, if there is one, and the JSON, to where the flags say.
func (f *searchFlags) write(a *app, e *report.Execution, json func(io.Writer) error) error {
	if e != nil {
		if err := f.writeRun(a, e); err != nil {
			return err
		}
	}
	if f.json == "" {
		return nil
	}
	return a.writeTo(f.json, json)
}

// noStart says that a search had nowhere to begin.
func noStart(sys *protocol.System) error {
	return usage("no initial state of %s lies within these sizes: give larger ones, --scope", sys.Name)
}

// foundCode is how a search ends that broke nothing or something, and that the user may have stopped.
func foundCode(broken, stopped bool) error {
	switch {
	case stopped:
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	case broken:
		return &exitError{code: exitRefuted, printed: true}
	}
	return nil
}
