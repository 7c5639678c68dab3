package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

// TestVoters has a spec with a subset and volatile state: they are named wherever
// sizes, quorums and states are.
func TestVoters(t *testing.T) {
	t.Parallel()
	f := fixtureOf(t, "voters.yaml")
	list := func(o report.ListOptions) func(io.Writer) error {
		return func(w io.Writer) error { return report.List(w, []*protocol.System{f.sys}, o) }
	}
	golden(t, "list-voters.txt", list(report.ListOptions{Details: true}))
	golden(t, "list-voters-expanded.txt", list(report.ListOptions{Expanded: true}))
	golden(t, "list-voters-assumptions.txt", list(report.ListOptions{Assumptions: true}))
	both := f.open(t, proofs.Unbounded)
	both.Systems = append(both.Systems, f.report(t).Systems...)
	golden(t, "check-voters.txt", func(w io.Writer) error { return report.Text(w, both, report.Options{}) })

	cti := f.result(t, "votersLead/Lead", f.with(f.ev.Init(), "granted", num(1<<n1|1<<n3), n4), num(n4))
	golden(t, "cti-voters.txt", func(w io.Writer) error {
		return report.CTI(w, cti, report.Origin{Solver: "z3 4.8.12"}, report.Options{})
	})
	var b bytes.Buffer
	if err := report.JSON(&b, f.report(t, cti), tool); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		`"scope": { "Epoch": 1, "Messages": 1, "Replica": 4, "Voter": 3 }`,
		`"subsets": [ { "name": "Voter", "sort": "Set(Replica)", "text": "{n1,n2,n3}", "value": [ "n1", "n2", "n3" ] } ]`,
		`within 4 replicas, 3 voters among them and epochs 0…1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the JSON", want)
		}
	}
}
