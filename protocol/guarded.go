package protocol

import "github.com/speckl/kraftprove/protocol/diag"

// The checker warns about a read s[k] or x! that may be outside: such a read
// has a default value, and a formula that means it is rare. It walks down a
// term and collects what is known to hold at each place (the antecedents of ⇒,
// the conjuncts to the left, the negated disjuncts to the left, the conditions
// of IFs, the ranges of variables, the guards of an action), and asks whether
// that says 1 ≤ k ≤ len(s), or x ≠ Nil, by the few rules of the methods of
// facts. It looks through let, not into definitions, and uses no lemma: a
// warning is a remark, not a mistake.

// read is where a s[k] or x! is written.
type read struct {
	at    diag.Span
	of    diag.Span // the s or x
	index diag.Span // the k
}

const (
	maxFacts = 200    // known at one place; further ones are not used
	maxSteps = 12     // of one argument
	maxWork  = 20_000 // comparisons of terms for one read
)

// fact is a formula known to hold, or to fail.
type fact struct {
	t     Term
	holds bool
}

// facts is what is known at one place of a term.
type facts struct {
	c     *checker
	known []fact
	lets  map[*Binding]Term
	work  int // comparisons left for the read at hand
}

// unguarded warns about the unguarded reads in a closed term.
func (c *checker) unguarded(t Term) {
	(&facts{c: c, lets: map[*Binding]Term{}}).walk(t)
}

// unguardedIn warns about the unguarded reads in an action. Its updates and
// sends happen only if all guards hold, wherever these stand.
func (c *checker) unguardedIn(a *Action) {
	f := &facts{c: c, lets: map[*Binding]Term{}}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *Let:
			f.walk(s.X)
			f.lets[s.Var] = s.X
		case *Guard:
			f.walk(s.Cond)
			f.assume(s.Cond, true)
		case *Update, *Send:
		}
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *Let, *Guard:
		case *Update:
			for _, p := range s.Path {
				f.walk(p)
			}
			f.walk(s.Value)
		case *Send:
			at := len(f.known)
			if s.Cond != nil {
				f.walk(s.Cond)
				f.assume(s.Cond, true)
			}
			f.walk(s.Message)
			f.known = f.known[:at]
		}
	}
}

// walk warns about the unguarded reads in t.
func (f *facts) walk(t Term) {
	at := len(f.known)
	f.work = maxWork
	switch t := t.(type) {
	case *At:
		if r, ok := f.c.reads[t]; ok && !f.inside(t) {
			f.c.unguardedElement(r)
		}
	case *UnaryTerm:
		if r, ok := f.c.reads[t]; ok && !f.provable(goal{holds: f.notNil, of: t.X}) {
			f.c.unguardedValue(r)
		}
	case *Nary:
		for _, x := range t.Args {
			f.walk(x)
			f.assume(x, t.And)
		}
		f.known = f.known[:at]
		return
	case *BinaryTerm:
		if t.Op == Implies {
			f.walk(t.X)
			f.under(t.X, true, t.Y)
			return
		}
	case *Ite:
		f.walk(t.Cond)
		f.under(t.Cond, true, t.Then)
		f.under(t.Cond, false, t.Else)
		return
	case *LetTerm:
		f.walk(t.X)
		f.lets[t.Var] = t.X
		f.walk(t.Body)
		return
	case *Call:
		for _, x := range t.Args {
			f.walk(x)
		}
		return
	case *RecordTerm:
		for _, x := range t.Fields {
			if x != nil {
				f.walk(x)
			}
		}
		return
	case *Lit, *Default, *Var, *SubsortTerm, *StateRead, *Apply, *Select, *Shift, *Quant, *SetTerm, *SetOf, *FuncTerm, *SeqTerm, *StepIs:
	}
	for x := range Children(t) {
		f.walk(x)
	}
}

// under walks t where cond is known to hold or to fail.
func (f *facts) under(cond Term, holds bool, t Term) {
	at := len(f.known)
	f.assume(cond, holds)
	f.walk(t)
	f.known = f.known[:at]
}

// assume adds that t holds or fails, taken apart into what follows from it.
func (f *facts) assume(t Term, holds bool) { f.split(t, holds, maxSteps) }

