package syntax

// stmt parses a statement. It is nil if a part of it could not be read.
func (p *parser) stmt() Stmt {
	from := p.pos
	if !isStatementWord(p.file, p.tokens[from]) {
		return p.assign()
	}
	word := p.next()
	if p.kind() == tokAssign {
		p.reserved(word)
		p.pos = from
		return p.assign()
	}
	switch p.text(word) {
	case "with":
		if groups, ok := p.groups(); ok {
			return &With{Groups: groups, Sp: p.since(from)}
		}
	case "receive":
		name := p.name("a name")
		if !p.expect(tokIn) {
			return nil
		}
		if domain := p.domain(); name != nil && domain != nil {
			return &Receive{Name: name, Domain: domain, Sp: p.since(from)}
		}
	case "let":
		if b, ok := p.binding(); ok {
			return &LetStmt{Name: b.Name, X: b.X, Sp: p.since(from)}
		}
	case "require":
		if x := p.expr(); x != nil {
			return &Require{X: x, Sp: p.since(from)}
		}
	case "send":
		return p.send(from)
	case "crash":
		if x := p.expr(); x != nil {
			return &Crash{X: x, Sp: p.since(from)}
		}
	}
	return nil
}

// send parses a message and its condition.
func (p *parser) send(from int) Stmt {
	begin := p.pos
	name := p.name("a message type")
	if p.kind() != tokLBrace {
		p.unexpected(tokLBrace.String())
		return nil
	}
	message := p.record(name, begin)
	conditional := p.kind() == tokIdent && p.text(p.tokens[p.pos]) == "if"
	var cond Expr
	if conditional {
		p.pos++
		cond = p.expr()
	}
	if name == nil || message == nil || conditional && cond == nil {
		return nil
	}
	return &Send{Message: message, Cond: cond, Sp: p.since(from)}
}

// assign parses x[i] := e.
func (p *parser) assign() Stmt {
	from := p.pos
	left := p.expr()
	if p.kind() != tokAssign {
		if left != nil {
			p.notAStatement(left)
		}
		return nil
	}
	ok := left != nil && p.assignable(left)
	p.pos++
	right := p.expr()
	if !ok || right == nil {
		return nil
	}
	return &Assign{Left: left, Right: right, Sp: p.since(from)}
}

// assignable reports whether e is a variable or a part of one, and complains
// if it is not.
func (p *parser) assignable(e Expr) bool {
	for part := e; ; {
		switch x := part.(type) {
		case *Ident:
			if x.Prime {
				p.primedTarget(x)
			}
			return !x.Prime
		case *Index:
			part = x.X
		case *Field:
			part = x.X
		default:
			p.notAssignable(e)
			return false
		}
	}
}
