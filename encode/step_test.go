package encode_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver/smt"
)

// stepper compares the steps of one action with their encoding.
type stepper struct {
	*world
	action *protocol.Action
	step   *encode.Step
	others []renaming
	// What the post-states are compared by, besides their parts.
	formulas []protocol.Term
	post     []*smt.Term // the properties, nil for two-state ones
	twoState []*smt.Term
	// What the action decides by, each way.
	branches []protocol.Term
	taken    []*smt.Term

	enabled, disabled int
}

func newStepper(w *world, a *protocol.Action, g *protocoltest.Generator, formulas int) *stepper {
	s := &stepper{world: w, action: a, step: w.enc.Step(a), others: w.renamings()}
	for range formulas {
		s.formulas = append(s.formulas, g.Closed(g.AnySort(), true), g.Formula(true))
	}
	for _, p := range w.sys.Properties {
		var post *smt.Term
		if !p.TwoState {
			post = s.step.Post(p.Formula)
		}
		s.post = append(s.post, post)
		s.twoState = append(s.twoState, s.step.TwoState(p.Formula))
	}
	for _, c := range w.sys.Conditions() {
		if slices.Contains(c.Users(), a) {
			for _, value := range []bool{true, false} {
				taken := c.Taken(a, value)
				s.branches, s.taken = append(s.branches, taken), append(s.taken, s.step.Holds(taken))
			}
		}
	}
	return s
}

// check compares one step, or what is none: the encoding has it under some
// names of the elements, and wherever it has it, it agrees about all of it.
func (s *stepper) check(t *testing.T, pre *state.State, args []state.Value) semantics.Outcome {
	t.Helper()
	out := s.eval.Do(s.action, args, pre)
	represented := 0
	for _, other := range s.others {
		renamed := other.args(s.action, args)
		if !s.step.Accepts(renamed) {
			continue
		}
		before := other.state(pre)
		a, ok := s.step.Assign(before, renamed, s.r)
		if !ok {
			continue
		}
		eval := a.Evaluator()
		if !holds(eval, s.step.Pre.Assumptions) {
			continue
		}
		if represented++; represented > 2 {
			break
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("scope %v, %s%v from %v to %v: %s", s.scope, s.action.Name, renamed, before, out, fmt.Sprintf(format, args...))
		}
		if got, want := holds(eval, s.step.Guards), out.Status == semantics.Enabled; got != want {
			fail("the guards are %v", got)
		}
		if out.Status != semantics.Enabled {
			s.disabled++
			continue
		}
		s.enabled++
		real := &state.Step{Action: s.action, Args: args, Pre: pre, Post: out.Post}
		there := &state.Step{Action: s.action, Args: renamed, Pre: before, Post: other.state(out.Post)}
		if got, canonical := s.step.ReadPost(eval); !canonical || !got.Equal(there.Post) {
			fail("post-state %v, canonical and in scope %v", got, canonical)
		}
		if gotPre, gotArgs := s.step.Decode(a.Model()); !gotPre.Equal(before) {
			fail("decoded pre-state %v", gotPre)
		} else if again := s.eval.Do(s.action, gotArgs, gotPre); again.Status != semantics.Enabled || !again.Post.Equal(there.Post) {
			fail("decoded arguments %v", gotArgs) // of a union, another message may have the same common fields
		}
		for i, p := range s.sys.Properties {
			if s.post[i] != nil && eval.Bool(s.post[i]) != s.eval.Formula(p.Formula, out.Post) {
				fail("%s differs", p.ID)
			}
			if eval.Bool(s.twoState[i]) != s.eval.TwoState(p.Formula, real) {
				fail("%s differs, about the step", p.ID)
			}
		}
		for i, b := range s.branches {
			if eval.Bool(s.taken[i]) != s.eval.Holds(b, there) {
				fail("branch %s differs", show(b))
			}
		}
		for _, f := range s.formulas {
			want := s.eval.Term(f, semantics.Env{Pre: before, Post: there.Post, Step: s.action})
			if got, canonical := s.step.Value(f, eval); !canonical || !got.Equal(want) {
				fail("%s is %v, canonical %v; evaluated %v", show(f), got, canonical, want)
			}
		}
	}
	// Where the guards say in which part of its sort a parameter lies, the encoding
	// has no others.
	if represented == 0 && (out.Status == semantics.Enabled || !s.placed()) {
		t.Fatalf("scope %v, %s%v from %v: no encoding of the step", s.scope, s.action.Name, args, pre)
	}
	return out
}

// placed reports whether a guard says of a parameter whether it lies in a subset.
func (s *stepper) placed() bool {
	for _, p := range s.action.Params {
		for _, f := range append(slices.Clone(p.Sort.Fields), nil) {
			if encode.Placed(s.action, p.Binding, f) {
				return true
			}
		}
	}
	return false
}

