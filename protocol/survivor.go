package protocol

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// survivor is a mutant of an action with which all properties hold, as the spec says.
type survivor struct {
	body   []syntax.Stmt // what it leaves of the action, as simple as can be
	reason string
	span   diag.Span
}

// survivors reads what the actions say behind `survives`: patches, each of which makes one of the
// action's mutants, and has its reason behind #. A patch begins at a line with -.
func (c *checker) survivors() {
	for _, n := range c.actionNodes {
		if n.survives.node == nil {
			continue
		}
		edits, ok := c.parsePatch(n.survives)
		if !ok || c.broken[n.action] {
			continue
		}
		mutants := mutantsOf(n.action)
		for len(edits) > 0 {
			count := 1
			for count < len(edits) && edits[count].Add {
				count++
			}
			c.survivor(n.action, mutants, edits[:count])
			edits = edits[count:]
		}
	}
}

func (c *checker) survivor(a *Action, mutants []mutant, edits []syntax.Edit) {
	at := edits[0].Sp
	before := len(c.errs)
	body := simplest(c.patch(part{"actions", a.Name}, a.written, edits))
	if len(c.errs) > before {
		return
	}
	s := survivor{body: body, span: at}
	for _, e := range edits {
		if r := e.Sp.Remark(); r != "" {
			s.reason = strings.TrimSpace(s.reason + " " + r)
		}
	}
	same := func(body []syntax.Stmt) bool { return syntax.EqualBodies(s.body, body) }
	first := slices.IndexFunc(a.survivors, func(x survivor) bool { return same(x.body) })
	switch {
	case !slices.ContainsFunc(mutants, func(m mutant) bool { return same(m.body) }):
		c.noMutant(at, a.Name, closestMutant(edits, mutants))
	case first >= 0:
		c.survivesTwice(at, a.survivors[first].span)
	case s.reason == "":
		c.noReason(at)
	default:
		a.survivors = append(a.survivors, s)
	}
}

// closestMutant is the patch that resembles another one most, or "".
func closestMutant(edits []syntax.Edit, mutants []mutant) string {
	var lines, known []string
	for _, e := range edits {
		lines = append(lines, syntax.FormatEdit(e))
	}
	for _, m := range mutants {
		known = append(known, strings.Join(m.Changes[0].Lines, " "))
	}
	return Closest(strings.Join(lines, " "), known)
}
