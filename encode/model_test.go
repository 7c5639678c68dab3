package encode_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/solver/smtlib"
)

func newSolver(t *testing.T) solver.Solver {
	t.Helper()
	p, err := smtlib.Find("z3", "")
	var missing *solver.NotFoundError
	switch {
	case errors.As(err, &missing) && os.Getenv("KRAFTPROVE_REQUIRE_SOLVERS") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	s := smtlib.New(p, solver.Limits{Incremental: true, Timeout: 20 * time.Second}, smtlib.Options{})
	t.Cleanup(func() { s.Close() })
	return s
}

// TestModels has a solver invent steps of every action: each is a step, and all
// that the encoding says of it is true.
func TestModels(t *testing.T) { // not parallel: one solver at a time
	for _, test := range []struct {
		spec   string
		scope  map[string]int
		models int // of each action, with different constraints
	}{
		{"features.yaml", map[string]int{"Server": 2, "Value": 2, "Lonely": 1, "Epoch": 2, "Index": 2, "Messages": 2}, 3},
		{"features.yaml", map[string]int{"Server": 3, "Value": 1, "Lonely": 1, "Epoch": 1, "Index": 2, "Messages": 1}, 3},
		{"symmetric.yaml", map[string]int{"Server": 2, "Value": 2, "Epoch": 1, "Messages": 0}, 2}, // but for the received ones
		{"symmetric.yaml", map[string]int{"Server": 3, "Value": 3, "Epoch": 2, "Messages": 3}, 4},
		{"cluster.yaml", map[string]int{"Replica": 4, "Voter": 2, "Zone": 2, "Home": 1, "Value": 1, "Epoch": 1, "Index": 2, "Messages": 1}, 2},
		{"cluster.yaml", map[string]int{"Replica": 3, "Voter": 2, "Zone": 1, "Home": 1, "Value": 2, "Epoch": 2, "Index": 1, "Messages": 2}, 2},
		{"raft.yaml", map[string]int{"Server": 3, "Value": 2, "Term": 2, "Index": 2, "Messages": 2}, 2},
	} {
		sys := load(t, test.spec)
		t.Run(test.spec, func(t *testing.T) {
			forSeeds(t, 1, func(t *testing.T, r *rand.Rand) {
				w := newWorld(sys, test.scope, r)
				g := protocoltest.NewGenerator(w.st, w.r)
				for _, a := range sys.Actions {
					s := newStepper(w, a, g, 3)
					found := s.models(t, g, test.models)
					if found == 0 {
						t.Errorf("%s: no step", a.Name)
					}
				}
			})
		})
	}
}

// models asks for n steps, each with random constraints, and returns how many there are.
func (s *stepper) models(t *testing.T, g *protocoltest.Generator, n int) int {
	t.Helper()
	z3 := newSolver(t)
	for _, f := range append(append([]*smt.Term{}, s.step.Pre.Assumptions...), s.step.Guards...) {
		z3.Assert("", f)
	}
	found := 0
	for range n {
		z3.Push()
		// Half of the constraints can be met by most steps, all of them by few.
		for range s.r.IntN(4) {
			z3.Assert("", s.step.TwoState(g.Formula(true)))
		}
		for _, p := range s.sys.Properties {
			if !p.TwoState && s.r.IntN(3) == 0 {
				z3.Assert("", s.step.Pre.Formula(p.Formula))
			}
		}
		res, err := z3.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if res.Status == solver.Sat {
			found++
			s.checkModel(t, res.Model)
		}
		z3.Pop()
	}
	if found == 0 {
		res, err := z3.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if res.Status == solver.Sat {
			found++
			s.checkModel(t, res.Model)
		}
	}
	return found
}

// checkModel compares a step that the encoding has with the evaluator's.
func (s *stepper) checkModel(t *testing.T, m *solver.Model) {
	t.Helper()
	eval := m.Evaluator()
	pre, args := s.step.Decode(m)
	if read, canonical := s.step.Pre.Read(eval); !canonical || !read.Equal(pre) {
		t.Fatalf("%s: decoded %v, read %v, canonical and in scope %v", s.action.Name, pre, read, canonical)
	}
	for i, p := range s.action.Params {
		if !s.st.InScope(p.Sort, args[i]) {
			t.Fatalf("%s: argument %v", s.action.Name, args[i])
		}
	}
	out := s.check(t, pre, args) // this way, too
	if out.Status != semantics.Enabled {
		t.Fatalf("%s%v from %v is no step: %v", s.action.Name, args, pre, out)
	}
	if post, canonical := s.step.ReadPost(eval); !canonical || !post.Equal(out.Post) {
		t.Fatalf("%s%v from %v: post-state %v, evaluated %v", s.action.Name, args, pre, post, out.Post)
	}
	for i, p := range s.sys.Properties {
		if s.post[i] != nil && eval.Bool(s.post[i]) != s.eval.Formula(p.Formula, out.Post) {
			t.Fatalf("%s%v from %v: %s differs", s.action.Name, args, pre, p.ID)
		}
	}
}

// TestStates has a solver invent states in which a random formula is true.
func TestStates(t *testing.T) { // not parallel: one solver at a time
	sys := load(t, "features.yaml")
	forSeeds(t, 3, func(t *testing.T, r *rand.Rand) {
		w := newWorld(sys, randomScope(sys, r, 3), r)
		any := w.enc.AnyState()
		g := protocoltest.NewGenerator(w.st, w.r)
		z3 := newSolver(t)
		for _, f := range any.Assumptions {
			z3.Assert("", f)
		}
		for range 6 {
			f := g.Formula(false)
			z3.Push()
			z3.Assert("", any.Formula(f))
			res, err := z3.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			z3.Pop()
			if res.Status != solver.Sat {
				continue
			}
			s := any.Decode(res.Model)
			if !w.eval.Formula(f, s) {
				t.Fatalf("scope %v state %v: %s is false", w.scope, s, show(f))
			}
			if read, canonical := any.Read(res.Model.Evaluator()); !canonical || !read.Equal(s) {
				t.Fatalf("scope %v state %v: read %v", w.scope, s, read)
			}
		}
	})
}