func (f *facts) split(t Term, holds bool, depth int) {
	if depth == 0 || len(f.known) > maxFacts {
		return
	}
	f.known = append(f.known, fact{t, holds})
	switch t := t.(type) {
	case *UnaryTerm:
		if t.Op == Not {
			f.split(t.X, !holds, depth-1)
		}
	case *Nary:
		if t.And == holds {
			for _, x := range t.Args {
				f.split(x, holds, depth-1)
			}
		}
	case *BinaryTerm:
		if t.Op == Implies && !holds {
			f.split(t.X, true, depth-1)
			f.split(t.Y, false, depth-1)
		}
	case *Var:
		if x := f.lets[t.To]; x != nil {
			f.split(x, holds, depth-1)
		}
	case *LetTerm:
		f.lets[t.Var] = t.X
		f.split(t.Body, holds, depth-1)
	case *Lit, *Default, *SubsortTerm, *StateRead, *Apply, *At, *Select, *Shift, *Ite, *Quant, *SetTerm, *SetOf, *FuncTerm, *SeqTerm, *RecordTerm, *Call, *StepIs:
	}
}

// inside reports whether the facts say that t reads an element.
func (f *facts) inside(t *At) bool {
	return f.provable(goal{holds: f.positive, of: t.Index}) &&
		f.provable(goal{holds: func(k Term, steps int) bool { return f.within(k, t.Seq, steps) }, of: t.Index})
}

// goal is something to be proved of a term in at most some number of steps.
type goal struct {
	holds func(t Term, steps int) bool
	of    Term
}

// provable reports whether the goal follows from the facts, or from each case
// of one disjunction among them.
func (f *facts) provable(g goal) bool {
	if g.holds(g.of, maxSteps) {
		return true
	}
	for _, k := range f.known {
		or, ok := k.t.(*Nary)
		if !ok || or.And == k.holds || len(or.Args) > maxSteps {
			continue
		}
		if f.inEachCase(or, k.holds, g) {
			return true
		}
	}
	return false
}

func (f *facts) inEachCase(or *Nary, holds bool, g goal) bool {
	at := len(f.known)
	defer func() { f.known = f.known[:at] }()
	for _, x := range or.Args {
		f.known = f.known[:at]
		f.assume(x, holds)
		if !g.holds(g.of, maxSteps) {
			return false
		}
	}
	return true
}

// same reports whether two terms are the same, as far as the work left shows.
func (f *facts) same(a, b Term) bool {
	if f.work--; f.work < 0 {
		return false
	}
	return (&equality{resolve: func(b *Binding) Term { return f.lets[b] }, budget: 200}).terms(a, b)
}

// decided is the branch that the facts choose of an IF, or nil.
func (f *facts) decided(t *Ite) Term {
	for _, k := range f.known {
		if f.same(k.t, t.Cond) {
			if k.holds {
				return t.Then
			}
			return t.Else
		}
	}
	return nil
}

// either reports whether p holds of the branch that the facts choose, or of both.
func (f *facts) either(t *Ite, p func(Term) bool) bool {
	if x := f.decided(t); x != nil {
		return p(x)
	}
	return p(t.Then) && p(t.Else)
}

// bounds calls yield with each x that the facts say to be at most k (below),
// or at least k; strict says that it differs from k.
func (f *facts) bounds(k Term, below bool, yield func(x Term, strict bool) bool) bool {
	for _, known := range f.known {
		b, ok := known.t.(*BinaryTerm)
		if !ok {
			continue
		}
		lo, hi, strict := b.X, b.Y, b.Op == Lt
		switch {
		case b.Op == Eq && known.holds && b.X.Sort().Kind == NaturalKind:
			if f.same(b.Y, k) && yield(b.X, false) || f.same(b.X, k) && yield(b.Y, false) {
				return true
			}
			continue
		case b.Op != Lt && b.Op != Le:
			continue
		case !known.holds: // ¬(x < y) is y ≤ x
			lo, hi, strict = hi, lo, !strict
		}
		at, other := hi, lo
		if !below {
			at, other = lo, hi
		}
		if f.same(at, k) && yield(other, strict) {
			return true
		}
	}
	return false
}

