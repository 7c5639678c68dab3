package main

import (
	"github.com/spf13/cobra"

	"github.com/speckl/kraftprove/proofs/report"
)

type listOptions struct {
	expanded    bool
	assumptions bool
	alternation bool
}

func newListCmd(a *app) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list [SPEC]",
		Short: "List the specs, or what is in one",
		Long: `list names the specs; with a spec its sorts, state, messages, actions and
properties. --expanded prints every action with everything made explicit, to be read
beside the reference document. --assumptions prints what a proof takes for granted.
--alternation prints which sorts' terms make new terms of which, and names the cycles,
where the unbounded mode's quantifiers may be instantiated without end.`,
		Example: `  kraftprove list
  kraftprove list raft
  kraftprove list raft --expanded
  kraftprove list raft --assumptions`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runList(a, &o, args) },
	}
	cmd.Flags().BoolVar(&o.expanded, "expanded", false, "print the actions with everything made explicit")
	cmd.Flags().BoolVar(&o.assumptions, "assumptions", false, "print what a proof takes for granted")
	cmd.Flags().BoolVar(&o.alternation, "alternation", false, "print the quantifier-alternation graph")
	return cmd
}

func runList(a *app, o *listOptions, args []string) error {
	all, err := a.loadSpecs()
	if err != nil {
		return err
	}
	sel, err := selectSpecs(all, args)
	if err != nil {
		return err
	}
	opts := report.ListOptions{Expanded: o.expanded, Assumptions: o.assumptions, Alternation: o.alternation, Details: len(args) > 0}
	if err := report.List(a.out, sel.systems, opts); err != nil {
		return environment(err)
	}
	return nil
}
