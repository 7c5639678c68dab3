package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// The messages about expressions, as in errors.go.

func (x *exprs) mismatch(at diag.Span, have, want *Sort) {
	help := ""
	switch {
	case have.Kind == OptionKind && have.Elem == want:
		help = "write " + short(at) + "! for its value where it is not Nil"
	case have.Kind == SetKind && want.Kind == QuorumKind:
		help = "a set includes a quorum: S ∈ " + want.Name
	}
	x.report(diag.SortMismatch, at, help, "expected %s, found %s", a(want), a(have))
}

func (x *exprs) mismatchText(at diag.Span, have string, want *Sort) {
	x.report(diag.SortMismatch, at, "", "expected %s, found %s", a(want), have)
}

// a names a sort's values: "a Boolean", "a value of sort Term".
func a(s *Sort) string {
	switch s.Kind {
	case BoolKind:
		return "a formula"
	case MessageKind:
		return "a message " + s.Name
	}
	return "a value of sort " + s.Name
}

func (x *exprs) sortUnknown(at diag.Span, what string) {
	x.report(diag.AmbiguousSort, at, "compare it with something of a known sort, or give the definition a `returns`", "nothing here says which sort %s has", what)
}

func (x *exprs) notIndexable(e *syntax.Index, f operand) {
	help := "functions and sequences take an index"
	if f.sort().Kind == OptionKind {
		help = "write " + short(e.X.Span()) + "! for its value where it is not Nil"
	}
	if depth := stateDepth(f.t); depth >= 0 {
		x.report(diag.WrongArity, e.Sp, help, "%s takes %s, this is one more", rootName(f.t), indexes(depth))
	} else {
		x.report(diag.SortMismatch, e.Sp, help, "%s takes no index", a(f.sort()))
	}
	x.labelState(f.t)
}

func (x *exprs) indexArity(e *syntax.Index, f operand) {
	s, depth := f.sort(), 0
	for s.Kind == FuncKind {
		depth++
		s = s.Elem
	}
	help := "write one index in each pair of brackets: f[i][j]"
	if len(e.Args) > depth {
		help = fmt.Sprintf("its sort is %s", f.sort())
	}
	name := short(e.X.Span())
	x.report(diag.WrongArity, e.Sp, help, "%s takes %s, got %d", name, indexes(1), len(e.Args))
	x.labelState(f.t)
}

func indexes(n int) string {
	switch n {
	case 0:
		return "no index"
	case 1:
		return "1 index"
	}
	return fmt.Sprintf("%d indexes", n)
}

// stateDepth is how many indexes lie between a state variable and t, or -1.
func stateDepth(t Term) int {
	switch t := t.(type) {
	case *StateRead:
		return 0
	case *Apply:
		if n := stateDepth(t.Fun); n >= 0 {
			return n + 1
		}
	case *At:
		if n := stateDepth(t.Seq); n >= 0 {
			return n + 1
		}
	}
	return -1
}

func stateOf(t Term) *StateVar {
	switch t := t.(type) {
	case *StateRead:
		return t.State
	case *Apply:
		return stateOf(t.Fun)
	case *At:
		return stateOf(t.Seq)
	}
	return nil
}

func rootName(t Term) string {
	if v := stateOf(t); v != nil {
		return v.Name
	}
	return "this"
}

func (x *exprs) labelState(t Term) {
	if v := stateOf(t); v != nil {
		x.label(v.Span, "declared here: "+v.Sort.Name)
	}
}

func (x *exprs) arity(at diag.Span, name string, want, got int, decl diag.Span, what string) {
	s := what + "s"
	if want == 1 {
		s = what
	}
	x.report(diag.WrongArity, at, "", "%s takes %d %s, got %d", name, want, s, got)
	x.label(decl, "defined here")
}

func (x *exprs) notSequence(at diag.Span, s *Sort) {
	x.report(diag.SortMismatch, at, "", "expected a sequence, found %s", a(s))
}

func (x *exprs) sliceStart(at diag.Span) {
	x.report(diag.SortMismatch, at, "write s[1..k]", "a slice starts at 1")
}

func (x *exprs) notRecord(e *syntax.Field, s *Sort) {
	help := "records and messages have fields"
	if s.Kind == OptionKind {
		help = "write " + short(e.X.Span()) + "!." + e.Name.Name + " where it is not Nil"
	}
	x.report(diag.SortMismatch, e.Sp, help, "%s has no fields", a(s))
}

func (x *exprs) noField(e *syntax.Field, s *Sort) {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	what := s.Name
	if s.Kind == UnionKind {
		what = "not every message type of " + s.Name
		x.report(diag.UnknownName, e.Name.Sp, "common fields: "+strings.Join(names, ", "), "%s has a field %s of one sort", what, e.Name.Name)
		return
	}
	x.report(diag.UnknownName, e.Name.Sp, suggest(e.Name.Name, names, "its fields are "+strings.Join(names, ", ")), "%s has no field %s", what, e.Name.Name)
}

func (x *exprs) missingFields(at diag.Span, s *Sort, names []string) {
	x.report(diag.WrongArity, at, "give every field a value", "%s lacks %s", s.Name, strings.Join(names, ", "))
}

