package protocol

import "maps"

// walkNatural is how far naturals go in walks through a spec that does not say it.
const walkNatural = 6

// walk checks the sizes of walks against the declared sorts, after the scope.
func (c *checker) walk(e entry) {
	if e.node == nil {
		return
	}
	sizes, spans := c.sizes(e.node, "the sizes of walks")
	c.checkScope(sizes, spans)
	c.sys.Walk = sizes
	given := c.sys.given(sizes)
	for _, s := range c.sys.Sorts {
		at, ok := spans[s.subsetName()]
		if !ok {
			at, ok = spans[s.Name]
		}
		if size := given[s.subsetName()]; ok && size > given[s.Name] {
			c.subsetTooLarge(at, s.Subset, size, given[s.Name])
		}
	}
}

// WalkSizes are the sizes for executions, which get farther with larger naturals than
// proofs by induction need: those of the scope with what the spec gives for walks in their
// place, and with some replaced. If the spec gives none, naturals go up to 6 at least.
func (s *System) WalkSizes(override map[string]int) map[string]int {
	sizes := s.Sizes(nil)
	if s.Walk == nil {
		for _, x := range s.Sorts {
			if x.Kind == NaturalKind {
				sizes[x.Name] = max(sizes[x.Name], walkNatural)
			}
		}
	}
	maps.Copy(sizes, s.Walk)
	maps.Copy(sizes, override)
	return s.Sizes(sizes)
}
