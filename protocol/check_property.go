package protocol

import (
	"strings"
	"unicode"

	"github.com/speckl/kraftprove/protocol/diag"
)

func (c *checker) axioms(e entry) {
	for _, d := range c.mapping(e.node, "axioms") {
		f := c.fields(d.node, "axiom "+d.key, "formula", "source", "note")
		expr := c.parseFormula(f["formula"], d.keySpan, "axiom "+d.key)
		if expr == nil {
			continue
		}
		x := &exprs{checker: c, ctx: context{what: "an axiom", noState: true}}
		if o := x.formula(expr); !o.bad() {
			c.sys.Axioms = append(c.sys.Axioms, &Axiom{Name: d.key, Formula: o.t, Source: c.str(f["source"]), Span: d.keySpan})
		}
	}
}

// isPropertyID accepts I2, I2.literal, V3_voteComplete.
func isPropertyID(s string) bool {
	for _, part := range strings.Split(s, ".") {
		if part == "" {
			return false
		}
		for _, r := range part {
			if !(r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return false
			}
		}
	}
	return true
}

func (c *checker) properties(e entry, kind PropertyKind) {
	if c.propIDs == nil {
		c.propIDs = map[string]diag.Span{}
	}
	known := []string{"title", "source", "note", "formula"}
	section := map[PropertyKind]string{Invariant: "invariant", Lemma: "lemma", Theorem: "theorem", Literal: "literal"}[kind]
	switch kind {
	case Invariant:
		known = append(known, "implied")
	case Literal:
		known = append(known, "refuted_by")
	case Lemma, Theorem:
	}
	if kind != Literal {
		known = append(known, "by", "patterns")
	}
	for _, d := range c.mapping(e.node, section+"s") {
		f := c.fields(d.node, section+" "+d.key, known...)
		if !isPropertyID(d.key) {
			c.badPropertyID(d.keySpan, d.key)
			continue
		}
		if first, dup := c.propIDs[d.key]; dup {
			c.declaredTwice(d.keySpan, d.key, first)
			continue
		}
		c.propIDs[d.key] = d.keySpan
		p := &Property{ID: d.key, Kind: kind, Title: c.str(f["title"]), Cites: c.str(f["source"]), Note: c.str(f["note"]),
			Implied: kind == Theorem || c.boolean(f["implied"]), Span: d.keySpan, Index: len(c.sys.Properties)}
		expr := c.parseFormula(f["formula"], d.keySpan, section+" "+d.key)
		if kind == Lemma {
			expr = c.patchedFormula(part{"lemmas", d.key}, expr)
		}
		if expr == nil {
			continue
		}
		x := &exprs{checker: c, ctx: context{what: "a one-state property", primes: !p.Implied}}
		if p.Implied {
			x.ctx.what = "a property that is implied in one state"
		}
		o := x.formula(expr)
		p.Source, p.TwoState = expr, x.primed
		if kind == Literal {
			p.RefutedBy = c.refutation(f["refuted_by"], d)
		}
		if !o.bad() {
			c.unguarded(o.t)
			p.Formula = o.t
			c.sys.Properties = append(c.sys.Properties, p)
			if !c.lenient(func() { c.patterns(f["patterns"], p, expr, o.t) }) {
				p.Patterns = nil
			}
			if f["by"].node != nil {
				c.pendingHints = append(c.pendingHints, hint{p, f["by"].node})
			}
		}
	}
}
