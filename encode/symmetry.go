package encode

import "github.com/speckl/kraftprove/protocol"

// symmetricSorts are the element sorts whose elements are interchangeable:
// renaming them in a step of the protocol gives a step, and keeps every
// property's value. The language has no names for elements outside runs, so the
// only element that a formula can single out is the first one, as the default of
// a read outside a domain. A sort is symmetric if no formula has such a read
// whose value contains an element (or a quorum) of it.
func symmetricSorts(sys *protocol.System) map[*protocol.Sort]bool {
	out := map[*protocol.Sort]bool{}
	for _, s := range sys.Sorts {
		if s.Kind == protocol.ElementKind {
			out[s] = true
		}
	}
	spoil := func(s *protocol.Sort) { spoilSymmetry(s, out) }
	seen := map[*protocol.Definition]bool{}
	var walk func(t protocol.Term)
	walk = func(t protocol.Term) {
		switch t := t.(type) {
		case *protocol.Lit:
			spoil(t.Of)
		case *protocol.Default:
			if t.Of.Kind != protocol.OptionKind && t.Of.Kind != protocol.SetKind && t.Of.Kind != protocol.SeqKind {
				spoil(t.Of)
			}
		case *protocol.Apply:
			if t.Fun.Sort().Domain.Kind == protocol.NaturalKind && mayExceed(t.Arg) {
				spoil(t.Sort())
			}
		case *protocol.At:
			spoil(t.Sort())
		case *protocol.UnaryTerm:
			if t.Op == protocol.Value {
				spoil(t.Of)
			}
		case *protocol.Call:
			for _, a := range t.Args {
				walk(a)
			}
			if !seen[t.Def] {
				seen[t.Def] = true
				walk(t.Def.Body)
			}
			return
		}
		for c := range protocol.Children(t) {
			walk(c)
		}
	}
	for _, a := range sys.Axioms {
		walk(a.Formula)
	}
	for _, p := range sys.Properties {
		walk(p.Formula)
	}
	for _, a := range sys.Actions {
		for _, s := range a.Body {
			switch s := s.(type) {
			case *protocol.Let:
				walk(s.X)
			case *protocol.Guard:
				walk(s.Cond)
			case *protocol.Update:
				walk(s.Value)
				for _, p := range s.Path {
					walk(p)
				}
			case *protocol.Send:
				walk(s.Message)
				if s.Cond != nil {
					walk(s.Cond)
				}
			}
		}
	}
	return out
}

// spoilSymmetry removes every sort that a value of sort s has elements of.
func spoilSymmetry(s *protocol.Sort, out map[*protocol.Sort]bool) {
	switch s.Kind {
	case protocol.ElementKind:
		delete(out, s)
	case protocol.QuorumKind, protocol.OptionKind, protocol.SeqKind, protocol.FuncKind, protocol.SetKind:
		if s.Kind == protocol.FuncKind {
			spoilSymmetry(s.Domain, out)
		}
		spoilSymmetry(s.Elem, out)
	case protocol.RecordKind, protocol.MessageKind, protocol.UnionKind:
		for _, f := range s.Fields {
			spoilSymmetry(f.Sort, out)
		}
	case protocol.Invalid, protocol.BoolKind, protocol.EnumKind, protocol.NaturalKind:
	}
}

// mayExceed reports whether a natural may be greater than the scope's maximum.
func mayExceed(t protocol.Term) bool {
	switch t := t.(type) {
	case *protocol.Shift:
		return t.Delta > 0 || mayExceed(t.X)
	case *protocol.Ite:
		return mayExceed(t.Then) || mayExceed(t.Else)
	case *protocol.BinaryTerm:
		switch t.Op {
		case protocol.Min:
			return mayExceed(t.X) && mayExceed(t.Y)
		case protocol.Max:
			return mayExceed(t.X) || mayExceed(t.Y)
		}
	case *protocol.UnaryTerm:
		if t.Op == protocol.Len {
			return !stored(t.X)
		}
	}
	return !stored(t)
}

// stored reports whether a value is part of a state in scope or ranges over a
// sort of the structure; a let or a definition may bind anything.
func stored(t protocol.Term) bool {
	switch t := t.(type) {
	case *protocol.StateRead:
		return true
	case *protocol.Var:
		return t.To.InRange
	case *protocol.Select:
		return stored(t.X)
	case *protocol.Apply:
		return stored(t.Fun)
	case *protocol.At:
		return stored(t.Seq)
	case *protocol.UnaryTerm:
		return t.Op == protocol.Value && stored(t.X)
	}
	return false
}
