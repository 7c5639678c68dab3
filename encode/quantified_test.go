package encode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/solver/smtlib"
	"github.com/speckl/kraftprove/solver/solvertest"
)

// The quantified encoding is compared with the evaluator in finite structures: there a
// solver must refute that a formula has another value than the evaluated one. Naturals
// end in a structure and not in the encoding, so formulas are given bounds first, which
// mean nothing to the evaluator.

// bounder makes terms that mean the same with and without an end of the naturals.
type bounder struct {
	max     func(*protocol.Sort) int
	defs    map[*protocol.Definition]*protocol.Definition
	actions map[*protocol.Action]*protocol.Action
}

// boundedSystem is the system with bounds everywhere, but for its properties.
func boundedSystem(sys *protocol.System, st *state.Structure) (*protocol.System, *bounder) {
	b := &bounder{st.MaxNatural, map[*protocol.Definition]*protocol.Definition{}, map[*protocol.Action]*protocol.Action{}}
	out := *sys
	out.Actions, out.Axioms = nil, nil
	for _, a := range sys.Actions {
		b.actions[a] = &protocol.Action{}
	}
	for _, a := range sys.Actions {
		*b.actions[a] = *b.action(a)
		out.Actions = append(out.Actions, b.actions[a])
	}
	out.Init = b.action(sys.Init)
	for _, a := range sys.Axioms {
		axiom := *a
		axiom.Formula = b.term(a.Formula)
		out.Axioms = append(out.Axioms, &axiom)
	}
	return &out, b
}

func (b *bounder) action(a *protocol.Action) *protocol.Action {
	out := *a
	out.Body, out.Updates, out.Sends = nil, nil, nil
	for _, s := range a.Body {
		switch s := s.(type) {
		case *protocol.Let:
			out.Body = append(out.Body, &protocol.Let{Var: s.Var, X: b.term(s.X)})
		case *protocol.Guard:
			out.Body = append(out.Body, &protocol.Guard{Cond: b.term(s.Cond)})
		case *protocol.Update:
			up := &protocol.Update{State: s.State, Path: b.terms(s.Path), Value: b.term(s.Value)}
			out.Body, out.Updates = append(out.Body, up), append(out.Updates, up)
		case *protocol.Send:
			snd := &protocol.Send{Message: b.term(s.Message).(*protocol.RecordTerm)}
			if s.Cond != nil {
				snd.Cond = b.term(s.Cond)
			}
			out.Body, out.Sends = append(out.Body, snd), append(out.Sends, snd)
		default:
			panic(fmt.Sprintf("unhandled %T", s))
		}
	}
	return &out
}

func (b *bounder) terms(ts []protocol.Term) []protocol.Term {
	out := make([]protocol.Term, len(ts))
	for i, t := range ts {
		out[i] = b.term(t)
	}
	return out
}

// within says of a natural that it lies in the structure, and nothing of others.
func (b *bounder) within(v *protocol.Binding) protocol.Term {
	if v.Sort.Kind != protocol.NaturalKind {
		return nil
	}
	return &protocol.BinaryTerm{Op: protocol.Le, X: &protocol.Var{To: v}, Y: &protocol.Lit{Of: v.Sort, Value: b.max(v.Sort)}, Of: protocol.BoolSort}
}

