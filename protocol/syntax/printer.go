package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FormatExpr is the canonical text of a formula, on one line, in Unicode, with
// parentheses only where they are needed. Parsing it gives the same tree,
// apart from places.
func FormatExpr(e Expr) string { return layOut(exprDoc(e, precOpen, true), oneLine, 0) }

// FormatExprWidth is like FormatExpr, but a formula that is too long is broken
// at its loosest operators, so that lines have at most width runes if
// possible; a width of 0 is one line. The first line is taken to begin at column
// indent, and further lines are indented as far.
func FormatExprWidth(e Expr, width, indent int) string {
	return layOut(exprDoc(e, precOpen, true), width, indent)
}

// FormatStmt is the canonical text of a statement, on one line.
func FormatStmt(s Stmt) string {
	switch s := s.(type) {
	case *With:
		return layOut(docConcat{docText("with "), groupsDoc(s.Groups)}, oneLine, 0)
	case *Receive:
		return "receive " + s.Name.Name + " ∈ " + formatDomain(s.Domain)
	case *LetStmt:
		return "let " + s.Name.Name + " == " + FormatExpr(s.X)
	case *Require:
		return "require " + FormatExpr(s.X)
	case *Assign:
		return FormatExpr(s.Left) + " := " + FormatExpr(s.Right)
	case *Send:
		if s.Cond == nil {
			return "send " + FormatExpr(s.Message)
		}
		return "send " + FormatExpr(s.Message) + " if " + FormatExpr(s.Cond)
	case *Crash:
		return "crash " + FormatExpr(s.X)
	}
	panic(fmt.Sprintf("unhandled %T", s))
}

// FormatType is the canonical text of a type.
func FormatType(t Type) string {
	switch t := t.(type) {
	case *TypeName:
		return t.Name
	case *TypeApply:
		return t.Fun + "(" + FormatType(t.Arg) + ")"
	case *TypeOption:
		return formatTypeOperand(t.Elem) + "?"
	case *TypeFunc:
		return formatTypeOperand(t.Domain) + " → " + FormatType(t.Result)
	}
	panic(fmt.Sprintf("unhandled %T", t))
}

// formatTypeOperand is the text of a type that is an operand of an arrow, on
// its left, or of a question mark.
func formatTypeOperand(t Type) string {
	if _, ok := t.(*TypeFunc); ok {
		return "(" + FormatType(t) + ")"
	}
	return FormatType(t)
}

// FormatTypeDecl is the canonical text of a variable's or a field's type.
func FormatTypeDecl(d TypeDecl) string {
	text := FormatType(d.Type)
	if d.Volatile {
		text = "volatile " + text
	}
	if d.Ghost {
		text = "ghost " + text
	}
	return text
}

// FormatScenarioStep is the canonical text of a step, on one line.
func FormatScenarioStep(s ScenarioStep) string {
	if s.Action == nil {
		return tokEllipsis.String()
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = a.Name.Name + " = " + FormatExpr(a.X)
	}
	return s.Action.Name + "(" + strings.Join(args, ", ") + ")"
}

func formatDomain(e Expr) string { return layOut(domainDoc(e), oneLine, 0) }

// exprDoc is the layout of a formula that stands where operators of at least
// the given precedence may. Last says that nothing follows it up to the end of
// the text or the bracket around it: only there a quantifier, an IF or a LET
// needs no parentheses.
func exprDoc(e Expr, level precedence, last bool) doc {
	prec := precOf(e)
	if prec == precOpen && !last || prec > precOpen && prec < level {
		return docConcat{docText("("), docAlign{bareDoc(e, true)}, docText(")")}
	}
	return docAlign{bareDoc(e, last)}
}

// precOf is the precedence of the operator on top of a formula.
func precOf(e Expr) precedence {
	switch e := e.(type) {
	case *Quant, *If, *Let:
		return precOpen
	case *Binary:
		return e.Op.prec()
	case *Unary:
		return e.Op.prec()
	case *Range:
		return precRange
	case *Index, *Slice, *Field, *Call:
		return precPostfix
	case *Ident, *Number, *Bool, *Nil, *SetLit, *SetOf, *SeqLit, *FuncLit, *RecordLit:
		return precAtom
	}
	panic(fmt.Sprintf("unhandled %T", e))
}

// bareDoc is the layout of a formula without parentheses around it.
func bareDoc(e Expr, last bool) doc {
	switch e := e.(type) {
	case *Ident:
		return docText(identText(e))
	case *Number:
		return docText(strconv.Itoa(e.Value))
	case *Bool:
		return docText(strings.ToUpper(strconv.FormatBool(e.Value)))
	case *Nil:
		return docText("Nil")
	case *Index:
		return docConcat{exprDoc(e.X, precPostfix, false), enclosed("[", "]", exprDocs(e.Args))}
	case *Slice:
		return docConcat{exprDoc(e.X, precPostfix, false), docText("["), rangeDoc(e.Lo, e.Hi, true), docText("]")}
	case *Field:
		return docConcat{exprDoc(e.X, precPostfix, false), docText("." + e.Name.Name)}
	case *Call:
		return docConcat{docText(identText(e.Fun)), enclosed("(", ")", exprDocs(e.Args))}
	case *Unary:
		return unaryDoc(e, last)
	case *Binary:
		return binaryDoc(e, last)
	case *Range:
		return rangeDoc(e.Lo, e.Hi, last)
	case *If:
		return ifDoc(e)
	case *Let:
		return letDoc(e)
	case *Quant:
		return quantDoc(e)
	case *SetLit:
		return enclosed("{", "}", exprDocs(e.Elems))
	case *SetOf:
		return bound("{", e.Name, e.Domain, " :", e.Cond, "}")
	case *SeqLit:
		return enclosed("⟨", "⟩", exprDocs(e.Elems))
	case *FuncLit:
		return bound("[", e.Name, e.Domain, " ↦", e.Body, "]")
	case *RecordLit:
		return docConcat{docText(e.Type.Name), enclosed("{", "}", fieldDocs(e.Fields))}
	}
	panic(fmt.Sprintf("unhandled %T", e))
}

