package report_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
)

// The fixture is testdata/mini.yaml with states made by hand, so that what the
// golden files show depends on no solver.
type fixture struct {
	sys   *protocol.System
	scope encode.Scope
	st    *state.Structure
	ev    *semantics.Evaluator
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return fixtureOf(t, "mini.yaml")
}

func fixtureOf(t *testing.T, spec string) *fixture {
	t.Helper()
	sys, errs, err := protocol.Load(os.DirFS("testdata"), spec)
	if err != nil || errs.HasErrors() {
		t.Fatal(err, errs)
	}
	f := &fixture{sys: sys, scope: encode.NewScope(sys, nil)}
	f.st = f.scope.Structure(sys)
	f.ev = semantics.NewEvaluator(f.st)
	return f
}

func num(n int) state.Value                     { return state.Value{N: n} }
func some(v state.Value) state.Value            { return state.Value{N: 1, Kids: []state.Value{v}} }
func record(fields ...state.Value) state.Value  { return state.Value{Kids: fields} }
func sequence(items ...state.Value) state.Value { return state.Value{Kids: items} }
func entry(term, value int) state.Value         { return record(num(term), num(value-1)) }

const (
	n1 = iota // servers
	n2
	n3
)

const (
	follower = iota
	candidate
	leader
)

// with is the state with the cell at path set.
func (f *fixture) with(s *state.State, name string, v state.Value, path ...int) *state.State {
	s = s.Clone()
	for _, x := range f.sys.State {
		if x.Name == name {
			s.Vars[x.Index] = replace(s.Vars[x.Index], path, v)
			return s
		}
	}
	panic(name)
}

func replace(f state.Value, path []int, v state.Value) state.Value {
	if len(path) == 0 {
		return v
	}
	kids := append([]state.Value{}, f.Kids...)
	kids[path[0]] = replace(kids[path[0]], path[1:], v)
	return state.Value{N: f.N, Kids: kids}
}

func (f *fixture) sent(s *state.State, typ int, msg state.Value) *state.State {
	s = s.Clone()
	s.AddMessage(f.sys.Messages[typ], msg)
	return s
}

// result is the refuted obligation with its counterexample: a state, or the step
// that its action makes from there.
func (f *fixture) result(t *testing.T, id string, pre *state.State, args ...state.Value) *proofs.Result {
	t.Helper()
	r := f.obligation(t, id)
	c := &proofs.CTI{Obligation: r.Obligation, Structure: f.st, Scope: f.scope, Pre: pre, Args: args}
	env := semantics.Env{Pre: pre}
	if r.Action != nil {
		out := f.ev.Do(r.Action, args, pre)
		if out.Status != semantics.Enabled {
			t.Fatalf("%s: not enabled: %+v", id, out)
		}
		c.Post = out.Post
		env.Pre = out.Post
		if r.Kind == proofs.TwoState {
			env = semantics.Env{Pre: pre, Post: out.Post, Step: r.Action}
		}
	}
	if c.Broken = f.ev.Explain(r.Property.Formula, env); c.Broken == nil {
		t.Fatalf("%s holds", id)
	}
	r.Verdict, r.Answer, r.CTI = proofs.Refuted, proofs.Replayed, c
	return r
}

func (f *fixture) obligation(t *testing.T, id string) *proofs.Result {
	t.Helper()
	for _, o := range proofs.Plan(f.sys, proofs.Bounded, nil) {
		if o.ID() == id {
			return &proofs.Result{Obligation: o}
		}
	}
	t.Fatalf("no obligation %s", id)
	return nil
}

// election is a candidate with a majority beside a leader of its term.
func (f *fixture) election() *state.State {
	s := f.ev.Init()
	for i, role := range []int{candidate, follower, leader} {
		s = f.with(s, "state", num(role), i)
		s = f.with(s, "currentTerm", num(1), i)
	}
	s = f.with(s, "votesGranted", num(1<<n1|1<<n2), n1)
	s = f.with(s, "log", sequence(entry(1, 1), entry(1, 2)), n3)
	s = f.with(s, "leaderOf", some(num(n3)), 1)
	s = f.with(s, "latest", num(1))
	s = f.sent(s, 0, record(num(n2), num(n1), num(1)))
	s = f.sent(s, 0, record(num(n2), num(n3), num(1)))
	return f.sent(s, 0, record(num(n3), num(n3), num(1)))
}

// divergence is a follower that committed an entry, and a request that replaces it.
func (f *fixture) divergence() (*state.State, state.Value) {
	s := f.ev.Init()
	s = f.with(s, "log", sequence(entry(1, 1), entry(1, 2), entry(2, 1)), n2)
	s = f.with(s, "commitIndex", num(2), n2)
	m := record(num(n1), num(n2), num(3), num(1), some(entry(3, 1)), num(1))
	s = f.sent(s, 1, m)
	return f.sent(s, 0, record(num(n3), num(n1), num(2))), m
}

