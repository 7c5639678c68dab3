package syntax

// expr parses a formula, which may be a list of bullets.
func (p *parser) expr() Expr {
	from := p.pos
	if k := p.kind(); k == tokAnd || k == tokOr {
		return p.operators(p.bullets(), from, precOpen)
	}
	return p.binary(precOpen)
}

// bullets parses operands that each have the same ∧ or ∨ in front. A bullet
// belongs to the list if it is the first token of its line and stands in the
// column of the list's first bullet.
func (p *parser) bullets() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	outer := p.margin
	defer func() { p.margin = outer }()

	from, first := p.pos, p.tokens[p.pos]
	p.margin = first.column
	var x Expr
	for complete, mixed := true, false; ; {
		bullet := p.next()
		y := p.expr()
		complete = complete && y != nil
		switch {
		case !complete:
			x = nil
		case x == nil:
			x = y
		default:
			x = &Binary{Op: binaryOps[bullet.kind], X: x, Y: y, OpSpan: p.at(bullet), Sp: p.since(from)}
		}
		next := p.tokens[p.pos]
		if !next.first || next.column != first.column || next.kind != tokAnd && next.kind != tokOr {
			return x
		}
		if next.kind != first.kind && !mixed {
			p.mixedBullets(first, next)
			mixed = true
		}
	}
}

// binary parses operands with operators of at least the given precedence
// between them.
func (p *parser) binary(level precedence) Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	from := p.pos
	return p.operators(p.unary(level), from, level)
}

// operators parses what follows the operand x, which began at a position.
func (p *parser) operators(x Expr, from int, level precedence) Expr {
	var last token // the operator before
	wrong := false // it stands in a chain that was reported
	for {
		op, ok := binaryOps[p.kind()]
		if !ok || op.prec() < level {
			return x
		}
		tok := p.next()
		y := p.rightOperand(op)
		wrong = binaryOps[last.kind].prec() == op.prec() && (wrong || p.wrongChain(from, last, tok))
		last = tok
		if x == nil || y == nil {
			x = nil // and read on
			continue
		}
		x = &Binary{Op: op, X: x, Y: y, OpSpan: p.at(tok), Sp: p.since(from)}
	}
}

// wrongChain reports two operators of one precedence that need parentheses.
// The operand left of the first one began at a position.
func (p *parser) wrongChain(from int, first, second token) bool {
	a, b := binaryOps[first.kind], binaryOps[second.kind]
	switch {
	case a.prec() == precCompare:
		p.chainedComparison(from, first, second)
		return true
	case a.prec() == precSet && a != b:
		p.mixedSetOperators(first, second)
		return true
	}
	return false
}

func (p *parser) rightOperand(op Op) Expr {
	if op == OpIn || op == OpNotIn {
		return p.domain()
	}
	if op == OpImplies { // to the right
		return p.binary(precImplies)
	}
	return p.binary(op.prec() + 1)
}

// domain parses a set or a range.
func (p *parser) domain() Expr {
	from := p.pos
	lo := p.binary(precSet)
	if !p.dots() {
		return lo
	}
	hi := p.binary(precSet)
	if lo == nil || hi == nil {
		return nil
	}
	return &Range{Lo: lo, Hi: hi, Sp: p.since(from)}
}

// dots accepts what stands between the ends of a range.
func (p *parser) dots() bool {
	if p.kind() == tokEllipsis {
		p.notDots()
		p.pos++
		return true
	}
	return p.accept(tokDots)
}

// unary parses an operand. A negation at a tighter level, as in a = ¬b, takes
// no operators looser than that level.
func (p *parser) unary(level precedence) Expr {
	switch p.kind() {
	case tokNot:
		from := p.pos
		p.pos++
		x := p.binary(max(level, precNot))
		if x == nil {
			return nil
		}
		return &Unary{Op: OpNot, X: x, Sp: p.since(from)}
	case tokForall, tokExists:
		return p.quant()
	case tokIF:
		return p.ifExpr()
	case tokLET:
		return p.let()
	}
	return p.postfix()
}