// checkUnsent takes a message that was not sent for one of the arguments: the
// encoding has no such step.
func (s *stepper) checkUnsent(t *testing.T, pre *state.State, args []state.Value) {
	t.Helper()
	k := s.r.IntN(len(args))
	sort, n := s.action.Params[k].Sort, 0
	typ := sort
	switch sort.Kind {
	case protocol.UnionKind:
		n = s.r.IntN(len(sort.Union))
		typ = sort.Union[n]
	case protocol.MessageKind:
	default:
		return
	}
	v := s.randomValue(typ)
	if sort.Kind == protocol.UnionKind && s.r.IntN(2) == 0 { // what another type's message has in common with it
		was := sort.Union[args[k].N]
		for _, f := range sort.Fields {
			v.Kids[typ.Field(f.Name).Index] = args[k].Kids[was.Field(f.Name).Index]
		}
	}
	sent := slices.ContainsFunc(pre.Msgs[typ.ID], func(m state.Value) bool {
		return !slices.ContainsFunc(sort.Fields, func(f *protocol.Field) bool { // of a union, the common ones
			i := typ.Field(f.Name).Index
			return !m.Kids[i].Equal(v.Kids[i])
		})
	})
	if sent {
		return
	}
	args = slices.Clone(args)
	args[k] = state.Value{N: n, Kids: v.Kids}
	a, ok := s.step.Assign(pre, args, s.r)
	if !ok {
		return
	}
	eval := a.Evaluator()
	if holds(eval, s.step.Pre.Assumptions) && holds(eval, s.step.Guards) {
		t.Fatalf("scope %v, %s%v from %v: a message that was not sent", s.scope, s.action.Name, args, pre)
	}
}

// TestSteps compares all steps, and what is no step, of every action from random states.
func TestSteps(t *testing.T) {
	t.Parallel()
	seen := map[string]int{} // of the edges
	for _, test := range []struct {
		spec                          string
		seeds, states, args, formulas int
	}{
		{spec: "features.yaml", seeds: 12, states: 12, args: 12, formulas: 4},
		{spec: "symmetric.yaml", seeds: 20, states: 10, args: 10, formulas: 3},
		{spec: "cluster.yaml", seeds: 12, states: 12, args: 12, formulas: 3},
		{spec: "raft.yaml", seeds: 4, states: 15, args: 12, formulas: 2},
	} {
		sys := load(t, test.spec)
		t.Run(test.spec, func(t *testing.T) {
			enabled, disabled := map[string]int{}, map[string]int{}
			forSeeds(t, test.seeds, func(t *testing.T, r *rand.Rand) {
				scope := randomScope(sys, r, 4)
				scope[protocol.MessagesScope]++
				w := newWorld(sys, scope, r)
				g := protocoltest.NewGenerator(w.st, w.r)
				for _, a := range sys.Actions {
					s := newStepper(w, a, g, test.formulas)
					for range test.states {
						pre := w.randomState()
						for _, args := range w.arguments(a, pre, test.args) {
							out := s.check(t, pre, args)
							if len(args) > 0 {
								s.checkUnsent(t, pre, args)
							}
							for name, edge := range edges {
								if sys.Name == "features" && edge(&tried{w, a.Name, pre, args, out}) {
									seen[name]++
								}
							}
						}
					}
					enabled[a.Name] += s.enabled
					disabled[a.Name] += s.disabled
				}
			})
			for _, a := range sys.Actions {
				if enabled[a.Name] == 0 && test.spec != "raft.yaml" { // of Raft, see TestScenarios and TestModels
					t.Errorf("no step of %s, %d that are none", a.Name, disabled[a.Name])
				}
			}
		})
	}
	for name := range edges {
		if seen[name] == 0 {
			t.Errorf("never seen: %s", name)
		}
	}
}

// TestScenarios compares the steps of Raft's scenarios.
func TestScenarios(t *testing.T) {
	t.Parallel()
	sys := load(t, "raft.yaml")
	for _, s := range sys.Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			run, err := semantics.NewEvaluator(state.NewStructure(sys, s.Scope)).Replay(s)
			if err != nil {
				t.Log(err) // the steps before will do
			}
			if len(run.Steps) == 0 {
				t.Fatal("no steps")
			}
			scope := maps.Clone(s.Scope)
			for _, sent := range run.Last().Msgs {
				scope[protocol.MessagesScope] = max(scope[protocol.MessagesScope], len(sent))
			}
			w := newWorld(sys, scope, rand.New(rand.NewPCG(1, 1)))
			g := protocoltest.NewGenerator(w.st, w.r)
			steppers := map[*protocol.Action]*stepper{}
			for _, step := range run.Steps {
				s := steppers[step.Action]
				if s == nil {
					s = newStepper(w, step.Action, g, 2)
					steppers[step.Action] = s
				}
				if out := s.check(t, step.Pre, step.Args); out.Status != semantics.Enabled {
					t.Fatalf("%s is no step", step.Action.Name)
				}
				for _, args := range w.arguments(step.Action, step.Pre, 5) {
					s.check(t, step.Pre, args)
				}
			}
		})
	}
}

