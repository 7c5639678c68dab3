// Package syntax is the surface language of formulas, statements, types and
// scenarios: scanner, parser, syntax tree and printer. It knows no sorts and no
// declarations; names are resolved and sorts are checked by package protocol.
package syntax

import "github.com/speckl/kraftprove/protocol/diag"

// Expr is a node of the formula tree. Nodes are never changed after parsing.
//
//sumtype:decl
type Expr interface {
	Span() diag.Span
	isExpr()
}

// Op is an operator of a Unary or Binary node.
type Op uint8

// The operators, from the loosest to the tightest binding.
const (
	OpInvalid   Op = iota
	OpIff          // ⇔  <=>
	OpImplies      // ⇒  =>  (→ and -> are accepted as well)
	OpOr           // ∨  \/
	OpAnd          // ∧  /\
	OpNot          // ¬  ~  not      (Unary)
	OpEq           // =
	OpNe           // ≠  /=  !=
	OpLt           // <
	OpLe           // ≤  <=
	OpGt           // >
	OpGe           // ≥  >=
	OpIn           // ∈  in  \in
	OpNotIn        // ∉  notin  \notin
	OpSubset       // ⊆  subseteq  \subseteq
	OpUnion        // ∪  union  \union
	OpIntersect    // ∩  intersect  \intersect
	OpDiff         // \  (set difference)
	OpAdd          // +
	OpSub          // -
	OpValue        // x!             (Unary, postfix: the value of an optional)
)

type (
	// Ident is a name: a variable, a sort, an enumeration constant, a message
	// type or a definition; Prime says that a prime follows it.
	Ident struct {
		Name  string
		Prime bool
		Sp    diag.Span
	}

	// Number is a decimal natural number.
	Number struct {
		Value int
		Sp    diag.Span
	}

	// Bool is TRUE or FALSE.
	Bool struct {
		Value bool
		Sp    diag.Span
	}

	// Nil is the absent optional value.
	Nil struct{ Sp diag.Span }

	// Index is x[a] or x[a, b]: a function's value or a sequence's element.
	Index struct {
		X    Expr
		Args []Expr
		Sp   diag.Span
	}

	// Slice is s[lo..hi].
	Slice struct {
		X, Lo, Hi Expr
		Sp        diag.Span
	}

	// Field is x.name.
	Field struct {
		X    Expr
		Name *Ident
		Sp   diag.Span
	}

	// Call is f(a, b): a definition or a built-in (len, min, max, append,
	// truncate, extend).
	Call struct {
		Fun  *Ident
		Args []Expr
		Sp   diag.Span
	}

	// Unary is ¬x (OpNot) or x! (OpValue).
	Unary struct {
		Op Op
		X  Expr
		Sp diag.Span
	}

	// Binary is x op y. OpSpan is the operator's own place.
	Binary struct {
		Op     Op
		X, Y   Expr
		OpSpan diag.Span
		Sp     diag.Span
	}

	// Range is lo..hi, a domain of naturals, both ends included.
	Range struct {
		Lo, Hi Expr
		Sp     diag.Span
	}

	// If is IF c THEN a ELSE b.
	If struct {
		Cond, Then, Else Expr
		Sp               diag.Span
	}

	// Let is LET x == e IN body; several bindings are separated by commas.
	Let struct {
		Binds []Binding
		Body  Expr
		Sp    diag.Span
	}

	// Quant is ∀ i, j ∈ S, k ∈ T: body, or with ∃.
	Quant struct {
		Forall bool
		Groups []Group
		Body   Expr
		Sp     diag.Span
	}

	// SetLit is {a, b}; {} and ∅ are the empty set.
	SetLit struct {
		Elems []Expr
		Sp    diag.Span
	}

	// SetOf is the comprehension {x ∈ S : cond}.
	SetOf struct {
		Name   *Ident
		Domain Expr
		Cond   Expr
		Sp     diag.Span
	}

	// SeqLit is ⟨a, b⟩ or <<a, b>>.
	SeqLit struct {
		Elems []Expr
		Sp    diag.Span
	}

	// FuncLit is [i ∈ S ↦ e].
	FuncLit struct {
		Name   *Ident
		Domain Expr
		Body   Expr
		Sp     diag.Span
	}

	// RecordLit is Type{field: e, …}, a record's or a message's value.
	RecordLit struct {
		Type   *Ident
		Fields []FieldInit
		Sp     diag.Span
	}
)

// Binding is x == e in a LET.
type Binding struct {
	Name *Ident
	X    Expr
}

// Group is i, j ∈ Domain in a quantifier or a with statement.
type Group struct {
	Names  []*Ident
	Domain Expr
}

// FieldInit is field: e in a record literal.
type FieldInit struct {
	Name *Ident
	X    Expr
}

