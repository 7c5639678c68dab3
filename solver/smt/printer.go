package smt

import (
	"bufio"
	"fmt"
)

// Printer writes terms of one [Builder] as SMT-LIB 2.
//
// A term with arguments that is used more than once in a batch of assertions is
// written once, bound by a `let`; so is one that would be nested too deep for a
// recursive parser. The let stands at the head of the batch or, if variables are
// free in the term, of the innermost quantifier that binds one of them (see
// scope). Terms that depend on each other are in lets inside each other, all
// others of a level share one.
//
// The alternative, a `define-fun` for each shared term, would be remembered from
// batch to batch, but Z3 4.8.12 takes the body of each definition apart as a
// tree: on a circuit of 115,000 terms, 49,000 of them shared, it parses the lets
// in 0.4 s and does not get through a tenth of the definitions in 60 s. cvc5
// 1.0.3 takes 1.2 s for either.
//
// The Printer remembers what it declared; Push and Pop keep that memory in step
// with the solver's scopes. No term is too deep for it: it recurses into
// quantifiers and patterns only. Equal calls on equal builders write equal bytes.
type Printer struct {
	w      *bufio.Writer
	consts map[string]*Term // the declared ones, by symbol
	known  []*Term          // the same, oldest first
	funcs  stackSet[*Func]  // the declared functions with arguments
	sorts  stackSet[Sort]   // the declared sorts
	marks  []mark           // of each Push
	names  *names

	notes   []note  // of each term, by number
	batch   scope   // the terms without free variables
	symbols []*Term // the batch's terms with symbols, in order of first use
	visits  []visit
	stack   []frame
	buf     []byte
}

// note is what the Printer knows of a term.
type note struct {
	state  state
	height uint8  // of the term's text, in parentheses
	level  uint32 // of lets around the term's text, in its scope
}

type state uint8

const (
	seen     state = 1 << iota // met in this batch
	shared                     // to be named: met twice, or too deep
	declared                   // a constant declared in a scope that is still open
)

// mark is how much was declared at a Push.
type mark struct{ consts, funcs, sorts int }

type frame struct {
	t    *Term
	next int // index of the argument that comes next
}

// visit is a term whose arguments are being visited.
type visit struct {
	t    *Term
	in   *scope // of the arguments' text
	next int    // index of the argument that comes next
	end  int    // index after the last
}

// maxNesting bounds the parentheses inside one binding.
const maxNesting = 50

// NewPrinter returns a Printer that writes to w. Whoever owns w flushes it.
func NewPrinter(w *bufio.Writer) *Printer {
	return &Printer{w: w, consts: map[string]*Term{}}
}

// Rename has the Printer call everything that it declares or binds by other names,
// which depend on the seed; 0 leaves the names as they are. It comes before the
// first assertion. [Printer.Constant] goes by the symbols that are written.
func (p *Printer) Rename(seed int) { p.names = newNames(seed) }

// Push opens a scope: what is declared in it is forgotten by Pop. It writes
// nothing.
func (p *Printer) Push() {
	p.marks = append(p.marks, mark{len(p.known), len(p.funcs.list), len(p.sorts.list)})
}

// Pop closes the scope that was opened last. It writes nothing.
func (p *Printer) Pop() {
	last := len(p.marks) - 1
	keep := p.marks[last]
	p.marks = p.marks[:last]
	for _, t := range p.known[keep.consts:] {
		p.notes[t.id].state &^= declared
		delete(p.consts, p.names.symbol(t.Name()))
	}
	p.known = p.known[:keep.consts]
	p.funcs.cut(keep.funcs)
	p.sorts.cut(keep.sorts)
}

// Constant returns the declared constant with the given symbol, or nil.
func (p *Printer) Constant(symbol string) *Term { return p.consts[symbol] }

// Constants returns the declared constants in order of declaration. The caller
// must not change the list.
func (p *Printer) Constants() []*Term { return p.known }

// Guarded is an assertion that holds under a condition.
type Guarded struct {
	Guard string // a symbol declared elsewhere as a Bool, or "" for always
	F     *Term
}

