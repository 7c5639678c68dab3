package state

import "github.com/speckl/kraftprove/protocol"

// Move is an action with its arguments: what is to be done, in whatever state.
type Move struct {
	Action *protocol.Action
	Args   []Value // by position in Action.Params
}
