package smt

import "fmt"

// Evaluator computes the values of terms of one [Builder] under one assignment.
// It remembers them: evaluating many terms costs one visit to each subterm that
// matters. Terms are Boolean or bit-vectors: what is first-order panics. Not for
// concurrent use.
type Evaluator struct {
	boolOf func(*Term) bool
	bvOf   func(*Term) uint64
	bools  []truth           // of each formula, by number
	bvs    map[uint32]uint64 // of each bit-vector term with arguments
	stack  []frame
}

type truth uint8

const (
	unset truth = iota
	no
	yes
)

// NewEvaluator returns an Evaluator under the assignment that boolOf and bvOf
// give to constants. Without bit-vectors bvOf may be nil.
func NewEvaluator(boolOf func(*Term) bool, bvOf func(*Term) uint64) *Evaluator {
	return &Evaluator{boolOf: boolOf, bvOf: bvOf, bvs: map[uint32]uint64{}}
}

// Eval returns the value of the formula t under the assignment val.
func Eval(t *Term, val func(*Term) bool) bool { return NewEvaluator(val, nil).Bool(t) }

// Bool returns the value of a formula.
func (e *Evaluator) Bool(t *Term) bool {
	wantBool(t)
	e.run(t)
	return e.bools[t.id] == yes
}

// BV returns the value of a bit-vector term.
func (e *Evaluator) BV(t *Term) uint64 {
	if t.sort.kind() != bitVecKind {
		panic(fmt.Sprintf("smt: %s where a bit-vector is wanted", t.sort))
	}
	e.run(t)
	return e.bvs[t.id]
}

// run computes the value of t and of those subterms that decide it.
func (e *Evaluator) run(t *Term) {
	if int(t.id) >= len(e.bools) {
		e.bools = append(e.bools, make([]truth, int(t.id)+1-len(e.bools))...)
	}
	stack := append(e.stack[:0], frame{t, 0})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if a := e.step(top); a != nil {
			stack = append(stack, frame{a, 0})
			continue
		}
		stack = stack[:len(stack)-1]
	}
	e.stack = stack
}

// step returns the argument of f.t that is needed next, or nil once f.t has
// its value.
func (e *Evaluator) step(f *frame) *Term {
	t := f.t
	if e.has(t) {
		return nil
	}
	switch t.op {
	case OpTrue, OpFalse:
		e.setBool(t, t.op == OpTrue)
	case OpConst:
		switch {
		case t.sort == Bool:
			e.setBool(t, e.boolOf(t))
		case t.sort.kind() == bitVecKind:
			e.bvs[t.id] = e.bvOf(t) & t.sort.mask()
		default:
			panic(fmt.Sprintf("smt: %s in a term to be evaluated", t.sort))
		}
	case OpBVLit:
		e.bvs[t.id] = t.info.value
	case OpAnd, OpOr:
		return e.nary(f)
	case OpIte:
		return e.ite(t)
	case OpNot, OpEq, OpBVAdd, OpBVUlt, OpBVUle:
		for _, a := range t.args {
			if !e.has(a) {
				return a
			}
		}
		e.apply(t)
	case OpIntLit, OpAdd, OpLt, OpLe, OpEnum, OpApp, OpVar, OpForall, OpExists, OpPattern:
		panic(fmt.Sprintf("smt: %s in a term to be evaluated", t.op))
	}
	return nil
}

// nary goes through the arguments until one decides.
func (e *Evaluator) nary(f *frame) *Term {
	unit := yes
	if f.t.op == OpOr {
		unit = no
	}
	for ; f.next < len(f.t.args); f.next++ {
		switch v := e.bools[f.t.args[f.next].id]; v {
		case unset:
			return f.t.args[f.next]
		case unit:
		default:
			e.bools[f.t.id] = v
			return nil
		}
	}
	e.bools[f.t.id] = unit
	return nil
}

func (e *Evaluator) ite(t *Term) *Term {
	c, branch := t.args[0], t.args[2]
	switch e.bools[c.id] {
	case unset:
		return c
	case yes:
		branch = t.args[1]
	case no: // branch is right
	}
	if !e.has(branch) {
		return branch
	}
	if t.sort == Bool {
		e.bools[t.id] = e.bools[branch.id]
	} else {
		e.bvs[t.id] = e.bvs[branch.id]
	}
	return nil
}

// apply computes t from the values of all its arguments.
func (e *Evaluator) apply(t *Term) {
	a := t.args[0]
	if t.op == OpNot {
		e.setBool(t, e.bools[a.id] == no)
		return
	}
	c := t.args[1]
	if a.sort == Bool {
		e.setBool(t, e.bools[a.id] == e.bools[c.id])
		return
	}
	x, y := e.bvs[a.id], e.bvs[c.id]
	switch t.op {
	case OpEq:
		e.setBool(t, x == y)
	case OpBVAdd:
		e.bvs[t.id] = (x + y) & t.sort.mask()
	case OpBVUlt:
		e.setBool(t, x < y)
	case OpBVUle:
		e.setBool(t, x <= y)
	default:
		panic(fmt.Sprintf("smt: unhandled %s", t.op))
	}
}

func (e *Evaluator) has(t *Term) bool {
	if t.sort == Bool {
		return e.bools[t.id] != unset
	}
	_, ok := e.bvs[t.id]
	return ok
}

func (e *Evaluator) setBool(t *Term, v bool) {
	e.bools[t.id] = no
	if v {
		e.bools[t.id] = yes
	}
}
