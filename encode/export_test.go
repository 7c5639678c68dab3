package encode

import (
	"math/rand/v2"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// The tests plug values into symbolic states and read values back, so that an
// encoding is compared with the evaluator without a solver.

// Assignment gives values to constants. It clashes if a bit must be both true
// and false.
type Assignment struct {
	e     *Encoder
	value map[*smt.Term]bool
	clash bool
}

func (e *Encoder) newAssignment() *Assignment { return &Assignment{e: e, value: map[*smt.Term]bool{}} }

// Evaluator evaluates terms in the assignment.
func (a *Assignment) Evaluator() *smt.Evaluator { return smt.NewEvaluator(a.Bool, nil) }

// Bool is the value of a constant.
func (a *Assignment) Bool(t *smt.Term) bool { return a.value[t] }

// Constants are the constants that have a value, by number.
func (a *Assignment) Constants() []*smt.Term {
	var out []*smt.Term
	for id := range a.e.b.Len() {
		if t := a.e.b.Term(uint32(id)); t.Op() == smt.OpConst {
			if _, ok := a.value[t]; ok {
				out = append(out, t)
			}
		}
	}
	return out
}

// Flip gives a constant the other value.
func (a *Assignment) Flip(t *smt.Term) { a.value[t] = !a.value[t] }

// Model is the assignment as a solver would give it.
func (a *Assignment) Model() *solver.Model {
	m := solver.NewModel()
	for t, v := range a.value {
		m.SetBool(t, v)
	}
	return m
}

func (a *Assignment) set(t *smt.Term, v bool) {
	switch t.Op() {
	case smt.OpTrue, smt.OpFalse:
		a.clash = a.clash || v != (t.Op() == smt.OpTrue)
	case smt.OpConst:
		old, known := a.value[t]
		a.clash = a.clash || known && old != v
		a.value[t] = v
	default:
		panic("not a fresh bit: " + t.String())
	}
}

func (a *Assignment) number(bits number, v int) {
	for i, b := range bits {
		a.set(b, v>>i&1 == 1)
	}
	a.clash = a.clash || v>>len(bits) != 0
}

// assign gives the fresh value x of sort s the value v.
func (a *Assignment) assign(s *protocol.Sort, x *sym, v state.Value) {
	switch s.Kind {
	case protocol.OptionKind:
		a.number(x.bits, v.N)
		kid := a.e.st.Default(s.Elem)
		if v.N == 1 {
			kid = v.Kids[0]
		}
		a.assign(s.Elem, x.kid(0), kid)
	case protocol.SeqKind:
		a.number(x.bits, len(v.Kids))
		for i := range max(len(v.Kids), len(x.kids)) {
			cell := a.e.st.Default(s.Elem)
			if i < len(v.Kids) {
				cell = v.Kids[i]
			}
			a.assign(s.Elem, x.kid(i), cell)
		}
	case protocol.FuncKind:
		for i := range v.Kids {
			a.assign(s.Elem, x.kid(i), v.Kids[i])
		}
	case protocol.RecordKind, protocol.MessageKind:
		for i, f := range s.Fields {
			a.assign(f.Sort, x.kid(i), v.Kids[i])
		}
	case protocol.UnionKind:
		a.number(x.bits, v.N)
		for i, f := range s.Fields {
			a.assign(f.Sort, x.kid(i), v.Kids[s.Union[v.N].Field(f.Name).Index])
		}
	default:
		a.number(x.bits, v.N)
	}
}

// assignState puts the messages into the slots, the first ones first, the others
// in any order, and maybe one twice.
func (a *Assignment) assignState(s *symState, v *state.State, first map[*protocol.Sort]state.Value, r *rand.Rand) {
	for i, x := range a.e.sys.State {
		a.assign(x.Sort, s.vars[i], v.Vars[i])
	}
	for i, typ := range a.e.sys.Messages {
		msgs := append([]state.Value(nil), v.Msgs[i]...)
		for len(msgs) > 0 && len(msgs) < len(s.msgs[i]) && r.IntN(3) == 0 {
			msgs = append(msgs, msgs[r.IntN(len(msgs))])
		}
		free := len(s.msgs[i]) - len(msgs)
		r.Shuffle(len(msgs), func(i, j int) { msgs[i], msgs[j] = msgs[j], msgs[i] })
		fixed := false // the first slot is not free
		if lead, ok := first[typ]; ok {
			if k := slices.IndexFunc(msgs, lead.Equal); k >= 0 {
				msgs[0], msgs[k] = msgs[k], msgs[0]
				fixed = true
			}
		}
		k := 0
		for _, slot := range s.msgs[i] {
			if skip := !(fixed && k == 0) && free > 0 && (k == len(msgs) || r.IntN(2) == 0); skip {
				free--
				a.set(slot.sent, false)
				a.assign(typ, slot.value, a.e.st.Default(typ))
				continue
			}
			a.set(slot.sent, true)
			a.assign(typ, slot.value, msgs[k])
			k++
		}
		a.clash = a.clash || k < len(msgs)
	}
}

// Assign is an assignment in which the state is v, or false if there is none.
func (s *State) Assign(v *state.State, r *rand.Rand) (*Assignment, bool) {
	a := s.e.newAssignment()
	a.assignState(s.s, v, nil, r)
	return a, !a.clash
}

// Accepts reports whether the parameters may have these values.
func (s *Step) Accepts(args []state.Value) bool { return !s.assignArgs(args).clash }

func (s *Step) assignArgs(args []state.Value) *Assignment {
	a := s.Pre.e.newAssignment()
	for i, p := range s.Action.Params {
		a.assign(p.Sort, s.params[i], args[i])
	}
	return a
}

// Assign is an assignment in which the pre-state is v and the parameters are
// args, or false if there is none.
func (s *Step) Assign(v *state.State, args []state.Value, r *rand.Rand) (*Assignment, bool) {
	a := s.assignArgs(args)
	first := map[*protocol.Sort]state.Value{}
	for i, p := range s.Action.Params {
		if p.Sort.Kind == protocol.MessageKind {
			first[p.Sort] = args[i]
			break
		}
		if p.Sort.Kind == protocol.UnionKind {
			first[p.Sort.Union[args[i].N]] = state.Value{Kids: args[i].Kids}
			break
		}
	}
	a.assignState(s.Pre.s, v, first, r)
	return a, !a.clash
}

// reading reads symbolic values, and notes what is not canonical or not in scope.
type reading struct {
	e    *Encoder
	eval *smt.Evaluator
	odd  bool // something behind Nil, beyond a length, or in a message not sent
}

func (r *reading) number(n number) int {
	v := 0
	for i, b := range n {
		if r.eval.Bool(b) {
			v |= 1 << i
		}
	}
	return v
}

// blank notes a bit of v that is true.
func (r *reading) blank(v *sym) {
	r.odd = r.odd || r.number(v.bits) != 0
	for _, k := range v.kids {
		r.blank(k)
	}
}

func (r *reading) read(s *protocol.Sort, v *sym) state.Value {
	switch s.Kind {
	case protocol.OptionKind:
		switch r.number(v.bits) {
		case 0:
			r.blank(v.kid(0))
			return state.Value{}
		case 1:
			return state.Value{N: 1, Kids: []state.Value{r.read(s.Elem, v.kid(0))}}
		}
		panic("neither Nil nor a value")
	case protocol.SeqKind:
		n := r.number(v.bits)
		var out state.Value
		for i := range n {
			out.Kids = append(out.Kids, r.read(s.Elem, v.kid(i)))
		}
		for i := n; i < len(v.kids); i++ {
			r.blank(v.kid(i))
		}
		return out
	case protocol.FuncKind:
		out := state.Value{Kids: make([]state.Value, r.e.st.Size(s.Domain))}
		for i := range out.Kids {
			out.Kids[i] = r.read(s.Elem, v.kid(i))
		}
		return out
	case protocol.RecordKind, protocol.MessageKind, protocol.UnionKind:
		out := state.Value{Kids: make([]state.Value, len(s.Fields))}
		for i, f := range s.Fields {
			out.Kids[i] = r.read(f.Sort, v.kid(i))
		}
		return out
	default:
		return state.Value{N: r.number(v.bits)}
	}
}

func (r *reading) state(s *symState) *state.State {
	out := &state.State{Vars: make([]state.Value, len(s.vars)), Msgs: make([][]state.Value, len(s.msgs))}
	for i, v := range r.e.sys.State {
		out.Vars[i] = r.read(v.Sort, s.vars[i])
		r.odd = r.odd || !r.e.st.InScope(v.Sort, out.Vars[i])
	}
	for i, typ := range r.e.sys.Messages {
		for _, slot := range s.msgs[i] {
			if !r.eval.Bool(slot.sent) {
				continue
			}
			m := r.read(typ, slot.value)
			r.odd = r.odd || !r.e.st.InScope(typ, m)
			out.AddMessage(typ, m)
		}
	}
	return out
}

// Read is the state in an assignment, and whether it is canonical and in scope;
// slots of messages not sent count.
func (s *State) Read(eval *smt.Evaluator) (*state.State, bool) {
	r := &reading{e: s.e, eval: eval}
	out := r.state(s.s)
	for i := range s.s.msgs {
		for _, slot := range s.s.msgs[i] {
			if !eval.Bool(slot.sent) {
				r.blank(slot.value)
			}
		}
	}
	return out, !r.odd
}

// ReadPost is the post-state in an assignment, and whether it is canonical and
// in scope.
func (s *Step) ReadPost(eval *smt.Evaluator) (*state.State, bool) {
	r := &reading{e: s.Pre.e, eval: eval}
	out := r.state(s.post)
	return out, !r.odd
}

// Value is a term's value in an assignment, and whether it is canonical.
func (s *State) Value(t protocol.Term, eval *smt.Evaluator) (state.Value, bool) {
	return s.e.read(t, &frame{pre: s.s}, eval)
}

// Value is a term's value about the step.
func (s *Step) Value(t protocol.Term, eval *smt.Evaluator) (state.Value, bool) {
	return s.Pre.e.read(t, &frame{pre: s.Pre.s, post: s.post, action: s.Action}, eval)
}

func (e *Encoder) read(t protocol.Term, f *frame, eval *smt.Evaluator) (state.Value, bool) {
	r := &reading{e: e, eval: eval}
	v := r.read(t.Sort(), e.term(t, f))
	return v, !r.odd
}

// Pair is two fresh values of a sort and the formula that they are equal.
type Pair struct {
	e      *Encoder
	sort   *protocol.Sort
	x, y   *sym
	Equal  *smt.Term
	Ranges []*smt.Term
}

// Pair makes two fresh values of the sort.
func (e *Encoder) Pair(s *protocol.Sort) *Pair {
	e.reset()
	p := &Pair{e: e, sort: s, x: e.fresh(s, "x:"+s.Name), y: e.fresh(s, "y:"+s.Name)}
	p.Equal, p.Ranges = e.equal(p.x, p.y), e.ranges
	return p
}

// Assign gives the two values.
func (p *Pair) Assign(v, w state.Value) (*Assignment, bool) {
	a := p.e.newAssignment()
	a.assign(p.sort, p.x, v)
	a.assign(p.sort, p.y, w)
	return a, !a.clash
}

// Symmetric reports whether the elements of a sort are taken to be interchangeable.
func (e *Encoder) Symmetric(s *protocol.Sort) bool { return e.symmetry[s] }

// Placed reports whether the guards say in which part of its sort a parameter lies,
// or a field of it.
func Placed(a *protocol.Action, p *protocol.Binding, f *protocol.Field) bool {
	return placeOf(a, p, f) != anywhere
}

// AssumeSymmetry takes all element sorts to be symmetric, right or wrong.
func (e *Encoder) AssumeSymmetry() {
	for _, s := range e.sys.Sorts {
		if s.Kind == protocol.ElementKind {
			e.symmetry[s] = true
		}
	}
}

// Nothing evaluates terms without constants.
func (e *Encoder) Nothing() *smt.Evaluator {
	return smt.NewEvaluator(func(t *smt.Term) bool { panic("depends on " + t.String()) }, nil)
}
