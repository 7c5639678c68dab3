package protocol

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// scenarios checks those that happen in the system. Of those of other systems, which are
// the spec under a mutation, only what does not rest on sorts.
func (c *checker) scenarios(e entry) {
	c.scenarioNodes = map[string]*scenarioNode{}
	for _, d := range c.mapping(e.node, "scenarios") {
		f := c.fields(d.node, "scenario "+d.key, "title", "source", "note", "mutation", "scope", "steps", "ends", "breaks")
		if !isPropertyID(d.key) {
			c.badPropertyID(d.keySpan, d.key)
			continue
		}
		n := &scenarioNode{entry: d, fields: f, scenario: &Scenario{Name: d.key, Title: c.str(f["title"]),
			Cites: c.str(f["source"]), Note: c.str(f["note"]), Span: d.keySpan}}
		c.scenarioNodes[d.key] = n
		m, ok := c.mutationOf(n)
		if !ok {
			continue
		}
		n.scenario.Mutation = m
		switch {
		case m == c.sys.Mutation:
			c.scenario(n)
			c.sys.Scenarios = append(c.sys.Scenarios, n.scenario)
		case m != nil && c.sys.Mutation == nil:
			m.Scenarios = append(m.Scenarios, d.key)
			c.scenarioOf(m, n)
		}
	}
}

// scenarioNode is a scenario as it is written.
type scenarioNode struct {
	entry
	fields   map[string]entry
	scenario *Scenario
	unfit    bool // it refutes a literal claim, but not in this mutated system
}

// mutationOf is the mutation that a scenario names, or nil if it names none.
func (c *checker) mutationOf(n *scenarioNode) (*Mutation, bool) {
	e := n.fields["mutation"]
	if e.node == nil {
		return nil, true
	}
	name := c.str(e)
	for _, m := range c.mutations {
		if m.Name == name {
			return m, true
		}
	}
	if !c.rejected[e.node] && e.node.Kind == yaml.ScalarNode {
		c.unknownMutation(c.span(e.node), name)
	}
	return nil, false
}

// scenario checks a scenario that happens in the system. What it breaks is left to
// breaks, when all properties are known.
func (c *checker) scenario(n *scenarioNode) {
	s := n.scenario
	s.Scope = c.scenarioScope(n)
	for _, step := range c.steps(n) {
		if st := c.scenarioStep(step, s.Scope); st != nil {
			s.Steps = append(s.Steps, st)
		}
	}
	if ends := n.fields["ends"]; ends.node != nil {
		if e := c.parseFormula(ends, n.keySpan, "the end of scenario "+n.key); e != nil {
			x := &exprs{checker: c, ctx: context{what: "the end of a scenario", elements: &Scope{Sizes: s.Scope}}}
			if o := x.formula(e); !o.bad() {
				c.unguarded(o.t)
				s.Ends = o.t
			}
		}
	}
}

// scenarioOf checks of a scenario of a mutation what can be told without the mutated
// system: its shape, and the names of actions.
func (c *checker) scenarioOf(m *Mutation, n *scenarioNode) {
	c.sizes(n.fields["scope"].node, "the scope of a scenario")
	actions := m.actions(c.sys)
	for _, s := range c.steps(n) {
		if s.Action != nil && !contains(actions, s.Action.Name) {
			c.unknownActionOf(s.Action.Sp, actions)
		}
	}
	if ends := n.fields["ends"]; ends.node != nil {
		c.parseFormula(ends, n.keySpan, "the end of scenario "+n.key)
	}
}

// scenarioScope is the sizes of a scenario, one for each sort and subset.
func (c *checker) scenarioScope(n *scenarioNode) map[string]int {
	node := n.fields["scope"].node
	sizes, spans := c.sizes(node, "the scope of a scenario")
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
	if len(missing) > 0 && !c.badScope(node) {
		c.scopeMissing(n.keySpan, n.key, missing)
	}
	return sizes
}

// badScope reports whether something was wrong with a written scope: then a
// size may be missing for this reason.
func (c *checker) badScope(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	at := c.extent(n)
	return slices.ContainsFunc(c.errs, func(d diag.Diagnostic) bool { return at.Start <= d.Span.Start && d.Span.Start < at.End })
}