func (b *bounder) term(t protocol.Term) protocol.Term {
	switch t := t.(type) {
	case *protocol.Lit, *protocol.Default, *protocol.Var, *protocol.SubsortTerm, *protocol.StateRead:
		return t
	case *protocol.Apply:
		return &protocol.Apply{Fun: b.term(t.Fun), Arg: b.term(t.Arg)}
	case *protocol.At:
		return &protocol.At{Seq: b.term(t.Seq), Index: b.term(t.Index)}
	case *protocol.Select:
		return &protocol.Select{X: b.term(t.X), Field: t.Field}
	case *protocol.UnaryTerm:
		return &protocol.UnaryTerm{Op: t.Op, X: b.term(t.X), Of: t.Of}
	case *protocol.BinaryTerm:
		return &protocol.BinaryTerm{Op: t.Op, X: b.term(t.X), Y: b.term(t.Y), Of: t.Of}
	case *protocol.Nary:
		return &protocol.Nary{And: t.And, Args: b.terms(t.Args)}
	case *protocol.Shift:
		return &protocol.Shift{X: b.term(t.X), Delta: t.Delta}
	case *protocol.Ite:
		return &protocol.Ite{Cond: b.term(t.Cond), Then: b.term(t.Then), Else: b.term(t.Else)}
	case *protocol.Quant:
		body := b.term(t.Body)
		switch in := b.within(t.Var); {
		case in == nil:
		case t.Forall:
			body = &protocol.BinaryTerm{Op: protocol.Implies, X: in, Y: body, Of: protocol.BoolSort}
		default:
			body = &protocol.Nary{And: true, Args: []protocol.Term{in, body}}
		}
		return &protocol.Quant{Forall: t.Forall, Var: t.Var, Primed: t.Primed, Body: body}
	case *protocol.SetTerm:
		return &protocol.SetTerm{Elems: b.terms(t.Elems), Of: t.Of}
	case *protocol.SetOf:
		return &protocol.SetOf{Var: t.Var, Cond: b.term(t.Cond), Of: t.Of}
	case *protocol.FuncTerm:
		body := b.term(t.Body)
		if in := b.within(t.Var); in != nil {
			body = &protocol.Ite{Cond: in, Then: body, Else: &protocol.Default{Of: body.Sort()}}
		}
		return &protocol.FuncTerm{Var: t.Var, Body: body, Of: t.Of}
	case *protocol.SeqTerm:
		return &protocol.SeqTerm{Elems: b.terms(t.Elems), Of: t.Of}
	case *protocol.RecordTerm:
		return &protocol.RecordTerm{Of: t.Of, Fields: b.terms(t.Fields)}
	case *protocol.LetTerm:
		return &protocol.LetTerm{Var: t.Var, X: b.term(t.X), Body: b.term(t.Body)}
	case *protocol.Call:
		def, ok := b.defs[t.Def]
		if !ok {
			def = &protocol.Definition{Name: t.Def.Name, Params: t.Def.Params, Body: b.term(t.Def.Body)}
			b.defs[t.Def] = def
		}
		return &protocol.Call{Def: def, Args: b.terms(t.Args)}
	case *protocol.StepIs:
		out := &protocol.StepIs{}
		for _, a := range t.Actions {
			out.Actions = append(out.Actions, b.actions[a])
		}
		return out
	}
	panic(fmt.Sprintf("unhandled %T", t))
}

// property is the property with bounds in its formula.
func (b *bounder) property(p *protocol.Property) *protocol.Property {
	out := *p
	out.Formula = b.term(p.Formula)
	return &out
}

// claim is a formula of the encoding and the value that it must have.
type claim struct {
	what string
	f    *smt.Term
	is   bool
}

// trial collects claims about one interpretation.
type trial struct {
	u      *encode.Quantified
	claims []claim
	beyond int // formulas that the encoding cannot express
}

// tally counts the claims of several trials.
type tally struct{ claims, undecided, beyond int }

// check fails where too little was decided.
func (n tally) check(t *testing.T) {
	t.Helper()
	if t.Logf("%+v", n); n.claims < 300 || n.undecided > n.claims/50 || n.beyond > n.claims/5 {
		t.Errorf("of %d claims %d are undecided, and %d could not be made", n.claims, n.undecided, n.beyond)
	}
}

func (tr *trial) claim(what string, is bool, f *smt.Term) {
	if tr.u.Unsupported != "" {
		tr.u.Unsupported = ""
		tr.beyond++
		return
	}
	tr.claims = append(tr.claims, claim{what, f, is})
}

// Bounds of a solver's steps: for several claims, for one, and for a look at whether
// there is a contradiction, which is soon found if there is one.
const (
	stepsOfSome  = 400_000
	stepsOfOne   = 4_000_000
	stepsOfLook  = 50_000
	claimsAtOnce = 6
)

// z3 is the solver; without it the test is skipped, or fails where it is required.
func z3(t *testing.T) smtlib.Program {
	t.Helper()
	p, err := smtlib.Find("z3", "")
	if err != nil {
		solvertest.Missing(t, err)
	}
	return p
}

