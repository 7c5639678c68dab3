package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol/state"
)

const n4 = 3

var none = state.Value{}

// change is a record that begins an epoch: it has no value.
func change(epoch int) state.Value { return record(num(epoch), none) }

// kept is a record with a value.
func kept(epoch, value int) state.Value { return record(num(epoch), some(num(value-1))) }

// replicaStates are counterexamples in which logs have snapshots, high watermarks and
// tails that are cut off, and observers do something.
func replicaStates(t *testing.T, f *fixture) map[string]*proofs.Result {
	t.Helper()
	s := f.with(f.ev.Init(), "log", sequence(change(1), kept(1, 1), change(2)), n4)
	s = f.with(s, "logStart", num(1), n4)
	s = f.with(s, "highWatermark", some(num(2)), n4)
	s = f.with(s, "logHighWatermark", num(2), n4)
	s = f.with(s, "fetching", some(record(num(1), num(2))), n4)
	s = f.with(s, "inFlight", some(num(0)), n4, n1)
	response := func(records state.Value, watermark state.Value) state.Value {
		return record(num(n1), num(n4), num(0), none, none, records, watermark, none)
	}
	plain := response(sequence(change(1), kept(2, 1)), none)
	agreeing := f.with(s, "log", sequence(change(1), change(1), change(2)), n4)
	fetch := record(num(n2), num(n1), num(1), num(2))
	other := record(num(n3), num(n1), num(1), num(2))
	asked := f.with(f.sent(f.sent(s, 0, fetch), 0, other), "log", sequence(change(1), change(1)), n1)
	marked := f.with(f.with(f.ev.Init(), "log", sequence(change(1), change(2)), n2), "chosen", sequence(change(1)))
	marked = f.with(f.with(marked, "chosenEnd", num(1)), "incarnations", sequence(change(1), change(1), change(2)), n2, 1)
	marked = f.with(f.with(marked, "ends", num(1), n2, 1), "snapshots", some(record(num(1), sequence(change(1)))), n2, 1)
	twice := f.with(f.with(marked, "log", sequence(change(2), change(2)), n4), "highWatermark", some(num(1)), n4)
	return map[string]*proofs.Result{
		"full":      f.result(t, "withinLog/HandleResponse", f.sent(s, 1, plain), plain),
		"epochs":    f.result(t, "withinLog/HandleResponse", f.sent(agreeing, 1, response(sequence(), some(num(3)))), response(sequence(), some(num(3)))),
		"sent":      f.result(t, "answersFew/Answer", asked, fetch),
		"marks":     f.result(t, "choosing/Advance", marked, num(n2), num(2)),
		"functions": f.result(t, "snapshotsAgree/TakeSnapshot", twice, num(n4), num(1)),
	}
}

func TestStrips(t *testing.T) {
	t.Parallel()
	f := fixtureOf(t, "replicas.yaml")
	origin := report.Origin{Solver: "z3 4.8.12"}
	for name, r := range replicaStates(t, f) {
		golden(t, "cti-strips-"+name+".txt", func(w io.Writer) error { return report.CTI(w, r, origin, report.Options{}) })
		for _, o := range []report.Options{{Width: 60}, {}, {Verbose: true}} {
			var b bytes.Buffer
			if err := report.CTI(&b, r, origin, o); err != nil {
				t.Fatal(err)
			}
			width := o.Width
			if width == 0 {
				width = 100
			}
			checkWidth(t, b.String(), width)
			checkChanges(t, r, strings.ReplaceAll(b.String(), " ∉ Voter", "        "))
		}
	}
	golden(t, "cti-strips-verbose.txt", func(w io.Writer) error {
		return report.CTI(w, replicaStates(t, f)["functions"], origin, report.Options{Verbose: true})
	})
}

// TestStripsInJSON writes values there as a spec would.
func TestStripsInJSON(t *testing.T) {
	t.Parallel()
	f := fixtureOf(t, "replicas.yaml")
	var b bytes.Buffer
	if err := report.JSON(&b, f.report(t, replicaStates(t, f)["full"]), tool); err != nil {
		t.Fatal(err)
	}
	if want := "⟨Record{epoch: 1, value: Nil}, Record{epoch: 1, value: v1}, Record{epoch: 2, value: Nil}⟩"; !strings.Contains(b.String(), want) {
		t.Errorf("no %s", want)
	}
}