// Assert declares what is new in the assertions, sorts first, each in order of
// first use, and writes one assert command for all of them. Variables must not
// be free in them.
func (p *Printer) Assert(batch ...Guarded) {
	if len(batch) == 0 {
		return
	}
	root := &p.batch
	root.reset()
	p.symbols = p.symbols[:0]
	for _, g := range batch {
		if free := g.F.Free(); len(free) > 0 {
			panic(fmt.Sprintf("smt: variable %s is free in an assertion", free[0]))
		}
		p.visit(g.F)
	}
	p.declare()
	p.arrange(root)
	buf := append(p.buf[:0], "(assert "...)
	buf = p.lets(buf, root)
	if len(batch) > 1 {
		buf = append(buf, "(and"...)
	}
	for _, g := range batch {
		buf = append(buf, "\n "...)
		buf = p.guarded(buf, g)
	}
	if len(batch) > 1 {
		buf = append(buf, ')')
	}
	buf = p.endLets(buf, root)
	buf = append(buf, ")\n"...)
	p.w.Write(buf)
	p.buf = buf
	for _, t := range root.order {
		p.notes[t.id].state &= declared
	}
}

// visit puts the terms of f into their scopes, unless they are there, and marks
// those that need a name.
func (p *Printer) visit(f *Term) {
	if n := int(f.id) + 1; n > len(p.notes) { // no term below f has a higher number
		p.notes = append(p.notes, make([]note, max(n, 2*len(p.notes))-len(p.notes))...)
	}
	if !p.enter(f, &p.batch) {
		return
	}
	stack := append(p.visits[:0], p.begin(f, &p.batch))
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == top.end {
			p.leave(top.t, top.in)
			stack = stack[:len(stack)-1]
			continue
		}
		a, in := top.t.args[top.next], top.in
		top.next++
		if in = p.owner(a, in); p.enter(a, in) {
			stack = append(stack, p.begin(a, in))
		}
	}
	p.visits = stack
}

// enter notes a use of t in the scope that it belongs to, and reports whether its
// arguments are to be visited.
func (p *Printer) enter(t *Term, owner *scope) bool {
	n := p.note(t, owner)
	if n.state&seen == 0 {
		n.state |= seen
		return true
	}
	if len(t.args) > 0 && !isNegatedLeaf(t) {
		n.state |= shared
	}
	return false
}

// begin begins to visit the arguments of t.
func (p *Printer) begin(t *Term, owner *scope) visit {
	if !t.isQuantifier() {
		return visit{t, owner, 0, len(t.args)}
	}
	p.symbols = append(p.symbols, t)
	p.addSymbols(t.Patterns())
	body := t.bodyIndex()
	return visit{t, owner.open(t), body, body + 1}
}

// addSymbols adds the symbols in a quantifier's patterns.
func (p *Printer) addSymbols(ts []*Term) {
	for _, t := range ts {
		if t.hasSymbol() {
			p.symbols = append(p.symbols, t)
		}
		p.addSymbols(t.args)
	}
}

// leave notes a term whose arguments, written in the given scope, have been
// visited.
func (p *Printer) leave(t *Term, in *scope) {
	if t.hasSymbol() {
		p.symbols = append(p.symbols, t)
	}
	owner, args := in, t.args
	if t.isQuantifier() {
		owner, args = in.outer, []*Term{t.Body()}
	}
	h := uint8(0)
	for _, a := range args {
		if n := p.note(a, in); n.state&shared == 0 {
			h = max(h, n.height+1)
		}
	}
	owner.order = append(owner.order, t)
	n := p.note(t, owner)
	n.height = h
	if h >= maxNesting {
		n.state |= shared
	}
}

func (p *Printer) guarded(buf []byte, g Guarded) []byte {
	if g.Guard == "" {
		return p.text(buf, g.F, &p.batch)
	}
	buf = append(buf, "(=> "...)
	buf = p.names.appendSymbol(buf, g.Guard)
	buf = append(buf, ' ')
	buf = p.text(buf, g.F, &p.batch)
	return append(buf, ')')
}

// isNegatedLeaf tells terms that are as short as a name for them.
func isNegatedLeaf(t *Term) bool { return t.op == OpNot && len(t.args[0].args) == 0 }

// hasSymbol tells terms that are made of a declared symbol.
func (t *Term) hasSymbol() bool { return t.op == OpConst || t.op == OpApp || t.op == OpEnum }
