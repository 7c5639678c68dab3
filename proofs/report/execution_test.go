package report_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// loadSpec loads a spec of the repository.
func loadSpec(t *testing.T, name string) *protocol.System {
	t.Helper()
	sys, errs, err := protocol.Load(os.DirFS("../../specs"), name+".yaml")
	if err != nil || errs.HasErrors() {
		t.Fatal(err, errs)
	}
	return sys
}

// literalRun is the run that refutes a literal claim, without the place where the
// spec has it, which changes too often.
func literalRun(t *testing.T, q *protocol.Property, sys *protocol.System) *report.Execution {
	t.Helper()
	e := report.Replayed(q.RefutedBy, replay(t, sys, q.RefutedBy), nil)
	if !strings.HasPrefix(e.From, "scenario "+q.RefutedBy.Name+", "+sys.Name+".yaml:") {
		t.Errorf("%s is from %q", q.ID, e.From)
	}
	e.From, e.Broken, e.Tool = "scenario "+q.RefutedBy.Name, q, tool
	return e
}

// replay performs a scenario without holes.
func replay(t *testing.T, sys *protocol.System, written *protocol.Scenario) *state.Run {
	t.Helper()
	run, err := semantics.NewEvaluator(state.NewStructure(sys, written.Scope)).Replay(written)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// walk performs actions of the fixture one after the other.
func (f *fixture) walk(t *testing.T, start *state.State, calls ...any) *state.Run {
	t.Helper()
	run := &state.Run{Structure: f.st, Init: start}
	pre := start
	for len(calls) > 0 {
		a := f.sys.Action(calls[0].(string))
		var args []state.Value
		for range a.Params {
			args = append(args, calls[len(args)+1].(state.Value))
		}
		calls = calls[1+len(args):]
		out := f.ev.Do(a, args, pre)
		if out.Status != semantics.Enabled {
			t.Fatalf("%s is not enabled: %+v", a.Name, out)
		}
		run.Steps = append(run.Steps, &state.Step{Action: a, Args: args, Pre: pre, Post: out.Post})
		pre = out.Post
	}
	return run
}

// elected is a run of the fixture in which n1 is elected, and sends a message that
// nobody receives.
func elected(t *testing.T) *report.Execution {
	t.Helper()
	f := newFixture(t)
	vote := func(from int) state.Value { return record(num(from), num(n1), num(1)) }
	run := f.walk(t, f.ev.Init(),
		"Timeout", num(n1), "GrantVote", num(n2), num(n1), "GrantVote", num(n1), num(n1), "CountVote", vote(n2),
		"CountVote", vote(n1), "GrantVote", num(n2), num(n1), "BecomeLeader", num(n1), num(0), "Replicate", num(n1), num(n3))
	return &report.Execution{Run: run, Title: "n1 is elected & leads; <1> message is lost, #1", From: "a test",
		Broken: f.sys.Property("I1.literal"), Notes: []string{"n1 stands", "", "", "two of three"}, Tool: tool}
}

var extensions = map[report.Format]string{report.TextFormat: "txt", report.JSONFormat: "json", report.TLAFormat: "tla",
	report.EventsFormat: "ndjson", report.MermaidFormat: "mmd", report.SVGFormat: "svg"}

func TestExecution(t *testing.T) {
	t.Parallel()
	e := elected(t)
	for f, ext := range extensions {
		golden(t, "run-elected."+ext, func(w io.Writer) error { return report.WriteExecution(w, e, f, report.Options{}) })
	}
	golden(t, "run-elected-verbose.txt", func(w io.Writer) error {
		return report.WriteExecution(w, e, report.TextFormat, report.Options{Verbose: true})
	})
	golden(t, "run-elected-lost.mmd", func(w io.Writer) error {
		return report.WriteExecution(w, e, report.MermaidFormat, report.Options{Verbose: true})
	})
	golden(t, "run-elected-lost.svg", func(w io.Writer) error {
		return report.WriteExecution(w, e, report.SVGFormat, report.Options{Verbose: true})
	})
}

// TestExecutionFromElsewhere starts in a state with messages that no step sent.
func TestExecutionFromElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	start, m := f.divergence()
	e := &report.Execution{Run: f.walk(t, start, "HandleAppend", m), Broken: f.sys.Property("I3"), Tool: tool}
	for _, format := range []report.Format{report.TextFormat, report.MermaidFormat, report.EventsFormat} {
		golden(t, "run-elsewhere."+extensions[format], func(w io.Writer) error {
			return report.WriteExecution(w, e, format, report.Options{})
		})
	}
}

// TestExecutionOfSpecs writes runs of the real specs.
func TestExecutionOfSpecs(t *testing.T) {
	t.Parallel()
	raft, kraft := loadSpec(t, "raft"), loadSpec(t, "kraft")
	figure8 := literalRun(t, raft.Property("I2.literal"), raft)
	observer := literalRun(t, kraft.Property("K4.literal"), kraft)
	for _, f := range []report.Format{report.TextFormat, report.MermaidFormat} {
		golden(t, "run-figure8."+extensions[f], func(w io.Writer) error { return report.WriteExecution(w, figure8, f, report.Options{}) })
		golden(t, "run-observer."+extensions[f], func(w io.Writer) error { return report.WriteExecution(w, observer, f, report.Options{}) })
	}
}

