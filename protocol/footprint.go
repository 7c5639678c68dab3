package protocol

// Footprint is what a formula reads or an action writes: state variables, and the
// messages of a type.
type Footprint struct {
	Vars     map[*StateVar]bool
	Messages map[*Sort]bool
	Step     bool // it asks which action the step is
}

// Reads is everything that a formula's value depends on, in either state.
func Reads(t Term) Footprint {
	f := Footprint{map[*StateVar]bool{}, map[*Sort]bool{}, false}
	f.read(t)
	return f
}

func (f *Footprint) read(t Term) {
	switch t := t.(type) {
	case *StateRead:
		f.Vars[t.State] = true
	case *StepIs:
		f.Step = true
	case *Quant:
		switch t.Var.Sort.Kind {
		case MessageKind:
			f.Messages[t.Var.Sort] = true
		case UnionKind:
			for _, m := range t.Var.Sort.Union {
				f.Messages[m] = true
			}
		default:
		}
	}
	for c := range Children(t) {
		f.read(c)
	}
}

// Writes is everything that an action may change.
func Writes(a *Action) Footprint {
	f := Footprint{map[*StateVar]bool{}, map[*Sort]bool{}, false}
	for _, u := range a.Updates {
		f.Vars[u.State] = true
	}
	for _, s := range a.Sends {
		f.Messages[s.Message.Of] = true
	}
	return f
}

// Meets reports whether some variable or message type is in both.
func (f Footprint) Meets(g Footprint) bool {
	for v := range f.Vars {
		if g.Vars[v] {
			return true
		}
	}
	for m := range f.Messages {
		if g.Messages[m] {
			return true
		}
	}
	return false
}
