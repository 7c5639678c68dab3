package encode_test

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver/smt"
)

// TestTerms compares the encoding of random terms in random states with their
// values, and the assumptions with what a state is.
func TestTerms(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		t.Run(name, func(t *testing.T) {
			n := 12
			switch name {
			case "features.yaml":
				n = 60
			case "cluster.yaml":
				n = 40
			}
			forSeeds(t, n, func(t *testing.T, r *rand.Rand) {
				w := newWorld(sys, randomScope(sys, r, 4), r)
				any := w.enc.AnyState()
				g := protocoltest.NewGenerator(w.st, w.r)
				var terms []protocol.Term
				for range 30 {
					terms = append(terms, g.Formula(false), g.Closed(g.AnySort(), false))
				}
				for range 8 {
					s := w.randomState()
					a, ok := any.Assign(s, r)
					if !ok {
						t.Fatalf("no encoding of the state %v", s)
					}
					eval := a.Evaluator()
					if !holds(eval, any.Assumptions) {
						t.Fatalf("a state of the scope is excluded: %v", s)
					}
					if got, canonical := any.Read(eval); !canonical || !got.Equal(s) {
						t.Fatalf("read %v for %v", got, s)
					}
					if got := any.Decode(a.Model()); !got.Equal(s) {
						t.Fatalf("decoded %v for %v", got, s)
					}
					for _, term := range terms {
						want := w.eval.Term(term, semantics.Env{Pre: s})
						got, canonical := any.Value(term, eval)
						if !canonical || !got.Equal(want) {
							t.Fatalf("scope %v state %v\nterm %s\nencoded %v canonical %v, evaluated %v", w.scope, s, show(term), got, canonical, want)
						}
						if term.Sort() == protocol.BoolSort && eval.Bool(any.Formula(term)) != (want.N == 1) {
							t.Fatalf("scope %v state %v\nformula %s\nencoded %v, evaluated %v", w.scope, s, show(term), got, want)
						}
					}
					for _, p := range sys.Properties {
						if !p.TwoState && eval.Bool(any.Formula(p.Formula)) != w.eval.Formula(p.Formula, s) {
							t.Fatalf("scope %v state %v: %s differs", w.scope, s, p.ID)
						}
					}
				}
				for k, n := range g.Seen() {
					seen[k] += n
				}
			})
		})
	}
	protocoltest.CheckCoverage(t, seen, false)
}

// TestRanges flips single bits of states: the assumptions hold exactly where a
// canonical state of the scope results.
func TestRanges(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"features.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		t.Run(name, func(t *testing.T) {
			inside, outside := 0, 0
			forSeeds(t, 15, func(t *testing.T, r *rand.Rand) {
				w := newWorld(sys, randomScope(sys, r, 4), r)
				any := w.enc.AnyState()
				for range 5 {
					a, _ := any.Assign(w.randomState(), r)
					constants := a.Constants()
					for _, k := range r.Perm(len(constants))[:min(60, len(constants))] {
						a.Flip(constants[k])
						eval := a.Evaluator()
						s, canonical := any.Read(eval)
						if holds(eval, any.Assumptions) != canonical {
							t.Fatalf("scope %v, %s flipped: canonical and in scope is %v: %v", w.scope, constants[k], canonical, s)
						}
						if canonical {
							inside++
						} else {
							outside++
						}
						if r.IntN(3) > 0 { // else go on from there
							a.Flip(constants[k])
						}
					}
				}
			})
			if inside < 100 || outside < 100 {
				t.Errorf("%d states inside, %d outside", inside, outside)
			}
		})
	}
}

// TestInit compares the initial state.
func TestInit(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys := load(t, name)
		forSeeds(t, 10, func(t *testing.T, r *rand.Rand) {
			w := newWorld(sys, randomScope(sys, r, 4), r)
			init := w.enc.InitState()
			eval := w.enc.Nothing()
			if !holds(eval, init.Assumptions) {
				t.Fatalf("scope %v: no initial state", w.scope)
			}
			want := w.eval.Init()
			if got, canonical := init.Read(eval); !canonical || !got.Equal(want) {
				t.Fatalf("scope %v: %v, want %v", w.scope, got, want)
			}
			g := protocoltest.NewGenerator(w.st, w.r)
			for range 20 {
				f := g.Formula(false)
				if eval.Bool(init.Formula(f)) != w.eval.Formula(f, want) {
					t.Fatalf("scope %v: %s differs", w.scope, show(f))
				}
			}
		})
	}
}