// quant parses ∀ i, j ∈ S, k ∈ T: body.
func (p *parser) quant() Expr {
	from := p.pos
	forall := p.next().kind == tokForall
	groups, ok := p.groups()
	if !p.expect(tokColon) {
		return nil
	}
	body := p.expr()
	if !ok || body == nil {
		return nil
	}
	return &Quant{Forall: forall, Groups: groups, Body: body, Sp: p.since(from)}
}

// groups parses i, j ∈ S, k ∈ T.
func (p *parser) groups() (groups []Group, ok bool) {
	ok = true
	p.list(func() {
		var g Group
		p.list(func() {
			name := p.name("a name")
			ok = ok && name != nil
			g.Names = append(g.Names, name)
		})
		if !p.expect(tokIn) {
			ok = false
			return
		}
		g.Domain = p.domain()
		ok = ok && g.Domain != nil
		groups = append(groups, g)
	})
	return groups, ok
}

func (p *parser) ifExpr() Expr {
	from := p.pos
	p.pos++
	cond := p.expr()
	if !p.expect(tokTHEN) {
		return nil
	}
	then := p.expr()
	if !p.expect(tokELSE) {
		return nil
	}
	els := p.expr()
	if cond == nil || then == nil || els == nil {
		return nil
	}
	return &If{Cond: cond, Then: then, Else: els, Sp: p.since(from)}
}

func (p *parser) let() Expr {
	from := p.pos
	p.pos++
	var binds []Binding
	ok := true
	p.list(func() {
		b, complete := p.binding()
		ok = ok && complete
		binds = append(binds, b)
	})
	if !p.expect(tokIN) {
		return nil
	}
	body := p.expr()
	if !ok || body == nil {
		return nil
	}
	return &Let{Binds: binds, Body: body, Sp: p.since(from)}
}

// postfix parses an operand with its indexes, fields and exclamation marks.
func (p *parser) postfix() Expr {
	from := p.pos
	x := p.operand()
	for {
		switch p.kind() {
		case tokLBrack:
			x = p.index(x, from)
		case tokDot:
			x = p.field(x, from)
		case tokBang:
			p.pos++
			if x != nil {
				x = &Unary{Op: OpValue, X: x, Sp: p.since(from)}
			}
		case tokPrime:
			if p.pos == from {
				return x // there is no operand
			}
			p.misplacedPrime(from, x)
		default:
			return x
		}
	}
}

// index parses x[a, b] or x[lo..hi] from the bracket on.
func (p *parser) index(x Expr, from int) Expr {
	var args []Expr
	var hi Expr
	slice, ok := false, true
	p.bracketed(func() {
		args, ok = p.exprs()
		if len(args) == 1 && p.dots() {
			slice = true
			hi = p.binary(precSet)
		}
	})
	switch {
	case x == nil || !ok || slice && hi == nil:
		return nil
	case slice:
		return &Slice{X: x, Lo: args[0], Hi: hi, Sp: p.since(from)}
	}
	return &Index{X: x, Args: args, Sp: p.since(from)}
}

// field parses x.name from the dot on.
func (p *parser) field(x Expr, from int) Expr {
	p.pos++
	name := p.name("a field")
	if x == nil || name == nil {
		return nil
	}
	return &Field{X: x, Name: name, Sp: p.since(from)}
}

// exprs parses formulas with commas between them.
func (p *parser) exprs() (exprs []Expr, ok bool) {
	ok = true
	p.list(func() {
		x := p.expr()
		ok = ok && x != nil
		exprs = append(exprs, x)
	})
	return exprs, ok
}

// optionalExprs is like exprs, but there may be none before the closing
// bracket.
func (p *parser) optionalExprs() (exprs []Expr, ok bool) {
	if p.kind().closes() {
		return nil, true
	}
	return p.exprs()
}

