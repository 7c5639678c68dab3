package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Every message about names, sorts, ghosts and properties is worded here, one
// method a message, so that call sites read as prose.

func (c *checker) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	c.errs = append(c.errs, diag.Diagnostic{Code: code, Span: at, Message: fmt.Sprintf(format, args...), Help: help})
}

// Names.

func (c *checker) badName(at diag.Span, name string) {
	c.report(diag.InvalidName, at, "use letters, digits and _, and start with a letter", "%q is not a name", oneLine(name))
}

func (c *checker) reservedName(at diag.Span, name string) {
	c.report(diag.ReservedName, at, "choose another name", "%s is a word of the language", name)
}

func (c *checker) declaredTwice(at diag.Span, name string, first diag.Span) {
	c.report(diag.DuplicateName, at, "rename one of the two", "%s stands twice", name)
	c.label(first, "first here")
}

func (c *checker) hides(at diag.Span, name string, outer diag.Span) {
	c.report(diag.HiddenName, at, "rename the variable", "the variable %s hides another declaration", name)
	c.label(outer, "declared here")
}

func (x *exprs) unknownName(e *syntax.Ident) {
	var known []string
	for _, b := range x.locals {
		known = append(known, b.Name)
	}
	known = append(known, slices.Sorted(mapKeys(x.globals))...)
	help := "declare it, or bind it with a quantifier, with or let"
	if len(e.Name) == 1 {
		known = nil // anything is close to it
	}
	if x.ctx.elements != nil {
		for _, s := range x.sys.Sorts {
			if n, size := elementNumber(e.Name, s), x.ctx.elements.Sizes[s.Name]; n > 0 {
				x.report(diag.UnknownName, e.Sp, "give "+s.Name+" a larger size in the run's scope", "%s is not among the %d elements of %s in this run", e.Name, size, s.Name)
				return
			}
		}
		help = "elements are written " + elementExamples(x.sys.Sorts)
	}
	x.report(diag.UnknownName, e.Sp, suggest(e.Name, known, help), "%s is not declared", e.Name)
}

// elementExamples shows how the elements of each sort are named.
func elementExamples(sorts []*Sort) string {
	var out []string
	for _, s := range sorts {
		if s.Kind == ElementKind {
			out = append(out, ElementName(s, 0))
		}
	}
	return strings.Join(out, ", ")
}

func (c *checker) unknownType(at diag.Span, name string) {
	c.report(diag.UnknownName, at, suggest(name, slices.Sorted(mapKeys(c.sorts.named)), "declare it under sorts, enums, records or messages"), "there is no sort %s", name)
}

func (c *checker) unknownAction(at diag.Span) {
	var names []string
	for _, a := range c.sys.Actions {
		names = append(names, a.Name)
	}
	c.report(diag.UnknownName, at, suggest(at.Text(), names, "the actions are "+strings.Join(names, ", ")), "there is no action %s", oneLine(at.Text()))
}

func (c *checker) unknownRun(at diag.Span, name string, known []string) {
	slices.Sort(known)
	c.report(diag.UnknownName, at, suggest(name, known, "declare it under runs"), "there is no run %s", name)
}

func (c *checker) unknownScope(at diag.Span, name string, known []string) {
	c.report(diag.UnknownName, at, suggest(name, known, "sizes are of "+strings.Join(known, ", ")), "there is no sort %s to give a size", name)
}

func (c *checker) scopeMissing(at diag.Span, run string, sorts []string) {
	c.report(diag.IncompleteScope, at, "write `scope: {"+sorts[0]+": 3, …}` with every sort but quorums", "run %s gives no size for %s", run, strings.Join(sorts, ", "))
}

func (c *checker) badPropertyID(at diag.Span, name string) {
	c.report(diag.InvalidName, at, "use letters, digits, _ and -, in parts joined by dots: I2, I2.literal", "%q is not an identifier", oneLine(name))
}

// Declarations.

func (c *checker) quorumOf(at diag.Span, of string) {
	c.report(diag.InvalidType, at, "write `Quorum: {quorum: Server}` below a declaration of Server", "quorums are of a declared element sort or subset, not %q", oneLine(of))
}

func (c *checker) subsetOf(at diag.Span, of string) {
	c.report(diag.InvalidType, at, "write `Voter: {subset: Server}` below a declaration of Server", "a subset is of a declared element sort, not %q", oneLine(of))
}

