package encode

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

// symState is a symbolic state. A message type has a list of slots; the set of
// messages sent is made of those that are live.
type symState struct {
	vars []*sym
	msgs [][]slot
}

type slot struct {
	sent  *smt.Term
	value *sym
}

// frame is what a term is read in: the states, the step, the bound variables.
type frame struct {
	pre, post *symState
	action    *protocol.Action
	acts      []*smt.Term // of a step that may be of several actions, by Action.Index: it is of this one
	vars      []bound
}

type bound struct {
	to *protocol.Binding
	v  *sym
}

func (f *frame) lookup(b *protocol.Binding) *sym {
	for i := len(f.vars) - 1; i >= 0; i-- {
		if f.vars[i].to == b {
			return f.vars[i].v
		}
	}
	panic("unbound variable " + b.Name)
}

func (f *frame) bind(b *protocol.Binding, v *sym) { f.vars = append(f.vars, bound{b, v}) }
func (f *frame) drop()                            { f.vars = f.vars[:len(f.vars)-1] }

// formula is a Boolean term's meaning.
func (e *Encoder) formula(t protocol.Term, f *frame) *smt.Term {
	switch t := t.(type) {
	case *protocol.Nary:
		args := make([]*smt.Term, 0, len(t.Args))
		stop := e.b.Bool(!t.And)
		for _, a := range t.Args {
			x := e.formula(a, f)
			if x == stop {
				return stop
			}
			args = append(args, x)
		}
		if t.And {
			return e.b.And(args...)
		}
		return e.b.Or(args...)
	case *protocol.BinaryTerm:
		return e.relation(t, f)
	case *protocol.UnaryTerm:
		switch t.Op {
		case protocol.Not:
			return e.b.Not(e.formula(t.X, f))
		case protocol.IsQuorum:
			return e.isQuorum(t.X.Sort(), e.term(t.X, f))
		case protocol.Len, protocol.Some, protocol.Value, protocol.MembersOf:
		}
	case *protocol.Quant:
		return e.quant(t, f)
	}
	return e.truth(e.term(t, f))
}

// term is a term's meaning.
func (e *Encoder) term(t protocol.Term, f *frame) *sym {
	switch t := t.(type) {
	case *protocol.Lit:
		return e.literal(t.Value)
	case *protocol.Default:
		return nothing
	case *protocol.Var:
		return f.lookup(t.To)
	case *protocol.SubsortTerm:
		return &sym{bits: e.constant(e.st.Subset(t.Of))}
	case *protocol.StateRead:
		if t.Primed {
			return f.post.vars[t.State.Index]
		}
		return f.pre.vars[t.State.Index]
	case *protocol.Apply:
		return e.apply(t.Fun.Sort().Domain, e.term(t.Fun, f), e.term(t.Arg, f).bits)
	case *protocol.At:
		return e.at(e.term(t.Seq, f), e.term(t.Index, f).bits)
	case *protocol.Select:
		return e.term(t.X, f).kid(t.Field.Index)
	case *protocol.UnaryTerm:
		return e.unary(t, f)
	case *protocol.BinaryTerm:
		if t.Of == protocol.BoolSort {
			return e.boolean(e.relation(t, f))
		}
		return e.operation(t, f)
	case *protocol.Nary, *protocol.Quant:
		return e.boolean(e.formula(t, f))
	case *protocol.Shift:
		return e.number(e.shift(e.term(t.X, f).bits, t.Delta))
	case *protocol.Ite:
		c := e.formula(t.Cond, f)
		switch c {
		case e.b.True():
			return e.term(t.Then, f)
		case e.b.False():
			return e.term(t.Else, f)
		}
		return e.choose(c, e.term(t.Then, f), e.term(t.Else, f))
	case *protocol.SetTerm:
		return e.setTerm(t, f)
	case *protocol.SetOf:
		out := &sym{bits: make(number, e.st.Size(t.Var.Sort))}
		for k := range out.bits {
			f.bind(t.Var, e.literal(k))
			out.bits[k] = e.formula(t.Cond, f)
			f.drop()
		}
		return out
	case *protocol.FuncTerm:
		out := &sym{kids: make([]*sym, e.st.Size(t.Var.Sort))}
		for k := range out.kids {
			f.bind(t.Var, e.literal(k))
			out.kids[k] = e.term(t.Body, f)
			f.drop()
		}
		return out
	case *protocol.SeqTerm:
		out := &sym{bits: e.constant(len(t.Elems))}
		for _, el := range t.Elems {
			out.kids = append(out.kids, e.term(el, f))
		}
		return out
	case *protocol.RecordTerm:
		out := &sym{kids: make([]*sym, len(t.Fields))}
		for i, x := range t.Fields {
			out.kids[i] = e.term(x, f)
		}
		return out
	case *protocol.LetTerm:
		f.bind(t.Var, e.term(t.X, f))
		v := e.term(t.Body, f)
		f.drop()
		return v
	case *protocol.Call:
		return e.call(t, f)
	case *protocol.StepIs:
		if f.acts != nil {
			var any []*smt.Term
			for _, a := range t.Actions {
				any = append(any, f.acts[a.Index])
			}
			return e.boolean(e.b.Or(any...))
		}
		for _, a := range t.Actions {
			if a == f.action {
				return e.yes
			}
		}
		return nothing
	}
	panic("unhandled term")
}

