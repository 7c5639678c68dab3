package state

// Run is an execution: a start state and steps, each from where the one before ended.
type Run struct {
	Structure *Structure
	Init      *State
	Steps     []*Step
}
