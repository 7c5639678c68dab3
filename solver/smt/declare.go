package smt

// stackSet is a set that forgets what came last.
type stackSet[T comparable] struct {
	in   map[T]bool
	list []T
}

// add adds v and reports whether it is new.
func (s *stackSet[T]) add(v T) bool {
	if s.in[v] {
		return false
	}
	if s.in == nil {
		s.in = map[T]bool{}
	}
	s.in[v] = true
	s.list = append(s.list, v)
	return true
}

// cut keeps the first n.
func (s *stackSet[T]) cut(n int) {
	for _, v := range s.list[n:] {
		delete(s.in, v)
	}
	s.list = s.list[:n]
}

// declare writes the declarations that the batch's symbols need.
func (p *Printer) declare() {
	for _, t := range p.symbols {
		if t.has&(firstOrder|quantifiers) != 0 {
			p.declareSorts(t)
		}
	}
	for _, t := range p.symbols {
		switch t.op {
		case OpConst:
			if n := &p.notes[t.id]; n.state&declared == 0 {
				n.state |= declared
				p.declareFunc(t.info.fn)
				p.consts[p.names.symbol(t.info.fn.name)] = t
				p.known = append(p.known, t)
			}
		case OpApp:
			if p.funcs.add(t.info.fn) {
				p.declareFunc(t.info.fn)
			}
		default: // a quantifier or value of an enumeration has only sorts
		}
	}
}

// declareSorts declares the sorts of the symbol or variables of t.
func (p *Printer) declareSorts(t *Term) {
	for _, v := range t.Vars() {
		p.declareSort(v.sort)
	}
	if f := t.Func(); f != nil {
		for _, s := range f.args {
			p.declareSort(s)
		}
	}
	p.declareSort(t.sort)
}

func (p *Printer) declareSort(s Sort) {
	if !s.declared() || !p.sorts.add(s) {
		return
	}
	name := p.names.sort(s)
	if s.kind() == uninterpretedKind {
		p.w.WriteString("(declare-sort " + name + " 0)\n")
		return
	}
	buf := append(p.buf[:0], "(declare-datatypes (("+name+" 0)) (("...)
	for _, v := range s.Values() {
		buf = append(buf, '(')
		buf = p.names.appendSymbol(buf, v)
		buf = append(buf, ')')
	}
	buf = append(buf, ")))\n"...)
	p.w.Write(buf)
	p.buf = buf
}

func (p *Printer) declareFunc(f *Func) {
	buf := append(p.buf[:0], "(declare-fun "...)
	buf = p.names.appendSymbol(buf, f.name)
	buf = append(buf, ' ')
	buf = p.names.appendSignature(buf, f.args, f.result)
	buf = append(buf, ")\n"...)
	p.w.Write(buf)
	p.buf = buf
}
