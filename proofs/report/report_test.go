package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares what write writes with testdata/name.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", file, diff)
	}
}

func checkWidth(t *testing.T, text string, width int) {
	t.Helper()
	for l := range strings.Lines(text) {
		if l = strings.TrimSuffix(l, "\n"); utf8.RuneCountInString(l) > width {
			t.Errorf("%d runes wide: %s", utf8.RuneCountInString(l), l)
		} else if strings.TrimRight(l, " ") != l {
			t.Errorf("blanks at the end: %q", l)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	withCores := f.report(t)
	sys := withCores.Systems[0]
	sys.Unneeded = []string{"logsGrow", "latestBound"}
	for _, r := range sys.Results {
		if r.Answer.String() == "unsat" {
			r.Query = r.ID()
			r.Core = []string{}
			if r.Action != nil {
				r.Core = []string{"tally", "voteIsCast"}
			}
		}
	}
	golden(t, "check-proved.txt", func(w io.Writer) error { return report.Text(w, f.report(t), report.Options{}) })
	two := f.report(t)
	two.Systems = append(two.Systems, two.Systems...)
	golden(t, "check-two.txt", func(w io.Writer) error { return report.Text(w, two, report.Options{}) })
	golden(t, "check-broken.txt", func(w io.Writer) error { return report.Text(w, f.broken(t), report.Options{}) })
	golden(t, "check-broken-color.txt", func(w io.Writer) error { return report.Text(w, f.broken(t), report.Options{Color: true}) })
	golden(t, "check-verbose.txt", func(w io.Writer) error { return report.Text(w, f.broken(t), report.Options{Verbose: true}) })
	golden(t, "check-cores.txt", func(w io.Writer) error { return report.Text(w, withCores, report.Options{Verbose: true}) })
	golden(t, "check-narrow.txt", func(w io.Writer) error { return report.Text(w, f.broken(t), report.Options{Width: 60}) })
}

func TestTextOfModes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, rep := range map[string]*proofs.Report{
		"unbounded": f.open(t, proofs.Unbounded), "auto": f.auto(t), "both": f.both(t),
	} {
		for suffix, verbose := range map[string]bool{"": false, "-verbose": true} {
			golden(t, "check-"+name+suffix+".txt", func(w io.Writer) error { return report.Text(w, rep, report.Options{Verbose: verbose}) })
		}
	}
}

func TestListOfAssumptions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	golden(t, "list-assumptions.txt", func(w io.Writer) error {
		return report.List(w, []*protocol.System{f.sys}, report.ListOptions{Assumptions: true})
	})
}

func TestCTI(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rep := f.broken(t).Systems[0]
	origin := report.Origin{Solver: "z3 4.8.12"}
	for name, r := range f.counterexamples(t) {
		golden(t, "cti-"+name+".txt", func(w io.Writer) error { return report.CTI(w, r, origin, report.Options{}) })
	}
	step := f.counterexamples(t)["step"]
	golden(t, "cti-step-verbose.txt", func(w io.Writer) error { return report.CTI(w, step, origin, report.Options{Verbose: true}) })
	golden(t, "cti-step-color.txt", func(w io.Writer) error { return report.CTI(w, step, origin, report.Options{Color: true}) })
	golden(t, "cti-step-narrow.txt", func(w io.Writer) error { return report.CTI(w, step, origin, report.Options{Width: 60}) })
	chained := report.Origin{Solver: "z3 4.8.12", Seed: 7, Chain: []string{"I2", "tally", "voteIsCast"}}
	golden(t, "cti-chain.txt", func(w io.Writer) error {
		return report.CTI(w, f.counterexamples(t)["sent"], chained, report.Options{})
	})
	for _, id := range []string{"Replicate/fires", "tally/CountVote", "I1.literal/literal", "I1/init"} {
		golden(t, "cti-none-"+strings.ReplaceAll(id, "/", "-")+".txt", func(w io.Writer) error {
			return report.CTI(w, rep.Result(id), origin, report.Options{})
		})
	}
}

// TestColorOnlyAdds takes the colour away again.
func TestColorOnlyAdds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, verbose := range []bool{false, true} {
		var plain, color bytes.Buffer
		for _, rep := range []*proofs.Report{f.broken(t), f.auto(t), f.both(t)} {
			if err := report.Text(&plain, rep, report.Options{Verbose: verbose}); err != nil {
				t.Fatal(err)
			}
			if err := report.Text(&color, rep, report.Options{Verbose: verbose, Color: true}); err != nil {
				t.Fatal(err)
			}
		}
		text := color.String()
		for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"} {
			text = strings.ReplaceAll(text, code, "")
		}
		if diff := cmp.Diff(plain.String(), text); diff != "" {
			t.Errorf("colour changes the text (-plain +colour):\n%s", diff)
		}
	}
}

func TestWidth(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, width := range []int{72, 80, 100, 140} {
		for _, verbose := range []bool{false, true} {
			o := report.Options{Width: width, Verbose: verbose}
			var b bytes.Buffer
			for _, rep := range []*proofs.Report{f.broken(t), f.auto(t), f.both(t)} {
				if err := report.Text(&b, rep, o); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range f.counterexamples(t) {
				if err := report.CTI(&b, r, report.Origin{Solver: "z3"}, o); err != nil {
					t.Fatal(err)
				}
			}
			checkWidth(t, b.String(), width)
		}
	}
}
