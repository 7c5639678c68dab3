package protocol

import (
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// definition checks a definition's parameters and body once; a definition that
// is used while it is being checked is cyclic.
func (c *checker) definition(n *defNode) {
	if n.status != 0 {
		return
	}
	n.status = 1
	d := n.def
	x := &exprs{checker: c, ctx: context{what: "a definition"}}
	for _, p := range c.mapping(n.params.node, "the parameters of "+d.Name) {
		typ, ok := c.parseTypeOf(p)
		s := InvalidSort
		if ok {
			c.noGhost(typ)
			s = c.sortOf(typ.Type)
		}
		if !isIdent(p.key) {
			c.badName(p.keySpan, p.key)
		}
		b := x.newBinding(&syntax.Ident{Name: p.key, Sp: p.keySpan}, s, false)
		d.Params = append(d.Params, b)
		x.bind(b)
	}
	var want *Sort
	if n.returns.node != nil {
		if typ, ok := c.parseTypeOf(n.returns); ok {
			c.noGhost(typ)
			want = c.sortOf(typ.Type)
		}
	}
	e := c.patchedFormula(part{"definitions", d.Name}, c.parseFormula(n.formula, d.Span, "definition "+d.Name))
	if e != nil {
		d.Source = e
		o := x.expr(e, want)
		d.Body, d.Ghost, d.State = o.t, o.ghost, x.state
		if n.size = c.size(o.t); n.size > maxSizeOfTerm {
			c.tooLarge(d.Span, d.Name)
			d.Body = invalid.t
		}
		c.unguarded(o.t)
	}
	if d.Body == nil {
		d.Body = invalid.t
	}
	n.status = 2
	c.sys.Defs = append(c.sys.Defs, d)
}

const maxSizeOfTerm = 100_000

// size is how many nodes a term has with the definitions that it uses written
// out, as the evaluator and the encoder meet it.
func (c *checker) size(t Term) int {
	if t == nil {
		return 0
	}
	n := 1
	if call, ok := t.(*Call); ok {
		n += c.globals[call.Def.Name].def.size
		for _, a := range call.Args {
			n = min(n+c.size(a), maxSizeOfTerm+1)
		}
		return n
	}
	for x := range Children(t) {
		n = min(n+c.size(x), maxSizeOfTerm+1)
	}
	return n
}

// noGhost reports a type that is marked ghost where nothing can be.
func (c *checker) noGhost(typ syntax.TypeDecl) {
	if typ.Ghost {
		c.misplacedGhost(typ.Sp)
	}
	c.notVolatile(typ)
}

// useDef is the definition, checked; nil after an error in it.
func (x *exprs) useDef(at diag.Span, n *defNode) *Definition {
	switch n.status {
	case 1:
		x.cyclic(at, n.def)
		return nil
	case 0:
		x.definition(n)
	}
	if n.def.Body.Sort() == InvalidSort {
		return nil
	}
	return n.def
}

// parseFormula reads a formula's text; nil after an error.
func (c *checker) parseFormula(e entry, owner diag.Span, what string) syntax.Expr {
	if e.node == nil {
		c.errYAML(diag.NotYAML, owner, what+" has no formula", "add `formula: |` and the formula on the next line, indented")
		return nil
	}
	start, end, ok := c.formula(e.node)
	if !ok {
		return nil
	}
	expr, errs := syntax.ParseExpr(c.file, start, end)
	c.errs = append(c.errs, errs...)
	if errs.HasErrors() {
		return nil
	}
	return expr
}

func (c *checker) parseBody(e entry, owner diag.Span, what string) ([]syntax.Stmt, bool) {
	if e.node == nil {
		c.errYAML(diag.NotYAML, owner, what+" has no body", "add `do: |` and one statement a line below, indented")
		return nil, false
	}
	start, end, ok := c.formula(e.node)
	if !ok {
		return nil, false
	}
	body, errs := syntax.ParseBody(c.file, start, end)
	c.errs = append(c.errs, errs...)
	return body, !errs.HasErrors()
}

// init checks the initial state: updates of whole variables, from the default state.
func (c *checker) init(e entry) {
	a := &Action{Name: initName, Index: -1, Span: c.file.Span(0, 0), system: c.sys}
	c.sys.Init = a
	if e.node == nil {
		return
	}
	a.Span = e.keySpan
	if body, ok := c.parseBody(e, e.keySpan, "init"); ok {
		c.initBody = body
		b := &bodyChecker{exprs: exprs{checker: c, ctx: context{what: "init", noState: true}}, action: a, init: true}
		b.statements(body)
		c.unguardedIn(a)
	}
}

func (c *checker) action(n *actionNode) {
	before := len(c.errs)
	defer func() { c.broken[n.action] = c.errs[before:].HasErrors() || c.rejected[n.do.node] }()
	body, ok := c.parseBody(n.do, n.action.Span, "action "+n.action.Name)
	if !ok {
		return
	}
	n.body = body
	b := &bodyChecker{exprs: exprs{checker: c, ctx: context{what: "an action"}}, action: n.action}
	n.action.written = c.patched(part{"actions", n.action.Name}, body)
	b.statements(n.action.written)
	c.unguardedIn(n.action)
}

// bodyChecker checks the statements of one action.
type bodyChecker struct {
	exprs
	action  *Action
	init    bool
	written map[*StateVar]diag.Span
	crash   *syntax.Crash // the first one, or nil
	crashed Term          // what it names; nil after an error in it
}

func (b *bodyChecker) statements(body []syntax.Stmt) {
	b.written = map[*StateVar]diag.Span{}
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.With:
			b.with(s)
		case *syntax.Receive:
			b.receive(s)
		case *syntax.LetStmt:
			o := b.expr(s.X, nil)
			v := b.newBinding(s.Name, o.sort(), o.ghost)
			b.bind(v)
			if !o.bad() {
				b.action.Body = append(b.action.Body, &Let{Var: v, X: o.t})
			}
		case *syntax.Require:
			b.require(s)
		case *syntax.Assign:
			b.assign(s)
		case *syntax.Send:
			b.send(s)
		case *syntax.Crash:
			b.crashes(s)
		default:
			panic("unhandled statement")
		}
	}
	if b.crashed != nil {
		b.reset()
	}
}

