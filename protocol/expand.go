package protocol

import (
	"strings"

	"github.com/speckl/kraftprove/protocol/syntax"
)

// Expanded is the action with everything made explicit, for a reader to check:
// its parameters, one guard a line, every update and what stays unchanged, and
// each message with all its fields. What is ghost is marked.
func (a *Action) Expanded() string {
	var b strings.Builder
	b.WriteString(a.Name)
	if a.Source != "" {
		b.WriteString("  # " + a.Source)
	}
	b.WriteString("\n")
	remark := func(text, remark string) {
		b.WriteString("  " + text)
		if remark != "" {
			b.WriteString("  # " + remark)
		}
		b.WriteString("\n")
	}
	line := func(text string, ghost bool) { remark(text, map[bool]string{true: "ghost"}[ghost]) }
	a.parameters(func(s syntax.Stmt) { line(syntax.FormatStmt(s), false) })
	written := map[*StateVar]bool{}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *Let:
			line(syntax.FormatStmt(&syntax.LetStmt{Name: &syntax.Ident{Name: s.Var.Name}, X: Express(s.X)}), s.Var.Ghost)
		case *Guard:
			for _, g := range conjuncts(s.Cond) {
				line(syntax.FormatStmt(&syntax.Require{X: Express(g)}), false)
			}
		case *Update:
			written[s.State] = true
			text := syntax.FormatStmt(&syntax.Assign{Left: s.cell(), Right: Express(s.Value)})
			if s.Crash {
				remark(text, "crash")
				continue
			}
			line(text, s.State.Ghost)
		case *Send:
			line(syntax.FormatStmt(s.statement()), false)
		}
	}
	if a.system == nil {
		return b.String()
	}
	for _, ghost := range []bool{false, true} {
		var kept []string
		for _, v := range a.system.State {
			if v.Ghost == ghost && !written[v] {
				kept = append(kept, v.Name)
			}
		}
		if len(kept) > 0 {
			line("unchanged: "+strings.Join(kept, ", "), ghost)
		}
	}
	if len(a.Sends) == 0 && len(a.system.Messages) > 0 {
		line("sends nothing", false)
	}
	return b.String()
}

// parameters calls yield with the statements that declare the parameters.
func (a *Action) parameters(yield func(syntax.Stmt)) {
	var with *syntax.With
	flush := func() {
		if with != nil {
			yield(with)
		}
		with = nil
	}
	for _, p := range a.Params {
		name := &syntax.Ident{Name: p.Name}
		d, _ := (&expresser{}).boundDomain(p.Binding, false, nil, nil, nil)
		if p.Sort.Kind == MessageKind || p.Sort.Kind == UnionKind {
			flush()
			yield(&syntax.Receive{Name: name, Domain: d})
			continue
		}
		if with == nil {
			with = &syntax.With{}
		}
		with.Groups = append(with.Groups, syntax.Group{Names: []*syntax.Ident{name}, Domain: d})
	}
	flush()
}

// conjuncts are the operands of a conjunction, or the formula alone.
func conjuncts(t Term) []Term {
	n, ok := t.(*Nary)
	if !ok || !n.And || len(n.Args) == 0 {
		return []Term{t}
	}
	if b, ok := Express(n).(*syntax.Binary); ok && b.Op == syntax.OpIn {
		return []Term{t} // x ∈ 1..n
	}
	return n.Args
}

// cell is the left side of an update.
func (u *Update) cell() syntax.Expr {
	var x syntax.Expr = &syntax.Ident{Name: u.State.Name}
	for _, i := range u.Path {
		x = &syntax.Index{X: x, Args: []syntax.Expr{Express(i)}}
	}
	return x
}

func (s *Send) statement() *syntax.Send {
	out := &syntax.Send{Message: Express(s.Message).(*syntax.RecordLit)}
	if s.Cond != nil {
		out.Cond = Express(s.Cond)
	}
	return out
}
