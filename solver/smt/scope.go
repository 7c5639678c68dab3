package smt

import (
	"slices"
	"strconv"
)

// scope is where lets may stand: the head of a batch, or of a quantifier's body.
//
// A term belongs to the innermost scope around it that binds a variable free in
// it, and to the batch if none is. There it is written once, however many
// scopes inside use it. So a quantifier opens one scope in each scope that it
// belongs to: usually that is one, since a variable that nobody binds twice has
// one scope, and the text is as long as the terms are many. A term with a
// variable that several quantifiers bind is written in the scope of each.
//
// In each scope the terms with a name are arranged by levels: a term is in the
// level after the highest of those in its text. Names of outer scopes are known
// in all inner ones and count for nothing there; but the quantifier whose text
// uses them comes after them in the scope that they belong to.
type scope struct {
	outer *scope           // nil for the batch
	vars  []*Term          // what the quantifier binds
	notes map[uint32]*note // of terms that belong here; a batch's are the Printer's
	inner map[uint32]*scope

	order []*Term // the terms that belong here, arguments before what they are used in
	bound []*Term // those that have a name, by level
	sizes []int   // number of those of each level
	level uint32  // that outer must have before the quantifier is written
}

func (s *scope) reset() {
	s.order, s.inner = s.order[:0], nil
}

// open opens the scope of a quantifier that belongs to s.
func (s *scope) open(t *Term) *scope {
	if s.inner == nil {
		s.inner = map[uint32]*scope{}
	}
	in := &scope{outer: s, vars: t.Vars(), notes: map[uint32]*note{}}
	s.inner[t.id] = in
	return in
}

// owner returns the scope that t belongs to where it is used in s. All that is
// used in the batch's own text belongs to the batch.
func (p *Printer) owner(t *Term, s *scope) *scope {
	if s.outer == nil || t.has&open == 0 {
		return &p.batch
	}
	return s.binder(t)
}

// binder is owner for a term with free variables.
func (s *scope) binder(t *Term) *scope {
	for !containsAny(s.vars, t.info.free) {
		s = s.outer // ends: nothing is free in an assertion
	}
	return s
}

// note returns what is known of t where it is used in s.
func (p *Printer) note(t *Term, s *scope) *note {
	if s.outer == nil || t.has&open == 0 {
		return &p.notes[t.id]
	}
	return s.openNote(t)
}

// openNote is note for a term with free variables.
func (s *scope) openNote(t *Term) *note {
	s = s.binder(t)
	n := s.notes[t.id]
	if n == nil {
		n = &note{}
		s.notes[t.id] = n
	}
	return n
}

func containsAny(set, of []*Term) bool {
	for _, v := range of {
		if slices.Contains(set, v) {
			return true
		}
	}
	return false
}

// arrange sorts the terms to be named in s and inside it by level.
func (p *Printer) arrange(s *scope) {
	s.sizes = s.sizes[:0]
	for _, t := range s.order {
		level := uint32(0)
		if t.isQuantifier() {
			in := s.inner[t.id]
			p.arrange(in)
			level = in.level
		} else {
			for _, a := range t.args {
				n := p.note(a, s)
				after := n.level
				if n.state&shared != 0 {
					after++
				}
				if s.outer == nil || p.owner(a, s) == s {
					level = max(level, after)
				} else {
					s.demand(after, p.owner(a, s))
				}
			}
		}
		n := p.note(t, s)
		n.level = level
		if n.state&shared != 0 {
			for int(level) >= len(s.sizes) {
				s.sizes = append(s.sizes, 0)
			}
			s.sizes[level]++
		}
	}
	total := 0
	starts := make([]int, len(s.sizes))
	for i, n := range s.sizes {
		starts[i] = total
		total += n
	}
	s.bound = slices.Grow(s.bound[:0], total)[:total]
	for _, t := range s.order {
		if n := p.note(t, s); n.state&shared != 0 {
			s.bound[starts[n.level]] = t
			starts[n.level]++
		}
	}
}

// demand has the quantifier around s come after a level of an outer scope.
func (s *scope) demand(level uint32, of *scope) {
	for s.outer != of {
		s = s.outer
	}
	s.level = max(s.level, level)
}

// lets opens one let for each level of s.
func (p *Printer) lets(buf []byte, s *scope) []byte {
	bound := s.bound
	for _, n := range s.sizes {
		buf = append(buf, "(let ("...)
		for _, t := range bound[:n] {
			buf = append(buf, "\n ("...)
			buf = appendName(buf, t)
			buf = append(buf, ' ')
			buf = p.body(buf, t, s)
			buf = append(buf, ')')
		}
		buf = append(buf, ")\n"...)
		bound = bound[n:]
	}
	return buf
}

// endLets closes what lets opened.
func (p *Printer) endLets(buf []byte, s *scope) []byte {
	for range s.sizes {
		buf = append(buf, ')')
	}
	return buf
}

// text appends t, or its name, as it is written in s.
func (p *Printer) text(buf []byte, t *Term, s *scope) []byte {
	switch {
	case len(t.args) == 0:
		return p.names.appendLeaf(buf, t)
	case p.note(t, s).state&shared != 0:
		return appendName(buf, t)
	}
	return p.body(buf, t, s)
}

// body appends t in parentheses, as it is written in s; named terms inside are
// only names.
func (p *Printer) body(buf []byte, t *Term, s *scope) []byte {
	if t.isQuantifier() {
		return p.quantifier(buf, t, p.owner(t, s).inner[t.id])
	}
	buf = p.names.appendHead(buf, t)
	bottom := len(p.stack)
	stack := append(p.stack, frame{t, 0})
	for len(stack) > bottom {
		top := &stack[len(stack)-1]
		if top.next == len(top.t.args) {
			buf = append(buf, ')')
			stack = stack[:len(stack)-1]
			continue
		}
		a := top.t.args[top.next]
		top.next++
		buf = append(buf, ' ')
		switch {
		case len(a.args) == 0:
			buf = p.names.appendLeaf(buf, a)
		case p.note(a, s).state&shared != 0:
			buf = appendName(buf, a)
		case a.isQuantifier():
			p.stack = stack // to be used on top of this
			buf = p.body(buf, a, s)
			p.stack = p.stack[:bottom]
		default:
			buf = p.names.appendHead(buf, a)
			stack = append(stack, frame{a, 0})
		}
	}
	p.stack = stack
	return buf
}

func (p *Printer) quantifier(buf []byte, t *Term, s *scope) []byte {
	buf = p.names.appendBinder(buf, t)
	buf = p.lets(buf, s)
	buf = p.text(buf, t.Body(), s)
	buf = p.endLets(buf, s)
	return p.names.appendPatterns(buf, t)
}

func appendName(buf []byte, t *Term) []byte {
	return strconv.AppendUint(append(buf, definedPrefix), uint64(t.id), 10)
}
