// Package protocoltest invents terms and protocols, for tests that compare the roads to their meaning.
package protocoltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Generator invents well-sorted terms of a system. It makes every kind of term
// and every operator for each sort that the system has, and cares for nothing
// but sorts: reads outside domains are wanted.
type Generator struct {
	r        *rand.Rand
	sys      *protocol.System
	max      func(*protocol.Sort) int // of a natural
	sorts    []*protocol.Sort         // all those inside the state and the messages
	defs     []*protocol.Definition
	vars     []*protocol.Binding
	twoState bool
	budget   int
	seen     map[string]int // kinds of terms made
}

// NewGenerator invents terms of the system of a structure, numbers somewhat larger than those of the structure included.
func NewGenerator(st *state.Structure, r *rand.Rand) *Generator {
	sys := st.System
	g := &Generator{r: r, sys: sys, max: st.MaxNatural, seen: map[string]int{}}
	g.defs = append(g.defs, sys.Defs...)
	g.addSort(protocol.BoolSort)
	for _, s := range slices.Concat(sys.Sorts, sys.Enums, sys.Messages) {
		g.addSort(s)
	}
	for _, v := range sys.State {
		g.addSort(v.Sort)
	}
	// Definitions of its own, each of which may call those before.
	for n := range 4 {
		d := &protocol.Definition{Name: fmt.Sprint("def", n)}
		for k := range n {
			d.Params = append(d.Params, &protocol.Binding{Name: fmt.Sprint("p", k), Sort: g.AnySort()})
		}
		g.vars, g.budget = d.Params, 12
		d.Body = g.term(g.AnySort(), 3)
		g.vars = nil
		g.defs = append(g.defs, d)
	}
	return g
}

// Sorts are all those inside the state and the messages.
func (g *Generator) Sorts() []*protocol.Sort { return g.sorts }

// Seen counts what was made, by kind of term, operator and sort.
func (g *Generator) Seen() map[string]int { return g.seen }

func (g *Generator) addSort(s *protocol.Sort) {
	if s == nil || slices.Contains(g.sorts, s) {
		return
	}
	g.sorts = append(g.sorts, s)
	g.addSort(s.Elem)
	g.addSort(s.Domain)
	for _, f := range s.Fields {
		g.addSort(f.Sort)
	}
}

// AnySort is one of the sorts.
func (g *Generator) AnySort() *protocol.Sort { return g.sorts[g.r.IntN(len(g.sorts))] }

