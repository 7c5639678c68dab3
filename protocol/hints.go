package protocol

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
)

// AnyObligation is the key in Property.By of the hypotheses for every obligation
// that has none of its own.
const AnyObligation = ""

// By lists the hypotheses to try first for an obligation of the property: those
// for the action (nil: of an implied property), else those for any obligation; nil
// if the spec names none. They change speed and never meaning: a proof from fewer
// hypotheses is still a proof.
func (p *Property) By(a *Action) []*Property {
	if a != nil {
		if by, ok := p.by[a.Name]; ok {
			return by
		}
	}
	return p.by[AnyObligation]
}

// hint is what a spec says behind `by`, to be resolved once all properties are known.
type hint struct {
	property *Property
	node     *yaml.Node
}

// hints resolves the names behind `by`.
func (c *checker) hints() {
	for _, h := range c.pendingHints {
		h.property.by = map[string][]*Property{}
		var by []*Property
		switch h.node.Kind {
		case yaml.SequenceNode:
			if c.lenient(func() { by = c.hypotheses(h.node) }) {
				h.property.by[AnyObligation] = by
			}
		case yaml.MappingNode:
			for _, e := range c.mapping(h.node, "by") {
				if c.sys.Action(e.key) == nil {
					if !c.sys.drops(e.key) {
						c.unknownAction(e.keySpan)
					}
					continue
				}
				if c.lenient(func() { by = c.hypotheses(e.node) }) {
					h.property.by[e.key] = by
				}
			}
		default:
			c.errYAML(diag.NotYAML, c.span(h.node), "by is a list of lemmas and theorems, or one for each action", "write `by: [lemma, theorem]` or `by: {Action: [lemma]}`")
		}
	}
	c.circles()
}

// hypotheses reads a list of properties that may be hypotheses: inductive ones,
// and implied ones.
func (c *checker) hypotheses(n *yaml.Node) []*Property {
	if n.Kind != yaml.SequenceNode {
		c.errYAML(diag.NotYAML, c.span(n), "expected a list of lemmas and theorems", "write `[lemma, theorem]`")
		return nil
	}
	var out []*Property
	for _, x := range n.Content {
		q := c.sys.Property(x.Value)
		switch {
		case q == nil:
			c.unknownProperty(c.span(x), x.Value)
		case q.Kind == Literal || q.TwoState:
			c.report(diag.CircularProof, c.span(x), "name a lemma, a theorem or an invariant about one state", "%s is no hypothesis: it is not claimed of every state", q.ID)
		default:
			out = append(out, q)
		}
	}
	return out
}

// circles reports implied properties that lean on each other: each would be
// proved from the other.
func (c *checker) circles() {
	const (
		unseen = iota
		open
		done
	)
	state := map[*Property]int{}
	var path []string
	var visit func(p *Property) bool
	visit = func(p *Property) bool {
		switch state[p] {
		case done:
			return true
		case open:
			from := slices.Index(path, p.ID)
			c.report(diag.CircularProof, p.Span, "prove one of them without the other", "the proof of %s goes in a circle: %s", p.ID, strings.Join(append(path[from:], p.ID), " ← "))
			return false
		}
		state[p] = open
		path = append(path, p.ID)
		for _, q := range p.by[AnyObligation] {
			if q.Implied && !visit(q) {
				return false
			}
		}
		path = path[:len(path)-1]
		state[p] = done
		return true
	}
	for _, p := range c.sys.Properties {
		if p.Implied && !visit(p) {
			return
		}
	}
}

// ProofOrder lists the implied properties so that each stands behind those that it
// names as hypotheses, and otherwise as declared. If each is proved from inductive
// properties and from those before it, no proof goes in a circle.
func (s *System) ProofOrder() []*Property {
	var out []*Property
	seen := map[*Property]bool{}
	var visit func(p *Property)
	visit = func(p *Property) {
		if seen[p] || !p.Implied {
			return
		}
		seen[p] = true
		for _, q := range p.by[AnyObligation] {
			visit(q)
		}
		out = append(out, p)
	}
	for _, p := range s.Properties {
		visit(p)
	}
	return out
}