// steps are the steps of a scenario as they are written.
func (c *checker) steps(n *scenarioNode) []syntax.ScenarioStep {
	e := n.fields["steps"]
	if e.node == nil {
		c.errYAML(diag.NotYAML, n.keySpan, "scenario "+n.key+" has no steps", "add `steps: |` and one step a line below, indented")
		return nil
	}
	start, end, ok := c.formula(e.node)
	if !ok {
		return nil
	}
	steps, errs := syntax.ParseScenario(c.file, start, end)
	c.errs = append(c.errs, errs...)
	return steps
}

func (c *checker) scenarioStep(s syntax.ScenarioStep, sizes map[string]int) *ScenarioStep {
	if s.Action == nil {
		return &ScenarioStep{Span: s.Sp}
	}
	a := c.sys.Action(s.Action.Name)
	switch {
	case a == nil:
		c.unknownAction(s.Action.Sp)
		return nil
	case c.broken[a]:
		return nil
	}
	st := &ScenarioStep{Action: a, Args: make([]Term, len(a.Params)), Span: s.Sp}
	x := &exprs{checker: c, ctx: context{what: "a scenario", noState: true, elements: &Scope{Sizes: sizes}, partial: true}}
	ok := true
	first := make([]diag.Span, len(a.Params))
	for _, arg := range s.Args {
		at := slices.IndexFunc(a.Params, func(p *Param) bool { return p.Name == arg.Name.Name })
		if at < 0 {
			c.noParam(arg.Name.Sp, a, arg.Name.Name)
			ok = false
			continue
		}
		if first[at].IsValid() {
			c.declaredTwice(arg.Name.Sp, arg.Name.Name, first[at])
			ok = false
			continue
		}
		first[at] = arg.Name.Sp
		st.Args[at] = x.scenarioArg(arg.X, a.Params[at].Sort)
		ok = ok && st.Args[at] != nil
	}
	if !ok {
		return nil
	}
	return st
}

// scenarioArg checks an argument of a step. A quorum is given as the set of its
// members, a message of a union as a message of one of its types.
func (x *exprs) scenarioArg(e syntax.Expr, want *Sort) Term {
	switch want.Kind {
	case QuorumKind:
		want = x.sorts.set(want.Elem)
	case UnionKind:
		o := x.expr(e, nil)
		if o.bad() {
			return nil
		}
		if !slices.Contains(want.Union, o.sort()) {
			x.mismatch(e.Span(), o.sort(), want)
			return nil
		}
		return o.t
	}
	o := x.expr(e, want)
	if o.bad() {
		return nil
	}
	return o.t
}

// breaks resolves the properties that scenarios break, when all are known. The names are
// looked up in scenarios of mutations too: a mutation takes no property away.
func (c *checker) breaks() {
	for _, name := range slices.Sorted(mapKeys(c.scenarioNodes)) {
		n := c.scenarioNodes[name]
		e := n.fields["breaks"]
		id := c.str(e)
		if id == "" || c.sys.Mutation != nil && n.scenario.Mutation != c.sys.Mutation {
			continue
		}
		p := c.sys.Property(id)
		if _, ill := c.propIDs[id]; p == nil && !ill {
			c.unknownProperty(c.span(e.node), id)
		}
		n.scenario.Breaks = p
	}
}

// refutation is the scenario that a literal claim names.
func (c *checker) refutation(e entry, lit entry) *Scenario {
	if e.node == nil {
		c.noRefutation(lit.keySpan, lit.key)
		return nil
	}
	name := c.str(e)
	n := c.scenarioNodes[name]
	switch {
	case c.rejected[e.node] || name == "":
		return nil
	case n == nil:
		c.unknownScenario(c.span(e.node), name)
		return nil
	case n.fields["mutation"].node != nil:
		c.refutedInMutation(c.span(e.node), name)
		return nil
	}
	if c.sys.Mutation != nil && n.scenario.Scope == nil {
		n.unfit = !c.lenient(func() { c.scenario(n) })
	}
	if n.unfit {
		return nil
	}
	return n.scenario
}
