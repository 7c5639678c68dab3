package syntax

import (
	"fmt"
	"slices"
)

// Equal reports whether two formulas are the same but for their places, for spelling,
// and for parentheses within a chain of ∧ or of ∨.
func Equal(a, b Expr) bool {
	if op, chain := Junction(a); chain != nil {
		other, rest := Junction(b)
		return op == other && slices.EqualFunc(chain, rest, Equal)
	}
	return sameNode(a, b) && slices.EqualFunc(children(a), children(b), Equal)
}

// Junction takes a chain of ∧ or of ∨ apart; it is nil of another formula.
func Junction(e Expr) (Op, []Expr) {
	b, ok := e.(*Binary)
	if !ok || b.Op != OpAnd && b.Op != OpOr {
		return OpInvalid, nil
	}
	return b.Op, append(junctionOf(b.Op, b.X), junctionOf(b.Op, b.Y)...)
}

func junctionOf(op Op, e Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == op {
		return append(junctionOf(op, b.X), junctionOf(op, b.Y)...)
	}
	return []Expr{e}
}

// sameNode reports whether two formulas differ at most in their children.
func sameNode(a, b Expr) bool {
	switch a := a.(type) {
	case *Ident:
		b, ok := b.(*Ident)
		return ok && sameIdent(a, b)
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Value == b.Value
	case *Bool:
		b, ok := b.(*Bool)
		return ok && a.Value == b.Value
	case *Nil:
		_, ok := b.(*Nil)
		return ok
	case *Index:
		_, ok := b.(*Index)
		return ok
	case *Slice:
		_, ok := b.(*Slice)
		return ok
	case *Field:
		b, ok := b.(*Field)
		return ok && sameIdent(a.Name, b.Name)
	case *Call:
		b, ok := b.(*Call)
		return ok && sameIdent(a.Fun, b.Fun)
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op
	case *Range:
		_, ok := b.(*Range)
		return ok
	case *If:
		_, ok := b.(*If)
		return ok
	case *Let:
		b, ok := b.(*Let)
		return ok && slices.EqualFunc(a.Binds, b.Binds, func(x, y Binding) bool { return sameIdent(x.Name, y.Name) })
	case *Quant:
		b, ok := b.(*Quant)
		return ok && a.Forall == b.Forall && slices.EqualFunc(a.Groups, b.Groups, sameNames)
	case *SetLit:
		_, ok := b.(*SetLit)
		return ok
	case *SetOf:
		b, ok := b.(*SetOf)
		return ok && sameIdent(a.Name, b.Name)
	case *SeqLit:
		_, ok := b.(*SeqLit)
		return ok
	case *FuncLit:
		b, ok := b.(*FuncLit)
		return ok && sameIdent(a.Name, b.Name)
	case *RecordLit:
		b, ok := b.(*RecordLit)
		return ok && sameIdent(a.Type, b.Type) &&
			slices.EqualFunc(a.Fields, b.Fields, func(x, y FieldInit) bool { return sameIdent(x.Name, y.Name) })
	}
	panic(fmt.Sprintf("unhandled %T", a))
}

func sameIdent(a, b *Ident) bool { return a.Name == b.Name && a.Prime == b.Prime }

func sameNames(a, b Group) bool { return slices.EqualFunc(a.Names, b.Names, sameIdent) }

func equalGroups(a, b []Group) bool {
	return slices.EqualFunc(a, b, func(x, y Group) bool { return sameNames(x, y) && Equal(x.Domain, y.Domain) })
}

// EqualBodies is Equal of lists of statements.
func EqualBodies(a, b []Stmt) bool { return slices.EqualFunc(a, b, equalStmts) }

// equalStmts is Equal of statements.
func equalStmts(a, b Stmt) bool {
	switch a := a.(type) {
	case *With:
		b, ok := b.(*With)
		return ok && equalGroups(a.Groups, b.Groups)
	case *Receive:
		b, ok := b.(*Receive)
		return ok && sameIdent(a.Name, b.Name) && Equal(a.Domain, b.Domain)
	case *LetStmt:
		b, ok := b.(*LetStmt)
		return ok && sameIdent(a.Name, b.Name) && Equal(a.X, b.X)
	case *Require:
		b, ok := b.(*Require)
		return ok && Equal(a.X, b.X)
	case *Assign:
		b, ok := b.(*Assign)
		return ok && Equal(a.Left, b.Left) && Equal(a.Right, b.Right)
	case *Send:
		b, ok := b.(*Send)
		return ok && Equal(a.Message, b.Message) && (a.Cond == nil) == (b.Cond == nil) && (a.Cond == nil || Equal(a.Cond, b.Cond))
	case *Crash:
		b, ok := b.(*Crash)
		return ok && Equal(a.X, b.X)
	}
	panic(fmt.Sprintf("unhandled %T", a))
}
