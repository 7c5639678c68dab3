package protocol

// SymmetricSorts are the element sorts whose elements are interchangeable, those of a subset
// among themselves: renaming them in a step of the protocol gives a step, and keeps every
// property's value. The language has no names for elements outside runs, so the
// only element that a formula can single out is the first one, as the default of
// a read outside a domain. A sort is symmetric if no formula has such a read
// whose default singles out an element (or a quorum) of it.
func (s *System) SymmetricSorts() map[*Sort]bool {
	a := &defaults{spoilt: map[*Sort]bool{}, inScope: map[*Binding]bool{}}
	for _, x := range s.Axioms {
		a.walk(x.Formula)
	}
	for _, p := range s.Properties {
		a.walk(p.Formula)
	}
	for _, x := range s.Actions {
		for _, stmt := range x.Body {
			a.statement(stmt)
		}
	}
	out := map[*Sort]bool{}
	for _, x := range s.Sorts {
		if x.Kind == ElementKind && !a.spoilt[x] {
			out[x] = true
		}
	}
	return out
}

// SymmetricFromInit are the symmetric sorts whose elements are interchangeable in the initial state
// too, as far as the variables go, and in a goal; nil says nothing.
func (s *System) SymmetricFromInit(goal Term, vars func(*StateVar) bool) map[*Sort]bool {
	a := &defaults{spoilt: map[*Sort]bool{}, inScope: map[*Binding]bool{}}
	initial := map[*StateVar]bool{}
	if s.Init != nil {
		for _, stmt := range s.Init.Body {
			if u, ok := stmt.(*Update); ok {
				initial[u.State] = true
			}
			a.statement(stmt)
		}
	}
	for _, v := range s.State {
		if vars(v) && !initial[v] {
			a.spoil(v.Sort) // it begins with the default
		}
	}
	if goal != nil {
		a.walk(goal)
	}
	out := s.SymmetricSorts()
	for x := range a.spoilt {
		delete(out, x)
	}
	return out
}

// defaults finds the sorts of which some read may yield a default element.
type defaults struct {
	spoilt map[*Sort]bool
	// inScope has the lets and parameters whose value's naturals are known to lie
	// in the structure, at the place where the walk is.
	inScope map[*Binding]bool
}

func (a *defaults) statement(s Stmt) {
	switch s := s.(type) {
	case *Let:
		a.bind(s.Var, s.X)
	case *Guard:
		a.walk(s.Cond)
	case *Update:
		a.walk(s.Value)
		for _, p := range s.Path {
			a.walk(p)
		}
	case *Send:
		a.walk(s.Message)
		if s.Cond != nil {
			a.walk(s.Cond)
		}
	}
}

func (a *defaults) walk(t Term) {
	switch t := t.(type) {
	case *Lit:
		a.spoil(t.Of)
	case *Default:
		a.spoil(t.Of)
	case *Apply:
		if t.Fun.Sort().Domain.Kind == NaturalKind && !a.isInScope(t.Arg) {
			a.spoil(t.Sort())
		}
	case *At:
		a.spoil(t.Sort())
	case *UnaryTerm:
		if t.Op == Value {
			a.spoil(t.Of)
		}
	case *LetTerm:
		a.bind(t.Var, t.X)
		a.walk(t.Body)
		return
	case *Call:
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
	for c := range Children(t) {
		a.walk(c)
	}
}

// bind walks a bound term and notes whether its naturals lie in the structure.
func (a *defaults) bind(v *Binding, x Term) {
	a.walk(x)
	a.inScope[v] = a.isInScope(x)
}

// spoil notes every sort whose first element is part of the default value of sort
// s. Nil, and the empty set and sequence, single out no element.
func (a *defaults) spoil(s *Sort) {
	switch s.Kind {
	case ElementKind:
		a.spoilt[s] = true
	case QuorumKind, FuncKind: // the first quorum; a constant function
		a.spoil(s.Elem)
	case RecordKind, MessageKind, UnionKind:
		for _, f := range s.Fields {
			a.spoil(f.Sort)
		}
	case OptionKind, SetKind, SeqKind,
		Invalid, BoolKind, EnumKind, NaturalKind:
	}
}

// isInScope reports whether the naturals in a value are known to lie in the
// structure: it is part of a state in scope, ranges over a sort, or is made of
// such values without adding to them.
func (a *defaults) isInScope(t Term) bool {
	switch t := t.(type) {
	case *StateRead:
		return true
	case *Var:
		return t.To.InRange || a.inScope[t.To]
	case *Select:
		return a.isInScope(t.X)
	case *Apply:
		return a.isInScope(t.Fun)
	case *At:
		return a.isInScope(t.Seq)
	case *UnaryTerm:
		return (t.Op == Value || t.Op == Len) && a.isInScope(t.X)
	case *Shift:
		return t.Delta <= 0 && a.isInScope(t.X)
	case *Ite:
		return a.isInScope(t.Then) && a.isInScope(t.Else)
	case *BinaryTerm:
		switch t.Op {
		case Min:
			return a.isInScope(t.X) || a.isInScope(t.Y)
		case Max, Extend:
			return a.isInScope(t.X) && a.isInScope(t.Y)
		case Truncate:
			return a.isInScope(t.X)
		default:
		}
	}
	return false
}
