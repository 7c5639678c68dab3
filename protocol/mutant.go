package protocol

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Mutants are small changes of the actions, each of which is wrong as far as anybody knows: if all
// properties hold with it, then either what was changed is not what safety rests on, or the
// properties say too little. They are made of the text of an action, statement by statement:
//
//   - of a guard: one operand of a ∧ is dropped, or all of the guard if it is no ∧; < becomes ≤ and
//     > becomes ≥; a part of a set is dropped. Always so that the action has more steps, since with
//     fewer of them no safety property breaks: under a negation it is an operand of a ∨ that is
//     dropped, and ≤ becomes <. The domains of parameters stay as they are;
//   - an update, a crash or a send is dropped, and so is the condition of a send, which is
//     otherwise changed as a guard;
//   - of a value, which is what a let, an update or a field of a message says: one operand of
//     a ∧ is dropped; < becomes ≤ and ≤ becomes <, since a value may be used either way, and so for
//     > and ≥; IF c THEN a ELSE b becomes a, and b; a ∪ b, and the like, becomes a, and b.
//
// Ghosts are left alone: what is wrong with them is wrong with the proof, not with the protocol.
//
// A mutant is a mutation: a patch of one action. Its name is the action's with a number, which is
// the same as long as the action is. No two mutants of an action are the same, nor is one the
// action itself; but one may be no protocol, which System.Mutated finds out.

// Mutants are those of all actions, in written order.
func (s *System) Mutants() []*Mutation {
	var out []*Mutation
	for _, a := range s.Actions {
		for _, m := range mutantsOf(a) {
			for _, x := range a.survivors {
				if syntax.EqualBodies(x.body, m.body) {
					m.Survives = x.reason
				}
			}
			out = append(out, m.Mutation)
		}
	}
	return out
}

// mutant is a mutant with the body that it leaves of its action, written as simply as it can be.
type mutant struct {
	*Mutation
	body []syntax.Stmt
}

func mutantsOf(a *Action) []mutant {
	g := &mutator{action: a, lets: map[string]bool{}, original: simplest(a.written)}
	for _, s := range a.Body {
		if let, ok := s.(*Let); ok && let.Var.Ghost {
			g.lets[let.Var.Name] = true
		}
	}
	for i, s := range a.written {
		g.at = i
		g.statement(s)
	}
	return g.out
}

// mutator makes the mutants of one action.
type mutator struct {
	action   *Action
	lets     map[string]bool // those that are ghosts
	original []syntax.Stmt
	at       int           // the statement in hand
	way      []syntax.Expr // from one of its formulas to the one in hand
	out      []mutant
}

// effect says what follows if a formula, or a set, becomes true more often, or larger.
type effect int8

const (
	eitherWay effect = iota // anything
	more                    // more steps
	fewer                   // fewer steps
)

func (u effect) inverse() effect {
	return [...]effect{eitherWay: eitherWay, more: fewer, fewer: more}[u]
}

func (g *mutator) statement(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.With, *syntax.Receive:
	case *syntax.LetStmt:
		if !g.lets[s.Name.Name] {
			g.expr(s.X, eitherWay)
		}
	case *syntax.Require:
		if op, _ := syntax.Junction(s.X); op != syntax.OpAnd {
			g.drop(s)
		}
		g.expr(s.X, more)
	case *syntax.Assign:
		if root, _ := cell(s.Left); root != nil && !g.ghostState(root.Name) {
			g.drop(s)
			g.expr(s.Right, eitherWay)
		}
	case *syntax.Send:
		g.drop(s)
		g.expr(s.Message, eitherWay)
		if s.Cond != nil {
			always := &syntax.Send{Message: s.Message, Sp: s.Sp}
			g.offer([]syntax.Stmt{always}, s.Cond.Span(), substitution(s, always))
			g.expr(s.Cond, more)
		}
	case *syntax.Crash:
		g.drop(s)
	default:
		panic(fmt.Sprintf("unhandled %T", s))
	}
}

func (g *mutator) ghostState(name string) bool {
	for _, v := range g.action.system.State {
		if v.Name == name {
			return v.Ghost
		}
	}
	return false
}

func (g *mutator) ghostField(message, field string) bool {
	for _, m := range g.action.system.Messages {
		if m.Name == message {
			f := m.Field(field)
			return f != nil && f.Ghost
		}
	}
	return false
}

