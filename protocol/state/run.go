package state

// Run is an execution: a start state and steps, each from where the one before ended.
type Run struct {
	Structure *Structure
	Init      *State // nil if the structure has none
	Steps     []*Step
}

// Last is the state in which the run ends.
func (r *Run) Last() *State {
	if n := len(r.Steps); n > 0 {
		return r.Steps[n-1].Post
	}
	return r.Init
}