// tried is an attempt at a step of features.yaml.
type tried struct {
	*world
	action string
	pre    *state.State
	args   []state.Value
	out    semantics.Outcome
}

func (s *tried) enabled(action string) bool {
	return s.action == action && s.out.Status == semantics.Enabled
}

// leaves reports whether the step would leave the scope by a value of the
// variable, or by the message if it is empty.
func (s *tried) leaves(action, variable string) bool {
	if s.action != action || s.out.Status != semantics.LeavesScope {
		return false
	}
	if variable == "" {
		return s.out.Send != nil
	}
	return s.out.Update != nil && s.out.Update.State.Name == variable
}

// cell is a variable's value at arguments in the pre-state.
func (s *tried) cell(name string, path ...int) state.Value {
	k := slices.IndexFunc(s.sys.State, func(v *protocol.StateVar) bool { return v.Name == name })
	v := s.pre.Vars[k]
	for _, p := range path {
		v = v.Kids[p]
	}
	return v
}

func (s *tried) most(sort string) int { return s.scope.Sizes[sort] }

// sends reports how many messages of a type the step adds.
func (s *tried) adds(typ int) int { return len(s.out.Post.Msgs[typ]) - len(s.pre.Msgs[typ]) }

const idle, ping, pong = 0, 0, 1 // a role and message types of features.yaml

// edges are the steps at the edges of the scope that TestSteps has to see.
var edges = map[string]func(*tried) bool{
	"to the greatest natural": func(s *tried) bool {
		return s.enabled("Start") && s.cell("epoch", s.args[0].N).N == s.most("Epoch")-1
	},
	"beyond the greatest natural": func(s *tried) bool { return s.leaves("Start", "epoch") },
	"beyond it on the way": func(s *tried) bool {
		return s.enabled("Keep") && s.cell("epoch", s.args[0].N).N == s.most("Epoch")
	},
	"append to a full sequence": func(s *tried) bool { return s.leaves("Answer", "log") },
	"append to a full sequence on the way": func(s *tried) bool {
		return s.enabled("Cut") && len(s.cell("log", s.args[0].N).Kids) == s.most("Index")
	},
	"a cell beyond the domain": func(s *tried) bool { return s.leaves("Both", "leaders") },
	"a message out of scope":   func(s *tried) bool { return s.leaves("Relay", "") },
	"a message out of scope that is not sent": func(s *tried) bool {
		return s.enabled("Ask") && s.cell("acks", s.args[0].N, s.args[1].N).N == s.most("Index")
	},
	"a message that is not sent": func(s *tried) bool { return s.enabled("Pair") && s.cell("flag").N == 0 && s.adds(pong) == 0 },
	"a message sent before": func(s *tried) bool {
		return s.enabled("Ask") && s.cell("role", s.args[0].N).N != idle && s.adds(ping) == 0
	},
	"one message received twice":  func(s *tried) bool { return s.enabled("Pair") && s.args[0].Equal(s.args[1]) },
	"two messages received":       func(s *tried) bool { return s.enabled("Pair") && !s.args[0].Equal(s.args[1]) },
	"room for one message":        func(s *tried) bool { return s.enabled("Relay") && s.scope.Messages == 1 && s.adds(ping) == 1 },
	"the union's first":           func(s *tried) bool { return s.enabled("Any") && s.args[0].N == 0 },
	"the union's second":          func(s *tried) bool { return s.enabled("Any") && s.args[0].N == 1 },
	"the union's third":           func(s *tried) bool { return s.enabled("Any") && s.args[0].N == 2 },
	"union first, the same":       func(s *tried) bool { return s.enabled("Both") && s.args[0].Equal(s.args[1]) },
	"union first, another type":   func(s *tried) bool { return s.enabled("Both") && s.args[0].N == 1 },
	"union second, the same":      func(s *tried) bool { return s.enabled("One") && s.args[0].Equal(s.args[1]) },
	"union second, of one's type": func(s *tried) bool { return s.enabled("One") && s.args[1].N == 0 && !s.args[0].Equal(s.args[1]) },
	"union second, another type":  func(s *tried) bool { return s.enabled("One") && s.args[1].N == 1 },
}