func (p *parser) operand() Expr {
	from := p.pos
	tok := p.tokens[from]
	switch p.kind() {
	case tokIdent:
		return p.named()
	case tokNumber:
		p.pos++
		return &Number{Value: tok.value, Sp: p.at(tok)}
	case tokTrue, tokFalse:
		p.pos++
		return &Bool{Value: tok.kind == tokTrue, Sp: p.at(tok)}
	case tokNil:
		p.pos++
		return &Nil{Sp: p.at(tok)}
	case tokEmptySet:
		p.pos++
		return &SetLit{Sp: p.at(tok)}
	case tokLParen:
		var x Expr
		p.bracketed(func() { x = p.expr() })
		return x
	case tokLAngle:
		var elems []Expr
		ok := true
		p.bracketed(func() { elems, ok = p.optionalExprs() })
		if !ok {
			return nil
		}
		return &SeqLit{Elems: elems, Sp: p.since(from)}
	case tokLBrace:
		return p.set()
	case tokLBrack:
		return p.funcLit()
	}
	if p.isUsedAsName(tok) {
		p.pos++
		p.reserved(tok)
		return &Ident{Name: p.text(tok), Sp: p.at(tok)}
	}
	p.unexpected(operandWanted)
	return nil
}

// isUsedAsName reports whether a reserved word stands where a variable would:
// what follows it can only follow an operand.
func (p *parser) isUsedAsName(tok token) bool {
	if p.kind() == tokEOF || !p.isWord(tok) {
		return false
	}
	next := p.peek()
	_, operator := binaryOps[next]
	return operator || next == tokLBrack || next == tokDot || next == tokAssign
}

// named parses what begins with a name: a variable, a call or a record.
func (p *parser) named() Expr {
	from := p.pos
	tok := p.next()
	id := &Ident{Name: p.text(tok), Prime: tok.prime, Sp: p.at(tok)}
	if tok.prime {
		id.Name = id.Name[:len(id.Name)-1]
	}
	switch p.kind() {
	case tokLParen:
		var args []Expr
		ok := true
		p.bracketed(func() { args, ok = p.optionalExprs() })
		if !ok {
			return nil
		}
		return &Call{Fun: id, Args: args, Sp: p.since(from)}
	case tokLBrace:
		if tok.prime {
			tok.end--
			p.primedName(tok)
			id = &Ident{Name: id.Name, Sp: p.at(tok)}
		}
		if r := p.record(id, from); r != nil {
			return r
		}
		return nil
	}
	return id
}

// record parses a record's fields from the brace on.
func (p *parser) record(name *Ident, from int) *RecordLit {
	var fields []FieldInit
	ok := true
	p.bracketed(func() { fields, ok = p.fieldInits(tokColon, "a field") })
	if !ok {
		return nil
	}
	return &RecordLit{Type: name, Fields: fields, Sp: p.since(from)}
}

// set parses {a, b} or {x ∈ S : condition}.
func (p *parser) set() Expr {
	from := p.pos
	var elems []Expr
	var cond Expr
	var choice *Binary // x ∈ S in front of a colon
	ok := true
	p.bracketed(func() {
		begin := p.tokens[p.pos].kind
		elems, ok = p.optionalExprs()
		if p.kind() != tokColon || !ok || len(elems) != 1 {
			return
		}
		in, isIn := elems[0].(*Binary)
		if begin != tokIdent || !isIn || in.Op != OpIn {
			p.notAComprehension()
			return
		}
		p.pos++
		choice = in
		cond = p.expr()
	})
	switch {
	case !ok || choice != nil && cond == nil:
		return nil
	case choice == nil:
		return &SetLit{Elems: elems, Sp: p.since(from)}
	}
	name, isName := choice.X.(*Ident)
	if !isName || name.Prime {
		p.notAChoice(choice.X.Span())
		return nil
	}
	return &SetOf{Name: name, Domain: choice.Y, Cond: cond, Sp: p.since(from)}
}

// funcLit parses [i ∈ S ↦ e].
func (p *parser) funcLit() Expr {
	from := p.pos
	var f FuncLit
	p.bracketed(func() {
		f.Name = p.name("a name")
		if !p.expect(tokIn) {
			return
		}
		f.Domain = p.domain()
		if p.expect(tokMapsTo) {
			f.Body = p.expr()
		}
	})
	if f.Name == nil || f.Domain == nil || f.Body == nil {
		return nil
	}
	f.Sp = p.since(from)
	return &f
}