func (c *checker) twoSubsets(at diag.Span, first *Subsort) {
	c.report(diag.InvalidType, at, "use "+first.Name, "%s has a subset already: %s", first.Of.Name, first.Name)
	c.label(c.globals[first.Name].span, "declared here")
}

func (c *checker) subsetAsType(at diag.Span, s *Subsort) {
	c.report(diag.InvalidType, at, "write "+s.Of.Name+", and x ∈ "+s.Name+" where it matters", "%s is a set of elements of %s, not a type", s.Name, s.Of.Name)
	c.label(c.globals[s.Name].span, "declared here")
}

func (c *checker) subsetTooLarge(at diag.Span, s *Subsort, size, most int) {
	c.report(diag.SubsetTooLarge, at, fmt.Sprintf("give %s a size from 1 to %d, or %s a larger one", s.Name, most, s.Of.Name), "%s has %d elements, more than the %d of %s", s.Name, size, most, s.Of.Name)
}

func (c *checker) twoQuorums(at diag.Span, elem *Sort) {
	c.report(diag.InvalidType, at, "use "+elem.Quorum.Name, "%s has a sort of quorums already: %s", elem.Name, elem.Quorum.Name)
}

func (c *checker) notForSort(at diag.Span, key, name, what string) {
	c.report(diag.InvalidType, at, "leave it out", "%s is %s, which takes no %s", name, what, key)
}

func (c *checker) badPrefix(at diag.Span, prefix string) {
	c.report(diag.InvalidName, at, "write letters: prefix: n names n1, n2, …", "%q is no prefix for the names of elements", prefix)
}

func (c *checker) samePrefix(at diag.Span, prefix, other string) {
	c.report(diag.DuplicateName, at, "give one of the two sorts another `prefix: …`", "elements of %s are named %s1, %s2, … as well", other, prefix, prefix)
}

func (c *checker) elementName(at diag.Span, name, sort string) {
	c.report(diag.DuplicateName, at, "rename it, or give the sort another `prefix: …`", "%s is the name of an element of %s as well", name, sort)
}

func (c *checker) tooManyParts(at diag.Span, name string) {
	c.report(diag.InvalidType, at, "flatten it", "a value of %s has more than %d parts", name, maxParts)
}

func (c *checker) indexNotNatural(at diag.Span, name string) {
	c.report(diag.InvalidType, at, "write `{natural: true, index: true}`", "sort %s indexes sequences but is not natural", name)
}

func (c *checker) twoIndexes(at diag.Span, first string) {
	c.report(diag.InvalidType, at, "remove `index: true` here", "sequences are indexed by %s already", first)
}

func (c *checker) ghostInRecord(at diag.Span, name string) {
	c.report(diag.GhostLeak, at, "ghost fields belong to messages; make the state variable ghost instead", "field %s of a record is ghost", name)
}

func (c *checker) recordInItself(at diag.Span, name string) {
	c.report(diag.CyclicDeclaration, at, "break the circle", "a value of %s would contain another value of %s", name, name)
}

func (c *checker) badType(at diag.Span, msg, help string) {
	c.report(diag.InvalidType, at, help, "%s", msg)
}

func (c *checker) displayOfNothing(at diag.Span, name string) {
	var known []string
	for _, s := range c.sys.Records {
		known = append(known, s.Name)
	}
	for _, v := range c.sys.State {
		known = append(known, v.Name)
	}
	c.report(diag.UnknownName, at, suggest(name, known, "display is of record types and of state variables"), "there is nothing called %s to display", oneLine(name))
}

func (c *checker) cannotDisplay(at diag.Span, name string) {
	c.report(diag.BadDisplay, at, "name a record type, or a state variable with sequences of records", "%s is nothing to display", name)
}

func (c *checker) noDisplayField(at diag.Span, record *Sort, name string) {
	var known []string
	for _, f := range record.Fields {
		known = append(known, f.Name)
	}
	c.report(diag.UnknownName, at, suggest(name, known, "its fields are "+strings.Join(known, ", ")), "%s has no field %s", record.Name, oneLine(name))
}

func (c *checker) displayFieldSort(at diag.Span, record *Sort, f *Field) {
	c.report(diag.BadDisplay, at, "take a field with an element, a constant or a number", "%s.%s is too large for a strip: it is of type %s", record.Name, f.Name, f.Sort)
}