// expr changes a formula in all ways, and then what is below it.
func (g *mutator) expr(e syntax.Expr, u effect) {
	g.way = append(g.way, e)
	defer func() { g.way = g.way[:len(g.way)-1] }()
	if op, chain := syntax.Junction(e); chain != nil {
		for _, x := range chain {
			if op == syntax.OpAnd && u != fewer || op == syntax.OpOr && u == fewer {
				g.way = append(g.way, x)
				g.change(nil)
				g.way = g.way[:len(g.way)-1]
			}
			g.expr(x, u)
		}
		return
	}
	switch e := e.(type) {
	case *syntax.Unary:
		if e.Op == syntax.OpNot {
			u = u.inverse()
		} else {
			u = eitherWay
		}
		g.expr(e.X, u)
	case *syntax.Binary:
		g.binary(e, u)
	case *syntax.If:
		if u == eitherWay {
			g.change(e.Then)
			g.change(e.Else)
		}
		g.expr(e.Cond, eitherWay)
		g.expr(e.Then, u)
		g.expr(e.Else, u)
	case *syntax.Let:
		for _, b := range e.Binds {
			g.expr(b.X, eitherWay)
		}
		g.expr(e.Body, u)
	case *syntax.Quant:
		g.expr(e.Body, u)
	case *syntax.SetOf:
		g.expr(e.Cond, u)
	case *syntax.FuncLit:
		g.expr(e.Body, eitherWay)
	case *syntax.RecordLit:
		for _, f := range e.Fields {
			if !g.ghostField(e.Type.Name, f.Name.Name) {
				g.expr(f.X, eitherWay)
			}
		}
	default:
		for x := range syntax.Children(e) {
			g.expr(x, eitherWay)
		}
	}
}

func (g *mutator) binary(e *syntax.Binary, u effect) {
	becomes := func(op syntax.Op) {
		g.change(&syntax.Binary{Op: op, X: e.X, Y: e.Y, OpSpan: e.OpSpan, Sp: e.Sp})
	}
	left, right := eitherWay, eitherWay
	switch e.Op {
	case syntax.OpImplies:
		left, right = u.inverse(), u
	case syntax.OpLt:
		if u != fewer {
			becomes(syntax.OpLe)
		}
	case syntax.OpGt:
		if u != fewer {
			becomes(syntax.OpGe)
		}
	case syntax.OpLe:
		if u != more {
			becomes(syntax.OpLt)
		}
	case syntax.OpGe:
		if u != more {
			becomes(syntax.OpGt)
		}
	case syntax.OpIn:
		right = u
	case syntax.OpNotIn:
		right = u.inverse()
	case syntax.OpSubset:
		left, right = u.inverse(), u
	case syntax.OpUnion:
		if u != more {
			g.change(e.X)
			g.change(e.Y)
		}
		left, right = u, u
	case syntax.OpIntersect:
		if u != fewer {
			g.change(e.X)
			g.change(e.Y)
		}
		left, right = u, u
	case syntax.OpDiff:
		if u != fewer {
			g.change(e.X)
		}
		left, right = u, u.inverse()
	}
	g.expr(e.X, left)
	g.expr(e.Y, right)
}

// drop leaves the statement in hand out.
func (g *mutator) drop(s syntax.Stmt) {
	open := s
	switch s := s.(type) {
	case *syntax.Assign:
		open = &syntax.Assign{Left: s.Left, Sp: s.Sp}
	case *syntax.Send:
		open = &syntax.Send{Message: &syntax.RecordLit{Type: s.Message.Type, Sp: s.Message.Sp}, Sp: s.Sp}
	}
	g.offer(nil, s.Span(), []syntax.Edit{{Stmt: open, Open: open != s, Sp: s.Span()}}, []syntax.Edit{{Stmt: s, Sp: s.Span()}})
}

