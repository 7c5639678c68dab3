package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
)

const deciding = `protocol: deciding
sorts:
  N: {natural: true}
  P: {finite: true}
state:
  x: P → N
  y: P → N
  s: Set(P)
  g: ghost N
  h: N
messages:
  M: {p: P, n: N}
definitions:
  unused: {params: {n: N}, formula: "IF n = 7 THEN 1 ELSE 2", returns: N}
  cut:    {params: {n: N}, formula: "IF n > 2 THEN 2 ELSE IF n = 1 THEN 0 ELSE n", returns: N}
actions:
  Up:
    do: |
      with p ∈ P
      let small == x[p] < 2
      require (IF x[p] = 3 THEN FALSE ELSE TRUE)
      require x[p] = 0 ∨ (∀ q ∈ s: IF q = p THEN small ELSE TRUE)
      x[p] := IF small THEN x[p] + 1 ELSE cut(y[p])
      y := [q ∈ P ↦ IF q = p THEN IF x[p] < 2 THEN 0 ELSE 1 ELSE cut(y[q])]
      g := IF g = 0 THEN 1 ELSE g
      h := IF x[p] < 2 THEN 0 ELSE 1
  Tell:
    do: |
      with p ∈ P
      send M{p: p, n: IF x[p] < 2 THEN 1 ELSE 0} if y[p] = 0
      s := {q ∈ P : cut(x[q]) = 1}
  Hear:
    do: |
      receive m ∈ M
      x[m.p] := m.n
`

const conditions = `Up 1, line 21: x[p] = 3
  Up true: x[p] = 3
  Up false: x[p] ≠ 3
Up 2, line 22: q = p
  Up true: x[p] ≠ 0 ∧ ∃ q ∈ s: q = p
  Up false: x[p] ≠ 0 ∧ ∃ q ∈ s: q ≠ p
Up 3, line 23: small
  Up true: small
  Up false: ¬small
Up 4, line 24: q = p
  Up true: ∃ q ∈ P: q = p
  Up false: ∃ q ∈ P: q ≠ p
Up 5, line 24: x[p] < 2
  Up true: ∃ q ∈ P: q = p ∧ x[p] < 2
  Up false: ∃ q ∈ P: q = p ∧ ¬x[p] < 2
Up 6, line 25: g = 0
  Up true: g = 0
  Up false: g ≠ 0
Tell 1, line 30, of a send: y[p] = 0
  Tell true: y[p] = 0
  Tell false: y[p] ≠ 0
Tell 2, line 30: x[p] < 2
  Tell true: y[p] = 0 ∧ x[p] < 2
  Tell false: y[p] = 0 ∧ ¬x[p] < 2
cut 1, line 15: n > 2
  Up true: ¬small ∧ (LET n == y[p] IN n > 2) ∨ ∃ q ∈ P: q ≠ p ∧ LET n == y[q] IN n > 2
  Up false: ¬small ∧ (LET n == y[p] IN ¬n > 2) ∨ ∃ q ∈ P: q ≠ p ∧ LET n == y[q] IN ¬n > 2
  Tell true: ∃ q ∈ P: LET n == x[q] IN n > 2
  Tell false: ∃ q ∈ P: LET n == x[q] IN ¬n > 2
cut 2, line 15: n = 1
  Up true: ¬small ∧ (LET n == y[p] IN ¬n > 2 ∧ n = 1) ∨ ∃ q ∈ P: q ≠ p ∧ LET n == y[q] IN ¬n > 2 ∧ n = 1
  Up false: ¬small ∧ (LET n == y[p] IN ¬n > 2 ∧ n ≠ 1) ∨ ∃ q ∈ P: q ≠ p ∧ LET n == y[q] IN ¬n > 2 ∧ n ≠ 1
  Tell true: ∃ q ∈ P: LET n == x[q] IN ¬n > 2 ∧ n = 1
  Tell false: ∃ q ∈ P: LET n == x[q] IN ¬n > 2 ∧ n ≠ 1
`

// Conditions are found in guards, updates, sends and lets, each once, with how an
// evaluation gets there. What a definition decides by is the definition's.
func TestConditions(t *testing.T) {
	t.Parallel()
	sys, errs := protocol.Parse("deciding.yaml", []byte(deciding))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	var b strings.Builder
	for _, c := range sys.Conditions() {
		owner, of := "", ""
		switch {
		case c.Def != nil:
			owner = c.Def.Name
		case c.Send:
			owner, of = c.Action.Name, ", of a send"
		default:
			owner = c.Action.Name
		}
		line, _ := c.Span().File.Position(c.Span().Start)
		fmt.Fprintf(&b, "%s %d, line %d%s: %s\n", owner, c.Number, line, of, syntax.FormatExpr(c.Source))
		for _, a := range c.Users() {
			for _, value := range []bool{true, false} {
				fmt.Fprintf(&b, "  %s %t: %s\n", a.Name, value, syntax.FormatExpr(protocol.Express(c.Taken(a, value))))
			}
		}
	}
	if diff := cmp.Diff(conditions, b.String()); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}