func (c *checker) marksOfNoSequence(at diag.Span, v *StateVar) {
	c.report(diag.BadDisplay, at, "marks are of a sequence of records, or of a function to them", "%s has no sequences: it is of type %s", v.Name, v.Sort)
}

func (c *checker) marksOfUndrawn(at diag.Span, v *StateVar, elem *Sort) {
	help := "marks are of sequences of records"
	if elem.Kind == RecordKind {
		help = "say which field of a record to draw: `" + elem.Name + ": …`"
	}
	c.report(diag.BadDisplay, at, help, "%s has sequences of %s, which are not drawn as strips", v.Name, elem)
}

func (c *checker) unknownMark(at diag.Span, name string) {
	var known []string
	for _, v := range c.sys.State {
		known = append(known, v.Name)
	}
	c.report(diag.UnknownName, at, suggest(name, known, "a mark is a state variable"), "there is no state variable %s", oneLine(name))
}

func (c *checker) markOfNoState(at diag.Span, name string) {
	c.report(diag.BadDisplay, at, "a mark stands where a state variable says", "%s is no state variable", name)
}

func (c *checker) markMismatch(at diag.Span, m, v *StateVar) {
	arguments, seq := v.Sort.curried()
	want := seq.Domain.Name
	for _, a := range slices.Backward(arguments) {
		want = a.Name + " → " + want
	}
	c.report(diag.BadDisplay, at, "a mark of "+v.Name+" is of type "+want+" or "+want+"?", "%s, of type %s, is no mark of %s", m.Name, m.Sort, v.Name)
}

func (c *checker) badSign(at diag.Span, sign string) {
	c.report(diag.BadDisplay, at, "take one sign, in double quotes, such as \"|\", \"⟨\" or \"‖\", but none of [ ] { } ~ _ : , → ·", "%q cannot stand in a strip", oneLine(sign))
}

func (c *checker) misplacedVolatile(at diag.Span) {
	c.report(diag.Misplaced, at, "only state variables are volatile", "volatile may not stand here")
}

func (c *checker) volatileGhost(at diag.Span, v *StateVar) {
	c.report(diag.LosesNothing, at, "leave one of the two out: ghost state is history, which no crash changes", "%s is both ghost and volatile", v.Name)
}

func (c *checker) volatileOfNobody(at diag.Span, v *StateVar) {
	c.report(diag.LosesNothing, at, "a volatile variable is a function of an element sort: volatile Server → …", "%s is volatile, but no element can lose it", v.Name)
}

func (c *checker) misplacedGhost(at diag.Span) {
	c.report(diag.Misplaced, at, "leave ghost out: a definition is ghost if it reads ghost state", "ghost may not stand here")
}

func (c *checker) tooLarge(at diag.Span, name string) {
	c.report(diag.InvalidType, at, "bind what it uses several times with LET", "definition %s, written out, has more than %d parts", name, maxSizeOfTerm)
}

func (x *exprs) cyclic(at diag.Span, d *Definition) {
	x.report(diag.CyclicDeclaration, at, "a definition may use others, but never itself", "definition %s uses itself", d.Name)
	x.label(d.Span, "defined here")
}

// Sorts.

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
	case "a run":
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

// Warnings.

func (c *checker) unguardedElement(r read) {
	c.report(diag.UnguardedElement, r.at, "put "+short(r.index)+" ∈ 1..len("+short(r.of)+") in front; the element is the default value where it is not",
		"nothing here says that %s lies in 1..len(%s)", short(r.index), short(r.of))
	c.errs[len(c.errs)-1].Severity = diag.Warning
}

func (c *checker) unguardedValue(r read) {
	c.report(diag.UnguardedValue, r.at, "put "+short(r.of)+" ≠ Nil in front; the value is the default value where it is not",
		"nothing here says that %s is not Nil", short(r.of))
	c.errs[len(c.errs)-1].Severity = diag.Warning
}

// Statements.

func (b *bodyChecker) notAssignable(at diag.Span) {
	b.report(diag.Misplaced, at, "assign to a state variable: x := e, f[i] := e", "%s cannot be assigned to", oneLine(at.Text()))
}

