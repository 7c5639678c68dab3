package encode_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/specs"
)

// load reads a spec of testdata, or one of specs.
func load(tb testing.TB, name string) *protocol.System {
	tb.Helper()
	fsys := os.DirFS("testdata")
	if name == "raft.yaml" || name == "kraft.yaml" {
		fsys = specs.FS
	}
	sys, errs, err := protocol.Load(fsys, name)
	if err != nil {
		tb.Fatal(err)
	}
	fatal(tb, errs)
	return sys
}

// parse reads a spec.
func parse(tb testing.TB, text string) *protocol.System {
	tb.Helper()
	sys, errs := protocol.Parse("test.yaml", []byte(text))
	fatal(tb, errs)
	return sys
}

func fatal(tb testing.TB, errs diag.List) {
	tb.Helper()
	for _, e := range errs {
		if e.Severity == diag.Error {
			tb.Error(e)
		}
	}
	if tb.Failed() {
		tb.FailNow()
	}
}

// rounds is how many seeds a random test takes: n, or more if the environment
// says so.
func rounds(n int) uint64 {
	if more, err := strconv.Atoi(os.Getenv("KRAFTPROVE_ROUNDS")); err == nil {
		n *= more
	}
	return uint64(n)
}

// forSeeds runs a random test once a seed, each seed under its number, so that
// -run finds it again.
func forSeeds(t *testing.T, n int, test func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for seed := range rounds(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			test(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

// world is a system in a scope, encoded and evaluated.
type world struct {
	sys   *protocol.System
	scope encode.Scope
	enc   *encode.Encoder
	st    *state.Structure
	eval  *semantics.Evaluator
	r     *rand.Rand
}

func newWorld(sys *protocol.System, scope map[string]int, r *rand.Rand) *world {
	w := &world{sys: sys, scope: encode.NewScope(sys, scope), r: r}
	w.enc = encode.NewEncoder(sys, w.scope)
	w.st = w.enc.Structure()
	w.eval = semantics.NewEvaluator(w.st)
	return w
}

// randomScope has 1 to most elements of each sort.
func randomScope(sys *protocol.System, r *rand.Rand, most int) map[string]int {
	sizes := map[string]int{protocol.MessagesScope: r.IntN(3)}
	for _, s := range sys.Sorts {
		sizes[s.Name] = 1 + r.IntN(most)
		if s.Kind == protocol.NaturalKind {
			sizes[s.Name] = 1 + r.IntN(3)
		}
		if s.Subset != nil {
			sizes[s.Subset.Name] = 1 + r.IntN(sizes[s.Name])
		}
	}
	return sizes
}

// randomState is an arbitrary state, or one on the way of a run without some of
// its messages.
func (w *world) randomState() *state.State {
	s := w.eval.RandomState(w.r, w.scope.Messages)
	if w.r.IntN(2) == 0 {
		return s
	}
	w.eval.RandomWalk(w.r, w.r.IntN(20), func(step *state.Step) bool {
		s = step.Post.Clone()
		return true
	})
	for i := range s.Msgs {
		for len(s.Msgs[i]) > w.scope.Messages {
			k := w.r.IntN(len(s.Msgs[i]))
			s.Msgs[i] = slices.Delete(slices.Clone(s.Msgs[i]), k, k+1)
		}
	}
	return s
}

func holds(eval *smt.Evaluator, fs []*smt.Term) bool {
	return !slices.ContainsFunc(fs, func(f *smt.Term) bool { return !eval.Bool(f) })
}

// renaming permutes the elements of some sorts.
type renaming struct {
	st   *state.Structure
	perm map[*protocol.Sort][]int
}

// renamings are all permutations of the sorts that the encoder takes to be symmetric,
// those that keep a subset what it is.
func (w *world) renamings() []renaming {
	out := []renaming{{w.st, nil}}
	for _, s := range w.sys.Sorts {
		if s.Kind != protocol.ElementKind || !w.enc.Symmetric(s) {
			continue
		}
		var next []renaming
		for _, r := range out {
			for _, p := range permutations(w.st.Size(s)) {
				if s.Subset != nil && (renaming{perm: map[*protocol.Sort][]int{s: p}}).set(s, w.st.Subset(s.Subset)) != w.st.Subset(s.Subset) {
					continue
				}
				perm := map[*protocol.Sort][]int{s: p}
				for k, v := range r.perm {
					perm[k] = v
				}
				next = append(next, renaming{w.st, perm})
			}
		}
		out = next
	}
	return out
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}

func (r renaming) set(s *protocol.Sort, set int) int {
	p, ok := r.perm[s]
	if !ok {
		return set
	}
	out := 0
	for k, to := range p {
		out |= set >> k & 1 << to
	}
	return out
}

func (r renaming) scalar(s *protocol.Sort, n int) int {
	switch s.Kind {
	case protocol.ElementKind:
		if p, ok := r.perm[s]; ok {
			return p[n]
		}
	case protocol.QuorumKind:
		members := r.set(s.Elem, r.st.Quorum(s, n))
		for k := range r.st.Size(s) {
			if r.st.Quorum(s, k) == members {
				return k
			}
		}
		panic("the quorums are not closed under renaming")
	default:
	}
	return n
}

func (r renaming) value(s *protocol.Sort, v state.Value) state.Value {
	if len(r.perm) == 0 {
		return v
	}
	out := state.Value{N: v.N}
	if len(v.Kids) > 0 {
		out.Kids = make([]state.Value, len(v.Kids))
	}
	switch s.Kind {
	case protocol.SetKind:
		out.N = r.set(s.Elem, v.N)
	case protocol.OptionKind, protocol.SeqKind:
		for i, k := range v.Kids {
			out.Kids[i] = r.value(s.Elem, k)
		}
	case protocol.FuncKind:
		for i, k := range v.Kids {
			out.Kids[r.scalar(s.Domain, i)] = r.value(s.Elem, k)
		}
	case protocol.RecordKind, protocol.MessageKind:
		for i, f := range s.Fields {
			out.Kids[i] = r.value(f.Sort, v.Kids[i])
		}
	case protocol.UnionKind:
		out.Kids = r.value(s.Union[v.N], state.Value{Kids: v.Kids}).Kids
	default:
		out.N = r.scalar(s, v.N)
	}
	return out
}

func (r renaming) state(s *state.State) *state.State {
	out := &state.State{Vars: make([]state.Value, len(s.Vars)), Msgs: make([][]state.Value, len(s.Msgs))}
	for i, v := range r.st.System.State {
		out.Vars[i] = r.value(v.Sort, s.Vars[i])
	}
	for i, typ := range r.st.System.Messages {
		for _, m := range s.Msgs[i] {
			out.AddMessage(typ, r.value(typ, m))
		}
	}
	return out
}

func (r renaming) args(a *protocol.Action, args []state.Value) []state.Value {
	out := make([]state.Value, len(args))
	for i, p := range a.Params {
		out[i] = r.value(p.Sort, args[i])
	}
	return out
}

// domain is all that a parameter may be in a state.
func (w *world) domain(s *protocol.Sort, pre *state.State) []state.Value {
	var out []state.Value
	switch s.Kind {
	case protocol.MessageKind:
		return pre.Msgs[s.ID]
	case protocol.UnionKind:
		for i, typ := range s.Union {
			for _, m := range pre.Msgs[typ.ID] {
				out = append(out, state.Value{N: i, Kids: m.Kids})
			}
		}
	default:
		for k := range w.st.Size(s) {
			out = append(out, state.Value{N: k})
		}
	}
	return out
}

// arguments are all arguments of an action, or most random ones of them.
func (w *world) arguments(a *protocol.Action, pre *state.State, most int) [][]state.Value {
	out := [][]state.Value{nil}
	for _, p := range a.Params {
		var next [][]state.Value
		for _, args := range out {
			for _, v := range w.domain(p.Sort, pre) {
				next = append(next, append(slices.Clip(args), v))
			}
		}
		out = next
	}
	w.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(most, len(out))]
}