// number shares the small constants.
func (e *Encoder) number(n number) *sym {
	if v, ok := e.known(n); ok {
		return e.literal(v)
	}
	return &sym{bits: n}
}

// apply is f[x]: the default beyond the domain, which only a natural can leave.
func (e *Encoder) apply(domain *protocol.Sort, fun *sym, x number) *sym {
	if len(fun.kids) == 0 {
		return nothing
	}
	if domain.Kind == protocol.NaturalKind {
		return e.cellOrDefault(fun.kids, x)
	}
	return e.cell(e.padded(fun, e.st.Size(domain)), x)
}

// padded lists all the size kids of a value that may have fewer.
func (e *Encoder) padded(v *sym, size int) []*sym {
	if len(v.kids) >= size {
		return v.kids
	}
	out := make([]*sym, size)
	for i := range out {
		out[i] = v.kid(i)
	}
	return out
}

// at is s[k]: cells beyond the length are the default already.
func (e *Encoder) at(s *sym, k number) *sym {
	if v, ok := e.known(k); ok {
		if v < 1 {
			return nothing
		}
		return s.kid(v - 1)
	}
	cells := make([]*sym, 0, len(s.kids)+1)
	return e.cellOrDefault(append(append(cells, nothing), s.kids...), k)
}

// quant expands a quantifier over its sort, or over the slots of a message type.
func (e *Encoder) quant(t *protocol.Quant, f *frame) *smt.Term {
	stop := e.b.Bool(!t.Forall)
	var args []*smt.Term
	add := func(live *smt.Term, v *sym) bool {
		if live == e.b.False() {
			return true
		}
		f.bind(t.Var, v)
		x := e.formula(t.Body, f)
		f.drop()
		if t.Forall {
			x = e.b.Implies(live, x)
		} else {
			x = e.b.And(live, x)
		}
		args = append(args, x)
		return x != stop
	}
	s := t.Var.Sort
	switch s.Kind {
	case protocol.MessageKind, protocol.UnionKind:
		types := s.Union
		if s.Kind == protocol.MessageKind {
			types = []*protocol.Sort{s}
		}
		st := f.pre
		if t.Primed {
			st = f.post
		}
		for _, typ := range types {
			for _, m := range st.msgs[typ.ID] {
				if !add(m.sent, e.common(s, typ, m.value)) {
					return stop
				}
			}
		}
	default:
		for k := range e.st.Size(s) {
			if !add(e.b.True(), e.literal(k)) {
				return stop
			}
		}
	}
	if t.Forall {
		return e.b.And(args...)
	}
	return e.b.Or(args...)
}

