package syntax

import (
	"fmt"
	"slices"
)

// Found counts what a rewriting met.
type Found struct {
	Places int // where what was looked for stands
	Stuck  int // of those, where it cannot be left out
}

// ReplaceExpr puts a formula in the place of each one that is equal to old, also of some
// neighbours in a chain of ∧ or of ∨ that together are. With nil it leaves old out: an
// operand together with its ∧ or ∨, a guard as a whole. The left sides of assignments
// are searched for their indexes only.
func ReplaceExpr(body []Stmt, old, by Expr) ([]Stmt, Found) {
	r := &rewriter{old: old, by: by}
	r.op, r.run = Junction(old)
	return r.body(body), r.found
}

// ReplaceField is ReplaceExpr of a field of a record: field: value.
func ReplaceField(body []Stmt, old FieldInit, by *FieldInit) ([]Stmt, Found) {
	r := &rewriter{field: &old, byField: by}
	return r.body(body), r.found
}

// ReplaceNode puts a formula in the place of this very node of a statement, whatever is equal to
// it elsewhere. With nil it leaves the node out, which is an operand of a chain of ∧ or of ∨.
func ReplaceNode(s Stmt, node, by Expr) Stmt {
	r := &rewriter{old: node, by: by, run: []Expr{node}, exact: true}
	return r.stmt(s)
}

// ReplaceNodeIn is ReplaceNode in a formula.
func ReplaceNodeIn(e, node, by Expr) Expr {
	r := &rewriter{old: node, by: by, run: []Expr{node}, exact: true}
	return r.expr(e)
}

// rewriter replaces either a formula or a field.
type rewriter struct {
	old, by        Expr
	exact          bool // only this node
	op             Op
	run            []Expr // of old, if it is a chain
	field, byField *FieldInit
	found          Found
}

func (r *rewriter) body(body []Stmt) []Stmt {
	var out []Stmt
	for _, s := range body {
		if q, ok := s.(*Require); ok && r.by == nil && r.old != nil && Equal(q.X, r.old) {
			r.found.Places++
			continue
		}
		out = append(out, r.stmt(s))
	}
	return out
}

func (r *rewriter) stmt(s Stmt) Stmt {
	before := r.found.Places
	var next Stmt
	switch s := s.(type) {
	case *With:
		next = &With{Groups: r.groups(s.Groups), Sp: s.Sp}
	case *Receive:
		next = &Receive{Name: s.Name, Domain: r.expr(s.Domain), Sp: s.Sp}
	case *LetStmt:
		next = &LetStmt{Name: s.Name, X: r.expr(s.X), Sp: s.Sp}
	case *Require:
		next = &Require{X: r.expr(s.X), Sp: s.Sp}
	case *Assign:
		next = &Assign{Left: r.left(s.Left), Right: r.expr(s.Right), Sp: s.Sp}
	case *Send:
		send := &Send{Message: s.Message, Sp: s.Sp}
		if m, ok := r.expr(s.Message).(*RecordLit); ok {
			send.Message = m
		}
		if s.Cond != nil {
			send.Cond = r.expr(s.Cond)
		}
		next = send
	case *Crash:
		next = &Crash{X: r.expr(s.X), Sp: s.Sp}
	default:
		panic(fmt.Sprintf("unhandled %T", s))
	}
	if r.found.Places == before {
		return s
	}
	return next
}

// left rewrites the indexes of a cell.
func (r *rewriter) left(e Expr) Expr {
	x, ok := e.(*Index)
	if !ok {
		return e
	}
	return &Index{X: r.left(x.X), Args: r.exprs(x.Args), Sp: x.Sp}
}

// is reports whether a formula is what is looked for.
func (r *rewriter) is(e, old Expr) bool { return e == old || !r.exact && Equal(e, old) }

// expr rewrites a formula that is not an operand of a chain.
func (r *rewriter) expr(e Expr) Expr {
	op, chain := Junction(e)
	switch {
	case chain != nil && (!r.exact || e != r.old):
		return r.chain(e, op, chain)
	case r.old != nil && r.is(e, r.old):
		r.found.Places++
		if r.by == nil {
			r.found.Stuck++
			return e
		}
		return r.by
	}
	return r.below(e)
}

