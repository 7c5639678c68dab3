package protocol

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// declareMutations reads the mutations of a spec, all of which is checked but for them and
// for scenarios. What of them can be told without names and sorts is checked here: their
// shape, their syntax, and that patches fit. The rest is left to System.Mutated.
func (c *checker) declareMutations(e entry) {
	for _, d := range c.mapping(e.node, "mutations") {
		f := c.fields(d.node, "mutation "+d.key, append([]string{"title", "source", "note", "survives"}, mutable...)...)
		if !isPropertyID(d.key) {
			c.badPropertyID(d.keySpan, d.key)
			continue
		}
		m := &Mutation{Name: d.key, Title: c.str(f["title"]), Cites: c.str(f["source"]), Note: c.str(f["note"]), Survives: c.str(f["survives"]),
			Span: d.keySpan, extent: diag.Join(d.keySpan, c.extent(d.node)), parts: map[string]*yaml.Node{}, patches: map[part][]syntax.Edit{}, dropped: map[part]bool{}}
		for _, section := range mutable {
			switch s := f[section]; {
			case s.node == nil:
			case section == "init":
				c.newInit(m, s)
			default:
				c.changes(m, section, s)
			}
		}
		if len(m.Changes) == 0 && !c.rejected[d.node] && !c.inside(m.extent) {
			c.changesNothing(d.keySpan, d.key)
		}
		c.mutations = append(c.mutations, m)
	}
	c.sys.Mutations = c.mutations
}

// inside reports whether an error was found there.
func (c *checker) inside(at diag.Span) bool {
	for _, d := range c.errs {
		if at.Start <= d.Span.Start && d.Span.Start < at.End {
			return true
		}
	}
	return false
}

// changes reads what a mutation does to one section.
func (c *checker) changes(m *Mutation, section string, s entry) {
	anew := &yaml.Node{Kind: yaml.MappingNode, Line: s.node.Line, Column: s.node.Column}
	for _, d := range c.mapping(s.node, section+" of a mutation") {
		if c.rejected[d.node] {
			continue
		}
		p := part{section, d.key}
		patched := d.node.Kind == yaml.ScalarNode && !isNull(d.node) && section != "state" && section != "sorts"
		old, known := c.declared(p)
		if (patched || isDrop(d.node)) && !known {
			c.nothingToChange(d.keySpan, p, c.names(section))
			continue
		}
		switch change := (Change{Section: section, Name: d.key}); {
		case isDrop(d.node) && section == "sorts":
			c.dropsSort(c.span(d.node), d.key)
		case isDrop(d.node):
			change.Dropped = true
			m.dropped[p] = true
			m.Changes = append(m.Changes, change)
		case patched:
			edits, ok := c.parsePatch(d)
			if ok {
				m.patches[p] = edits
				c.patch(p, old, edits)
			}
			for _, e := range edits {
				change.Lines = append(change.Lines, syntax.FormatEdit(e))
			}
			m.Changes = append(m.Changes, change)
			continue
		default:
			change.Lines = c.anew(p, d, old)
			m.Changes = append(m.Changes, change)
		}
		anew.Content = append(anew.Content, c.keyNode(s.node, d.key), d.node)
	}
	if len(anew.Content) > 0 {
		m.parts[section] = anew
	}
}

// keyNode is the node of a key of a mapping.
func (c *checker) keyNode(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i]
		}
	}
	panic("no key " + key)
}

