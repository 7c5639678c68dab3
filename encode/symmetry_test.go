package encode_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// tiny has few enough states to look at all of them.
const tiny = `
protocol: tiny
sorts:
  Server: {finite: true, prefix: n}
  Quorum: {quorum: Server}
state:
  leader: Server?
  seen: Set(Server)
messages:
  Ask: {from: Server, to: Server}
  Yes: {to: Server}
actions:
  Send:
    do: |
      with i, j, k ∈ Server
      require i ∉ seen ∨ leader = j
      send Ask{from: i, to: k}
  Take:
    do: |
      receive m ∈ Ask
      receive n ∈ Ask
      require m.to ∈ seen ⇒ n.from = m.from
      leader := n.to
  Lead:
    do: |
      receive m ∈ Yes ∪ Ask
      with q ∈ Quorum, i ∈ Server
      require m.to ∈ q ∧ i ∉ q
      seen := (seen ∪ q) ∖ {i}
      leader := IF leader = i THEN Nil ELSE i
      send Yes{to: i} if m.to ∈ seen
invariants:
  T1:
    formula: |
      seen ∈ Quorum ⇒ (∃ i ∈ seen: leader = i ∨ (∃ m ∈ Ask ∪ Yes: m.to = i))
  T2:
    formula: |
      ∀ m ∈ Ask: m.from ∈ seen ⇒ m.to ∈ seen'
`

// voters is tiny with a subset; parameters lie in it, outside, or anywhere.
var voters = strings.NewReplacer(
	"  Quorum: {quorum: Server}", "  Voter: {subset: Server}\n  Quorum: {quorum: Voter}",
	"with i, j, k ∈ Server", "with i, k ∈ Server, j ∈ Voter",
	"∧ i ∉ q", "∧ i ∉ Voter",
	"∀ m ∈ Ask: m.from ∈ seen", "∀ m ∈ Ask: m.from ∈ seen ∩ Voter",
).Replace(tiny)

// TestSymmetry compares all steps from all states of a tiny scope: each has an
// encoding under some names of its elements.
func TestSymmetry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		spec  string
		scope map[string]int
	}{
		{tiny, map[string]int{"Server": 1, "Messages": 2}},
		{tiny, map[string]int{"Server": 2, "Messages": 2}},
		{tiny, map[string]int{"Server": 3, "Messages": 1}},
		{voters, map[string]int{"Server": 1, "Voter": 1, "Messages": 2}},
		{voters, map[string]int{"Server": 2, "Voter": 1, "Messages": 2}},
		{voters, map[string]int{"Server": 2, "Voter": 2, "Messages": 2}},
		{voters, map[string]int{"Server": 3, "Voter": 1, "Messages": 1}},
		{voters, map[string]int{"Server": 3, "Voter": 2, "Messages": 1}},
	} {
		sys, scope := parse(t, test.spec), test.scope
		server := sys.Sorts[0]
		if testing.Short() && scope["Server"] > 2 {
			continue
		}
		w := newWorld(sys, scope, rand.New(rand.NewPCG(1, 1)))
		if !w.enc.Symmetric(server) {
			t.Fatal("Server is not taken to be symmetric")
		}
		pres := w.allStates()
		steps := 0
		for _, a := range sys.Actions {
			s := newStepper(w, a, protocoltest.NewGenerator(w.st, w.r), 1)
			for _, pre := range pres {
				for _, args := range w.arguments(a, pre, 1000) {
					s.check(t, pre, args)
				}
			}
			steps += s.enabled
		}
		t.Logf("%v: %d states, %d steps", scope, len(pres), steps)
	}
}

// allStates are the states of tiny.
func (w *world) allStates() []*state.State {
	n := w.st.Size(w.sys.Sorts[0])
	var asks, yeses []state.Value
	for i := range n {
		yeses = append(yeses, state.Value{Kids: []state.Value{{N: i}}})
		for j := range n {
			asks = append(asks, state.Value{Kids: []state.Value{{N: i}, {N: j}}})
		}
	}
	leaders := []state.Value{{}}
	for i := range n {
		leaders = append(leaders, state.Value{N: 1, Kids: []state.Value{{N: i}}})
	}
	var out []*state.State
	for _, leader := range leaders {
		for seen := range 1 << n {
			for _, a := range subsets(asks, w.scope.Messages) {
				for _, y := range subsets(yeses, w.scope.Messages) {
					out = append(out, &state.State{Vars: []state.Value{leader, {N: seen}}, Msgs: [][]state.Value{a, y}})
				}
			}
		}
	}
	return out
}

