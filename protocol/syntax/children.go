package syntax

import (
	"fmt"
	"iter"
)

// Children are the formulas directly below e, in the order in which they are
// written. Names that are declared or selected (bound names, fields, the name
// of a call's definition or of a record's type) are not among them.
func Children(e Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		for _, x := range children(e) {
			if !yield(x) {
				return
			}
		}
	}
}

func children(e Expr) []Expr {
	switch e := e.(type) {
	case *Ident, *Number, *Bool, *Nil:
		return nil
	case *Index:
		return append([]Expr{e.X}, e.Args...)
	case *Slice:
		return []Expr{e.X, e.Lo, e.Hi}
	case *Field:
		return []Expr{e.X}
	case *Call:
		return e.Args
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Range:
		return []Expr{e.Lo, e.Hi}
	case *If:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Let:
		var exprs []Expr
		for _, b := range e.Binds {
			exprs = append(exprs, b.X)
		}
		return append(exprs, e.Body)
	case *Quant:
		var exprs []Expr
		for _, g := range e.Groups {
			exprs = append(exprs, g.Domain)
		}
		return append(exprs, e.Body)
	case *SetLit:
		return e.Elems
	case *SetOf:
		return []Expr{e.Domain, e.Cond}
	case *SeqLit:
		return e.Elems
	case *FuncLit:
		return []Expr{e.Domain, e.Body}
	case *RecordLit:
		var exprs []Expr
		for _, f := range e.Fields {
			exprs = append(exprs, f.X)
		}
		return exprs
	}
	panic(fmt.Sprintf("unhandled %T", e))
}

// StmtExprs are the formulas of a statement, in the order in which they are written.
func StmtExprs(s Stmt) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		for _, x := range stmtExprs(s) {
			if !yield(x) {
				return
			}
		}
	}
}

func stmtExprs(s Stmt) []Expr {
	switch s := s.(type) {
	case *With:
		var exprs []Expr
		for _, g := range s.Groups {
			exprs = append(exprs, g.Domain)
		}
		return exprs
	case *Receive:
		return []Expr{s.Domain}
	case *LetStmt:
		return []Expr{s.X}
	case *Require:
		return []Expr{s.X}
	case *Assign:
		return []Expr{s.Left, s.Right}
	case *Send:
		if s.Cond != nil {
			return []Expr{s.Message, s.Cond}
		}
		return []Expr{s.Message}
	case *Crash:
		return []Expr{s.X}
	}
	panic(fmt.Sprintf("unhandled %T", s))
}
