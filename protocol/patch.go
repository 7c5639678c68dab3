package protocol

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// A patch changes the statements of an action, or a formula, line by line:
//
//   - "- statement" removes the one statement that is equal to it, "+ statement" adds one:
//     where the one just before was removed, or else at the end;
//   - "- expression" and "+ expression" behind it put one in the place of the other, which
//     stands there once; without the second line it is left out of a chain of ∧ or ∨, or
//     with its require;
//   - "- field: value" is the same for a field of a record.
//
// Statements are equal if their trees are. Each line finds what the lines before it left.

// parsePatch reads the lines of a patch.
func (c *checker) parsePatch(d entry) ([]syntax.Edit, bool) {
	start, end, ok := c.formula(d.node)
	if !ok {
		return nil, false
	}
	edits, errs := syntax.ParsePatch(c.file, start, end)
	c.errs = append(c.errs, errs...)
	return edits, !errs.HasErrors()
}

// patched is a body, or a formula as the guard of a body, with the patch of the system's
// mutation.
func (c *checker) patched(p part, body []syntax.Stmt) []syntax.Stmt {
	if c.sys.Mutation == nil {
		return body
	}
	edits := c.sys.Mutation.patches[p]
	if edits == nil {
		return body
	}
	return c.patch(p, body, edits)
}

// patchedFormula is patched of a formula.
func (c *checker) patchedFormula(p part, e syntax.Expr) syntax.Expr {
	if e == nil {
		return nil
	}
	body := c.patched(p, []syntax.Stmt{&syntax.Require{X: e, Sp: e.Span()}})
	if len(body) != 1 {
		return nil // reported
	}
	return body[0].(*syntax.Require).X
}

// patch applies the lines of a patch to a body, or to a formula as the guard of a body. It
// reports those that do not fit.
func (c *checker) patch(p part, body []syntax.Stmt, edits []syntax.Edit) []syntax.Stmt {
	if body == nil {
		return nil // there are errors in it
	}
	formula := p.section != "actions"
	place := -1 // where the next statement is added; -1 is at the end
	for i := 0; i < len(edits); i++ {
		e := edits[i]
		by := syntax.Edit{} // what the next line puts in the place of e
		if !e.Add && e.Stmt == nil && i+1 < len(edits) {
			if next := edits[i+1]; next.Add && (next.Expr != nil && e.Expr != nil || next.Field != nil && e.Field != nil) {
				by = next
				i++
			}
		}
		var found syntax.Found
		switch {
		case e.Stmt != nil && formula:
			c.statementInFormula(e.Sp, p.name)
			return body
		case e.Add && e.Stmt != nil:
			if place < 0 {
				body = append(slices.Clip(body), e.Stmt)
				continue
			}
			body = slices.Insert(slices.Clone(body), place, e.Stmt)
			place++
			continue
		case e.Add:
			c.addsToNothing(e.Sp, formula)
			continue
		case e.Stmt != nil:
			at := slices.IndexFunc(body, e.Matches)
			for _, s := range body {
				if e.Matches(s) {
					found.Places++
				}
			}
			if place = at; found.Places == 1 {
				body = slices.Delete(slices.Clone(body), at, at+1)
			}
		case e.Field != nil:
			body, found = syntax.ReplaceField(body, *e.Field, by.Field)
			place = -1
		default:
			body, found = syntax.ReplaceExpr(body, e.Expr, by.Expr)
			place = -1
		}
		switch {
		case found.Places == 0:
			c.nothingMatches(e.Sp, p.name, closestPart(e, body))
			place = -1
		case found.Places > 1:
			c.severalMatch(e.Sp, p.name, found.Places)
			place = -1
		case found.Stuck > 0 || formula && len(body) == 0:
			c.cannotLeaveOut(e.Sp)
		}
	}
	return body
}

// closestPart is the part of a body, of the kind of an edit, that resembles the edit most; it is
// invalid if none does.
func closestPart(e syntax.Edit, body []syntax.Stmt) diag.Span {
	want := []rune(strings.TrimPrefix(syntax.FormatEdit(e), "- "))
	best, at := len(want)/2+1, diag.Span{}
	try := func(place diag.Span, text string) {
		got := []rune(text)
		if len(got) > 2*len(want) || len(got) > 400 || len(want) > 400 {
			return
		}
		if d := distance(want, got); d < best {
			best, at = d, place
		}
	}
	var parts func(x syntax.Expr)
	parts = func(x syntax.Expr) {
		if r, ok := x.(*syntax.RecordLit); ok && e.Field != nil {
			for _, f := range r.Fields {
				try(diag.Join(f.Name.Sp, f.X.Span()), f.Name.Name+": "+syntax.FormatExpr(f.X))
			}
		} else if e.Expr != nil {
			try(x.Span(), syntax.FormatExpr(x))
		}
		for y := range syntax.Children(x) {
			parts(y)
		}
	}
	for _, s := range body {
		if e.Stmt != nil {
			try(s.Span(), syntax.FormatStmt(s))
			continue
		}
		for x := range syntax.StmtExprs(s) {
			parts(x)
		}
	}
	return at
}
