// Package encode turns a protocol in a finite scope into propositional terms,
// and a solver's model back into a state.
//
// Every value becomes a tree of Booleans: an element, a constant or a natural is
// a binary number, a set is one Boolean an element, an optional value is a
// presence and a value, a sequence a length and its cells, a function a value an
// argument. Quantifiers are expanded over the scope. The post-state of a step is
// computed by substitution: its cells are terms over the pre-state's constants.
//
// Values are canonical, as in package state: the value behind Nil and the cells
// of a sequence beyond its length are the default value, which is false in every
// bit. So equality of values is equality of bits, and a read outside the domain
// yields the default without a case of its own.
//
// What unsat of a query proves: no state (or step) whose sorts have the scope's
// sizes, whose naturals are at most the scope's maxima, and whose pre-state has
// at most Scope.Messages messages of each type, satisfies the asserted terms.
// A step that leaves the scope is not covered; what it adds to the messages is. Of an
// unrolling of runs from the initial state, see Unrolling and its Query.
//
// The package shares no code with the evaluator (package semantics).
package encode

import (
	"maps"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
)

// Scope says how many elements each sort and subset has, by name (of a sort of
// naturals its greatest value), and how many messages of each type were sent before.
type Scope struct {
	Sizes    map[string]int
	Messages int
}

// NewScope is the system's own default scope with some sizes replaced; the name
// protocol.MessagesScope sets Messages.
func NewScope(sys *protocol.System, override map[string]int) Scope {
	sizes := sys.Sizes(override)
	s := Scope{Sizes: sizes, Messages: sizes[protocol.MessagesScope]}
	delete(sizes, protocol.MessagesScope)
	return s
}

// Structure is the finite interpretation that the scope describes.
func (s Scope) Structure(sys *protocol.System) *state.Structure {
	return state.NewStructure(sys, s.Sizes)
}

// Override is the scope as sizes by name, which NewScope turns into it again.
func (s Scope) Override() map[string]int {
	out := maps.Clone(s.Sizes)
	out[protocol.MessagesScope] = s.Messages
	return out
}