// common is a message of type typ as a value of sort s: itself, or the fields
// that the types of a union have in common.
func (e *Encoder) common(s, typ *protocol.Sort, m *sym) *sym {
	if s.Kind != protocol.UnionKind {
		return m
	}
	out := &sym{kids: make([]*sym, len(s.Fields))}
	for i, f := range s.Fields {
		out.kids[i] = m.kid(typ.Field(f.Name).Index)
	}
	return out
}

func (e *Encoder) unary(t *protocol.UnaryTerm, f *frame) *sym {
	switch t.Op {
	case protocol.Not, protocol.IsQuorum:
		return e.boolean(e.formula(t, f))
	case protocol.Len:
		return e.number(e.term(t.X, f).bits)
	case protocol.Some:
		return &sym{bits: number{e.b.True()}, kids: []*sym{e.term(t.X, f)}}
	case protocol.Value:
		return e.term(t.X, f).kid(0)
	case protocol.MembersOf:
		return e.membersOf(t.X.Sort(), e.term(t.X, f).bits)
	}
	panic("unhandled operator")
}

// isQuorum says that the set includes some quorum.
func (e *Encoder) isQuorum(s *protocol.Sort, set *sym) *smt.Term {
	var any []*smt.Term
	for _, q := range e.sys.Sorts {
		if q.Kind != protocol.QuorumKind || q.Elem != s.Elem {
			continue
		}
		for k := range e.st.Size(q) {
			var all []*smt.Term
			for i, members := 0, e.st.Quorum(q, k); members > 0; i, members = i+1, members>>1 {
				if members&1 == 1 {
					all = append(all, e.bit(set.bits, i))
				}
			}
			any = append(any, e.b.And(all...))
		}
	}
	return e.b.Or(any...)
}

// membersOf is the set of the members of quorum number q.
func (e *Encoder) membersOf(s *protocol.Sort, q number) *sym {
	sets, ok := e.quorums[s]
	if !ok {
		for k := range e.st.Size(s) {
			sets = append(sets, &sym{bits: e.constant(e.st.Quorum(s, k))})
		}
		e.quorums[s] = sets
	}
	return e.cell(sets, q)
}

// relation is an operator with a Boolean result.
func (e *Encoder) relation(t *protocol.BinaryTerm, f *frame) *smt.Term {
	switch t.Op {
	case protocol.Implies:
		x := e.formula(t.X, f)
		if x == e.b.False() {
			return e.b.True()
		}
		return e.b.Implies(x, e.formula(t.Y, f))
	case protocol.Iff:
		return e.b.Iff(e.formula(t.X, f), e.formula(t.Y, f))
	default:
	}
	x, y := e.term(t.X, f), e.term(t.Y, f)
	switch t.Op {
	case protocol.Eq:
		return e.equal(x, y)
	case protocol.Lt:
		return e.less(x.bits, y.bits, false)
	case protocol.Le:
		return e.less(x.bits, y.bits, true)
	case protocol.In:
		return e.member(x.bits, y)
	case protocol.Subset:
		return e.b.And(e.bitwise(x, y, e.b.Implies)...)
	default:
		panic("unhandled relation")
	}
}

// operation is an operator with a result of another sort.
func (e *Encoder) operation(t *protocol.BinaryTerm, f *frame) *sym {
	x, y := e.term(t.X, f), e.term(t.Y, f)
	switch t.Op {
	case protocol.Union:
		return &sym{bits: e.bitwise(x, y, func(a, b *smt.Term) *smt.Term { return e.b.Or(a, b) })}
	case protocol.Intersect:
		return &sym{bits: e.bitwise(x, y, func(a, b *smt.Term) *smt.Term { return e.b.And(a, b) })}
	case protocol.Difference:
		return &sym{bits: e.bitwise(x, y, func(a, b *smt.Term) *smt.Term { return e.b.And(a, e.b.Not(b)) })}
	case protocol.Min:
		return e.choose(e.less(x.bits, y.bits, true), x, y)
	case protocol.Max:
		return e.choose(e.less(x.bits, y.bits, true), y, x)
	case protocol.Append:
		return e.append(x, y)
	case protocol.Truncate:
		return e.truncate(x, y.bits)
	case protocol.Extend:
		return e.extend(x, y)
	default:
		panic("unhandled operation")
	}
}

