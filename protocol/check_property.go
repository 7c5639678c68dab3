package protocol

import (
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
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
			c.patterns(f["patterns"], p, expr, o.t)
			if f["by"].node != nil {
				c.pendingHints = append(c.pendingHints, hint{p, f["by"].node})
			}
		}
	}
}

// refutation is the run that a literal claim names.
func (c *checker) refutation(e entry, lit entry) *Run {
	if e.node == nil {
		c.noRefutation(lit.keySpan, lit.key)
		return nil
	}
	name := c.str(e)
	run := c.runsByName[name]
	if run == nil && !c.rejected[e.node] && name != "" {
		var names []string
		for n := range c.runsByName {
			names = append(names, n)
		}
		c.unknownRun(c.span(e.node), name, names)
	}
	return run
}

func (c *checker) runs(e entry) {
	c.runsByName = map[string]*Run{}
	for _, d := range c.mapping(e.node, "runs") {
		f := c.fields(d.node, "run "+d.key, "title", "source", "note", "scope", "steps")
		if !isPropertyID(d.key) {
			c.badPropertyID(d.keySpan, d.key)
			continue
		}
		sizes, spans := c.sizes(f["scope"].node, "the scope of a run")
		c.checkScope(sizes, spans)
		var missing []string
		for _, name := range c.sys.sized() {
			if _, ok := sizes[name]; !ok {
				missing = append(missing, name)
			}
		}
		for _, s := range c.sys.Sorts {
			if s.Kind != QuorumKind && contains(missing, s.Name) {
				sizes[s.Name] = maxSize // so that all its elements are known
			}
		}
		c.subsetsFit(sizes, spans)
		if len(missing) > 0 && !c.badScope(f["scope"].node) {
			c.scopeMissing(d.keySpan, d.key, missing)
		}
		run := &Run{Name: d.key, Title: c.str(f["title"]), Scope: sizes, Span: d.keySpan}
		c.runsByName[d.key] = run
		c.sys.Runs = append(c.sys.Runs, run)
		steps := f["steps"]
		if steps.node == nil {
			c.errYAML(diag.NotYAML, d.keySpan, "run "+d.key+" has no steps", "add `steps: |` and one step a line below, indented")
			continue
		}
		start, end, ok := c.formula(steps.node)
		if !ok {
			continue
		}
		parsed, errs := syntax.ParseRun(c.file, start, end)
		c.errs = append(c.errs, errs...)
		for _, s := range parsed {
			if st := c.runStep(s, sizes); st != nil {
				run.Steps = append(run.Steps, st)
			}
		}
	}
}

func (c *checker) runStep(s syntax.RunStep, sizes map[string]int) *RunStep {
	a := c.sys.Action(s.Action.Name)
	switch {
	case a == nil:
		c.unknownAction(s.Action.Sp)
		return nil
	case c.broken[a]:
		return nil
	}
	st := &RunStep{Action: a, Args: make([]Term, len(a.Params)), Span: s.Sp}
	x := &exprs{checker: c, ctx: context{what: "a run", noState: true, elements: &Scope{Sizes: sizes}, partial: true}}
	ok := true
	first := make([]diag.Span, len(a.Params))
	for _, arg := range s.Args {
		at := -1
		for i, p := range a.Params {
			if p.Name == arg.Name.Name {
				at = i
			}
		}
		if at < 0 {
			c.noParam(arg.Name.Sp, a, arg.Name.Name)
			ok = false
			continue
		}
		if st.Args[at] != nil {
			c.declaredTwice(arg.Name.Sp, arg.Name.Name, first[at])
			ok = false
			continue
		}
		first[at] = arg.Name.Sp
		t := x.runArg(arg.X, a.Params[at].Sort)
		if t == nil {
			ok = false
			t = invalid.t
		}
		st.Args[at] = t
	}
	var missing []string
	for i, p := range a.Params {
		if st.Args[i] == nil {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 && ok {
		c.paramMissing(s.Sp, a, missing)
	}
	if !ok || len(missing) > 0 {
		return nil
	}
	return st
}

// badScope reports whether something was wrong with a written scope: then a
// size may be missing for this reason.
func (c *checker) badScope(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	at := c.span(n)
	for _, k := range n.Content {
		at = diag.Join(at, c.span(k))
	}
	return slices.ContainsFunc(c.errs, func(d diag.Diagnostic) bool { return at.Start <= d.Span.Start && d.Span.Start < at.End })
}

// runArg checks an argument of a run's step. A quorum is given as the set of its
// members, a message of a union as a message of one of its types.
func (x *exprs) runArg(e syntax.Expr, want *Sort) Term {
	switch want.Kind {
	case QuorumKind:
		o := x.expr(e, x.sorts.set(want.Elem))
		if o.bad() {
			return nil
		}
		return o.t
	case UnionKind:
		o := x.expr(e, nil)
		if o.bad() {
			return nil
		}
		for _, m := range want.Union {
			if m == o.sort() {
				return o.t
			}
		}
		x.mismatch(e.Span(), o.sort(), want)
		return nil
	}
	o := x.expr(e, want)
	if o.bad() {
		return nil
	}
	return o.t
}