// decide has a solver refute of every claim that it is wrong, and not refute that it is
// right.
func (tr *trial) decide(t *testing.T, facts []*smt.Term, n *tally, where string) {
	t.Helper()
	p := z3(t)
	within := func(steps int) func(...*smt.Term) solver.Status {
		s := smtlib.New(p, solver.Limits{Incremental: true, Steps: steps, Timeout: time.Minute}, smtlib.Options{})
		t.Cleanup(func() { s.Close() })
		for _, f := range facts {
			s.Assert("", f)
		}
		return func(fs ...*smt.Term) solver.Status {
			s.Push()
			defer s.Pop()
			for _, f := range fs {
				s.Assert("", f)
			}
			res, err := s.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return res.Status
		}
	}
	b := tr.u.Builder()
	some, one := within(stepsOfSome), within(stepsOfOne)
	var right []*smt.Term
	n.claims += len(tr.claims)
	n.beyond += tr.beyond
	for group := range slices.Chunk(tr.claims, claimsAtOnce) {
		wrong := make([]*smt.Term, len(group))
		for i, c := range group {
			if wrong[i] = c.f; c.is {
				wrong[i] = b.Not(c.f)
			}
			right = append(right, b.Not(wrong[i]))
		}
		if some(b.Or(wrong...)) == solver.Unsat {
			continue
		}
		for i, c := range group {
			if got := one(wrong[i]); got == solver.Unsat {
				continue
			} else if got == solver.Sat || one(b.Not(wrong[i])) == solver.Unsat {
				t.Fatalf("%s\n%s\nis %v, and not so in the encoding", where, c.what, c.is)
			}
			n.undecided++
		}
	}
	if within(stepsOfLook)(right...) == solver.Unsat {
		t.Fatalf("%s: the interpretation contradicts itself", where)
	}
}

// TestQuantifiedTerms compares formulas in random states.
func TestQuantifiedTerms(t *testing.T) {
	t.Parallel()
	z3(t)
	var n tally
	patterns, seen := 0, map[string]int{}
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		t.Run(name, func(t *testing.T) {
			seeds := 4
			if name == "features.yaml" && !testing.Short() {
				seeds = 20
			}
			forSeeds(t, seeds, func(t *testing.T, r *rand.Rand) {
				w := newWorld(sys, randomScope(sys, r, 3), r)
				bounded, bound := boundedSystem(sys, w.st)
				g := protocoltest.NewGenerator(w.st, w.r)
				s := w.randomState()
				u := encode.NewQuantified(bounded)
				any := u.AnyState()
				in := u.Interpret(w.st)
				in.Pin(any, s)
				tr := &trial{u: u}
				for range 15 {
					f, x := g.Formula(false), g.Closed(g.AnySort(), false)
					tr.claim(show(f), w.eval.Formula(f, s), any.Formula(bound.term(f)))
					v := w.eval.Term(x, semantics.Env{Pre: s})
					tr.claim(fmt.Sprint(show(x), " = ", v), true, in.Is(any, bound.term(x), v))
				}
				for _, p := range sys.Properties {
					if p.TwoState {
						continue
					}
					tr.claim(p.ID, w.eval.Formula(p.Formula, s), any.Formula(bound.term(p.Formula)))
					if p.Patterns != nil {
						tr.claim(p.ID+", a hypothesis", w.eval.Formula(p.Formula, s), any.Hypothesis(bound.property(p)))
						patterns++
					}
				}
				tr.decide(t, in.Facts(), &n, fmt.Sprintf("scope %v state %v", w.scope, s))
				for k, made := range g.Seen() {
					seen[k] += 4 * made // five of each will do
				}
			})
		})
	}
	n.check(t)
	if testing.Short() {
		return
	}
	protocoltest.CheckCoverage(t, seen, false)
	if patterns < 50 {
		t.Errorf("%d hypotheses with patterns", patterns)
	}
}

