package encode

import "github.com/speckl/kraftprove/protocol"

// symmetricSorts are the element sorts whose elements are interchangeable:
// renaming them in a step of the protocol gives a step, and keeps every
// property's value. The language has no names for elements outside runs, so the
// only element that a formula can single out is the first one, as the default of
// a read outside a domain. A sort is symmetric if no formula has such a read
// whose default singles out an element (or a quorum) of it.
func symmetricSorts(sys *protocol.System) map[*protocol.Sort]bool {
	a := &defaults{spoilt: map[*protocol.Sort]bool{}, inScope: map[*protocol.Binding]bool{}}
	for _, x := range sys.Axioms {
		a.walk(x.Formula)
	}
	for _, p := range sys.Properties {
		a.walk(p.Formula)
	}
	for _, x := range sys.Actions {
		for _, s := range x.Body {
			switch s := s.(type) {
			case *protocol.Let:
				a.bind(s.Var, s.X)
			case *protocol.Guard:
				a.walk(s.Cond)
			case *protocol.Update:
				a.walk(s.Value)
				for _, p := range s.Path {
					a.walk(p)
				}
			case *protocol.Send:
				a.walk(s.Message)
				if s.Cond != nil {
					a.walk(s.Cond)
				}
			}
		}
	}
	out := map[*protocol.Sort]bool{}
	for _, s := range sys.Sorts {
		if s.Kind == protocol.ElementKind && !a.spoilt[s] {
			out[s] = true
		}
	}
	return out
}

// defaults finds the sorts of which some read may yield a default element.
type defaults struct {
	spoilt map[*protocol.Sort]bool
	// inScope has the lets and parameters whose value's naturals are known to lie
	// in the structure, at the place where the walk is.
	inScope map[*protocol.Binding]bool
}

func (a *defaults) walk(t protocol.Term) {
	switch t := t.(type) {
	case *protocol.Lit:
		a.spoil(t.Of)
	case *protocol.Default:
		a.spoil(t.Of)
	case *protocol.Apply:
		if t.Fun.Sort().Domain.Kind == protocol.NaturalKind && !a.isInScope(t.Arg) {
			a.spoil(t.Sort())
		}
	case *protocol.At:
		a.spoil(t.Sort())
	case *protocol.UnaryTerm:
		if t.Op == protocol.Value {
			a.spoil(t.Of)
		}
	case *protocol.LetTerm:
		a.bind(t.Var, t.X)
		a.walk(t.Body)
		return
	case *protocol.Call:
		inScope := make([]bool, len(t.Args)) // bound after all are walked: one may call the same definition
		for i, x := range t.Args {
			a.walk(x)
			inScope[i] = a.isInScope(x)
		}
		for i, p := range t.Def.Params {
			a.inScope[p] = inScope[i]
		}
		a.walk(t.Def.Body)
		return
	}
	for c := range protocol.Children(t) {
		a.walk(c)
	}
}

// bind walks a bound term and notes whether its naturals lie in the structure.
func (a *defaults) bind(v *protocol.Binding, x protocol.Term) {
	a.walk(x)
	a.inScope[v] = a.isInScope(x)
}

// spoil notes every sort whose first element is part of the default value of sort
// s. Nil, and the empty set and sequence, single out no element.
func (a *defaults) spoil(s *protocol.Sort) {
	switch s.Kind {
	case protocol.ElementKind:
		a.spoilt[s] = true
	case protocol.QuorumKind, protocol.FuncKind: // the first quorum; a constant function
		a.spoil(s.Elem)
	case protocol.RecordKind, protocol.MessageKind, protocol.UnionKind:
		for _, f := range s.Fields {
			a.spoil(f.Sort)
		}
	case protocol.OptionKind, protocol.SetKind, protocol.SeqKind,
		protocol.Invalid, protocol.BoolKind, protocol.EnumKind, protocol.NaturalKind:
	}
}

// isInScope reports whether the naturals in a value are known to lie in the
// structure: it is part of a state in scope, ranges over a sort, or is made of
// such values without adding to them.
func (a *defaults) isInScope(t protocol.Term) bool {
	switch t := t.(type) {
	case *protocol.StateRead:
		return true
	case *protocol.Var:
		return t.To.InRange || a.inScope[t.To]
	case *protocol.Select:
		return a.isInScope(t.X)
	case *protocol.Apply:
		return a.isInScope(t.Fun)
	case *protocol.At:
		return a.isInScope(t.Seq)
	case *protocol.UnaryTerm:
		return (t.Op == protocol.Value || t.Op == protocol.Len) && a.isInScope(t.X)
	case *protocol.Shift:
		return t.Delta <= 0 && a.isInScope(t.X)
	case *protocol.Ite:
		return a.isInScope(t.Then) && a.isInScope(t.Else)
	case *protocol.BinaryTerm:
		switch t.Op {
		case protocol.Min:
			return a.isInScope(t.X) || a.isInScope(t.Y)
		case protocol.Max, protocol.Extend:
			return a.isInScope(t.X) && a.isInScope(t.Y)
		case protocol.Truncate:
			return a.isInScope(t.X)
		default:
		}
	}
	return false
}