// subsets are those of at most n values, in order.
func subsets(all []state.Value, n int) [][]state.Value {
	out := [][]state.Value{nil}
	if n == 0 {
		return out
	}
	for i, v := range all {
		for _, rest := range subsets(all[i+1:], n-1) {
			out = append(out, append([]state.Value{v}, rest...))
		}
	}
	return out
}

// asymmetric is a system in which a step shows that its server is not the first
// one, by the value of a read outside a domain.
const asymmetric = `
protocol: asymmetric
sorts:
  Server: {finite: true, prefix: n}
  Quorum: {quorum: Server}
  Epoch: {natural: true}
  Index: {natural: true, index: true}
records:
  Entry: {owner: Server, epoch: Epoch}
state:
  best: Epoch
  owner: Server?
  entry: Entry?
  log: Seq(Server)
  logs: Seq(Entry)
  by: Epoch → Server
  quorums: Epoch → Quorum
  grid: Epoch → Server → Server
  chosen: Set(Server)
  marked: Server → Bool
messages:
  Ask: {who: Server, mark: ghost Server}
definitions:
  at:
    params: {e: Epoch}
    formula: by[e]
  same:
    params: {i: Server, j: Server}
    formula: i = j
  owned:
    params: {e: Epoch, f: Epoch, i: Server}
    formula: by[e] ≠ i ∧ f = f
actions:
  Act:
    do: |
      with i ∈ Server
      BODY
invariants:
  Good:
    formula: |
      FORMULA
`

