package semantics

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

func truth(b bool) state.Value {
	if b {
		return state.Value{N: 1}
	}
	return state.Value{}
}

func (e *evaluation) holds(t protocol.Term) bool { return e.eval(t).N != 0 }

// eval is the meaning of every kind of term. The result is canonical, shares
// memory with the state, and is never changed.
func (e *evaluation) eval(t protocol.Term) state.Value {
	switch t := t.(type) {
	case *protocol.Lit:
		return state.Value{N: t.Value}
	case *protocol.Default:
		return e.st.Default(t.Of)
	case *protocol.Var:
		return e.lookup(t.To)
	case *protocol.SubsortTerm:
		return state.Value{N: e.st.Subset(t.Of)}
	case *protocol.StateRead:
		return e.cell(t)
	case *protocol.Apply:
		return e.cell(t)
	case *protocol.At:
		return e.at(e.eval(t.Seq), e.eval(t.Index), t.Sort())
	case *protocol.Select:
		return e.selection(t)
	case *protocol.UnaryTerm:
		return e.unary(t)
	case *protocol.BinaryTerm:
		return e.binary(t)
	case *protocol.Nary:
		return truth(e.nary(t))
	case *protocol.Shift:
		return state.Value{N: max(0, e.eval(t.X).N+t.Delta)}
	case *protocol.Ite:
		return e.ite(t)
	case *protocol.Quant:
		return truth(e.quant(t))
	case *protocol.SetTerm:
		return e.setTerm(t)
	case *protocol.SetOf:
		return e.setOf(t)
	case *protocol.FuncTerm:
		return e.funcTerm(t)
	case *protocol.SeqTerm:
		return state.Value{Kids: e.all(t.Elems)}
	case *protocol.RecordTerm:
		return state.Value{Kids: e.all(t.Fields)}
	case *protocol.LetTerm:
		return e.let(t)
	case *protocol.Call:
		return e.call(t)
	case *protocol.StepIs:
		return truth(slices.Contains(t.Actions, e.step))
	}
	panic(fmt.Sprintf("unhandled %T", t))
}

// cell is the value of a state variable or of an application, and records the
// read of a state variable with all its arguments.
func (e *evaluation) cell(t protocol.Term) state.Value {
	v, read, path := e.place(t)
	if read != nil && path.inside && e.record != nil && e.record.Cell != nil {
		e.record.Cell(read.State, path.args, read.Primed)
	}
	return v
}

// path is where an application of a state variable leads; the arguments are
// kept for the recorder only.
type path struct {
	args   []int
	inside bool
}

// place evaluates t; if t is a state variable applied to arguments, maybe to
// none, it says which and to what.
func (e *evaluation) place(t protocol.Term) (state.Value, *protocol.StateRead, path) {
	switch t := t.(type) { // what is neither starts no place
	case *protocol.StateRead:
		return e.state(t.Primed).Vars[t.State.Index], t, path{inside: true}
	case *protocol.Apply:
		f, read, p := e.place(t.Fun)
		x := e.eval(t.Arg).N
		if e.record != nil {
			p.args = append(p.args, x)
		}
		if x < 0 || x >= len(f.Kids) {
			p.inside = false
			return e.st.Default(t.Sort()), read, p
		}
		return f.Kids[x], read, p
	}
	return e.eval(t), nil, path{}
}

// at is s[k], with elements of sort elem.
func (e *evaluation) at(s, k state.Value, elem *protocol.Sort) state.Value {
	if k.N < 1 || k.N > len(s.Kids) {
		return e.st.Default(elem)
	}
	return s.Kids[k.N-1]
}

// selection is a field of a record or message, or a common field of a union,
// which lies at another place in each of its message types.
func (e *evaluation) selection(t *protocol.Select) state.Value {
	x := e.eval(t.X)
	if sort := t.X.Sort(); sort.Kind == protocol.UnionKind {
		return x.Kids[sort.Union[x.N].Field(t.Field.Name).Index]
	}
	return x.Kids[t.Field.Index]
}

func (e *evaluation) nary(t *protocol.Nary) bool {
	for _, x := range t.Args {
		if e.holds(x) != t.And {
			return !t.And
		}
	}
	return t.And
}

func (e *evaluation) ite(t *protocol.Ite) state.Value {
	if e.holds(t.Cond) {
		return e.eval(t.Then)
	}
	return e.eval(t.Else)
}

func (e *evaluation) quant(t *protocol.Quant) bool {
	_, found := e.find(t)
	return found != t.Forall
}

// find is the first value of the variable that decides a quantifier: one that
// falsifies the body of a ∀, or satisfies that of an ∃.
func (e *evaluation) find(t *protocol.Quant) (state.Value, bool) {
	d := e.domain(t.Var.Sort, t.Primed)
	at := len(e.vars)
	defer func() { e.vars = e.vars[:at] }()
	e.bind(t.Var, state.Value{})
	for k := range d.size {
		v := d.at(k)
		e.noteMessage(t.Var.Sort, v, t.Primed)
		e.vars[at].Value = v
		if e.holds(t.Body) != t.Forall {
			return v, true
		}
	}
	return state.Value{}, false
}

func (e *evaluation) setTerm(t *protocol.SetTerm) state.Value {
	var set state.Value
	for _, x := range t.Elems {
		set.N |= bit(e.eval(x).N)
	}
	return set
}

func (e *evaluation) setOf(t *protocol.SetOf) state.Value {
	at := len(e.vars)
	e.bind(t.Var, state.Value{})
	var set state.Value
	for k := range e.st.Size(t.Var.Sort) {
		e.vars[at].Value = state.Value{N: k}
		if e.holds(t.Cond) {
			set.N |= bit(k)
		}
	}
	e.vars = e.vars[:at]
	return set
}

func (e *evaluation) funcTerm(t *protocol.FuncTerm) state.Value {
	at := len(e.vars)
	e.bind(t.Var, state.Value{})
	f := state.Value{Kids: make([]state.Value, e.st.Size(t.Var.Sort))}
	for k := range f.Kids {
		e.vars[at].Value = state.Value{N: k}
		f.Kids[k] = e.eval(t.Body)
	}
	e.vars = e.vars[:at]
	return f
}

func (e *evaluation) all(ts []protocol.Term) []state.Value {
	vs := make([]state.Value, len(ts))
	for i, t := range ts {
		vs[i] = e.eval(t)
	}
	return vs
}

func (e *evaluation) let(t *protocol.LetTerm) state.Value {
	at := len(e.vars)
	e.bind(t.Var, e.eval(t.X))
	v := e.eval(t.Body)
	e.vars = e.vars[:at]
	return v
}

func (e *evaluation) call(t *protocol.Call) state.Value {
	at := len(e.vars)
	e.bindParams(t)
	v := e.eval(t.Def.Body)
	e.vars = e.vars[:at]
	return v
}

// bindParams binds the parameters of a definition to the arguments of a call,
// none before all are evaluated.
func (e *evaluation) bindParams(t *protocol.Call) {
	at := len(e.vars)
	for _, x := range t.Args {
		v := e.eval(x)
		e.bind(nil, v)
	}
	for i, p := range t.Def.Params {
		e.vars[at+i].Var = p
	}
}