func identText(id *Ident) string {
	if id.Prime {
		return id.Name + "'"
	}
	return id.Name
}

func unaryDoc(e *Unary, last bool) doc {
	if e.Op == OpValue {
		return docConcat{exprDoc(e.X, precPostfix, false), docText("!")}
	}
	return docConcat{docText(e.Op.String()), exprDoc(e.X, precNot, last)}
}

// binaryDoc lays a chain of one operator out as a whole, with the operator at
// the beginning of each line but the first.
func binaryDoc(e *Binary, last bool) doc {
	chain := operands(e)
	var parts docConcat
	for i, x := range chain {
		level := e.Op.prec() + 1
		if i == 0 && e.Op.prec() == precAdd {
			level = precAdd // a + b - c
		}
		if i > 0 {
			parts = append(parts, docLine(" "), docText(e.Op.String()+" "))
		}
		parts = append(parts, exprDoc(x, level, last && i == len(chain)-1))
	}
	return docGroup{parts}
}

// operands are the operands of a chain of one operator, from left to right.
func operands(e *Binary) []Expr {
	switch e.Op.prec() {
	case precCompare:
		return []Expr{e.X, e.Y}
	case precImplies:
		chain := []Expr{e.X}
		for next, ok := e.Y.(*Binary); ok && next.Op == e.Op; next, ok = e.Y.(*Binary) {
			e = next
			chain = append(chain, e.X)
		}
		return append(chain, e.Y)
	}
	chain := []Expr{e.Y}
	for next, ok := e.X.(*Binary); ok && next.Op == e.Op; next, ok = e.X.(*Binary) {
		e = next
		chain = append(chain, e.Y)
	}
	chain = append(chain, e.X)
	slices.Reverse(chain)
	return chain
}

func rangeDoc(lo, hi Expr, last bool) doc {
	return docConcat{exprDoc(lo, precSet, false), docText(".."), exprDoc(hi, precSet, last)}
}

// domainDoc is the layout of what stands right of the ∈ of a bound name.
func domainDoc(e Expr) doc { return exprDoc(e, precRange, true) }

func ifDoc(e *If) doc {
	return docGroup{docConcat{
		docText("IF "), exprDoc(e.Cond, precOpen, true),
		docLine(" "), docText("THEN "), exprDoc(e.Then, precOpen, true),
		docLine(" "), docText("ELSE "), exprDoc(e.Else, precOpen, true),
	}}
}

func letDoc(e *Let) doc {
	binds := make([]doc, len(e.Binds))
	for i, b := range e.Binds {
		binds[i] = docConcat{docText(b.Name.Name + " == "), exprDoc(b.X, precOpen, true)}
	}
	return docGroup{docConcat{
		docText("LET "), docAlign{separated(binds)},
		docLine(" "), docText("IN "), exprDoc(e.Body, precOpen, true),
	}}
}

func quantDoc(e *Quant) doc {
	symbol := tokExists
	if e.Forall {
		symbol = tokForall
	}
	return docGroup{docConcat{
		docText(symbol.String() + " "), docAlign{groupsDoc(e.Groups)}, docText(":"),
		docIndent{2, docConcat{docLine(" "), exprDoc(e.Body, precOpen, true)}},
	}}
}

func groupsDoc(groups []Group) doc {
	docs := make([]doc, len(groups))
	for i, g := range groups {
		names := make([]string, len(g.Names))
		for j, n := range g.Names {
			names[j] = n.Name
		}
		docs[i] = docConcat{docText(strings.Join(names, ", ") + " ∈ "), domainDoc(g.Domain)}
	}
	return docGroup{separated(docs)}
}

// bound is the layout of a set or a function over a bound name.
func bound(open string, name *Ident, domain Expr, sep string, body Expr, end string) doc {
	return docGroup{docConcat{
		docText(open + name.Name + " ∈ "), domainDoc(domain), docText(sep),
		docIndent{2, docConcat{docLine(" "), exprDoc(body, precOpen, true)}}, docText(end),
	}}
}

// enclosed is the layout of elements in brackets.
func enclosed(open, end string, elems []doc) doc {
	if len(elems) == 0 {
		return docText(open + end)
	}
	return docGroup{docConcat{
		docText(open), docIndent{2, docConcat{docLine(""), separated(elems)}}, docLine(""), docText(end),
	}}
}

func separated(elems []doc) docConcat {
	var parts docConcat
	for i, x := range elems {
		if i > 0 {
			parts = append(parts, docText(","), docLine(" "))
		}
		parts = append(parts, x)
	}
	return parts
}

func exprDocs(exprs []Expr) []doc {
	docs := make([]doc, len(exprs))
	for i, e := range exprs {
		docs[i] = exprDoc(e, precOpen, true)
	}
	return docs
}

func fieldDocs(fields []FieldInit) []doc {
	docs := make([]doc, len(fields))
	for i, f := range fields {
		docs[i] = docConcat{docText(f.Name.Name + ": "), exprDoc(f.X, precOpen, true)}
	}
	return docs
}
