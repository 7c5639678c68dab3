package protocol

import (
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Goal reads a closed formula about one state of the system, in which elements may be named as in
// scenarios: n1, v2, up to the sizes. The name is for messages. The formula belongs to a system that is like s but another
// object, which comes with it; both are nil if something is wrong with the formula. The system s has no errors.
func (s *System) Goal(name, text string, sizes map[string]int) (*System, Term, diag.List) {
	c := newChecker(&reader{file: s.File, rejected: s.source.rejected}, &System{File: s.File, Hash: s.Hash, Mutation: s.Mutation, source: s.source})
	sections := s.source.sections
	if s.Mutation != nil {
		sections = s.Mutation.sections(sections)
		c.mutations = []*Mutation{s.Mutation}
	}
	c.system(sections)
	c.sys.Name = s.Name
	c.errs = nil // of the spec, and known
	file := diag.NewFile(name, []byte(text))
	e, errs := syntax.ParseExpr(file, 0, len(text))
	c.errs = append(c.errs, errs...)
	if errs.HasErrors() {
		return nil, nil, c.errs.Sorted()
	}
	x := &exprs{checker: c, ctx: context{what: "a goal", elements: &Scope{Sizes: sizes}}}
	o := x.formula(e)
	if o.bad() || c.errs.HasErrors() {
		return nil, nil, c.errs.Sorted()
	}
	return c.sys, o.t, c.errs.Sorted()
}