func (e *Encoder) bitwise(x, y *sym, op func(a, b *smt.Term) *smt.Term) number {
	out := make(number, max(len(x.bits), len(y.bits)))
	for i := range out {
		out[i] = op(e.bit(x.bits, i), e.bit(y.bits, i))
	}
	return out
}

// member says that element number x is in the set.
func (e *Encoder) member(x number, set *sym) *smt.Term {
	if v, ok := e.known(x); ok {
		return e.bit(set.bits, v)
	}
	cells := make([]*sym, len(set.bits))
	for i, b := range set.bits {
		cells[i] = e.boolean(b)
	}
	return e.truth(e.cellOrDefault(cells, x))
}

func (e *Encoder) setTerm(t *protocol.SetTerm, f *frame) *sym {
	out := &sym{bits: make(number, e.st.Size(t.Of.Elem))}
	elems := make([]number, len(t.Elems))
	for i, el := range t.Elems {
		elems[i] = e.term(el, f).bits
	}
	for k := range out.bits {
		var any []*smt.Term
		for _, el := range elems {
			any = append(any, e.equalNumbers(el, e.constant(k)))
		}
		out.bits[k] = e.b.Or(any...)
	}
	return out
}

// append puts v behind the last element; the result may be one longer than the
// scope's sequences.
func (e *Encoder) append(s, v *sym) *sym {
	out := &sym{bits: e.shift(s.bits, 1), kids: make([]*sym, len(s.kids)+1)}
	for k := range out.kids {
		out.kids[k] = e.choose(e.equalNumbers(s.bits, e.constant(k)), v, s.kid(k))
	}
	if v, ok := e.known(out.bits); ok {
		out.kids = out.kids[:min(v, len(out.kids))]
	}
	return out
}

// truncate keeps the first k elements.
func (e *Encoder) truncate(s *sym, k number) *sym {
	all := e.less(s.bits, k, true)
	if all == e.b.True() {
		return s
	}
	out := &sym{kids: make([]*sym, len(s.kids))}
	out.bits = e.choose(all, &sym{bits: s.bits}, &sym{bits: k}).bits
	for i := range out.kids {
		out.kids[i] = e.choose(e.less(e.constant(i), k, false), s.kids[i], nothing)
	}
	return out
}

// extend is s, and the elements of t behind its length.
func (e *Encoder) extend(s, t *sym) *sym {
	out := &sym{kids: make([]*sym, max(len(s.kids), len(t.kids)))}
	out.bits = e.choose(e.less(s.bits, t.bits, true), &sym{bits: t.bits}, &sym{bits: s.bits}).bits
	for i := range out.kids {
		out.kids[i] = e.choose(e.less(e.constant(i), s.bits, false), s.kid(i), t.kid(i))
	}
	return out
}

// call is a definition's body with its parameters bound. A call is remembered by
// its arguments, since expanded quantifiers ask for the same one again and again.
func (e *Encoder) call(t *protocol.Call, f *frame) *sym {
	args := make([]*sym, len(t.Args))
	key := callKey{def: t.Def, pre: f.pre}
	for i, a := range t.Args {
		args[i] = e.term(a, f)
		if i < len(key.args) {
			key.args[i] = args[i]
		}
	}
	keep := len(args) <= len(key.args)
	if keep {
		if v, ok := e.calls[key]; ok {
			return v
		}
	}
	inner := &frame{pre: f.pre, post: f.post, action: f.action, acts: f.acts}
	for i, a := range args {
		inner.bind(t.Def.Params[i], a)
	}
	v := e.term(t.Def.Body, inner)
	if keep {
		e.calls[key] = v
	}
	return v
}

type callKey struct {
	def  *protocol.Definition
	pre  *symState
	args [4]*sym
}