// TestEveryFormat writes the runs of all literal claims of the specs, and reads what is
// written.
func TestEveryFormat(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"raft", "kraft"} {
		sys := loadSpec(t, name)
		seen := 0
		for _, q := range sys.Properties {
			if q.Kind != protocol.Literal {
				continue
			}
			seen++
			e := literalRun(t, q, sys)
			for _, verbose := range []bool{false, true} {
				checkText(t, e, verbose)
				checkMermaid(t, e, verbose)
				checkXML(t, written(t, e, report.SVGFormat, report.Options{Verbose: verbose}))
			}
			checkTLA(t, e)
			checkEvents(t, e)
		}
		if seen == 0 {
			t.Errorf("%s has no literal claims", name)
		}
	}
}

func written(t *testing.T, e *report.Execution, f report.Format, o report.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteExecution(&b, e, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkText looks each step's changes and messages up below its head.
func checkText(t *testing.T, e *report.Execution, verbose bool) {
	t.Helper()
	text := written(t, e, report.TextFormat, report.Options{Verbose: verbose})
	checkWidth(t, text, 100)
	for i, s := range e.Run.Steps {
		head := regexp.MustCompile(fmt.Sprintf(`(?m)^ *%d  %s\(`, i+1, s.Action.Name)).FindStringIndex(text)
		if head == nil {
			t.Errorf("%s: step %d is missing:\n%s", e.Title, i+1, text)
			return
		}
		text = text[head[1]:]
		block, _, _ := strings.Cut(text, fmt.Sprintf("\n%*d  ", len(fmt.Sprint(len(e.Run.Steps))), i+2))
		block, _, _ = strings.Cut(block, "\nat the end")
		sys := e.Run.Structure.System
		for _, v := range sys.State {
			changed := !s.Pre.Vars[v.Index].Equal(s.Post.Vars[v.Index])
			if shown := regexp.MustCompile(`\b` + v.Name + `\b`).MatchString(block); changed && !shown && (verbose || !v.Ghost) {
				t.Errorf("%s: step %d changes %s:\n%s", e.Title, i+1, v.Name, block)
			}
		}
		for _, typ := range sys.Messages {
			sent := len(s.Post.Msgs[typ.ID]) - len(s.Pre.Msgs[typ.ID])
			if got := strings.Count(block, "+   "+typ.Name+"{"); got != sent {
				t.Errorf("%s: step %d sends %d of %s, shown are %d:\n%s", e.Title, i+1, sent, typ.Name, got, block)
			}
		}
	}
}

// checkMermaid compares the arrows with the messages that are received, and the
// participants with those that are named.
func checkMermaid(t *testing.T, e *report.Execution, verbose bool) {
	t.Helper()
	text := written(t, e, report.MermaidFormat, report.Options{Verbose: verbose})
	received := 0
	for _, s := range e.Run.Steps {
		for _, p := range s.Action.Params {
			if p.Sort.Kind == protocol.MessageKind || p.Sort.Kind == protocol.UnionKind {
				received++
			}
		}
	}
	if got := strings.Count(text, "->>"); got != received {
		t.Errorf("%s: %d arrows, %d messages received:\n%s", e.Title, got, received, text)
	}
	for _, p := range regexp.MustCompile(`\bp\d+\b`).FindAllString(text, -1) {
		if !strings.Contains(text, "participant "+p+" as ") {
			t.Errorf("%s: %s is no participant:\n%s", e.Title, p, text)
		}
	}
	for _, l := range strings.Split(text, "\n") {
		if bare := regexp.MustCompile(`#\w+;`).ReplaceAllString(l, ""); strings.ContainsAny(bare, "#;") {
			t.Errorf("%s: %q is not escaped", e.Title, l)
		}
	}
}

func checkXML(t *testing.T, text string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	}
}

// checkTLA counts the states and brackets of the module.
func checkTLA(t *testing.T, e *report.Execution) {
	t.Helper()
	text := written(t, e, report.TLAFormat, report.Options{})
	if got := strings.Count(text, "_TEAction"); got != len(e.Run.Steps)+1 {
		t.Errorf("%s: %d states for %d steps", e.Title, got, len(e.Run.Steps))
	}
	_, body, _ := strings.Cut(text, "trace ==")
	body = strings.TrimRight(body, "=\n")
	var open []string
	for _, b := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"|<<|>>|\|->|:>|[][(){}]`).FindAllString(body, -1) {
		switch closes := map[string]string{">>": "<<", "]": "[", ")": "(", "}": "{"}[b]; {
		case strings.HasPrefix(b, `"`), b == "|->", b == ":>":
		case closes == "":
			open = append(open, b)
		case len(open) == 0 || open[len(open)-1] != closes:
			t.Fatalf("%s: %s closes %v", e.Title, b, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: %v are not closed", e.Title, open)
	}
}

// checkEvents adds the changes up, and compares the result with the final state of the
// JSON form.
func checkEvents(t *testing.T, e *report.Execution) {
	t.Helper()
	got := map[string]any{}
	lines := 0
	for in := bufio.NewScanner(strings.NewReader(written(t, e, report.EventsFormat, report.Options{}))); in.Scan(); lines++ {
		var line struct {
			Step   int
			Action string
			State  map[string]any
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Step != lines || lines > 0 && line.Action != e.Run.Steps[lines-1].Action.Name {
			t.Errorf("%s: line %d is of step %d, %s", e.Title, lines+1, line.Step, line.Action)
		}
		for name, v := range line.State {
			got[name] = v
		}
	}
	if lines != len(e.Run.Steps)+1 {
		t.Errorf("%s: %d lines for %d steps", e.Title, lines, len(e.Run.Steps))
	}
	var whole struct {
		Final struct {
			Variables []struct {
				Name  string
				Value any
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, e, report.JSONFormat, report.Options{})), &whole); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{}
	for i, v := range whole.Final.Variables {
		if !e.Run.Structure.System.State[i].Ghost {
			want[v.Name] = v.Value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: the state at the end (-json +ndjson):\n%s", e.Title, diff)
	}
}

// TestExecutionIsChecked writes runs that do not show what they are said to.
func TestExecutionIsChecked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	e := elected(t)
	leader := f.sys.Property("I1.literal")
	for _, c := range []struct {
		want string
		e    report.Execution
	}{
		{"the run does not break I1", report.Execution{Run: e.Run, Broken: e.Run.Structure.System.Property("I1")}},
		{"the run does not end with ∀ i ∈ Server: state[i] ≠ Leader", report.Execution{Run: f.walk(t, f.ev.Init(),
			"Timeout", num(n1), "GrantVote", num(n1), num(n1), "GrantVote", num(n2), num(n1), "CountVote", record(num(n1), num(n1), num(1)),
			"CountVote", record(num(n2), num(n1), num(1)), "BecomeLeader", num(n1), num(0)), Goal: leader.Formula}},
		{"I3 is about steps, and the run has none", report.Execution{Run: f.walk(t, f.ev.Init()), Broken: f.sys.Property("I3")}},
	} {
		err := report.WriteExecution(io.Discard, &c.e, report.TextFormat, report.Options{})
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	golden(t, "run-nothing.txt", func(w io.Writer) error {
		return report.WriteExecution(w, &report.Execution{Run: f.walk(t, f.ev.Init()), Goal: leader.Formula}, report.TextFormat, report.Options{})
	})
}

// TestExecutionWithoutReplicas writes a run of a protocol that has neither replicas
// nor messages, and names that are none in TLA+.
func TestExecutionWithoutReplicas(t *testing.T) {
	t.Parallel()
	const spec = `protocol: counter
scope: {N: 2}
sorts: {N: {natural: true}}
state:
  zähler: N
  next: Bool → N
actions:
  Up:
    do: |
      zähler := zähler + 1
      next[TRUE] := zähler
literals:
  Low:
    refuted_by: up
    formula: zähler < 2
scenarios:
  up:
    scope: {N: 2}
    steps: |
      Up()   # one
      Up()
`
	sys, errs, err := protocol.Load(fstest.MapFS{"counter.yaml": {Data: []byte(spec)}}, "counter.yaml")
	if err != nil || errs.HasErrors() {
		t.Fatal(err, errs)
	}
	e := literalRun(t, sys.Property("Low"), sys)
	for f, ext := range extensions {
		if f != report.JSONFormat && f != report.SVGFormat {
			golden(t, "run-counter."+ext, func(w io.Writer) error { return report.WriteExecution(w, e, f, report.Options{}) })
		}
	}
	checkXML(t, written(t, e, report.SVGFormat, report.Options{}))
	checkMermaid(t, e, true)
	checkTLA(t, e)
	checkEvents(t, e)
	checkText(t, e, true)
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for f := range extensions {
		if got, err := report.ParseFormat(f.String()); err != nil || got != f {
			t.Errorf("%s is parsed as %s, %v", f, got, err)
		}
	}
	if len(report.FormatNames()) != len(extensions) {
		t.Errorf("formats %v", report.FormatNames())
	}
	_, err := report.ParseFormat("yaml")
	const want = `there is no format "yaml"; the formats are text, json, tla, ndjson, mermaid and svg`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestExamplesOfTraces looks the examples of docs/traces.md up in golden files; … stands
// for what an example leaves out.
func TestExamplesOfTraces(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/run-*")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, "\n"+string(text))
	}
	examples := regexp.MustCompile("(?s)\n```[a-z]+\n(.*?)```\n").FindAllStringSubmatch(string(doc), -1)
	if len(examples) != len(extensions) {
		t.Errorf("%d examples", len(examples))
	}
	for _, x := range examples {
		for _, part := range strings.Split(x[1], "…\n") {
			if !slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, "\n"+part) }) {
				t.Errorf("no golden file has\n%s", part)
			}
		}
	}
}
