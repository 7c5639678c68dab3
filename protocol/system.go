// Package protocol holds protocols as data: it loads a YAML spec, resolves its
// names, checks its sorts and yields a System, the typed model that the
// evaluator (package semantics) and the encoder (package encode) both read.
// It knows nothing of SMT.
package protocol

import (
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// System is a checked protocol. It is read-only once loaded, and safe for
// concurrent use.
type System struct {
	Name  string
	Title string
	File  *diag.File
	Hash  string // SHA-256 of the spec's bytes, in hexadecimal

	Sorts    []*Sort // element, natural and quorum sorts in declared order
	Enums    []*Sort
	Records  []*Sort
	Messages []*Sort // Sort.ID is the position here
	State    []*StateVar
	Defs     []*Definition
	Axioms   []*Axiom
	Init     *Action // no parameters, guards or sends; a state variable without an update starts at its default value
	Actions  []*Action

	Properties []*Property    // in declared order: invariants, lemmas, theorems, literals
	Scenarios  []*Scenario    // those without a mutation; of a mutated system: those of its mutation
	Mutations  []*Mutation    // none of a mutated system
	Mutation   *Mutation      // what was changed; nil: nothing
	Scope      map[string]int // default sizes by name of sort or subset, and "Messages"
	Walk       map[string]int // what executions have in place of sizes of Scope; nil if the spec says nothing (see WalkSizes)
	Display    Display

	source *source // nil in systems made by hand
}

// StateVar is one state variable.
type StateVar struct {
	Name  string
	Sort  *Sort
	Ghost bool
	// Volatile says that a crash of an element of Sort.Domain resets the
	// element's cell to its default value.
	Volatile bool
	Index    int // position in System.State
	Span     diag.Span
}

// Definition is a named term with parameters.
type Definition struct {
	Name   string
	Params []*Binding
	Body   Term
	Ghost  bool // reads ghost state
	State  bool // reads state, unprimed
	Span   diag.Span
	Source syntax.Expr
}

// Axiom is assumed of every structure; it reads no state.
type Axiom struct {
	Name    string
	Formula Term
	Source  string
	Span    diag.Span
}

// Param is an action's parameter: any element of its sort, or, for a message or
// union sort, any such message ever sent.
type Param struct {
	*Binding
}

// Action is one named step. All right-hand sides, guards and sends read the
// pre-state.
type Action struct {
	Name    string
	Source  string // the reference that the action follows
	Index   int    // position in System.Actions
	Params  []*Param
	Body    []Stmt
	Span    diag.Span
	Updates []*Update // the Update statements of Body
	Sends   []*Send   // the Send statements of Body

	system    *System       // for what the action leaves unchanged; nil in systems made by hand
	written   []syntax.Stmt // what Body was made of
	survivors []survivor    // what the spec says of its mutants
}

// Stmt is one statement of an action; parameters are in Action.Params.
//
//sumtype:decl
type Stmt interface{ isStmt() }

type (
	// Let binds the value of X to Var for the statements that follow.
	Let struct {
		Var *Binding
		X   Term
	}

	// Guard must hold for the step to happen.
	Guard struct {
		Cond   Term
		Span   diag.Span
		Source syntax.Expr
	}

	// Update sets one cell of a state variable: the cell reached by applying
	// the variable to Path in order.
	Update struct {
		State *StateVar
		Path  []Term
		Value Term
		Crash bool // written as a crash statement
		Span  diag.Span
	}

	// Send adds a message to those sent, if Cond (nil: always) holds.
	Send struct {
		Message *RecordTerm
		Cond    Term
		Source  syntax.Expr // of Cond; nil if there is none
		Span    diag.Span
	}
)

func (*Let) isStmt()    {}
func (*Guard) isStmt()  {}
func (*Update) isStmt() {}
func (*Send) isStmt()   {}

// PropertyKind says what is claimed of a property and how it is proved.
type PropertyKind uint8

// The kinds of properties.
const (
	Invariant PropertyKind = iota // a headline claim
	Lemma                         // a helper
	Theorem                       // a helper, implied in one state
	Literal                       // a false claim of a reference document, refuted by a scenario
)

// Property is a claim about every reachable state, or, if TwoState, about
// every reachable step.
type Property struct {
	ID       string
	Title    string
	Cites    string // the reference that it follows
	Note     string
	Kind     PropertyKind
	Implied  bool // proved in one state from the lemmas and the properties before it; else inductive
	TwoState bool // reads primed state or the step
	Formula  Term
	Source   syntax.Expr
	Span     diag.Span
	Index    int // position in System.Properties

	// Patterns are hints for the unbounded encoding, nil if the spec gives none.
	Patterns *Patterns

	// RefutedBy is, for a Literal, the scenario that refutes it; nil in a mutated
	// system that it does not fit.
	RefutedBy *Scenario

	by map[string][]*Property // see By
}

// Inductive reports whether the property is a conjunct of the inductive
// invariant Inv: a one-state property that is neither implied nor literal.
func (p *Property) Inductive() bool {
	return !p.Implied && !p.TwoState && p.Kind != Literal
}

// Scenario is a story: steps from the initial state, with holes that a search may
// fill. One without holes can be replayed.
type Scenario struct {
	Name     string
	Title    string
	Cites    string // the reference that it follows
	Note     string
	Mutation *Mutation      // in which it happens; nil: the protocol as it is
	Scope    map[string]int // sizes by name of sort or subset
	Steps    []*ScenarioStep
	Breaks   *Property // false after the last step, or of the last step if it is two-state; nil: nothing is said
	Ends     Term      // what holds after the last step; nil: nothing is said
	Span     diag.Span
}

// ScenarioStep is one action with closed terms for its parameters, or any number
// of any steps. Terms of element sorts use Lit. A quorum is given as the set of its
// members, a message as a record term, of which fields that are nil match anything.
type ScenarioStep struct {
	Action *Action // nil: any number of any steps, also none
	Args   []Term  // by position in Action.Params; nil: any value
	Span   diag.Span
}

// Property finds a property by id, or nil.
func (s *System) Property(id string) *Property {
	for _, p := range s.Properties {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// Scenario finds a scenario by name, or nil.
func (s *System) Scenario(name string) *Scenario {
	for _, x := range s.Scenarios {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Action finds an action by name, or nil.
func (s *System) Action(name string) *Action {
	for _, a := range s.Actions {
		if a.Name == name {
			return a
		}
	}
	return nil
}