func (e *Ident) Span() diag.Span     { return e.Sp }
func (e *Number) Span() diag.Span    { return e.Sp }
func (e *Bool) Span() diag.Span      { return e.Sp }
func (e *Nil) Span() diag.Span       { return e.Sp }
func (e *Index) Span() diag.Span     { return e.Sp }
func (e *Slice) Span() diag.Span     { return e.Sp }
func (e *Field) Span() diag.Span     { return e.Sp }
func (e *Call) Span() diag.Span      { return e.Sp }
func (e *Unary) Span() diag.Span     { return e.Sp }
func (e *Binary) Span() diag.Span    { return e.Sp }
func (e *Range) Span() diag.Span     { return e.Sp }
func (e *If) Span() diag.Span        { return e.Sp }
func (e *Let) Span() diag.Span       { return e.Sp }
func (e *Quant) Span() diag.Span     { return e.Sp }
func (e *SetLit) Span() diag.Span    { return e.Sp }
func (e *SetOf) Span() diag.Span     { return e.Sp }
func (e *SeqLit) Span() diag.Span    { return e.Sp }
func (e *FuncLit) Span() diag.Span   { return e.Sp }
func (e *RecordLit) Span() diag.Span { return e.Sp }

func (*Ident) isExpr()     {}
func (*Number) isExpr()    {}
func (*Bool) isExpr()      {}
func (*Nil) isExpr()       {}
func (*Index) isExpr()     {}
func (*Slice) isExpr()     {}
func (*Field) isExpr()     {}
func (*Call) isExpr()      {}
func (*Unary) isExpr()     {}
func (*Binary) isExpr()    {}
func (*Range) isExpr()     {}
func (*If) isExpr()        {}
func (*Let) isExpr()       {}
func (*Quant) isExpr()     {}
func (*SetLit) isExpr()    {}
func (*SetOf) isExpr()     {}
func (*SeqLit) isExpr()    {}
func (*FuncLit) isExpr()   {}
func (*RecordLit) isExpr() {}

// Stmt is one statement of an action's body or of init.
//
//sumtype:decl
type Stmt interface {
	Span() diag.Span
	isStmt()
}

type (
	// With is with i, j ∈ S, q ∈ Quorum: the action's parameters.
	With struct {
		Groups []Group
		Sp     diag.Span
	}

	// Receive is receive m ∈ T: a parameter that ranges over the messages of
	// type T ever sent. Domain may be a union of message types.
	Receive struct {
		Name   *Ident
		Domain Expr
		Sp     diag.Span
	}

	// LetStmt is let x == e.
	LetStmt struct {
		Name *Ident
		X    Expr
		Sp   diag.Span
	}

	// Require is require f: a guard.
	Require struct {
		X  Expr
		Sp diag.Span
	}

	// Assign is x[i] := e.
	Assign struct {
		Left, Right Expr
		Sp          diag.Span
	}

	// Send is send T{…} with an optional trailing "if f".
	Send struct {
		Message *RecordLit
		Cond    Expr // nil: always
		Sp      diag.Span
	}

	// Crash is crash e: an element loses its volatile state.
	Crash struct {
		X  Expr
		Sp diag.Span
	}
)

func (s *With) Span() diag.Span    { return s.Sp }
func (s *Receive) Span() diag.Span { return s.Sp }
func (s *LetStmt) Span() diag.Span { return s.Sp }
func (s *Require) Span() diag.Span { return s.Sp }
func (s *Assign) Span() diag.Span  { return s.Sp }
func (s *Send) Span() diag.Span    { return s.Sp }
func (s *Crash) Span() diag.Span   { return s.Sp }

func (*With) isStmt()    {}
func (*Receive) isStmt() {}
func (*LetStmt) isStmt() {}
func (*Require) isStmt() {}
func (*Assign) isStmt()  {}
func (*Send) isStmt()    {}
func (*Crash) isStmt()   {}

// Type is a node of the type language.
//
//sumtype:decl
type Type interface {
	Span() diag.Span
	isType()
}

type (
	// TypeName is the name of a sort, an enumeration, a record or a message
	// type, or Bool.
	TypeName struct {
		Name string
		Sp   diag.Span
	}

	// TypeApply is Set(T) or Seq(T).
	TypeApply struct {
		Fun string
		Arg Type
		Sp  diag.Span
	}

	// TypeOption is T?.
	TypeOption struct {
		Elem Type
		Sp   diag.Span
	}

	// TypeFunc is D → T; the arrow associates to the right.
	TypeFunc struct {
		Domain, Result Type
		Sp             diag.Span
	}
)

func (t *TypeName) Span() diag.Span   { return t.Sp }
func (t *TypeApply) Span() diag.Span  { return t.Sp }
func (t *TypeOption) Span() diag.Span { return t.Sp }
func (t *TypeFunc) Span() diag.Span   { return t.Sp }

func (*TypeName) isType()   {}
func (*TypeApply) isType()  {}
func (*TypeOption) isType() {}
func (*TypeFunc) isType()   {}

// TypeDecl is the type of a state variable or of a message's field: a type,
// perhaps with "ghost" or "volatile" in front.
type TypeDecl struct {
	Ghost    bool
	Volatile bool
	Type     Type
	Sp       diag.Span
}

// ScenarioStep is one line of a scenario: Action(x = e, …), or …, any steps.
type ScenarioStep struct {
	Action *Ident // nil: …
	Args   []FieldInit
	Sp     diag.Span
}

// Pattern is one line of the patterns of a property: f[x], g[y].
type Pattern struct {
	Terms []Expr
	Sp    diag.Span
}
