package encode_test

import (
	"fmt"
	"strings"

	"github.com/speckl/kraftprove/protocol"
)

// show writes a term for a failure's message.
func show(t protocol.Term) string {
	var parts []string
	for c := range protocol.Children(t) {
		parts = append(parts, show(c))
	}
	head := fmt.Sprintf("%T", t)[len("*protocol."):]
	switch t := t.(type) {
	case *protocol.Lit:
		return fmt.Sprint(t.Of, ":", t.Value)
	case *protocol.Default:
		return fmt.Sprint("default:", t.Of)
	case *protocol.Var:
		return fmt.Sprintf("%s#%p", t.To.Name, t.To)
	case *protocol.SubsortTerm:
		return t.Of.Name
	case *protocol.StateRead:
		if t.Primed {
			return t.State.Name + "'"
		}
		return t.State.Name
	case *protocol.UnaryTerm:
		head = [...]string{"not", "len", "some", "value", "isQuorum", "members"}[t.Op]
	case *protocol.BinaryTerm:
		head = [...]string{"=", "<", "≤", "⇒", "⇔", "∈", "⊆", "∪", "∩", "∖", "min", "max", "append", "truncate", "extend"}[t.Op]
	case *protocol.Nary:
		head = "or"
		if t.And {
			head = "and"
		}
	case *protocol.Quant:
		head = fmt.Sprintf("∃(primed %v) %p ∈ %s", t.Primed, t.Var, t.Var.Sort)
		if t.Forall {
			head = fmt.Sprintf("∀(primed %v) %p ∈ %s", t.Primed, t.Var, t.Var.Sort)
		}
	case *protocol.Shift:
		head = fmt.Sprintf("%+d", t.Delta)
	case *protocol.Select:
		head = "." + t.Field.Name
	case *protocol.Call:
		head = t.Def.Name
	case *protocol.LetTerm:
		head = fmt.Sprintf("let %p", t.Var)
	case *protocol.SetOf:
		head = fmt.Sprintf("setOf %p", t.Var)
	case *protocol.FuncTerm:
		head = fmt.Sprintf("func %p", t.Var)
	}
	return head + "(" + strings.Join(parts, ", ") + ")"
}
