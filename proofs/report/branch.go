package report

import (
	"fmt"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// branches writes the branches that nothing is known to take, each with its condition.
func (p *page) branches(sys *proofs.SystemReport) {
	for _, r := range sys.Results {
		if r.Kind != proofs.Branch || r.AsExpected() {
			continue
		}
		p.blank()
		p.writeVerdict(r)
		is := "is never"
		if r.Verdict == proofs.Unknown {
			is = "is not known to be"
		}
		text := fmt.Sprintf("%s: %s %s %t", place(r.Condition.Span()), decision(r.Condition), is, r.When)
		p.entry(span{}, 2, strings.Fields(text), plain)
	}
}

// decision is a condition with what it decides: "IF c", "send … if c".
func decision(c *protocol.Condition) string {
	if c.Send {
		return "send … if " + written(c)
	}
	return "IF " + written(c)
}

// written is a condition as the spec has it, on one line.
func written(c *protocol.Condition) string {
	if c.Source == nil {
		return ""
	}
	return syntax.FormatExpr(c.Source)
}

// branchClaim says how many branches of how many conditions can be taken; it is empty
// if that was not asked.
func branchClaim(sys *proofs.SystemReport) (string, style) {
	asked, taken := 0, 0
	conditions := map[*protocol.Condition]bool{}
	for _, r := range sys.Results {
		if r.Kind != proofs.Branch {
			continue
		}
		asked++
		conditions[r.Condition] = true
		if r.Verdict == proofs.Proved {
			taken++
		}
	}
	of := "of " + counted(len(conditions), "condition") + " can be taken"
	switch {
	case asked == 0:
		return "", plain
	case taken == asked:
		return fmt.Sprintf("All %s %s.", counted(asked, "branch"), of), green
	}
	return fmt.Sprintf("%d of %s %s: what is said of the others may be vacuous.", taken, counted(asked, "branch"), of), red
}
