package protocol

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Mutation is a named change of a protocol: a bug to be caught, or something that does
// no harm. System.Mutated is the protocol with it.
type Mutation struct {
	Name      string
	Title     string
	Cites     string // where it happened
	Note      string
	Survives  string // why all properties hold with it; "" if some shall not
	Mutant    bool   // made by System.Mutants, and not the spec's own
	Changes   []Change
	Scenarios []string // the names of those that happen in it
	Span      diag.Span

	extent  diag.Span              // all of it
	parts   map[string]*yaml.Node  // of a section: what is declared anew, or dropped
	init    entry                  // another initial state
	patches map[part][]syntax.Edit // of bodies and formulas
	dropped map[part]bool
}

// Change is what a mutation does to one declaration.
type Change struct {
	Section string   // the section of the spec
	Name    string   // "" of init
	Dropped bool     // the declaration is gone, and there are no lines
	Lines   []string // statements, expressions or types, behind "- " what is removed and behind "+ " what is added
}

// part is a declaration: its section and its name.
type part struct{ section, name string }

// dropWord stands in the place of a declaration that a mutation takes away.
const dropWord = "drop"

// mutable are the sections of a mutation, in the order in which changes are listed.
var mutable = []string{"sorts", "state", "definitions", "init", "actions", "lemmas"}

// MutationNamed finds a mutation by name, or nil.
func (s *System) MutationNamed(name string) *Mutation {
	for _, m := range s.Mutations {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// source is what a system was read from, to be checked again with something changed.
type source struct {
	rejected map[*yaml.Node]bool
	sections map[string]entry
}

// Mutated is the protocol with one of its mutations, whose name it bears behind its own, checked as any spec is, and what is
// wrong with that; it is usable only if the list has no errors. Its sorts, actions and
// properties are other objects than those of s. All properties are there; hints, displays
// and the scenarios of literal claims that do not fit any more are left out. The system
// s has no errors.
func (s *System) Mutated(m *Mutation) (*System, diag.List) {
	c := newChecker(&reader{file: s.File, rejected: s.source.rejected}, &System{File: s.File, Hash: s.Hash, Mutation: m, source: s.source})
	c.mutations = s.Mutations
	c.system(m.sections(s.source.sections))
	c.sys.Name = s.Name + "/" + m.Name
	return c.sys, m.blamed(c.errs.Sorted())
}

// Spared is the protocol as it is, with the scenarios of one of its mutations told in it: what happens then must
// not go wrong. The list says what they name that the protocol does not have; they are then not complete. The
// system has m's name for its mutation, which changes nothing.
func (s *System) Spared(m *Mutation) (*System, diag.List) {
	nothing := &Mutation{Name: m.Name, Title: m.Title, Cites: m.Cites, Note: m.Note, Scenarios: m.Scenarios, Span: m.Span, extent: m.extent}
	c := newChecker(&reader{file: s.File, rejected: s.source.rejected}, &System{File: s.File, Hash: s.Hash, Mutation: nothing, source: s.source})
	for _, x := range s.Mutations {
		if x == m {
			x = nothing
		}
		c.mutations = append(c.mutations, x)
	}
	c.system(s.source.sections)
	return c.sys, c.errs.Sorted()
}

// blamed is what is wrong with a mutated system, if its spec is right: all errors, which the
// mutation has brought about wherever they show, and those warnings that are about its own text.
func (m *Mutation) blamed(errs diag.List) diag.List {
	var out diag.List
	for _, d := range errs {
		own := m.extent.Start <= d.Span.Start && d.Span.Start < m.extent.End
		if !own {
			if d.Severity == diag.Warning {
				continue
			}
			d.Labels = append(slices.Clone(d.Labels), diag.Label{Span: m.Span, Text: "with this mutation"})
		}
		out = append(out, d)
	}
	return out
}

// sections are the sections of a spec with what the mutation declares anew. Patches are
// left to the checker.
func (m *Mutation) sections(spec map[string]entry) map[string]entry {
	out := map[string]entry{}
	for name, e := range spec {
		out[name] = e
	}
	for section, change := range m.parts {
		e := out[section]
		if e.node == nil || isNull(e.node) {
			e = entry{key: section, keySpan: m.Span, node: &yaml.Node{Kind: yaml.MappingNode, Line: change.Line, Column: change.Column}}
		}
		e.node = merged(e.node, change, section == "actions" || section == "definitions" || section == "lemmas")
		out[section] = e
	}
	if m.init.node != nil {
		out["init"] = m.init
	}
	return out
}

// merged is a mapping with the entries of another one: in the place of those with the same
// key, or behind all. If deep, an entry keeps the keys that the other one does not give.
func merged(base, change *yaml.Node, deep bool) *yaml.Node {
	at := func(n *yaml.Node, key string) int {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return i
			}
		}
		return -1
	}
	out := *base
	out.Content = nil
	for i := 0; i+1 < len(base.Content); i += 2 {
		k, v := base.Content[i], base.Content[i+1]
		j := at(change, k.Value)
		if j < 0 {
			out.Content = append(out.Content, k, v)
			continue
		}
		next := change.Content[j+1]
		switch {
		case isDrop(next):
			continue
		case deep && v.Kind == yaml.MappingNode:
			next = merged(v, next, false)
		}
		out.Content = append(out.Content, change.Content[j], next)
	}
	for j := 0; j+1 < len(change.Content); j += 2 {
		if k, v := change.Content[j], change.Content[j+1]; !isDrop(v) && at(base, k.Value) < 0 {
			out.Content = append(out.Content, k, v)
		}
	}
	return &out
}

func isDrop(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == dropWord
}

// actions are the names of the actions of a system with the mutation.
func (m *Mutation) actions(sys *System) []string {
	var out []string
	for _, a := range sys.Actions {
		if !m.dropped[part{"actions", a.Name}] {
			out = append(out, a.Name)
		}
	}
	if n := m.parts["actions"]; n != nil {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := n.Content[i].Value; !isDrop(n.Content[i+1]) && !contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// drops reports whether the system lacks an action because of its mutation.
func (s *System) drops(action string) bool {
	return s.Mutation != nil && s.Mutation.dropped[part{"actions", action}]
}

// lenient reports whether a check finds no errors. In a mutated system what it finds is
// not reported: it is about what need not survive a mutation.
func (c *checker) lenient(check func()) bool {
	before := len(c.errs)
	check()
	if !c.errs[before:].HasErrors() {
		return true
	}
	if c.sys.Mutation != nil {
		c.errs = c.errs[:before]
	}
	return false
}
