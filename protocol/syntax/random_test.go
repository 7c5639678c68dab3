package syntax_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// TestRandomTrees prints random trees and parses them again.
func TestRandomTrees(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for range 1000 {
		tree := g.expr(1 + g.IntN(4))
		flat := syntax.FormatExpr(tree)
		if d := cmp.Diff(tree, exprForm.mustParse(t, flat), ignorePlaces); d != "" {
			t.Fatalf("%s\nis another tree (-printed +parsed):\n%s", flat, d)
		}
		for _, width := range []int{1, 20, 80} {
			// Breaking lines changes nothing but white space.
			text := syntax.FormatExprWidth(tree, width, 3)
			again := exprForm.mustParse(t, text).(syntax.Expr)
			if squeeze(text) != squeeze(flat) || syntax.FormatExpr(again) != flat {
				t.Fatalf("%s\ndiffers from %s", text, flat)
			}
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

type generator struct{ *rand.Rand }

var binaryOps = []syntax.Op{
	syntax.OpIff, syntax.OpImplies, syntax.OpOr, syntax.OpAnd, syntax.OpEq, syntax.OpNe, syntax.OpLt,
	syntax.OpLe, syntax.OpGt, syntax.OpGe, syntax.OpIn, syntax.OpNotIn, syntax.OpSubset,
	syntax.OpUnion, syntax.OpIntersect, syntax.OpDiff, syntax.OpAdd, syntax.OpSub,
}

func (g generator) expr(depth int) syntax.Expr {
	if depth == 0 {
		return g.leaf()
	}
	depth--
	switch g.IntN(16) {
	case 0:
		return &syntax.Index{X: g.expr(depth), Args: g.exprs(depth, 1)}
	case 1:
		return &syntax.Slice{X: g.expr(depth), Lo: g.expr(depth), Hi: g.expr(depth)}
	case 2:
		return &syntax.Field{X: g.expr(depth), Name: g.name()}
	case 3:
		return &syntax.Call{Fun: g.variable(), Args: g.exprs(depth, 0)}
	case 4:
		op := syntax.OpNot
		if g.IntN(3) == 0 {
			op = syntax.OpValue
		}
		return &syntax.Unary{Op: op, X: g.expr(depth)}
	case 5:
		return &syntax.If{Cond: g.expr(depth), Then: g.expr(depth), Else: g.expr(depth)}
	case 6:
		let := &syntax.Let{Body: g.expr(depth)}
		for range 1 + g.IntN(2) {
			let.Binds = append(let.Binds, syntax.Binding{Name: g.name(), X: g.expr(depth)})
		}
		return let
	case 7:
		quant := &syntax.Quant{Forall: g.IntN(2) == 0, Body: g.expr(depth)}
		for range 1 + g.IntN(2) {
			group := syntax.Group{Names: []*syntax.Ident{g.name()}, Domain: g.domain(depth)}
			if g.IntN(2) == 0 {
				group.Names = append(group.Names, g.name())
			}
			quant.Groups = append(quant.Groups, group)
		}
		return quant
	case 8:
		return &syntax.SetLit{Elems: g.exprs(depth, 0)}
	case 9:
		return &syntax.SetOf{Name: g.name(), Domain: g.domain(depth), Cond: g.expr(depth)}
	case 10:
		return &syntax.SeqLit{Elems: g.exprs(depth, 0)}
	case 11:
		return &syntax.FuncLit{Name: g.name(), Domain: g.domain(depth), Body: g.expr(depth)}
	case 12:
		record := &syntax.RecordLit{Type: g.name()}
		for range g.IntN(3) {
			record.Fields = append(record.Fields, syntax.FieldInit{Name: g.name(), X: g.expr(depth)})
		}
		return record
	}
	b := &syntax.Binary{Op: binaryOps[g.IntN(len(binaryOps))], X: g.expr(depth), Y: g.expr(depth)}
	if b.Op == syntax.OpIn || b.Op == syntax.OpNotIn {
		b.Y = g.domain(depth)
	}
	return b
}

func (g generator) domain(depth int) syntax.Expr {
	if g.IntN(3) == 0 {
		return &syntax.Range{Lo: g.expr(depth), Hi: g.expr(depth)}
	}
	return g.expr(depth)
}

func (g generator) exprs(depth, least int) (exprs []syntax.Expr) {
	for range least + g.IntN(3) {
		exprs = append(exprs, g.expr(depth))
	}
	return exprs
}

func (g generator) leaf() syntax.Expr {
	switch g.IntN(6) {
	case 0:
		return &syntax.Number{Value: g.IntN(1000)}
	case 1:
		return &syntax.Bool{Value: g.IntN(2) == 0}
	case 2:
		return &syntax.Nil{}
	}
	return g.variable()
}

func (g generator) variable() *syntax.Ident {
	id := g.name()
	id.Prime = g.IntN(3) == 0
	return id
}

func (g generator) name() *syntax.Ident {
	names := []string{"a", "b1", "_c", "term", "Größe", "if", "send"}
	return &syntax.Ident{Name: names[g.IntN(len(names))]}
}

// FuzzParse feeds any bytes to the parsers. They must not panic, report places
// in the text, and print what they could read as the same tree.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "∀ i, j ∈ S: x[i]' = {y ∈ 1..3 : p} ⇒ ⟨⟩ = s[1..k]", "∧ a\n∧ ∨ b\n  ∨ c\n∨ d",
		"send M{a: 1} if b\nx[i] := [j ∈ S ↦ LET a == b IN c!]\nrequire (a", "ghost A → Seq(B?)", "volatile A → ghost", "crash i\ncrash",
		"Timeout(i = s1)\n…\nRestart", "- a ∧ b\n+ f: …\n- f[i] := …\n- send M{...}\n+ crash x", `x = "abc`, "\xff\x00\\ \\A /\\ & ' ..", "IF THEN ELSE LET IN union",
		"((a b [ c ) ∧ d", "x[i := 3\nx[j := 3",
	} {
		f.Add([]byte(seed), 0, len(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte, start, end int) {
		file := diag.NewFile("fuzz", text)
		for _, form := range []form{exprForm, bodyForm, typeForm, patchForm, scenarioForm} {
			tree, errs := form.parse(file, start, end)
			for _, d := range errs {
				if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) {
					t.Errorf("%v at %d, %d", d, d.Span.Start, d.Span.End)
				}
			}
			if len(errs) > 0 || tree == nil {
				continue
			}
			printed := form.format(tree)
			if d := cmp.Diff(tree, form.mustParse(t, printed), ignorePlaces); d != "" {
				t.Errorf("%q is printed %q, another tree:\n%s", text, printed, d)
			}
		}
	})
}