// change puts a formula in the place of the one in hand, or leaves that out if it is nil. The patch
// says no more of what is around it than it takes to find the place.
func (g *mutator) change(by syntax.Expr) {
	s := g.action.written[g.at]
	node := g.way[len(g.way)-1]
	next := syntax.ReplaceNode(s, node, by)
	var ways [][]syntax.Edit
	if len(g.way) > 1 || by == nil {
		ways = append(ways, expression(node, by))
	} else {
		ways = append(ways, opened(s, next))
	}
	for i := len(g.way) - 2; i >= 0; i-- {
		around := g.way[i]
		if r, ok := around.(*syntax.RecordLit); ok {
			for _, f := range r.Fields {
				if f.X == g.way[i+1] {
					ways = append(ways, []syntax.Edit{{Field: &f, Sp: f.X.Span()},
						{Add: true, Field: &syntax.FieldInit{Name: f.Name, X: syntax.ReplaceNodeIn(f.X, node, by)}, Sp: f.X.Span()}})
				}
			}
		}
		ways = append(ways, expression(around, syntax.ReplaceNodeIn(around, node, by)))
	}
	ways = append(ways, opened(s, next), substitution(s, next))
	g.offer([]syntax.Stmt{next}, node.Span(), ways...)
}

// expression is a patch of an expression.
func expression(old, by syntax.Expr) []syntax.Edit {
	edits := []syntax.Edit{{Expr: old, Sp: old.Span()}}
	if by != nil {
		edits = append(edits, syntax.Edit{Add: true, Expr: by, Sp: old.Span()})
	}
	return edits
}

// substitution is a patch that puts a statement in the place of another one.
func substitution(old, by syntax.Stmt) []syntax.Edit {
	return []syntax.Edit{{Stmt: old, Sp: old.Span()}, {Add: true, Stmt: by, Sp: old.Span()}}
}

// opened is a substitution that does not repeat the old value of a let or an update.
func opened(old, by syntax.Stmt) []syntax.Edit {
	edits := substitution(old, by)
	switch s := old.(type) {
	case *syntax.LetStmt:
		edits[0] = syntax.Edit{Stmt: &syntax.LetStmt{Name: s.Name, Sp: s.Sp}, Open: true, Sp: s.Sp}
	case *syntax.Assign:
		edits[0] = syntax.Edit{Stmt: &syntax.Assign{Left: s.Left, Sp: s.Sp}, Open: true, Sp: s.Sp}
	}
	return edits
}

// offer notes the mutant with these statements in the place of the one in hand, unless there is one
// that says the same. Its patch is the first of those given that makes it; none does if the statement
// stands there twice, and then it is of no use in one place.
func (g *mutator) offer(by []syntax.Stmt, at diag.Span, ways ...[]syntax.Edit) {
	body := slices.Replace(slices.Clone(g.action.written), g.at, g.at+1, by...)
	short := simplest(body)
	if syntax.EqualBodies(short, g.original) || slices.ContainsFunc(g.out, func(m mutant) bool { return syntax.EqualBodies(short, m.body) }) {
		return
	}
	p := part{"actions", g.action.Name}
	for _, edits := range ways {
		c := &checker{reader: &reader{file: g.action.Span.File}}
		if got := c.patch(p, g.action.written, edits); len(c.errs) > 0 || !syntax.EqualBodies(got, body) {
			continue
		}
		m := &Mutation{Name: fmt.Sprintf("%s/%d", g.action.Name, len(g.out)+1), Mutant: true, Span: at,
			patches: map[part][]syntax.Edit{p: edits}}
		change := Change{Section: p.section, Name: p.name}
		for _, e := range edits {
			change.Lines = append(change.Lines, syntax.FormatEdit(e))
		}
		m.Changes = []Change{change}
		g.out = append(g.out, mutant{m, short})
		return
	}
}

// simplest is a body without the updates that leave a cell as it is, which a crash would not, and
// without the conditions of updates that make no difference.
func simplest(body []syntax.Stmt) []syntax.Stmt {
	crashes := slices.ContainsFunc(body, func(s syntax.Stmt) bool { _, ok := s.(*syntax.Crash); return ok })
	var out []syntax.Stmt
	for _, s := range body {
		if a, ok := s.(*syntax.Assign); ok {
			right := decided(a.Right)
			if !crashes && syntax.Equal(a.Left, right) {
				continue
			}
			s = &syntax.Assign{Left: a.Left, Right: right, Sp: a.Sp}
		}
		out = append(out, s)
	}
	return out
}

func decided(e syntax.Expr) syntax.Expr {
	x, ok := e.(*syntax.If)
	if !ok {
		return e
	}
	yes, no := decided(x.Then), decided(x.Else)
	if syntax.Equal(yes, no) {
		return yes
	}
	return &syntax.If{Cond: x.Cond, Then: yes, Else: no, Sp: x.Sp}
}
