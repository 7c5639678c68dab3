package smt

import (
	"bufio"
	"slices"
	"strconv"
)

// Printer writes terms of one [Builder] as SMT-LIB 2.
//
// A term with arguments that is used more than once in a batch of assertions is
// written once, bound by a `let` around the batch; so is one that would be
// nested too deep for a recursive parser. Terms that depend on each other are in
// lets inside each other, all others of a level share one.
//
// The alternative, a `define-fun` for each shared term, would be remembered from
// batch to batch, but Z3 4.8.12 takes the body of each definition apart as a
// tree: on a circuit of 115,000 terms, 49,000 of them shared, it parses the lets
// in 0.4 s and does not get through a tenth of the definitions in 60 s. cvc5
// 1.0.3 takes 1.2 s for either.
//
// The Printer remembers which constants it declared; Push and Pop keep that
// memory in step with the solver's scopes. No term is too deep for it: nothing
// here recurses. Equal calls on equal builders write equal bytes.
type Printer struct {
	w      *bufio.Writer
	consts map[string]*Term // the declared ones
	known  []*Term          // the same, oldest first
	scopes []int            // len(known) at each Push

	notes []note  // of each term, by number
	order []*Term // the batch's terms, arguments before what they are used in
	bound []*Term // the batch's terms that have a name, by level
	sizes []int   // number of those of each level
	stack []frame
	buf   []byte
}

// note is what the Printer knows of a term.
type note struct {
	state  state
	height uint8  // of the term's text, in parentheses
	level  uint32 // of lets around the term's text
}

type state uint8

const (
	seen     state = 1 << iota // met in this batch
	shared                     // to be named: met twice, or too deep
	declared                   // a constant declared in a scope that is still open
)

type frame struct {
	t    *Term
	next int // index of the argument that comes next
}

// maxNesting bounds the parentheses inside one binding.
const maxNesting = 50

// NewPrinter returns a Printer that writes to w. Whoever owns w flushes it.
func NewPrinter(w *bufio.Writer) *Printer {
	return &Printer{w: w, consts: map[string]*Term{}}
}

// Push opens a scope: what is declared in it is forgotten by Pop. It writes
// nothing.
func (p *Printer) Push() { p.scopes = append(p.scopes, len(p.known)) }

// Pop closes the scope that was opened last. It writes nothing.
func (p *Printer) Pop() {
	last := len(p.scopes) - 1
	keep := p.scopes[last]
	p.scopes = p.scopes[:last]
	for _, t := range p.known[keep:] {
		p.notes[t.id].state &^= declared
		delete(p.consts, t.leaf.name)
	}
	p.known = p.known[:keep]
}

// Constant returns the declared constant with the given name, or nil.
func (p *Printer) Constant(name string) *Term { return p.consts[name] }

// Constants returns the declared constants in order of declaration. The caller
// must not change the list.
func (p *Printer) Constants() []*Term { return p.known }

// Guarded is an assertion that holds under a condition.
type Guarded struct {
	Guard string // a symbol declared elsewhere as a Bool, or "" for always
	F     *Term
}

// Assert declares the constants of the assertions that are new, in order of
// first use, and writes one assert command for all of them.
func (p *Printer) Assert(batch ...Guarded) {
	if len(batch) == 0 {
		return
	}
	p.order = p.order[:0]
	for _, g := range batch {
		p.visit(g.F)
	}
	for _, t := range p.order {
		if t.op == OpConst && p.notes[t.id].state&declared == 0 {
			p.declare(t)
		}
	}
	p.arrange()
	p.buf = append(p.buf[:0], "(assert "...)
	p.lets()
	if len(batch) > 1 {
		p.buf = append(p.buf, "(and"...)
	}
	for _, g := range batch {
		p.buf = append(p.buf, "\n "...)
		p.guarded(g)
	}
	if len(batch) > 1 {
		p.buf = append(p.buf, ')')
	}
	for range p.sizes {
		p.buf = append(p.buf, ')')
	}
	p.buf = append(p.buf, ")\n"...)
	p.w.Write(p.buf)
	for _, t := range p.order {
		p.notes[t.id].state &= declared
	}
}

// visit appends the terms of f to p.order, unless they are there, and marks
// those that need a name.
func (p *Printer) visit(f *Term) {
	if !p.enter(f) {
		return
	}
	stack := append(p.stack[:0], frame{f, 0})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(top.t.args) {
			a := top.t.args[top.next]
			top.next++
			if p.enter(a) {
				stack = append(stack, frame{a, 0})
			}
			continue
		}
		p.leave(top.t)
		stack = stack[:len(stack)-1]
	}
	p.stack = stack
}