func (b *bodyChecker) notStateVar(id *syntax.Ident) {
	var known []string
	for _, v := range b.sys.State {
		known = append(known, v.Name)
	}
	b.report(diag.UnknownName, id.Sp, suggest(id.Name, known, "let x == e names a value"), "%s is no state variable", id.Name)
}

func (b *bodyChecker) badCell(at diag.Span, v *StateVar, depth int) {
	help := "an action changes cells of functions"
	s := v.Sort
	for range depth {
		s = s.Elem
	}
	if s.Kind == SeqKind {
		help = "assign the whole sequence: " + v.Name + " … := append(…), truncate(…)"
	}
	b.report(diag.WrongArity, at, help, "%s takes %s, this is one more", v.Name, indexes(depth))
	b.label(v.Span, "declared here: "+v.Sort.Name)
}

func (b *bodyChecker) updatedTwice(at diag.Span, name string, first diag.Span) {
	b.report(diag.UpdatedTwice, at, "write one update whose value says both: "+name+" := [x ∈ S ↦ IF … THEN … ELSE …]", "%s is updated twice in one action", name)
	b.label(first, "first here")
}

func (b *bodyChecker) crashesTwice(at, first diag.Span) {
	b.report(diag.Misplaced, at, "write an action for each crash", "a second crash in one action")
	b.label(first, "first here")
}

func (b *bodyChecker) notElement(at diag.Span, s *Sort) {
	b.report(diag.SortMismatch, at, "an element loses the volatile state that it indexes", "expected an element, found %s", a(s))
}

func (b *bodyChecker) losesNothing(at diag.Span, s *Sort) {
	b.report(diag.LosesNothing, at, "mark what a crash loses: state: {x: volatile "+s.Name+" → …}", "no volatile state variable is a function of %s", s.Name)
}

func (b *bodyChecker) updatedBesideCrash(at diag.Span, v *StateVar, crash *syntax.Crash) {
	who := short(crash.X.Span())
	b.report(diag.UpdatedTwice, at, "assign "+v.Name+"["+who+"] as a whole, or all of "+v.Name, "the crash of %s resets %s, which is assigned elsewhere", who, v.Name)
	b.label(crash.Sp, "the crash")
}

func (c *checker) notMessageType(at diag.Span) {
	var known []string
	for _, m := range c.sys.Messages {
		known = append(known, m.Name)
	}
	c.report(diag.UnknownName, at, suggest(at.Text(), known, "the message types are "+strings.Join(known, ", ")), "%s is no message type", oneLine(at.Text()))
}

// Properties and runs.

func (c *checker) noRefutation(at diag.Span, id string) {
	c.report(diag.NoRefutation, at, "add `refuted_by: RUN` and the run under runs", "the literal claim %s names no run that refutes it", id)
}

func (c *checker) patternNowhere(at diag.Span, why string) {
	c.report(diag.BadPattern, at, "patterns are of the outermost ∀ of a property about one state", "no quantifier for a pattern: %s", why)
}

func (x *exprs) noTrigger(at diag.Span) {
	x.report(diag.BadPattern, at, "write what is read: f[i], s[k].field, x!, len(s), i ∈ f[j]", "%s is nothing that a pattern can look for", oneLine(at.Text()))
}

func (x *exprs) triggerOfNothing(at diag.Span) {
	x.report(diag.BadPattern, at, "each term of a pattern has a variable of the outermost ∀ in it, other than of an enumeration", "%s is the same for all values", oneLine(at.Text()))
}

func (x *exprs) patternLacks(at diag.Span, names []string) {
	x.report(diag.BadPattern, at, "add a term with it to the line, behind a comma", "the pattern lacks %s", strings.Join(names, ", "))
}

func (c *checker) noParam(at diag.Span, act *Action, name string) {
	var known []string
	for _, p := range act.Params {
		known = append(known, p.Name)
	}
	c.report(diag.UnknownName, at, suggest(name, known, "its parameters are "+strings.Join(known, ", ")), "%s has no parameter %s", act.Name, name)
}

func (c *checker) paramMissing(at diag.Span, act *Action, names []string) {
	c.report(diag.WrongArity, at, "a run binds every parameter", "%s needs a value for %s", act.Name, strings.Join(names, ", "))
}

func short(at diag.Span) string {
	t := oneLine(at.Text())
	if len([]rune(t)) > 30 {
		return "x"
	}
	return t
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}
