package encode

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol"
)

// Edge says that a term of sort From makes one of sort To: a function from From to
// To, or an ∃ over To below a ∀ over From once the formula is asserted.
type Edge struct {
	From, To string
	Because  []string // functions and formulas, sorted
	Cycle    bool     // the edge is part of a cycle
}

// Alternation is the quantifier-alternation graph of a system's unbounded
// encoding, sorted. Where it has no cycle, instantiating quantifiers ends. A cycle
// is no error: it says where a solver may run on, and which functions to look at.
func Alternation(sys *protocol.System) []Edge {
	g := &alternation{sys: sys, because: map[[2]string]map[string]bool{}}
	for _, v := range sys.State {
		g.function(v.Name, nil, v.Sort)
	}
	for _, m := range sys.Messages {
		for _, f := range m.Fields {
			g.function(m.Name+"."+f.Name, []string{m.Name}, f.Sort)
		}
	}
	for _, q := range sys.Sorts {
		if q.Kind == protocol.QuorumKind {
			g.edge(q.Name, q.Elem.Name, "any two "+q.Name+"s meet")
		}
	}
	for _, a := range sys.Axioms {
		g.formula(a.Formula, true, nil, "axiom "+a.Name)
	}
	for _, p := range sys.Properties {
		if p.Kind == protocol.Literal {
			continue
		}
		if !p.TwoState {
			g.formula(p.Formula, true, nil, p.ID)
		}
		g.formula(p.Formula, false, nil, "not "+p.ID)
	}
	for _, a := range sys.Actions {
		for _, s := range a.Body {
			if guard, ok := s.(*protocol.Guard); ok {
				g.formula(guard.Cond, true, nil, a.Name)
			}
		}
	}
	return g.edges()
}

type alternation struct {
	sys     *protocol.System
	because map[[2]string]map[string]bool
}

func (g *alternation) edge(from, to, why string) {
	key := [2]string{from, to}
	if g.because[key] == nil {
		g.because[key] = map[string]bool{}
	}
	g.because[key][why] = true
}

// function adds the edges of the functions that a value of sort s becomes.
func (g *alternation) function(name string, from []string, s *protocol.Sort) {
	switch s.Kind {
	case protocol.ElementKind, protocol.NaturalKind, protocol.QuorumKind, protocol.MessageKind:
		for _, f := range from {
			g.edge(f, s.Name, name)
		}
	case protocol.RecordKind:
		for _, f := range s.Fields {
			g.function(name, from, f.Sort)
		}
	case protocol.OptionKind:
		g.function(name, from, s.Elem)
	case protocol.SeqKind:
		g.function(name, from, s.Domain)
		g.function(name, append(slices.Clone(from), s.Domain.Name), s.Elem)
	case protocol.FuncKind:
		if !finite(s.Domain) {
			from = append(slices.Clone(from), s.Domain.Name)
		}
		g.function(name, from, s.Elem)
	case protocol.Invalid, protocol.BoolKind, protocol.EnumKind, protocol.SetKind, protocol.UnionKind:
	}
}

// formula adds an edge from each sort in outer, over which a ∀ stands around t, to
// the sort of each ∃ in t; asserted says whether t or its negation is asserted.
func (g *alternation) formula(t protocol.Term, asserted bool, outer []string, why string) {
	switch t := t.(type) {
	case *protocol.Quant:
		for _, s := range quantified(t.Var.Sort) {
			if t.Forall == asserted {
				g.formula(t.Body, asserted, append(slices.Clone(outer), s), why)
				continue
			}
			for _, o := range outer {
				g.edge(o, s, why)
			}
			g.formula(t.Body, asserted, outer, why)
		}
		return
	case *protocol.UnaryTerm:
		switch t.Op {
		case protocol.Not:
			g.formula(t.X, !asserted, outer, why)
			return
		case protocol.IsQuorum:
			if asserted {
				for _, q := range g.sys.Sorts {
					if q.Kind == protocol.QuorumKind && q.Elem == t.X.Sort().Elem {
						for _, o := range outer {
							g.edge(o, q.Name, why)
						}
					}
				}
			}
		}
	case *protocol.BinaryTerm:
		switch t.Op {
		case protocol.Implies:
			g.formula(t.X, !asserted, outer, why)
			g.formula(t.Y, asserted, outer, why)
			return
		case protocol.Iff:
			for _, x := range []protocol.Term{t.X, t.Y} {
				g.formula(x, true, outer, why)
				g.formula(x, false, outer, why)
			}
			return
		case protocol.Eq, protocol.Subset:
			if !asserted {
				g.differs(t.X.Sort(), outer, why)
			}
		}
	case *protocol.Ite:
		g.formula(t.Cond, true, outer, why)
		g.formula(t.Cond, false, outer, why)
		g.formula(t.Then, asserted, outer, why)
		g.formula(t.Else, asserted, outer, why)
		return
	}
	for c := range protocol.Children(t) {
		g.formula(c, asserted, outer, why)
	}
}

// differs adds the argument at which two functions, sets or sequences differ.
func (g *alternation) differs(s *protocol.Sort, outer []string, why string) {
	switch s.Kind {
	case protocol.SetKind:
		for _, o := range outer {
			g.edge(o, s.Elem.Name, why)
		}
	case protocol.SeqKind, protocol.FuncKind:
		for _, o := range outer {
			g.edge(o, s.Domain.Name, why)
		}
	default:
	}
}

// quantified are the sorts that a bound variable's quantifier ranges over.
func quantified(s *protocol.Sort) []string {
	switch s.Kind {
	case protocol.BoolKind, protocol.EnumKind:
		return []string{""} // expanded: no sort of terms
	case protocol.UnionKind:
		var out []string
		for _, m := range s.Union {
			out = append(out, m.Name)
		}
		return out
	default:
		return []string{s.Name}
	}
}

// edges lists the edges and marks those on cycles: both ends reach each other.
func (g *alternation) edges() []Edge {
	next := map[string][]string{}
	for k := range g.because {
		next[k[0]] = append(next[k[0]], k[1])
	}
	var out []Edge
	for k, why := range g.because {
		if k[0] == "" || k[1] == "" {
			continue
		}
		e := Edge{From: k[0], To: k[1], Cycle: reaches(next, k[1], k[0])}
		for w := range why {
			e.Because = append(e.Because, w)
		}
		slices.Sort(e.Because)
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Edge) int {
		if c := strings.Compare(a.From, b.From); c != 0 {
			return c
		}
		return strings.Compare(a.To, b.To)
	})
	return out
}

func reaches(next map[string][]string, from, to string) bool {
	seen := map[string]bool{}
	var visit func(s string) bool
	visit = func(s string) bool {
		if s == to {
			return true
		}
		if seen[s] {
			return false
		}
		seen[s] = true
		return slices.ContainsFunc(next[s], visit)
	}
	return visit(from)
}
