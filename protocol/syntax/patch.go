package syntax

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol/diag"
)

// Edit is one line of a patch: something behind + that is added, or behind - that is
// removed. It is a statement, an expression or a field of a record; exactly one is given.
type Edit struct {
	Add   bool
	Stmt  Stmt
	Expr  Expr
	Field *FieldInit
	// Open says that … stands in a statement that is removed: for the value of an
	// assignment or of a let, or for the fields of a message. The value, or the list
	// of the fields, is nil.
	Open bool
	Sp   diag.Span
}

// ParsePatch parses the bytes [start,end) of a file as the lines of a patch. A line
// that is indented deeper than the sign in front of an edit continues it. Edits that
// could not be read are missing in the result.
func ParsePatch(f *diag.File, start, end int) ([]Edit, diag.List) {
	var patch []Edit
	errs := parseLines(f, start, end, "edit", beginsEdit, func(p *parser) {
		if e, ok := p.edit(); ok {
			patch = append(patch, e)
		}
	})
	return patch, errs
}

// beginsEdit is like beginsStmt, for a line of a patch.
func beginsEdit(_ *diag.File, tokens []token) bool {
	return tokens[0].kind == tokSub || tokens[0].kind == tokAdd
}

// edit parses a sign and what it adds or removes.
func (p *parser) edit() (Edit, bool) {
	from := p.pos
	e := Edit{Add: p.kind() == tokAdd}
	if !e.Add && p.kind() != tokSub {
		p.noSign()
		p.giveUp()
		return e, false
	}
	p.pos++
	begin := p.pos
	if p.kind() == tokIdent && p.peek() == tokColon {
		name := p.name("a field")
		p.pos++
		if x := p.expr(); x != nil {
			e.Field = &FieldInit{Name: name, X: x}
		}
	} else if isStatementWord(p.file, p.tokens[begin]) {
		e.Stmt, e.Open = p.openStmt(e.Add)
	} else if left := p.expr(); p.kind() == tokAssign {
		p.pos, p.errs, p.failed = begin, nil, -1
		e.Stmt, e.Open = p.openStmt(e.Add)
	} else {
		e.Expr = left
	}
	e.Sp = p.since(from)
	return e, e.Stmt != nil || e.Expr != nil || e.Field != nil
}

// openStmt parses a statement, in which … may stand if it is removed.
func (p *parser) openStmt(add bool) (Stmt, bool) {
	from := p.pos
	last := len(p.tokens) - 2 // in front of the end
	at := -1                  // of the …
	for i := from; i <= last; i++ {
		if p.tokens[i].kind == tokEllipsis {
			at = i
		}
	}
	if at < 0 {
		return p.stmt(), false
	}
	if add {
		p.openAddition(p.tokens[at])
		p.giveUp()
		return nil, false
	}
	switch word := p.text(p.tokens[from]); {
	case word == "send" && p.tokens[from+1].kind == tokIdent && at == from+3 && at == last-1 &&
		p.tokens[from+2].kind == tokLBrace && p.tokens[last].kind == tokRBrace:
		p.pos++
		name := p.name("a message type")
		p.pos = last + 1
		sp := p.since(from + 1)
		return &Send{Message: &RecordLit{Type: name, Sp: sp}, Sp: p.since(from)}, true
	case word == "let" && at == from+3 && at == last && p.tokens[from+2].kind == tokDefine:
		p.pos++
		name := p.name("a name")
		p.pos = last + 1
		return &LetStmt{Name: name, Sp: p.since(from)}, true
	case at == last && p.tokens[at-1].kind == tokAssign:
		left := p.expr()
		if p.kind() != tokAssign || left == nil || !p.assignable(left) {
			p.giveUp()
			return nil, false
		}
		p.pos = last + 1
		return &Assign{Left: left, Sp: p.since(from)}, true
	}
	p.misplacedEllipsis(p.tokens[at])
	p.giveUp()
	return nil, false
}

// giveUp skips the rest of a line of which all was said.
func (p *parser) giveUp() { p.failed, p.pos = len(p.tokens)-1, len(p.tokens)-1 }

// FormatEdit is the canonical text of a line of a patch.
func FormatEdit(e Edit) string {
	sign := "- "
	if e.Add {
		sign = "+ "
	}
	switch {
	case e.Expr != nil:
		text := FormatExpr(e.Expr)
		if first := leading(text, isNameRune); slices.Contains(statementWords, first) && !strings.HasPrefix(text[len(first):], "'") {
			text = "(" + text + ")" // or else it is taken for a statement
		}
		return sign + text
	case e.Field != nil:
		return sign + e.Field.Name.Name + ": " + FormatExpr(e.Field.X)
	case !e.Open:
		return sign + FormatStmt(e.Stmt)
	}
	switch s := e.Stmt.(type) {
	case *Send:
		return sign + "send " + s.Message.Type.Name + "{…}"
	case *LetStmt:
		return sign + "let " + s.Name.Name + " == …"
	case *Assign:
		return sign + FormatExpr(s.Left) + " := …"
	case *With, *Receive, *Require, *Crash:
	}
	panic("an edit that cannot be open")
}

// Matches reports whether the edit names the statement.
func (e Edit) Matches(s Stmt) bool {
	if !e.Open {
		return e.Stmt != nil && equalStmts(e.Stmt, s)
	}
	switch x := e.Stmt.(type) {
	case *Send:
		s, ok := s.(*Send)
		return ok && s.Message.Type.Name == x.Message.Type.Name
	case *LetStmt:
		s, ok := s.(*LetStmt)
		return ok && s.Name.Name == x.Name.Name
	case *Assign:
		s, ok := s.(*Assign)
		return ok && Equal(s.Left, x.Left)
	case *With, *Receive, *Require, *Crash:
	}
	return false
}