func (x *exprs) notRecordType(id *syntax.Ident) {
	x.report(diag.UnknownName, id.Sp, suggest(id.Name, slices.Sorted(mapKeys(x.sorts.named)), "declare it under records or messages"), "%s is no record or message type", id.Name)
}

func (x *exprs) notOption(at diag.Span, s *Sort) {
	x.report(diag.SortMismatch, at, "leave the ! out", "! takes the value of an optional, this is %s", a(s))
}

func (x *exprs) notOrdered(at, operand diag.Span, s *Sort) {
	help := "< and ≤ compare naturals"
	switch s.Kind {
	case OptionKind:
		help = "an optional has no order: compare " + short(operand) + "! where it is not Nil"
	case SetKind:
		help = "for sets write ⊆"
	}
	x.report(diag.SortMismatch, at, help, "%s has no order", a(s))
}

func (x *exprs) notNatural(at diag.Span, s *Sort) {
	help := ""
	if s.Kind == OptionKind {
		help = "there is no arithmetic on an optional: write " + short(at) + "! where it is not Nil"
	}
	x.report(diag.SortMismatch, at, help, "expected a natural, found %s", a(s))
}

func (x *exprs) notConstantShift(at diag.Span) {
	x.report(diag.SortMismatch, at, "write x + 1 or x - 1 with a numeral; compare sums by moving the constant", "only a constant can be added or subtracted")
}

func (x *exprs) notSet(e *syntax.Binary, s *Sort) {
	x.report(diag.SortMismatch, e.Sp, "∪, ∩, \\ and ⊆ take sets", "expected a set, found %s", a(s))
}

func (x *exprs) badSetElem(at diag.Span, s *Sort) {
	x.report(diag.SortMismatch, at, "a function to Bool serves", "sets are over a declared sort or an enumeration, not %s", s.Name)
}

func (x *exprs) notDomain(at diag.Span, what string) {
	x.report(diag.SortMismatch, at, "a variable ranges over a sort, a message type, a set, or a range a..b", "%s is no domain", what)
}

func (x *exprs) partFunction(at diag.Span, s *Sort) {
	x.report(diag.SortMismatch, at, "write [i ∈ "+s.Name+" ↦ IF … THEN … ELSE …]", "a function is defined on all of its sort")
}

func (x *exprs) sortAsValue(at diag.Span, name string) {
	x.report(diag.SortMismatch, at, "write it behind ∈", "%s is a sort, not a value", name)
}

func (x *exprs) alwaysMember(at diag.Span, name string) {
	x.report(diag.SortMismatch, at, "delete the condition", "this is always true: it says only that the value is of sort %s", name)
}

func (x *exprs) neverNil(at diag.Span, s *Sort) {
	x.report(diag.SortMismatch, at, "only a value of an optional sort "+s.Name+"? may be Nil", "%s is never Nil", a(s))
}

func (x *exprs) unionIn(at diag.Span, what string) {
	x.report(diag.SortMismatch, at, "use its fields", "a message of one of several types may not stand in %s", what)
}

func (x *exprs) nothingCommon(at diag.Span, u *Sort) {
	x.report(diag.SortMismatch, at, "give the message types a field of one name and sort", "the message types %s have no field in common", u.Name)
}

func (x *exprs) notFunction(e *syntax.Call) {
	known := []string{"len", "min", "max", "append", "truncate", "extend"}
	for _, d := range x.defs {
		known = append(known, d.def.Name)
	}
	help := suggest(e.Fun.Name, known, "declare it under definitions; a state variable takes its index in brackets: f[i]")
	x.report(diag.UnknownName, e.Fun.Sp, help, "%s is not a definition", e.Fun.Name)
}

func (x *exprs) misplaced(at diag.Span, what, help string) {
	x.report(diag.Misplaced, at, help, "%s may not stand here", what)
}

// States and primes.

func (x *exprs) primedName(id *syntax.Ident) {
	x.report(diag.PrimeNotAllowed, id.Sp, "only state variables and message types take a prime", "%s may not have a prime", id.Name)
}

func (x *exprs) primeIn(id *syntax.Ident, what string) {
	help := "primes belong to two-state properties"
	if what == "an action" {
		help = "an action writes " + id.Name + "[…] := …"
	}
	x.report(diag.PrimeNotAllowed, id.Sp, help, "%s may not stand in %s", id.Name+"'", what)
}

func (x *exprs) stateIn(at diag.Span, name, what string) {
	help := "an axiom is about what never changes"
	switch what {
	case "init":
		help = "init gives each variable a value that reads no state"
	case "a scenario":
		help = "the arguments of a step are constants: n1, 2, {n1, n2}"
	}
	x.report(diag.StateNotAllowed, at, help, "%s is state, and %s reads none", name, what)
}

// Ghosts.

func (x *exprs) ghostIn(at diag.Span, what string) {
	x.report(diag.GhostLeak, at, "ghost state is for ghost updates and properties only: the protocol must not depend on it", "ghost state decides %s", what)
}

func (x *exprs) ghostInField(at diag.Span, name string) {
	x.report(diag.GhostLeak, at, "make the field ghost, or leave ghost state out", "ghost state decides the field %s, which is not ghost", name)
}
