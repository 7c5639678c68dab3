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
				x.report(diag.UnknownName, e.Sp, "give "+s.Name+" a larger size in the scenario's scope", "%s is not among the %d elements of %s in this scenario", e.Name, size, s.Name)
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

func (c *checker) unknownAction(at diag.Span) { c.unknownActionOf(at, c.names("actions")) }

func (c *checker) unknownActionOf(at diag.Span, names []string) {
	c.report(diag.UnknownName, at, suggest(at.Text(), names, "the actions are "+strings.Join(names, ", ")), "there is no action %s", oneLine(at.Text()))
}

func (c *checker) unknownScenario(at diag.Span, name string) {
	c.report(diag.UnknownName, at, suggest(name, slices.Sorted(mapKeys(c.scenarioNodes)), "declare it under scenarios"), "there is no scenario %s", oneLine(name))
}

func (c *checker) unknownMutation(at diag.Span, name string) {
	var known []string
	for _, m := range c.mutations {
		known = append(known, m.Name)
	}
	c.report(diag.UnknownName, at, suggest(name, known, "declare it under mutations"), "there is no mutation %s", oneLine(name))
}

func (c *checker) unknownProperty(at diag.Span, name string) {
	var known []string
	for _, p := range c.sys.Properties {
		known = append(known, p.ID)
	}
	c.report(diag.UnknownName, at, suggest(name, known, "name an invariant, a lemma, a theorem or a literal claim"), "there is no property %s", oneLine(name))
}

func (c *checker) unknownScope(at diag.Span, name string, known []string) {
	c.report(diag.UnknownName, at, suggest(name, known, "sizes are of "+strings.Join(known, ", ")), "there is no sort %s to give a size", name)
}

func (c *checker) scopeMissing(at diag.Span, scenario string, sorts []string) {
	c.report(diag.IncompleteScope, at, "write `scope: {"+sorts[0]+": 3, …}` with every sort but quorums", "scenario %s gives no size for %s", scenario, strings.Join(sorts, ", "))
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

func (c *checker) tooManyVoters(at diag.Span, name string, size int) {
	c.report(diag.TooManyQuorums, at, fmt.Sprintf("give %s a size from 1 to %d", name, mostVoters), "%s has %d elements, and so too many quorums to list", name, size)
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

// Properties and scenarios.

func (c *checker) noRefutation(at diag.Span, id string) {
	c.report(diag.NoRefutation, at, "add `refuted_by: NAME` and the scenario under scenarios", "the literal claim %s names no scenario that refutes it", id)
}

func (c *checker) refutedInMutation(at diag.Span, name string) {
	c.report(diag.NoRefutation, at, "name a scenario of the protocol as it is", "scenario %s is one of a mutation", name)
	c.label(c.scenarioNodes[name].keySpan, "declared here")
}

// Mutations.

func (c *checker) changesNothing(at diag.Span, name string) {
	c.errYAML(diag.NotYAML, at, "mutation "+name+" changes nothing", "say what is different under one of "+strings.Join(mutable, ", "))
}

func (c *checker) nothingToChange(at diag.Span, p part, known []string) {
	c.report(diag.UnknownName, at, suggest(p.name, known, "what is new is written as in the section "+p.section+" of a spec"), "there is no %s under %s to change", oneLine(p.name), p.section)
}

func (c *checker) dropsSort(at diag.Span, name string) {
	c.report(diag.BadPatch, at, "declare it anew", "the sort %s cannot be dropped", name)
}

func (c *checker) statementInFormula(at diag.Span, name string) {
	c.report(diag.BadPatch, at, "write expressions behind - and +", "%s is a formula and has no statements", name)
}

func (c *checker) addsToNothing(at diag.Span, formula bool) {
	help := "add a statement, such as `+ require …`, or write a line with - and what this replaces in front"
	if formula {
		help = "write a line with - and what this replaces in front"
	}
	c.report(diag.BadPatch, at, help, "this is added to nothing")
}

func (c *checker) nothingMatches(at diag.Span, name string, closest diag.Span) {
	help := "copy it from the spec"
	if closest.IsValid() {
		help = "did you mean " + oneLine(closest.Text()) + "?"
	}
	c.report(diag.BadPatch, at, help, "%s has nothing equal to this", name)
	c.label(closest, "the closest")
}

func (c *checker) severalMatch(at diag.Span, name string, count int) {
	c.report(diag.BadPatch, at, "take more of what stands around it", "%s has this %d times", name, count)
}

func (c *checker) cannotLeaveOut(at diag.Span) {
	c.report(diag.BadPatch, at, "write a line with + and what takes its place behind it", "only an operand of ∧ or ∨ or a whole guard can be left out")
}

func (c *checker) noMutant(at diag.Span, action, closest string) {
	help := "kraftprove mutants -v lists those of the action"
	if closest != "" {
		help = "did you mean " + closest + "?"
	}
	c.report(diag.NoMutant, at, help, "%s has no such mutant", action)
}

func (c *checker) survivesTwice(at, first diag.Span) {
	c.report(diag.NoMutant, at, "delete one of the two", "this mutant is explained twice")
	c.label(first, "for the first time")
}

func (c *checker) noReason(at diag.Span) {
	c.report(diag.NoMutant, at, "write the reason behind # on the same line", "nothing says why this mutant survives")
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
