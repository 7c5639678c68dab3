package syntax

// typeDecl parses a type, perhaps with "ghost" or "volatile" in front. That a type
// has both is for the checker to say.
func (p *parser) typeDecl() TypeDecl {
	from := p.pos
	var d TypeDecl
	word := func(text string) bool { return p.kind() == tokIdent && p.text(p.tokens[p.pos]) == text }
	for {
		switch {
		case !d.Ghost && word("ghost"):
			d.Ghost = true
		case !d.Volatile && word("volatile"):
			d.Volatile = true
		default:
			d.Type = p.typeExpr()
			d.Sp = p.since(from)
			return d
		}
		p.pos++
	}
}

// typeExpr parses D → T.
func (p *parser) typeExpr() Type {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	from := p.pos
	t := p.typeOption()
	if !p.accept(tokArrow) {
		return t
	}
	result := p.typeExpr()
	if t == nil || result == nil {
		return nil
	}
	return &TypeFunc{Domain: t, Result: result, Sp: p.since(from)}
}

// typeOption parses T? and what may stand in front of the question mark.
func (p *parser) typeOption() Type {
	from := p.pos
	t := p.typeOperand()
	for p.accept(tokQuestion) {
		if t != nil {
			t = &TypeOption{Elem: t, Sp: p.since(from)}
		}
	}
	return t
}

func (p *parser) typeOperand() Type {
	from := p.pos
	if p.kind() == tokLParen {
		return p.typeInParens()
	}
	name := p.name("a type")
	if name == nil {
		return nil
	}
	if p.kind() != tokLParen {
		return &TypeName{Name: name.Name, Sp: name.Sp}
	}
	arg := p.typeInParens()
	if arg == nil {
		return nil
	}
	return &TypeApply{Fun: name.Name, Arg: arg, Sp: p.since(from)}
}

func (p *parser) typeInParens() Type {
	var t Type
	p.bracketed(func() { t = p.typeExpr() })
	return t
}
