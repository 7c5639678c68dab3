package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
)

// What the solver excludes is said of the property that it looked at, not of the one that was asked about.
func TestExcludedIsOfWhatWasSought(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var b bytes.Buffer
	err := report.WriteFinding(&b, &proofs.Finding{System: f.sys, Property: f.sys.Property("I1"), Sought: f.sys.Property("tally"),
		Solved: &proofs.ReachResult{Scope: f.scope, Depth: 4}}, tool, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "no run of so few breaks tally;") || strings.Contains(text, "breaks I1") {
		t.Error(text)
	}
}