func (b *bodyChecker) with(s *syntax.With) {
	if b.init {
		b.misplaced(s.Sp, "with", "init gives each state variable one value; what may differ is written as a condition of a property")
		return
	}
	for _, g := range s.Groups {
		d, ok := b.domainOf(g.Domain)
		if ok && (d.sort.Kind == MessageKind || d.sort.Kind == UnionKind) {
			b.misplaced(g.Domain.Span(), "a message type behind with", "write receive m ∈ "+d.sort.Name)
			ok = false
		}
		if !ok {
			d.sort = InvalidSort
		}
		for _, id := range g.Names {
			v := b.newBinding(id, d.sort, false)
			v.InRange = true
			b.bind(v)
			b.action.Params = append(b.action.Params, &Param{Binding: v})
			if d.guard != nil {
				if d.ghost {
					b.ghostIn(g.Domain.Span(), "the domain of a parameter")
				}
				b.action.Body = append(b.action.Body, &Guard{Cond: d.guard(&Var{v}), Span: g.Domain.Span(),
					Source: &syntax.Binary{Op: syntax.OpIn, X: id, Y: g.Domain, Sp: diag.Join(id.Sp, g.Domain.Span())}})
			}
		}
	}
}

func (b *bodyChecker) receive(s *syntax.Receive) {
	if b.init {
		b.misplaced(s.Sp, "receive", "no message has been sent initially")
		return
	}
	sort := InvalidSort
	switch types, _, ok := b.messageTypes(s.Domain); {
	case !ok:
		b.notMessageType(s.Domain.Span())
	case types != nil:
		sort = b.unionOf(s.Domain, types)
	}
	v := b.newBinding(s.Name, sort, false)
	v.InRange = true
	b.bind(v)
	b.action.Params = append(b.action.Params, &Param{Binding: v})
}

func (b *bodyChecker) require(s *syntax.Require) {
	if b.init {
		b.misplaced(s.Sp, "require", "init gives each state variable its value")
		return
	}
	o := b.formula(s.X)
	if o.bad() {
		return
	}
	if o.ghost {
		b.ghostIn(s.X.Span(), "a guard")
		return
	}
	b.action.Body = append(b.action.Body, &Guard{Cond: o.t, Span: s.X.Span(), Source: s.X})
}

func (b *bodyChecker) assign(s *syntax.Assign) {
	root, path := cell(s.Left)
	if root == nil {
		b.notAssignable(s.Left.Span())
		return
	}
	if root.Prime {
		b.primedName(root)
		return
	}
	g := b.globals[root.Name]
	if b.local(root.Name) != nil || g == nil || g.state == nil {
		b.notStateVar(root)
		return
	}
	v := g.state
	if first, dup := b.written[v]; dup {
		b.updatedTwice(s.Sp, v.Name, first)
	}
	b.written[v] = s.Sp
	sort := v.Sort
	u := &Update{State: v, Span: s.Sp}
	for _, ix := range path {
		if sort == InvalidSort {
			return
		}
		if sort.Kind != FuncKind {
			b.badCell(s.Left.Span(), v, len(u.Path))
			return
		}
		if len(ix.Args) != 1 {
			b.indexArity(ix, operand{t: &StateRead{State: v}})
			return
		}
		i := b.expr(ix.Args[0], sort.Domain)
		if i.bad() {
			return
		}
		if i.ghost && !v.Ghost {
			b.ghostIn(ix.Args[0].Span(), "the index of "+v.Name+", which is not ghost")
			return
		}
		u.Path = append(u.Path, i.t)
		sort = sort.Elem
	}
	val := b.expr(s.Right, sort)
	if val.bad() || sort == InvalidSort {
		return
	}
	if val.ghost && !v.Ghost {
		b.ghostIn(s.Right.Span(), "the value of "+v.Name+", which is not ghost")
		return
	}
	u.Value = val.t
	b.action.Body = append(b.action.Body, u)
	b.action.Updates = append(b.action.Updates, u)
}

// cell takes f[i][j] apart into f and its indexes, outermost first.
func cell(e syntax.Expr) (*syntax.Ident, []*syntax.Index) {
	switch e := e.(type) {
	case *syntax.Ident:
		return e, nil
	case *syntax.Index:
		root, path := cell(e.X)
		return root, append(path, e)
	}
	return nil, nil
}

func (b *bodyChecker) send(s *syntax.Send) {
	if b.init {
		b.misplaced(s.Sp, "send", "no message has been sent initially")
		return
	}
	m := b.recordLit(s.Message, true)
	snd := &Send{Span: s.Sp}
	if s.Cond != nil {
		o := b.formula(s.Cond)
		if o.bad() {
			return
		}
		if o.ghost {
			b.ghostIn(s.Cond.Span(), "the condition of a send")
			return
		}
		snd.Cond, snd.Source = o.t, s.Cond
	}
	if m.bad() {
		return
	}
	snd.Message = m.t.(*RecordTerm)
	b.action.Body = append(b.action.Body, snd)
	b.action.Sends = append(b.action.Sends, snd)
}