// TestEquality compares values of every sort that are equal or nearly so.
func TestEquality(t *testing.T) {
	t.Parallel()
	sys := load(t, "features.yaml")
	forSeeds(t, 20, func(t *testing.T, r *rand.Rand) {
		w := newWorld(sys, randomScope(sys, r, 4), r)
		for _, s := range protocoltest.NewGenerator(w.st, w.r).Sorts() {
			pair := w.enc.Pair(s)
			v := w.randomValue(s)
			for _, other := range []state.Value{v, w.mutate(s, v), w.mutate(s, v), w.randomValue(s)} {
				a, ok := pair.Assign(v, other)
				eval := a.Evaluator()
				if !ok || !holds(eval, pair.Ranges) {
					t.Fatalf("scope %v: no encoding of %v and %v of sort %s", w.scope, v, other, s)
				}
				if got := eval.Bool(pair.Equal); got != v.Equal(other) {
					t.Fatalf("scope %v sort %s: %v = %v is %v", w.scope, s, v, other, got)
				}
			}
		}
	})
}

// randomValue is a value of any sort.
func (w *world) randomValue(s *protocol.Sort) state.Value {
	return w.randomKids(s, true, state.Value{})
}

// mutate is a value in which one part may be another.
func (w *world) mutate(s *protocol.Sort, v state.Value) state.Value {
	return w.randomKids(s, false, v)
}

func (w *world) randomKids(s *protocol.Sort, fresh bool, v state.Value) state.Value {
	if len(v.Kids) > 0 && !fresh && w.r.IntN(4) > 0 {
		kids := append([]state.Value(nil), v.Kids...)
		k := w.r.IntN(len(kids))
		of := s.Elem
		if s.Kind == protocol.RecordKind || s.Kind == protocol.MessageKind {
			of = s.Fields[k].Sort
		}
		kids[k] = w.mutate(of, kids[k])
		return state.Value{N: v.N, Kids: kids}
	}
	value := func(of *protocol.Sort) state.Value { return w.randomKids(of, true, state.Value{}) }
	out := state.Value{}
	switch s.Kind {
	case protocol.SetKind:
		out.N = w.r.IntN(1 << w.st.Size(s.Elem))
	case protocol.OptionKind:
		if out.N = w.r.IntN(2); out.N == 1 {
			out.Kids = []state.Value{value(s.Elem)}
		}
	case protocol.SeqKind:
		for range w.r.IntN(w.st.MaxNatural(s.Domain) + 1) {
			out.Kids = append(out.Kids, value(s.Elem))
		}
	case protocol.FuncKind:
		for range w.st.Size(s.Domain) {
			out.Kids = append(out.Kids, value(s.Elem))
		}
	case protocol.RecordKind, protocol.MessageKind:
		for _, f := range s.Fields {
			out.Kids = append(out.Kids, value(f.Sort))
		}
	default:
		out.N = w.r.IntN(w.st.Size(s))
	}
	return out
}

// TestAxioms has axioms that hold in some scopes only: they are assumed of every
// state and step.
func TestAxioms(t *testing.T) {
	t.Parallel()
	sys := parse(t, `
protocol: axioms
sorts:
  Server: {finite: true}
state:
  flag: Bool
axioms:
  two:
    formula: |
      ∃ i, j ∈ Server: i ≠ j
actions:
  Set:
    do: |
      flag := TRUE
`)
	for servers, want := range map[int]bool{1: false, 2: true, 3: true} {
		enc := encode.NewEncoder(sys, encode.NewScope(sys, map[string]int{"Server": servers}))
		for name, fs := range map[string][]*smt.Term{
			"state": enc.AnyState().Assumptions, "initial state": enc.InitState().Assumptions, "step": enc.Step(sys.Actions[0]).Pre.Assumptions,
		} {
			if got := holds(enc.Nothing(), fs); got != want {
				t.Errorf("%d servers, %s: the assumptions are %v", servers, name, got)
			}
		}
	}
}