// TestAsymmetry has steps that break a property, but only for elements other
// than the first one. Were the sort taken to be symmetric, the property would be
// proved.
func TestAsymmetry(t *testing.T) { // not parallel: one solver at a time
	const empty = "chosen = {}"
	for name, test := range map[string]struct{ body, formula string }{
		"option":                   {"require owner = Nil ∧ i ≠ owner!", empty},
		"record in an option":      {"require entry = Nil ∧ entry!.owner ≠ i", empty},
		"sequence":                 {"require len(log) = 0 ∧ log[1] ≠ i", empty},
		"record in a sequence":     {"require len(logs) < 2 ∧ logs[2].owner ≠ i", empty},
		"function":                 {"require best = 1 ∧ by[best + 1] ≠ i", empty},
		"function at a let":        {"let e == best + 1\n      require best = 1 ∧ by[e] ≠ i", empty},
		"function at a number":     {"require by[7] ≠ i", empty},
		"function in a definition": {"require best = 1 ∧ at(best + 1) ≠ i", empty},
		"call in a call":           {"require best = 1 ∧ owned(best + 1, IF owned(best, best, i) THEN best ELSE best, i)", empty},
		"function at a choice":     {"require best = 1 ∧ by[IF i ∈ chosen THEN best ELSE best + 1] ≠ i", empty},
		"function at a maximum":    {"require best = 1 ∧ by[max(best, best + 1)] ≠ i", empty},
		"function at a minimum":    {"require best = 1 ∧ by[min(best + 2, best + 1)] ≠ i", empty},
		"function of functions":    {"require best = 1 ∧ grid[best + 1][i] ≠ i", empty},
		"quorum":                   {"require best = 1 ∧ i ∉ quorums[best + 1]", empty},
		"value of an update":       {"chosen := IF owner = Nil ∧ owner! ≠ i THEN {i} ELSE chosen", "∀ j ∈ Server: j ∉ chosen"},
		"cell of an update":        {"require owner = Nil\n      marked[owner!] := TRUE\n      chosen := chosen ∪ {i}", "∀ j ∈ Server: marked[j] ⇒ j ∈ chosen"},
		"condition of a send":      {"send Ask{who: i, mark: i} if owner = Nil ∧ owner! ≠ i", "∀ m ∈ Ask: FALSE"},
		"field of a message":       {"require owner = Nil\n      send Ask{who: owner!, mark: i}", "∀ m ∈ Ask: m.who = m.mark"},
		"property":                 {"require owner = Nil\n      send Ask{who: i, mark: i}", "∀ m ∈ Ask: owner ≠ Nil ∨ m.who = owner!"},
		"argument":                 {"require owner = Nil ∧ ¬same(owner!, i)", empty},
		"let":                      {"let o == owner!\n      require owner = Nil ∧ o ≠ i", empty},
		"ghost field":              {"send Ask{who: i}", "∀ m ∈ Ask: m.who = m.mark"},
	} {
		t.Run(name, func(t *testing.T) {
			body := test.body
			if test.formula == empty {
				body += "\n      chosen := chosen ∪ {i}"
			}
			sys := parse(t, strings.NewReplacer("BODY", body, "FORMULA", test.formula).Replace(asymmetric))
			good := sys.Properties[0].Formula
			scope := encode.NewScope(sys, map[string]int{"Server": 3, "Epoch": 1, "Index": 2, "Messages": 1})
			ask := func(enc *encode.Encoder) (*encode.Step, solver.Result) {
				step := enc.Step(sys.Actions[0])
				fs := append(append([]*smt.Term{}, step.Pre.Assumptions...), step.Guards...)
				return step, solve(t, append(fs, step.Pre.Formula(good), enc.Builder().Not(step.Post(good))))
			}
			wrong := encode.NewEncoder(sys, scope)
			wrong.AssumeSymmetry()
			if _, res := ask(wrong); res.Status != solver.Unsat {
				t.Fatalf("the case shows nothing: %v with a wrong symmetry", res.Status)
			}
			step, res := ask(encode.NewEncoder(sys, scope))
			if res.Status != solver.Sat {
				t.Fatalf("%v", res.Status)
			}
			pre, args := step.Decode(res.Model)
			eval := semantics.NewEvaluator(scope.Structure(sys))
			out := eval.Do(sys.Actions[0], args, pre)
			if out.Status != semantics.Enabled || !eval.Formula(good, pre) || eval.Formula(good, out.Post) {
				t.Errorf("no counterexample: %v from %v to %v", args, pre, out)
			}
		})
	}
}

// TestSymmetricSorts has reads that single out no element.
func TestSymmetricSorts(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"function of a state":    "require by[best] ≠ i",
		"function of a variable": "require ∀ e ∈ 0..best: by[e] ≠ i",
		"lower":                  "require by[best - 1] ≠ i",
		"minimum":                "require by[min(best + 1, best)] ≠ i",
		"naturals":               "require owner = i ∧ len(log) = 1 ∨ best = 1",
		"no message field":       "send Ask{who: i, mark: i}",
	} {
		t.Run(name, func(t *testing.T) {
			sys := parse(t, strings.NewReplacer("BODY", body, "FORMULA", "owner ≠ Nil").Replace(asymmetric))
			if enc := encode.NewEncoder(sys, encode.NewScope(sys, nil)); !enc.Symmetric(sys.Sorts[0]) {
				t.Error("not symmetric")
			}
		})
	}
	for spec, want := range map[string]map[string]bool{
		"raft.yaml":      {"Server": true, "Value": false},
		"symmetric.yaml": {"Server": true, "Value": true},
		"features.yaml":  {"Server": false, "Value": false},
		"cluster.yaml":   {"Replica": true, "Zone": true, "Value": false},
	} {
		sys := load(t, spec)
		enc := encode.NewEncoder(sys, encode.NewScope(sys, nil))
		for _, s := range sys.Sorts {
			if sym, tested := want[s.Name]; tested && s.Kind == protocol.ElementKind && enc.Symmetric(s) != sym {
				t.Errorf("%s: %s is symmetric: %v", spec, s.Name, !sym)
			}
		}
	}
}

// solve asks a solver, or skips the test.
func solve(t *testing.T, fs []*smt.Term) solver.Result {
	t.Helper()
	s := newSolver(t)
	for _, f := range fs {
		s.Assert("", f)
	}
	res, err := s.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return res
}