// find is a random sort with a property, or nil.
func (g *Generator) find(ok func(*protocol.Sort) bool) *protocol.Sort {
	var all []*protocol.Sort
	for _, s := range g.sorts {
		if ok(s) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[g.r.IntN(len(all))]
}

func (g *Generator) ofKind(k protocol.Kind) *protocol.Sort {
	return g.find(func(s *protocol.Sort) bool { return s.Kind == k })
}

// Formula is a closed formula.
func (g *Generator) Formula(twoState bool) protocol.Term {
	return g.Closed(protocol.BoolSort, twoState)
}

// Closed is a closed term of a sort.
func (g *Generator) Closed(s *protocol.Sort, twoState bool) protocol.Term {
	g.vars, g.twoState, g.budget = nil, twoState, 40
	return g.term(s, 5)
}

// term is a term of the sort, which is a union only if a variable has it.
func (g *Generator) term(s *protocol.Sort, depth int) protocol.Term {
	g.budget--
	makers := g.leaves(s)
	if depth > 0 && g.budget > 0 {
		inner := slices.Concat(g.inner(s, depth-1), g.reads(s, depth-1))
		if len(inner) > 0 && (len(makers) == 0 || g.r.IntN(5) > 0) {
			makers = inner
		}
	}
	t := makers[g.r.IntN(len(makers))]()
	g.note(t)
	return t
}

// leaves are the terms without parts.
func (g *Generator) leaves(s *protocol.Sort) []func() protocol.Term {
	var out []func() protocol.Term
	for _, v := range g.vars {
		if v.Sort == s {
			leaf := func() protocol.Term { return &protocol.Var{To: v} }
			out = append(out, leaf, leaf, leaf)
		}
	}
	for _, v := range g.sys.State {
		if v.Sort == s {
			out = append(out, func() protocol.Term { return &protocol.StateRead{State: v, Primed: g.primed()} })
		}
	}
	lit := func(n int) {
		out = append(out, func() protocol.Term { return &protocol.Lit{Of: s, Value: g.r.IntN(n)} })
	}
	large := func() protocol.Term { return &protocol.Lit{Of: s, Value: 1<<g.r.IntN(32) - 1} }
	switch s.Kind {
	case protocol.UnionKind:
		return out
	case protocol.NaturalKind:
		lit(g.max(s) + 3)
		if g.r.IntN(10) == 0 {
			out = append(out, large)
		}
	case protocol.EnumKind:
		lit(len(s.Consts))
	case protocol.BoolKind:
		lit(2)
		if g.twoState {
			out = append(out, func() protocol.Term {
				t := &protocol.StepIs{}
				for range g.r.IntN(3) {
					t.Actions = append(t.Actions, g.sys.Actions[g.r.IntN(len(g.sys.Actions))])
				}
				return t
			})
		}
	case protocol.SetKind:
		if x := s.Elem.Subset; x != nil {
			leaf := func() protocol.Term { return &protocol.SubsortTerm{Of: x} }
			out = append(out, leaf, leaf)
		}
	default:
	}
	return append(out, func() protocol.Term { return &protocol.Default{Of: s} })
}

func (g *Generator) primed() bool { return g.twoState && g.r.IntN(2) == 0 }

// bound is a term with one more variable.
func (g *Generator) bound(b *protocol.Binding, s *protocol.Sort, depth int) protocol.Term {
	g.vars = append(g.vars, b)
	t := g.term(s, depth)
	g.vars = g.vars[:len(g.vars)-1]
	return t
}

// reads are the terms that take a value of any sort out of another one.
func (g *Generator) reads(s *protocol.Sort, d int) []func() protocol.Term {
	out := []func() protocol.Term{
		func() protocol.Term {
			return &protocol.Ite{Cond: g.term(protocol.BoolSort, d), Then: g.term(s, d), Else: g.term(s, d)}
		},
		func() protocol.Term {
			of := g.AnySort()
			b := &protocol.Binding{Name: "l", Sort: of}
			return &protocol.LetTerm{Var: b, X: g.term(of, d), Body: g.bound(b, s, d)}
		},
	}
	for _, of := range g.sorts {
		switch {
		case of.Elem != s:
		case of.Kind == protocol.FuncKind:
			apply := func() protocol.Term { return &protocol.Apply{Fun: g.term(of, d), Arg: g.term(of.Domain, d)} }
			out = append(out, apply, apply)
		case of.Kind == protocol.SeqKind:
			at := func() protocol.Term { return &protocol.At{Seq: g.term(of, d), Index: g.term(of.Domain, d)} }
			out = append(out, at, at)
		case of.Kind == protocol.OptionKind:
			out = append(out, func() protocol.Term { return &protocol.UnaryTerm{Op: protocol.Value, X: g.term(of, d), Of: s} })
		}
	}
	records := slices.Clone(g.sorts)
	for _, v := range g.vars {
		if v.Sort.Kind == protocol.UnionKind {
			records = append(records, v.Sort, v.Sort, v.Sort, v.Sort)
		}
	}
	for _, of := range records {
		for _, f := range of.Fields {
			if f.Sort == s {
				out = append(out, func() protocol.Term { return &protocol.Select{X: g.term(of, d), Field: f} })
			}
		}
	}
	for _, def := range g.defs {
		if def.Body.Sort() == s {
			call := func() protocol.Term {
				t := &protocol.Call{Def: def}
				for _, p := range def.Params {
					t.Args = append(t.Args, g.term(p.Sort, d))
				}
				return t
			}
			out = append(out, call, call)
		}
	}
	return out
}

// inner are the terms that make values of the sort.
func (g *Generator) inner(s *protocol.Sort, d int) []func() protocol.Term {
	same := func(op protocol.BinaryOp) func() protocol.Term {
		return func() protocol.Term { return &protocol.BinaryTerm{Op: op, X: g.term(s, d), Y: g.term(s, d), Of: s} }
	}
	several := func(of *protocol.Sort) []protocol.Term {
		var out []protocol.Term
		for range g.r.IntN(4) {
			out = append(out, g.term(of, d))
		}
		return out
	}
	switch s.Kind {
	case protocol.BoolKind:
		return g.boolean(d)
	case protocol.NaturalKind:
		out := []func() protocol.Term{same(protocol.Min), same(protocol.Max), func() protocol.Term {
			delta := g.r.IntN(2*g.max(s)+5) - g.max(s) - 2
			if g.r.IntN(10) == 0 {
				delta *= 500
			}
			return &protocol.Shift{X: g.term(s, d), Delta: delta}
		}}
		if of := g.find(func(q *protocol.Sort) bool { return q.Kind == protocol.SeqKind && q.Domain == s }); of != nil {
			out = append(out, func() protocol.Term { return &protocol.UnaryTerm{Op: protocol.Len, X: g.term(of, d), Of: s} })
		}
		return out
	case protocol.OptionKind:
		return []func() protocol.Term{func() protocol.Term {
			return &protocol.UnaryTerm{Op: protocol.Some, X: g.term(s.Elem, d), Of: s}
		}}
	case protocol.SetKind:
		out := []func() protocol.Term{same(protocol.Union), same(protocol.Intersect), same(protocol.Difference),
			func() protocol.Term { return &protocol.SetTerm{Elems: several(s.Elem), Of: s} },
			func() protocol.Term {
				b := &protocol.Binding{Name: "e", Sort: s.Elem, InRange: true}
				return &protocol.SetOf{Var: b, Cond: g.bound(b, protocol.BoolSort, d), Of: s}
			}}
		if s.Elem.Quorum != nil {
			out = append(out, func() protocol.Term {
				return &protocol.UnaryTerm{Op: protocol.MembersOf, X: g.term(s.Elem.Quorum, d), Of: s}
			})
		}
		return out
	case protocol.SeqKind:
		return []func() protocol.Term{
			func() protocol.Term { return &protocol.SeqTerm{Elems: several(s.Elem), Of: s} },
			func() protocol.Term {
				return &protocol.BinaryTerm{Op: protocol.Append, X: g.term(s, d), Y: g.term(s.Elem, d), Of: s}
			},
			func() protocol.Term {
				return &protocol.BinaryTerm{Op: protocol.Truncate, X: g.term(s, d), Y: g.term(s.Domain, d), Of: s}
			},
			same(protocol.Extend), same(protocol.Extend),
		}
	case protocol.FuncKind:
		return []func() protocol.Term{func() protocol.Term {
			b := &protocol.Binding{Name: "a", Sort: s.Domain, InRange: true}
			return &protocol.FuncTerm{Var: b, Body: g.bound(b, s.Elem, d), Of: s}
		}}
	case protocol.RecordKind, protocol.MessageKind:
		return []func() protocol.Term{func() protocol.Term {
			t := &protocol.RecordTerm{Of: s}
			for _, f := range s.Fields {
				t.Fields = append(t.Fields, g.term(f.Sort, d))
			}
			return t
		}}
	default:
		return nil
	}
}

func (g *Generator) boolean(d int) []func() protocol.Term {
	b := protocol.BoolSort
	two := func(op protocol.BinaryOp, of func() (x, y *protocol.Sort)) func() protocol.Term {
		return func() protocol.Term {
			x, y := of()
			if x == nil {
				return &protocol.Lit{Of: b, Value: 1}
			}
			return &protocol.BinaryTerm{Op: op, X: g.term(x, d), Y: g.term(y, d), Of: b}
		}
	}
	kind := func(k protocol.Kind) func() (x, y *protocol.Sort) {
		return func() (x, y *protocol.Sort) { s := g.ofKind(k); return s, s }
	}
	anyOf := func() (x, y *protocol.Sort) { s := g.AnySort(); return s, s }
	in := func() (x, y *protocol.Sort) {
		s := g.ofKind(protocol.SetKind)
		if s == nil {
			return nil, nil
		}
		return s.Elem, s
	}
	nary := func(and bool) func() protocol.Term {
		return func() protocol.Term {
			t := &protocol.Nary{And: and}
			for range g.r.IntN(4) {
				t.Args = append(t.Args, g.term(b, d))
			}
			return t
		}
	}
	return []func() protocol.Term{
		two(protocol.Eq, anyOf), two(protocol.Eq, anyOf), two(protocol.Eq, anyOf),
		two(protocol.Lt, kind(protocol.NaturalKind)), two(protocol.Le, kind(protocol.NaturalKind)),
		two(protocol.Implies, kind(protocol.BoolKind)), two(protocol.Iff, kind(protocol.BoolKind)),
		two(protocol.In, in), two(protocol.Subset, kind(protocol.SetKind)),
		nary(true), nary(false),
		func() protocol.Term { return &protocol.UnaryTerm{Op: protocol.Not, X: g.term(b, d), Of: b} },
		func() protocol.Term {
			s := g.ofKind(protocol.SetKind)
			if s == nil {
				return &protocol.Lit{Of: b}
			}
			return &protocol.UnaryTerm{Op: protocol.IsQuorum, X: g.term(s, d), Of: b}
		},
		func() protocol.Term { return g.quant(d) }, func() protocol.Term { return g.quant(d) }, func() protocol.Term { return g.quant(d) },
	}
}

func (g *Generator) quant(d int) protocol.Term {
	t := &protocol.Quant{Forall: g.r.IntN(2) == 0}
	var s *protocol.Sort
	switch len(g.sys.Messages) {
	case 0:
	case 1:
		s = g.sys.Messages[0]
	default:
		if s = g.sys.Messages[g.r.IntN(len(g.sys.Messages))]; g.r.IntN(2) == 0 {
			s = union(slices.Clone(g.sys.Messages), g.r)
		}
	}
	if s == nil || g.r.IntN(2) == 0 {
		s = g.find((*protocol.Sort).IsScalar)
	}
	t.Primed = !s.IsScalar() && g.primed()
	t.Var = &protocol.Binding{Name: "q", Sort: s, InRange: true}
	t.Body = g.bound(t.Var, protocol.BoolSort, d)
	if s.Kind == protocol.NaturalKind && g.r.IntN(2) == 0 { // as for x ∈ a..b
		v := &protocol.Var{To: t.Var}
		in := &protocol.Nary{And: true, Args: []protocol.Term{
			&protocol.BinaryTerm{Op: protocol.Le, X: g.term(s, d), Y: v, Of: protocol.BoolSort},
			&protocol.BinaryTerm{Op: protocol.Le, X: v, Y: g.term(s, d), Of: protocol.BoolSort}}}
		if t.Forall {
			t.Body = &protocol.BinaryTerm{Op: protocol.Implies, X: in, Y: t.Body, Of: protocol.BoolSort}
		} else {
			t.Body = &protocol.Nary{And: true, Args: []protocol.Term{in, t.Body}}
		}
	}
	return t
}

// union is the sort of two or more of the messages.
func union(types []*protocol.Sort, r *rand.Rand) *protocol.Sort {
	r.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	u := &protocol.Sort{Kind: protocol.UnionKind, Name: "union", Union: types[:2+r.IntN(len(types)-1)]}
	for _, f := range types[0].Fields {
		if !slices.ContainsFunc(u.Union, func(m *protocol.Sort) bool { x := m.Field(f.Name); return x == nil || x.Sort != f.Sort }) {
			u.Fields = append(u.Fields, &protocol.Field{Name: f.Name, Sort: f.Sort, Index: len(u.Fields)})
		}
	}
	return u
}

// note counts what is made, by kind of term, operator and sort.
func (g *Generator) note(t protocol.Term) {
	kind := fmt.Sprintf("%T", t)[len("*protocol."):]
	switch t := t.(type) {
	case *protocol.UnaryTerm:
		kind = fmt.Sprint("unary ", t.Op)
	case *protocol.BinaryTerm:
		kind = fmt.Sprint("binary ", t.Op)
		if t.Op == protocol.Eq {
			g.seen[fmt.Sprint("equality of kind ", t.X.Sort().Kind)]++
		}
	case *protocol.Quant:
		g.seen[fmt.Sprint("quantifier over kind ", t.Var.Sort.Kind)]++
		if t.Primed {
			kind = "Quant primed"
		}
	case *protocol.StateRead:
		if t.Primed {
			kind = "StateRead primed"
		}
	}
	g.seen[kind]++
	g.seen[fmt.Sprint("term of kind ", t.Sort().Kind)]++
}

// CheckCoverage fails where the generator has not made everything often.
func CheckCoverage(t *testing.T, seen map[string]int, twoState bool) {
	t.Helper()
	want := []string{"Lit", "Default", "Var", "StateRead", "Apply", "At", "Select", "Nary", "Shift", "Ite", "Quant",
		"SetTerm", "SetOf", "FuncTerm", "SeqTerm", "RecordTerm", "LetTerm", "Call", "SubsortTerm"}
	if twoState {
		want = append(want, "StateRead primed", "Quant primed", "StepIs")
	}
	for op := protocol.Not; op <= protocol.MembersOf; op++ {
		want = append(want, fmt.Sprint("unary ", op))
	}
	for op := protocol.Eq; op <= protocol.Extend; op++ {
		want = append(want, fmt.Sprint("binary ", op))
	}
	for k := protocol.BoolKind; k <= protocol.FuncKind; k++ {
		if k != protocol.UnionKind {
			want = append(want, fmt.Sprint("term of kind ", k), fmt.Sprint("equality of kind ", k))
		}
		switch k {
		case protocol.BoolKind, protocol.ElementKind, protocol.EnumKind, protocol.NaturalKind, protocol.QuorumKind,
			protocol.MessageKind, protocol.UnionKind:
			want = append(want, fmt.Sprint("quantifier over kind ", k))
		default:
		}
	}
	for _, k := range want {
		if seen[k] < 10 {
			t.Errorf("%s: made %d times", k, seen[k])
		}
	}
}