// declared is a declaration of the spec, if there is one; of an action, a definition and a
// lemma also what it says, a formula as a guard.
func (c *checker) declared(p part) ([]syntax.Stmt, bool) {
	guard := func(x syntax.Expr) []syntax.Stmt {
		if x == nil {
			return nil
		}
		return []syntax.Stmt{&syntax.Require{X: x, Sp: x.Span()}}
	}
	switch p.section {
	case "actions":
		for _, n := range c.actionNodes {
			if n.action.Name == p.name {
				return n.body, true
			}
		}
	case "lemmas":
		if l := c.sys.Property(p.name); l != nil && l.Kind == Lemma {
			return guard(l.Source), true
		}
	default:
		g := c.globals[p.name]
		switch {
		case g == nil:
		case p.section == "definitions" && g.def != nil:
			return guard(g.def.def.Source), true
		case p.section == "state" && g.state != nil, p.section == "sorts" && (g.sort != nil || g.subset != nil):
			return nil, true
		}
	}
	return nil, false
}

// names are the names that a section of the spec declares.
func (c *checker) names(section string) []string {
	var out []string
	switch section {
	case "actions":
		for _, a := range c.sys.Actions {
			out = append(out, a.Name)
		}
	case "lemmas":
		for _, p := range c.sys.Properties {
			if p.Kind == Lemma {
				out = append(out, p.ID)
			}
		}
	case "definitions":
		for _, d := range c.defs {
			out = append(out, d.def.Name)
		}
	case "state":
		for _, v := range c.sys.State {
			out = append(out, v.Name)
		}
	case "sorts":
		for _, s := range c.sys.Sorts {
			out = append(out, s.Name)
		}
	}
	return out
}

// anew reads a declaration that is new, or replaces one, for its syntax. The result is how
// it differs from the old one.
func (c *checker) anew(p part, d entry, old []syntax.Stmt) []string {
	what := map[string]string{"actions": "action ", "definitions": "definition ", "lemmas": "lemma "}[p.section] + d.key
	switch p.section {
	case "actions":
		f := c.fields(d.node, what, "source", "note", "do")
		body, _ := c.parseBody(f["do"], d.keySpan, what)
		return difference(old, body, false)
	case "definitions", "lemmas":
		known := []string{"title", "source", "note", "by", "patterns", "formula"}
		if p.section == "definitions" {
			known = []string{"params", "formula", "returns", "source", "note"}
		}
		if e := c.parseFormula(c.fields(d.node, what, known...)["formula"], d.keySpan, what); e != nil {
			return difference(old, []syntax.Stmt{&syntax.Require{X: e}}, true)
		}
		return nil
	}
	if p.section == "state" {
		c.parseTypeOf(d)
	}
	var lines []string
	if e, ok := c.declaration(p); ok {
		lines = append(lines, "- "+strings.Join(strings.Fields(c.span(e.node).Text()), " "))
	}
	return append(lines, "+ "+strings.Join(strings.Fields(c.span(d.node).Text()), " "))
}

// declaration is an entry of a section of the spec as it is written.
func (c *checker) declaration(p part) (entry, bool) {
	n := c.sys.source.sections[p.section].node
	if n == nil {
		return entry{}, false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == p.name {
			return entry{key: p.name, node: n.Content[i+1]}, true
		}
	}
	return entry{}, false
}

// difference lists the statements that only one of two bodies has, or formulas that stand
// there as guards.
func difference(old, body []syntax.Stmt, formulas bool) []string {
	var lines []string
	only := func(add bool, these, those []syntax.Stmt) {
		for _, s := range these {
			e := syntax.Edit{Add: add, Stmt: s}
			has := false
			for _, t := range those {
				has = has || e.Matches(t)
			}
			if q, ok := s.(*syntax.Require); ok && formulas {
				e = syntax.Edit{Add: add, Expr: q.X}
			}
			if !has {
				lines = append(lines, syntax.FormatEdit(e))
			}
		}
	}
	only(false, old, body)
	only(true, body, old)
	return lines
}

// newInit reads another initial state.
func (c *checker) newInit(m *Mutation, e entry) {
	body, ok := c.parseBody(e, e.keySpan, "init")
	if !ok {
		return
	}
	m.init = e
	m.Changes = append(m.Changes, Change{Section: "init", Lines: difference(c.initBody, body, false)})
}
