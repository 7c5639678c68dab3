package machine

import (
	"context"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Script is a run with holes: patterns that the steps fit one after the other, and what the end is to be like.
type Script struct {
	Patterns []Pattern
	Breaks   *protocol.Property // false after the last step, or of the last step if it is two-state; may be nil
	Ends     protocol.Term      // a closed formula that holds after the last step; may be nil
}

// Pattern is one step of an action, or any number of any steps if there is none.
type Pattern struct {
	Action *protocol.Action
	// Args are closed terms by parameter, nil for any value: a quorum may be given as the set of its members, a
	// message as a record whose fields that are nil match anything.
	Args []protocol.Term
}

// Filling is what a search for a run that fits a script came to.
type Filling struct {
	Found bool
	Moves []state.Move // the run found, one of the shortest; else a run to where the search came furthest
	Of    []int        // by move: the position of the pattern that it fits
	Fits  int          // how many patterns those moves fit
	All   bool         // nothing found, and no state left out: there is no such run in the scope, up to FillLimits.Steps
	Tried int          // states
}

// FillLimits end a search; 0 is no limit.
type FillLimits struct {
	Steps  int // of a run
	States int
}

// Fill looks for a run that fits a script: first with no step in the gaps, then with one in all of them together, and so on. It
// remembers states at each pattern by fingerprints of 64 bits.
func (m *Machine) Fill(ctx context.Context, s Script, l FillLimits) Filling {
	c := &compiler{m: m, depth: m.actionVars}
	f := &filling{m: m, l: l, seen: newFingerprints(), sym: newSymmetry(m, nil)}
	for _, p := range s.Patterns {
		var ws []match
		for i := range p.Args {
			ws = append(ws, c.match(p.Action.Params[i].Sort, p.Args[i]))
		}
		f.patterns = append(f.patterns, pattern{p.Action, ws})
	}
	if s.Breaks != nil {
		broken := c.cond(s.Breaks.Formula)
		two := s.Breaks.TwoState
		f.goals = append(f.goals, goal{func(fr *frame) bool { return !broken(fr) }, two})
	}
	if s.Ends != nil {
		f.goals = append(f.goals, goal{c.cond(s.Ends), false})
	}
	m.settle(c)
	return f.search(ctx)
}

// match tests an argument; nil takes any.
type match func(word int) bool

// match compiles what a parameter, or a field, of a sort shall be.
func (c *compiler) match(s *protocol.Sort, t protocol.Term) match {
	if t == nil {
		return nil
	}
	st := &c.m.store
	if r, ok := t.(*protocol.RecordTerm); ok {
		class := c.m.class(r.Of)
		fields := make([]match, len(r.Fields))
		for i, x := range r.Fields {
			if x != nil {
				fields[i] = c.match(r.Of.Fields[i].Sort, x)
			}
		}
		return func(w int) bool {
			if st.class[w] != class {
				return false
			}
			for i, k := range st.of(w) {
				if fields[i] != nil && !fields[i](k) {
					return false
				}
			}
			return true
		}
	}
	x := c.expr(t)
	c.m.settle(c)
	want := x(c.m.frame)
	if s.Kind == protocol.QuorumKind && t.Sort().Kind == protocol.SetKind {
		return func(w int) bool { return c.m.st.Quorum(s, w) == want }
	}
	return func(w int) bool { return w == want }
}

type pattern struct {
	action *protocol.Action
	args   []match
}

// goal is what the end of a run must be like.
type goal struct {
	holds cond
	two   bool // about the last step
}

// filling is a search in progress. Its nodes are states in which the first patterns have been fitted, packed one
// behind the other.
type filling struct {
	m        *Machine
	l        FillLimits
	patterns []pattern
	goals    []goal
	sym      *symmetry
	seen     fingerprints // of what was expanded, and of what is to be
	nodes    []fillNode
	now      []int // nodes to expand with as many steps in gaps as the search allows now
	later    []int // and with one more
	packed   []byte
	args     []int
	cut      bool // states were left out
}

type fillNode struct {
	parent int
	fits   int // patterns
	action *action
	args   int // from here in filling.args
	at     int // from here in filling.packed
}

func (f *filling) search(ctx context.Context) Filling {
	m := f.m
	if m.init == nil {
		return Filling{All: true}
	}
	pre, post := m.blank(), m.blank()
	f.add(m.init, fillNode{parent: -1})
	f.now = []int{0}
	if f.finished(0) && f.done(m.init, m.init, nil) {
		return Filling{Found: true, Fits: len(f.patterns), Tried: 1}
	}
	gaps := f.l.Steps
	for _, p := range f.patterns {
		if p.action != nil {
			gaps--
		}
	}
	for cost := 0; len(f.now) > 0 && (f.l.Steps == 0 || cost <= gaps); cost++ {
		for i := 0; i < len(f.now); i++ {
			if i&0xff == 0 && ctx.Err() != nil || f.l.States > 0 && len(f.nodes) > f.l.States {
				f.cut = true
				return f.furthest()
			}
			at := f.now[i]
			m.unpack(f.packed[f.nodes[at].at:], pre)
			if !f.seen.add(mix(f.sym.raw(pre), uint64(f.nodes[at].fits)+1)) {
				continue // it was reached with fewer steps in gaps
			}
			if f.expand(at, cost, pre, post) {
				return f.result(len(f.nodes)-1, true)
			}
		}
		f.now, f.later = f.later, f.now[:0]
	}
	return f.furthest()
}

// furthest is the result when nothing was found.
func (f *filling) furthest() Filling {
	best := 0
	for i, n := range f.nodes {
		if n.fits > f.nodes[best].fits {
			best = i
		}
	}
	return f.result(best, false)
}

// finished reports whether a run that has fitted the first patterns may end.
func (f *filling) finished(fits int) bool {
	for _, p := range f.patterns[fits:] {
		if p.action != nil {
			return false
		}
	}
	return true
}

// expand takes the steps from a node, and reports whether the last node that it added is the end of a run.
func (f *filling) expand(at, cost int, pre, post *State) bool {
	fits := f.nodes[at].fits
	for fits < len(f.patterns) && f.patterns[fits].action == nil { // a gap: any step, or what follows it
		for _, a := range f.m.actions {
			if f.take(at, fits, cost+1, a, nil, pre, post) {
				return true
			}
		}
		fits++
	}
	if fits == len(f.patterns) {
		return false
	}
	p := f.patterns[fits]
	return f.take(at, fits+1, cost, f.m.actions[p.action.Index], p.args, pre, post)
}

// take adds the steps of an action that fit, after which so many patterns are fitted; cost is the steps in gaps.
func (f *filling) take(at, fits, cost int, a *action, args []match, pre, post *State) bool {
	found := false
	f.m.matching(a, pre, post, args)(func() bool {
		found = f.finished(fits) && f.done(pre, post, a)
		if !f.seen.add(mix(mix(f.sym.raw(post), uint64(fits)+1), uint64(cost)+1)) && !found {
			return true
		}
		n := fillNode{parent: at, fits: fits, action: a, args: len(f.args)}
		f.args = append(f.args, f.m.args(a)...)
		f.add(post, n)
		if fits == f.nodes[at].fits && f.patterns[fits].action == nil {
			f.later = append(f.later, len(f.nodes)-1)
		} else {
			f.now = append(f.now, len(f.nodes)-1)
		}
		return !found
	})
	return found
}

func (f *filling) add(s *State, n fillNode) {
	n.at = len(f.packed)
	f.packed = f.m.pack(f.packed, s)
	f.nodes = append(f.nodes, n)
}

// done reports whether a run may end with the step from pre to post.
func (f *filling) done(pre, post *State, a *action) bool {
	fr := f.m.frame
	defer func(a, b *State) { fr.pre, fr.post = a, b }(fr.pre, fr.post)
	for _, g := range f.goals {
		switch {
		case !g.two:
			fr.pre, fr.post = post, post
		case a == nil:
			return false
		default:
			fr.pre, fr.post = pre, post
		}
		if !g.holds(fr) {
			return false
		}
	}
	return true
}

func (f *filling) result(at int, found bool) Filling {
	out := Filling{Found: found, Fits: f.nodes[at].fits, All: !found && !f.cut, Tried: len(f.nodes)}
	for n := at; f.nodes[n].parent >= 0; n = f.nodes[n].parent {
		a := f.nodes[n].action
		words := f.args[f.nodes[n].args : f.nodes[n].args+len(a.params)]
		out.Moves = append(out.Moves, state.Move{Action: a.decl, Args: f.m.Args(a.decl, words)})
		of := f.nodes[n].fits
		if of == len(f.patterns) || f.patterns[of].action != nil || f.nodes[f.nodes[n].parent].fits != of {
			of-- // not a step in a gap, after which the gap goes on
		}
		out.Of = append(out.Of, of)
	}
	slices.Reverse(out.Moves)
	slices.Reverse(out.Of)
	if found {
		out.Fits = len(f.patterns)
	}
	return out
}