func (f *fixture) counterexamples(t *testing.T) map[string]*proofs.Result {
	t.Helper()
	diverged, m := f.divergence()
	committed := f.with(f.with(diverged, "commitIndex", num(3), n1), "log", sequence(entry(1, 1), entry(1, 1)), n1)
	granting := f.with(f.ev.Init(), "state", num(candidate), n1)
	granting = f.with(granting, "currentTerm", num(2), n1)
	return map[string]*proofs.Result{
		"step":      f.result(t, "I1/BecomeLeader", f.election(), num(n1), num(0)),
		"message":   f.result(t, "commitWithinLog/HandleAppend", f.with(diverged, "commitIndex", num(3), n2), m),
		"sent":      f.result(t, "voteIsCast/GrantVote", granting, num(n1), num(n1)),
		"two-state": f.result(t, "I3/HandleAppend", diverged, m),
		"init":      f.result(t, "logsGrow/init", f.ev.Init()),
		"implied":   f.result(t, "I2/implied", committed),
	}
}

// report is a check of the fixture in which every obligation is as expected,
// with the results of change in place of some.
func (f *fixture) report(t *testing.T, change ...*proofs.Result) *proofs.Report {
	t.Helper()
	sys := &proofs.SystemReport{System: f.sys, Scope: f.scope, Structure: f.st, Elapsed: 2900 * time.Millisecond}
	for i, o := range proofs.Plan(f.sys, proofs.Bounded, nil) {
		r := &proofs.Result{Obligation: o, Verdict: o.Expected(), Answer: proofs.Unsat}
		for _, c := range change {
			if c.ID() == o.ID() {
				r = c
			}
		}
		name, _, _ := strings.Cut(r.ID(), "/")
		switch {
		case o.Untouched:
			r.Answer = proofs.Untouched
		case o.Kind == proofs.Possible || o.Kind == proofs.Fires:
			if r.Verdict == proofs.Proved {
				r.Answer = proofs.Replayed
			}
			r.Query = r.ID()
		case o.Kind == proofs.LiteralIsFalse:
			r.Answer, r.Query = proofs.Replayed, r.ID()
			run, err := semantics.NewEvaluator(state.NewStructure(f.sys, o.Property.RefutedBy.Scope)).Replay(o.Property.RefutedBy)
			if err != nil {
				t.Fatal(err)
			}
			r.Run = run.Steps
		case o.Action != nil:
			r.Query = o.Action.Name
		default:
			r.Query = name
		}
		if r.Query != "" {
			r.Elapsed = time.Duration(len(r.Query)*17+i%2) * time.Millisecond
		}
		sys.Results = append(sys.Results, r)
	}
	for _, q := range f.sys.Properties {
		v := proofs.Proved
		if q.Kind == protocol.Literal {
			v = proofs.Refuted
		}
		sys.Properties = append(sys.Properties, &proofs.PropertyResult{Property: q, Verdict: v})
	}
	return &proofs.Report{Solver: solver.Info{Name: "z3", Version: "4.8.12"}, Systems: []*proofs.SystemReport{sys}, Elapsed: 2900 * time.Millisecond}
}

// open makes the report one of an unbounded check: what the solver proved and
// what is untouched is so for all sizes, but for the obligations in change.
func (f *fixture) open(t *testing.T, mode proofs.Mode, change ...*proofs.Result) *proofs.Report {
	t.Helper()
	rep := f.report(t, change...)
	sys := rep.Systems[0]
	sys.Mode = mode
	for i, r := range sys.Results {
		if slices.Contains(change, r) || r.Answer != proofs.Unsat {
			if r.Answer == proofs.Untouched {
				r.Mode = proofs.Unbounded
			}
			continue
		}
		r.Mode, r.Query, r.Solver, r.Core = proofs.Unbounded, r.ID(), rep.Solver, []string{"tally", "voteIsCast", "logsGrow"}
		r.Tried = []string{"named, E-matching", "named, model-based", "all lemmas, E-matching", "slice, E-matching, patient", "all lemmas, cvc5, model-based"}
		r.Elapsed = time.Duration(i*i*7+30) * time.Millisecond
		switch {
		case r.Kind == proofs.Initiation:
			r.Tried, r.Core = []string{"Init, E-matching"}, []string{}
		case r.ID() == "I3/HandleAppend" || r.ID() == "tally/BecomeLeader":
			r.Solver = solver.Info{Name: "cvc5", Version: "1.0.3"}
		case r.Action == nil || r.Action.Index > 2:
			r.Tried = r.Tried[:3]
		default:
			r.Tried, r.Core = r.Tried[:1], r.Core[:2]
		}
		r.Rung = r.Tried[len(r.Tried)-1]
	}
	for _, o := range proofs.Plan(f.sys, mode, nil) {
		if o.Kind == proofs.Majorities {
			sys.Results = append(sys.Results, &proofs.Result{Obligation: o, Mode: proofs.Unbounded, Verdict: proofs.Proved,
				Answer: proofs.Unsat, Query: o.ID(), Solver: rep.Solver, Elapsed: 20 * time.Millisecond})
		}
	}
	for _, p := range sys.Properties {
		if p.Property.Kind != protocol.Literal {
			p.Mode = proofs.Unbounded
		}
	}
	if mode == proofs.Auto {
		sys.Opinions = []*proofs.Opinion{
			{Solver: solver.Info{Name: "cvc5", Version: "1.0.3"}, Agreed: 20, Undecided: []string{"I3/HandleAppend"}, Contradicts: []string{"I1/Timeout"}},
			{Solver: solver.Info{Name: "z3", Version: "4.15.4"}, Agreed: 22},
		}
		sys.Stability = &proofs.Stability{Seeds: 3, Least: 2 * time.Second, Most: 3 * time.Second,
			Spread: []proofs.Spread{{ID: "I1/Timeout", Least: 20 * time.Millisecond, Most: 90 * time.Millisecond}}}
	}
	return rep
}

