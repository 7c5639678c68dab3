package protocol

import (
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Term is a well-sorted expression. Only the checker builds terms; sugar
// (definite domains, ≠, ≥, set builders over ranges) is gone, and every name is
// a pointer to its declaration.
//
//sumtype:decl
type Term interface {
	Sort() *Sort
	isTerm()
}

// Binding is a bound variable: of a quantifier, a comprehension, a function
// literal, a let, a definition's parameter or an action's parameter.
type Binding struct {
	Name  string
	Sort  *Sort
	Ghost bool      // its value depends on ghost state
	Span  diag.Span // where it is bound

	// InRange says that the variable ranges over its sort or over the messages
	// sent, so that its naturals lie in the structure. A let or a definition's
	// parameter may be bound to any value.
	InRange bool
}

// BinaryOp is an operator of two terms.
type BinaryOp uint8

// The binary operators. Arguments have one sort unless the comment says
// otherwise; results are Boolean unless it says otherwise.
const (
	Eq         BinaryOp = iota // equality of values of any one sort
	Lt                         // naturals
	Le                         // naturals
	Implies                    // Booleans
	Iff                        // Booleans
	In                         // element ∈ Set(element)
	Subset                     // sets
	Union                      // sets; result is the set
	Intersect                  // sets; result is the set
	Difference                 // sets; result is the set
	Min                        // naturals; result is the natural
	Max                        // naturals; result is the natural
	Append                     // Seq(E) and E; result is the sequence
	Truncate                   // Seq(E) and its index; the first k elements, all if k ≥ len; result is the sequence
	Extend                     // sequences s and t; s, and the elements of t behind the length of s; result is the sequence
)

// UnaryOp is an operator of one term.
type UnaryOp uint8

// The unary operators.
const (
	Not       UnaryOp = iota // Boolean
	Len                      // of a sequence: its index sort
	Some                     // T to T?
	Value                    // x!: T? to T; the default value of T where x is Nil
	IsQuorum                 // of Set(S): it includes some quorum
	MembersOf                // of a quorum: its Set(S)
)

type (
	// Lit is a constant: TRUE/FALSE (0, 1), a natural, an enumeration constant
	// by position, or the k-th element (from 0) of a sort (scenarios only).
	Lit struct {
		Of    *Sort
		Value int
	}

	// Default is the default value of a sort: FALSE, 0, the first element or
	// constant, Nil, the empty set or sequence, and records and functions of defaults.
	Default struct{ Of *Sort }

	// Var is an occurrence of a bound variable.
	Var struct{ To *Binding }

	// SubsortTerm is the set of the elements of a subset.
	SubsortTerm struct{ Of *Subsort }

	// StateRead is the value of a state variable, in the post-state if Primed.
	StateRead struct {
		State  *StateVar
		Primed bool
	}

	// Apply is f[x]; the default value of the result sort where x is outside
	// the domain of the structure.
	Apply struct{ Fun, Arg Term }

	// At is s[k]; the default value of the element sort where k is not in 1..len(s).
	At struct{ Seq, Index Term }

	// Select is x.f for a record, a message or a union of messages.
	Select struct {
		X     Term
		Field *Field // of X's sort
	}

	// UnaryTerm applies an operator to one term. Of is the result's sort.
	UnaryTerm struct {
		Op UnaryOp
		X  Term
		Of *Sort
	}

	// BinaryTerm applies an operator to two terms. Of is the result's sort.
	BinaryTerm struct {
		Op   BinaryOp
		X, Y Term
		Of   *Sort
	}

	// Nary is a conjunction (And) or a disjunction.
	Nary struct {
		And  bool
		Args []Term
	}

	// Shift is x + Delta on a natural; below 0 it is 0.
	Shift struct {
		X     Term
		Delta int
	}

	// Ite is IF Cond THEN Then ELSE Else.
	Ite struct {
		Cond, Then, Else Term
		Source           syntax.Expr // of Cond; nil in terms made by hand
	}

	// Quant quantifies over all elements of a sort, or, for a variable of
	// message or union sort, over the messages sent (in the post-state if Primed).
	Quant struct {
		Forall bool
		Var    *Binding
		Primed bool
		Body   Term
	}

	// SetTerm is the set of the listed elements.
	SetTerm struct {
		Elems []Term
		Of    *Sort
	}

	// SetOf is {x ∈ sort : Cond}.
	SetOf struct {
		Var  *Binding
		Cond Term
		Of   *Sort
	}

	// FuncTerm is [x ∈ sort ↦ Body].
	FuncTerm struct {
		Var  *Binding
		Body Term
		Of   *Sort
	}

	// SeqTerm is ⟨e, …⟩.
	SeqTerm struct {
		Elems []Term
		Of    *Sort
	}

	// RecordTerm has a term for each field in order.
	RecordTerm struct {
		Of     *Sort
		Fields []Term
	}

	// LetTerm binds X to Var in Body.
	LetTerm struct {
		Var  *Binding
		X    Term
		Body Term
	}

	// Call is a definition applied to arguments; it means Def.Body with the
	// parameters bound, in the state of the place where it stands.
	Call struct {
		Def  *Definition
		Args []Term
	}

	// StepIs says that the step is one of the actions (two-state properties only).
	StepIs struct{ Actions []*Action }
)

func (t *Lit) Sort() *Sort         { return t.Of }
func (t *Default) Sort() *Sort     { return t.Of }
func (t *Var) Sort() *Sort         { return t.To.Sort }
func (t *SubsortTerm) Sort() *Sort { return t.Of.Sort }
func (t *StateRead) Sort() *Sort   { return t.State.Sort }
func (t *Apply) Sort() *Sort       { return t.Fun.Sort().Elem }
func (t *At) Sort() *Sort          { return t.Seq.Sort().Elem }
func (t *Select) Sort() *Sort      { return t.Field.Sort }
func (t *UnaryTerm) Sort() *Sort   { return t.Of }
func (t *BinaryTerm) Sort() *Sort  { return t.Of }
func (t *Nary) Sort() *Sort        { return BoolSort }
func (t *Shift) Sort() *Sort       { return t.X.Sort() }
func (t *Ite) Sort() *Sort         { return t.Then.Sort() }
func (t *Quant) Sort() *Sort       { return BoolSort }
func (t *SetTerm) Sort() *Sort     { return t.Of }
func (t *SetOf) Sort() *Sort       { return t.Of }
func (t *FuncTerm) Sort() *Sort    { return t.Of }
func (t *SeqTerm) Sort() *Sort     { return t.Of }
func (t *RecordTerm) Sort() *Sort  { return t.Of }
func (t *LetTerm) Sort() *Sort     { return t.Body.Sort() }
func (t *Call) Sort() *Sort        { return t.Def.Body.Sort() }
func (t *StepIs) Sort() *Sort      { return BoolSort }

func (*Lit) isTerm()         {}
func (*Default) isTerm()     {}
func (*Var) isTerm()         {}
func (*SubsortTerm) isTerm() {}
func (*StateRead) isTerm()   {}
func (*Apply) isTerm()       {}
func (*At) isTerm()          {}
func (*Select) isTerm()      {}
func (*UnaryTerm) isTerm()   {}
func (*BinaryTerm) isTerm()  {}
func (*Nary) isTerm()        {}
func (*Shift) isTerm()       {}
func (*Ite) isTerm()         {}
func (*Quant) isTerm()       {}
func (*SetTerm) isTerm()     {}
func (*SetOf) isTerm()       {}
func (*FuncTerm) isTerm()    {}
func (*SeqTerm) isTerm()     {}
func (*RecordTerm) isTerm()  {}
func (*LetTerm) isTerm()     {}
func (*Call) isTerm()        {}
func (*StepIs) isTerm()      {}

// Children yields the direct subterms of t in written order; of a Call, its
// arguments and then the definition's body.
func Children(t Term) func(yield func(Term) bool) {
	return func(yield func(Term) bool) {
		all := func(ts ...Term) bool {
			for _, x := range ts {
				if !yield(x) {
					return false
				}
			}
			return true
		}
		switch t := t.(type) {
		case *Lit, *Default, *Var, *SubsortTerm, *StateRead, *StepIs:
			return
		case *Apply:
			all(t.Fun, t.Arg)
			return
		case *At:
			all(t.Seq, t.Index)
			return
		case *Select:
			all(t.X)
			return
		case *UnaryTerm:
			all(t.X)
			return
		case *BinaryTerm:
			all(t.X, t.Y)
			return
		case *Nary:
			all(t.Args...)
			return
		case *Shift:
			all(t.X)
			return
		case *Ite:
			all(t.Cond, t.Then, t.Else)
			return
		case *Quant:
			all(t.Body)
			return
		case *SetTerm:
			all(t.Elems...)
			return
		case *SetOf:
			all(t.Cond)
			return
		case *FuncTerm:
			all(t.Body)
			return
		case *SeqTerm:
			all(t.Elems...)
			return
		case *RecordTerm:
			all(t.Fields...)
			return
		case *LetTerm:
			all(t.X, t.Body)
			return
		case *Call:
			if all(t.Args...) {
				all(t.Def.Body)
			}
			return
		}
		panic("unhandled term")
	}
}