// enter notes a use of t and reports whether its arguments are to be visited.
func (p *Printer) enter(t *Term) bool {
	if int(t.id) >= len(p.notes) {
		p.notes = append(p.notes, make([]note, max(int(t.id)+1, 2*len(p.notes))-len(p.notes))...)
	}
	s := &p.notes[t.id].state
	if *s&seen == 0 {
		*s |= seen
		return true
	}
	if len(t.args) > 0 && !isNegatedLeaf(t) {
		*s |= shared
	}
	return false
}

// leave notes a term whose arguments have been visited.
func (p *Printer) leave(t *Term) {
	p.order = append(p.order, t)
	h := uint8(0)
	for _, a := range t.args {
		if n := p.notes[a.id]; n.state&shared == 0 {
			h = max(h, n.height+1)
		}
	}
	n := &p.notes[t.id]
	n.height = h
	if h >= maxNesting {
		n.state |= shared
	}
}

// isNegatedLeaf tells terms that are as short as a name for them.
func isNegatedLeaf(t *Term) bool { return t.op == OpNot && len(t.args[0].args) == 0 }

// arrange sorts the terms to be named by level: a term is in the level after
// the highest of those in its text.
func (p *Printer) arrange() {
	p.sizes = p.sizes[:0]
	for _, t := range p.order {
		level := uint32(0)
		for _, a := range t.args {
			n := p.notes[a.id]
			if n.state&shared != 0 {
				n.level++
			}
			level = max(level, n.level)
		}
		n := &p.notes[t.id]
		n.level = level
		if n.state&shared != 0 {
			for int(level) >= len(p.sizes) {
				p.sizes = append(p.sizes, 0)
			}
			p.sizes[level]++
		}
	}
	total := 0
	starts := make([]int, len(p.sizes))
	for i, n := range p.sizes {
		starts[i] = total
		total += n
	}
	p.bound = slices.Grow(p.bound[:0], total)[:total]
	for _, t := range p.order {
		if n := p.notes[t.id]; n.state&shared != 0 {
			p.bound[starts[n.level]] = t
			starts[n.level]++
		}
	}
}

// lets opens one let for each level.
func (p *Printer) lets() {
	bound := p.bound
	for _, n := range p.sizes {
		p.buf = append(p.buf, "(let ("...)
		for _, t := range bound[:n] {
			p.buf = append(p.buf, "\n ("...)
			p.name(t)
			p.buf = append(p.buf, ' ')
			p.body(t)
			p.buf = append(p.buf, ')')
		}
		p.buf = append(p.buf, ")\n"...)
		bound = bound[n:]
	}
}

func (p *Printer) guarded(g Guarded) {
	if g.Guard != "" {
		p.buf = append(p.buf, "(=> "...)
		p.buf = appendSymbol(p.buf, g.Guard)
		p.buf = append(p.buf, ' ')
	}
	if !p.short(g.F) {
		p.body(g.F)
	}
	if g.Guard != "" {
		p.buf = append(p.buf, ')')
	}
}

func (p *Printer) declare(t *Term) {
	p.buf = append(p.buf[:0], "(declare-fun "...)
	p.buf = appendSymbol(p.buf, t.leaf.name)
	p.buf = append(p.buf, " () "...)
	p.buf = append(p.buf, t.sort.String()...)
	p.buf = append(p.buf, ")\n"...)
	p.w.Write(p.buf)
	p.consts[t.leaf.name] = t
	p.known = append(p.known, t)
	p.notes[t.id].state |= declared
}

func (p *Printer) name(t *Term) {
	p.buf = append(p.buf, definedPrefix)
	p.buf = strconv.AppendUint(p.buf, uint64(t.id), 10)
}

// body appends t in parentheses; named terms inside are only names.
func (p *Printer) body(t *Term) {
	p.open(t)
	stack := append(p.stack[:0], frame{t, 0})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.t.args) {
			p.buf = append(p.buf, ')')
			stack = stack[:len(stack)-1]
			continue
		}
		a := top.t.args[top.next]
		top.next++
		p.buf = append(p.buf, ' ')
		if !p.short(a) {
			p.open(a)
			stack = append(stack, frame{a, 0})
		}
	}
	p.stack = stack
}

func (p *Printer) open(t *Term) {
	p.buf = append(p.buf, '(')
	p.buf = append(p.buf, opNames[t.op]...)
}

// short appends t if it is a leaf or has a name.
func (p *Printer) short(t *Term) bool {
	switch {
	case len(t.args) == 0:
		p.buf = appendLeaf(p.buf, t)
	case p.notes[t.id].state&shared != 0:
		p.name(t)
	default:
		return false
	}
	return true
}