// positive reports whether the facts say k ≥ 1.
func (f *facts) positive(k Term, steps int) bool {
	if steps == 0 {
		return false
	}
	next := func(x Term) bool { return f.positive(x, steps-1) }
	switch t := k.(type) {
	case *Lit:
		return t.Value > 0
	case *UnaryTerm:
		if long := f.extension(t.X); t.Op == Len && long != nil &&
			(next(&UnaryTerm{Op: Len, X: long.X, Of: t.Of}) || next(&UnaryTerm{Op: Len, X: long.Y, Of: t.Of})) {
			return true // it is no shorter than either
		}
	case *Shift:
		if t.Delta > 0 {
			return true
		}
	case *Var:
		if x := f.lets[t.To]; x != nil && next(x) {
			return true
		}
	case *Ite:
		if f.either(t, next) {
			return true
		}
	case *BinaryTerm:
		if t.Op == Max && (next(t.X) || next(t.Y)) || t.Op == Min && next(t.X) && next(t.Y) {
			return true
		}
	}
	for _, known := range f.known {
		if b, ok := known.t.(*BinaryTerm); ok && b.Op == Eq && !known.holds {
			if isDefault(b.Y) && f.same(b.X, k) || isDefault(b.X) && f.same(b.Y, k) {
				return true // k ≠ 0
			}
		}
	}
	return f.bounds(k, true, func(x Term, strict bool) bool { return strict || next(x) })
}

// within reports whether the facts say k ≤ len(s).
func (f *facts) within(k, s Term, steps int) bool {
	if steps == 0 {
		return false
	}
	if long := f.extension(s); long != nil && (f.within(k, long.X, steps-1) || f.within(k, long.Y, steps-1)) {
		return true // it is no shorter than either
	}
	next := func(x Term) bool { return f.within(x, s, steps-1) }
	switch t := k.(type) {
	case *Lit:
		if t.Value == 0 {
			return true
		}
		if t.Value == 1 && f.positive(&UnaryTerm{Op: Len, X: s, Of: t.Of}, steps-1) {
			return true
		}
	case *UnaryTerm:
		if t.Op == Len && f.same(t.X, s) {
			return true
		}
	case *Shift:
		if t.Delta <= 0 && next(t.X) {
			return true
		}
		if t.Delta == 1 && f.bounds(t.X, false, func(x Term, strict bool) bool { return strict && next(x) }) {
			return true
		}
	case *Var:
		if x := f.lets[t.To]; x != nil && next(x) {
			return true
		}
	case *Ite:
		if f.either(t, next) {
			return true
		}
	case *BinaryTerm:
		if t.Op == Min && (next(t.X) || next(t.Y)) || t.Op == Max && next(t.X) && next(t.Y) {
			return true
		}
	}
	return f.bounds(k, false, func(x Term, _ bool) bool { return next(x) })
}

// extension is the extend(s, t) that a sequence is, or nil.
func (f *facts) extension(s Term) *BinaryTerm {
	for v, ok := s.(*Var); ok; v, ok = s.(*Var) {
		s = f.lets[v.To]
	}
	if b, ok := s.(*BinaryTerm); ok && b.Op == Extend {
		return b
	}
	return nil
}

// notNil reports whether the facts say x ≠ Nil.
func (f *facts) notNil(x Term, steps int) bool {
	if steps == 0 {
		return false
	}
	next := func(y Term) bool { return f.notNil(y, steps-1) }
	switch t := x.(type) {
	case *UnaryTerm:
		if t.Op == Some {
			return true
		}
	case *Var:
		if y := f.lets[t.To]; y != nil && next(y) {
			return true
		}
	case *Ite:
		if f.either(t, next) {
			return true
		}
	}
	for _, known := range f.known {
		b, ok := known.t.(*BinaryTerm)
		if !ok || b.Op != Eq {
			continue
		}
		for _, side := range [2][2]Term{{b.X, b.Y}, {b.Y, b.X}} {
			some, isSome := side[1].(*UnaryTerm)
			if (known.holds && isSome && some.Op == Some || !known.holds && isDefault(side[1])) && f.same(side[0], x) {
				return true
			}
		}
	}
	return false
}