var climbed = []string{"all lemmas, E-matching", "slice, E-matching, patient", "slice, model-based",
	"all lemmas and theorems, E-matching, patient", "all lemmas and theorems, model-based"}

// fallen is an obligation that the scope proves and no rung does.
func (f *fixture) fallen(t *testing.T, id string) *proofs.Result {
	t.Helper()
	r := f.obligation(t, id)
	r.Verdict, r.Answer, r.Reason = proofs.Proved, proofs.Unsat, "not proved for all sizes: timeout"
	r.Tried, r.Core, r.Solver = climbed, []string{"voteIsCast"}, solver.Info{Name: "z3", Version: "4.8.12"}
	return r
}

// unproved is an obligation that nothing proves.
func (f *fixture) unproved(t *testing.T, id, reason string) *proofs.Result {
	t.Helper()
	r := f.obligation(t, id)
	r.Reason, r.Tried = reason, climbed
	return r
}

// auto is a report in which the scope had to help with one lemma, and another
// obligation is unknown.
func (f *fixture) auto(t *testing.T) *proofs.Report {
	t.Helper()
	rep := f.open(t, proofs.Auto, f.fallen(t, "tally/CountVote"), f.fallen(t, "tally/BecomeLeader"), f.unproved(t, "logsGrow/HandleAppend", "timeout"))
	for _, r := range rep.Systems[0].Results {
		if slices.Equal(r.Tried, climbed) {
			r.Elapsed = 31500 * time.Millisecond
		}
	}
	for _, p := range rep.Systems[0].Properties {
		switch p.Property.ID {
		case "I1", "tally":
			p.Mode = proofs.Bounded
		case "logsGrow":
			p.Verdict, p.Mode = proofs.Unknown, proofs.Bounded
		case "I2":
			p.Verdict, p.Mode = proofs.Conditional, proofs.Bounded
			p.LeansOn = []string{"commitWithinLog", "logsGrow"}
			p.Lacking = []string{"logsGrow"}
		}
	}
	return rep
}

// both is a check in both modes; one obligation holds in the scope only.
func (f *fixture) both(t *testing.T) *proofs.Report {
	t.Helper()
	unproved := f.unproved(t, "voteIsCast/GrantVote", "timeout")
	unproved.Held = &f.scope
	rep := f.open(t, proofs.Unbounded, unproved)
	open, bounded := rep.Systems[0], f.report(t).Systems[0]
	for _, p := range open.Properties {
		if p.Property.ID == "voteIsCast" {
			p.Verdict, p.Mode = proofs.Unknown, proofs.Bounded
		}
	}
	for i, r := range bounded.Results { // shared, as the driver does it
		if r.Property == nil || r.Kind == proofs.LiteralIsFalse {
			open.Results[i] = r
		}
	}
	rep.Systems = append(rep.Systems, bounded)
	return rep
}

// broken is a report in which one lemma is refuted, a query ran out of time, and
// an action cannot happen.
func (f *fixture) broken(t *testing.T) *proofs.Report {
	t.Helper()
	late := f.obligation(t, "tally/CountVote")
	late.Reason = "timeout"
	later := f.obligation(t, "tally/BecomeLeader")
	later.Reason = "timeout"
	never := f.obligation(t, "Replicate/fires")
	never.Verdict, never.Answer, never.Reason = proofs.Refuted, proofs.Unsat, "nothing satisfies it in this scope"
	cti := f.counterexamples(t)
	rep := f.report(t, cti["sent"], cti["init"], late, later, never)
	for _, r := range rep.Systems[0].Properties {
		switch r.Property.ID {
		case "voteIsCast", "logsGrow":
			r.Verdict = proofs.Refuted
		case "tally":
			r.Verdict = proofs.Unknown
		case "I3", "I1.literal":
		default:
			r.Verdict = proofs.Conditional
			r.LeansOn = []string{"commitWithinLog", "tally", "voteIsCast"}
			r.Lacking = []string{"tally", "voteIsCast"}
		}
	}
	return rep
}