// TestQuantifiedInit compares the initial state.
func TestQuantifiedInit(t *testing.T) {
	t.Parallel()
	z3(t)
	var n tally
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		forSeeds(t, 4, func(t *testing.T, r *rand.Rand) {
			w := newWorld(sys, randomScope(sys, r, 3), r)
			bounded, bound := boundedSystem(sys, w.st)
			want := w.eval.Init()
			u := encode.NewQuantified(bounded)
			init := u.InitState()
			in := u.Interpret(w.st)
			tr := &trial{u: u}
			tr.claim("Init", true, in.Equals(init, want))
			g := protocoltest.NewGenerator(w.st, w.r)
			for range 10 {
				f := g.Formula(false)
				tr.claim(show(f), w.eval.Formula(f, want), init.Formula(bound.term(f)))
			}
			tr.decide(t, in.Facts(), &n, fmt.Sprintf("scope %v", w.scope))
		})
	}
}

// TestQuantifiedSteps compares steps, and what is no step, of every action.
func TestQuantifiedSteps(t *testing.T) {
	t.Parallel()
	z3(t)
	if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	var n tally
	enabled, disabled := 0, 0
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		t.Run(name, func(t *testing.T) {
			seeds := 2
			if name == "raft.yaml" {
				seeds = 1
			}
			forSeeds(t, seeds, func(t *testing.T, r *rand.Rand) {
				w := newWorld(sys, randomScope(sys, r, 3), r)
				g := protocoltest.NewGenerator(w.st, w.r)
				bounded, bound := boundedSystem(sys, w.st)
				for i, a := range sys.Actions {
					pre := w.randomState()
					for _, args := range slices.Concat(w.arguments(a, pre, 2), w.unsent(a)) {
						out := w.eval.Do(a, args, pre)
						if out.Status == semantics.LeavesScope {
							continue
						}
						u := encode.NewQuantified(bounded)
						step := u.Step(bounded.Actions[i], variantOf(a, args))
						in := u.Interpret(w.st)
						in.Pin(step.Pre, pre)
						in.Arguments(step, args)
						tr := &trial{u: u}
						tr.claim("the guards", out.Status == semantics.Enabled, u.Builder().And(step.Guards...))
						if out.Status != semantics.Enabled {
							disabled++
						} else {
							enabled++
							real := &state.Step{Action: a, Args: args, Pre: pre, Post: out.Post}
							tr.claim("the post-state", true, in.PostEquals(step, out.Post))
							for _, k := range r.Perm(len(sys.Properties))[:min(8, len(sys.Properties))] {
								p := sys.Properties[k]
								f := bound.term(p.Formula)
								if !p.TwoState {
									tr.claim(p.ID, w.eval.Formula(p.Formula, out.Post), step.Post(f))
								}
								tr.claim(p.ID+", about the step", w.eval.TwoState(p.Formula, real), step.TwoState(f))
							}
							for range 5 {
								f := g.Formula(true)
								tr.claim(show(f), w.eval.TwoState(f, real), step.TwoState(bound.term(f)))
							}
						}
						tr.decide(t, in.Facts(), &n, fmt.Sprintf("scope %v, %s%v from %v to %v", w.scope, a.Name, args, pre, out))
					}
				}
			})
		})
	}
	if n.check(t); enabled < 30 || disabled < 30 {
		t.Errorf("%d steps and %d that are none", enabled, disabled)
	}
}

// unsent are arguments with messages of any content, if the action receives some.
func (w *world) unsent(a *protocol.Action) [][]state.Value {
	out := make([]state.Value, len(a.Params))
	receives := false
	for i, p := range a.Params {
		typ, n := p.Sort, 0
		switch typ.Kind {
		case protocol.UnionKind:
			n = w.r.IntN(len(typ.Union))
			typ = typ.Union[n]
			fallthrough
		case protocol.MessageKind:
			receives = true
			out[i] = state.Value{N: n, Kids: w.randomValue(typ).Kids}
		default:
			out[i] = w.randomValue(typ)
		}
	}
	if !receives {
		return nil
	}
	return [][]state.Value{out}
}

// variantOf is the variant in which the messages are of the arguments' types.
func variantOf(a *protocol.Action, args []state.Value) int {
	v, unit := 0, 1
	for i, p := range a.Params {
		if p.Sort.Kind == protocol.UnionKind {
			v += unit * args[i].N
			unit *= len(p.Sort.Union)
		}
	}
	return v
}