// chain rewrites the operands of ∧ or ∨.
func (r *rewriter) chain(whole Expr, op Op, chain []Expr) Expr {
	before := r.found.Places
	run := []Expr{r.old}
	if r.op == op {
		run = r.run
	}
	var out []Expr
	for i := 0; i < len(chain); {
		if r.old != nil && i+len(run) <= len(chain) && slices.EqualFunc(chain[i:i+len(run)], run, r.is) {
			r.found.Places++
			if r.by != nil {
				out = append(out, r.by)
			}
			i += len(run)
			continue
		}
		out = append(out, r.expr(chain[i]))
		i++
	}
	switch {
	case r.found.Places == before:
		return whole
	case len(out) == 0: // all of it
		r.found.Stuck++
		return whole
	}
	e := out[0]
	for _, x := range out[1:] {
		e = &Binary{Op: op, X: e, Y: x, OpSpan: whole.(*Binary).OpSpan, Sp: whole.Span()}
	}
	return e
}

func (r *rewriter) exprs(es []Expr) []Expr {
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = r.expr(e)
	}
	return out
}

func (r *rewriter) groups(groups []Group) []Group {
	out := make([]Group, len(groups))
	for i, g := range groups {
		out[i] = Group{Names: g.Names, Domain: r.expr(g.Domain)}
	}
	return out
}

// below rewrites what is below a formula.
func (r *rewriter) below(e Expr) Expr {
	before := r.found.Places
	var next Expr
	switch e := e.(type) {
	case *Ident, *Number, *Bool, *Nil:
		return e
	case *Index:
		next = &Index{X: r.expr(e.X), Args: r.exprs(e.Args), Sp: e.Sp}
	case *Slice:
		next = &Slice{X: r.expr(e.X), Lo: r.expr(e.Lo), Hi: r.expr(e.Hi), Sp: e.Sp}
	case *Field:
		next = &Field{X: r.expr(e.X), Name: e.Name, Sp: e.Sp}
	case *Call:
		next = &Call{Fun: e.Fun, Args: r.exprs(e.Args), Sp: e.Sp}
	case *Unary:
		next = &Unary{Op: e.Op, X: r.expr(e.X), Sp: e.Sp}
	case *Binary:
		next = &Binary{Op: e.Op, X: r.expr(e.X), Y: r.expr(e.Y), OpSpan: e.OpSpan, Sp: e.Sp}
	case *Range:
		next = &Range{Lo: r.expr(e.Lo), Hi: r.expr(e.Hi), Sp: e.Sp}
	case *If:
		next = &If{Cond: r.expr(e.Cond), Then: r.expr(e.Then), Else: r.expr(e.Else), Sp: e.Sp}
	case *Let:
		binds := make([]Binding, len(e.Binds))
		for i, b := range e.Binds {
			binds[i] = Binding{Name: b.Name, X: r.expr(b.X)}
		}
		next = &Let{Binds: binds, Body: r.expr(e.Body), Sp: e.Sp}
	case *Quant:
		next = &Quant{Forall: e.Forall, Groups: r.groups(e.Groups), Body: r.expr(e.Body), Sp: e.Sp}
	case *SetLit:
		next = &SetLit{Elems: r.exprs(e.Elems), Sp: e.Sp}
	case *SetOf:
		next = &SetOf{Name: e.Name, Domain: r.expr(e.Domain), Cond: r.expr(e.Cond), Sp: e.Sp}
	case *SeqLit:
		next = &SeqLit{Elems: r.exprs(e.Elems), Sp: e.Sp}
	case *FuncLit:
		next = &FuncLit{Name: e.Name, Domain: r.expr(e.Domain), Body: r.expr(e.Body), Sp: e.Sp}
	case *RecordLit:
		next = r.record(e)
	default:
		panic(fmt.Sprintf("unhandled %T", e))
	}
	if r.found.Places == before {
		return e
	}
	return next
}

func (r *rewriter) record(e *RecordLit) Expr {
	out := &RecordLit{Type: e.Type, Sp: e.Sp}
	for _, f := range e.Fields {
		switch {
		case r.field == nil || !sameIdent(f.Name, r.field.Name) || !Equal(f.X, r.field.X):
			out.Fields = append(out.Fields, FieldInit{Name: f.Name, X: r.expr(f.X)})
			continue
		case r.byField != nil:
			out.Fields = append(out.Fields, *r.byField)
		}
		r.found.Places++
	}
	return out
}
