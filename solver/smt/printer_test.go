package smt_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/solver/smt"
)

func TestScript(t *testing.T) {
	b := smt.NewBuilder()
	bv := smt.BitVec(3)
	x, y, z := b.Const("x", smt.Bool), b.Const("y z", smt.Bool), b.Const("let", smt.Bool)
	v := b.Const("1v", bv)
	xy := b.And(x, y)
	top := b.Or(xy, b.Not(z))
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	s := smt.NewScript(w)
	s.Command("(set-logic QF_BV)")
	s.Assert(b.Iff(xy, z))
	s.Assert(b.Xor(top, x))
	s.Comment("two\nlines")
	s.Push()
	s.AssertUnder("$a1", b.BVUlt(b.BVAdd(v, b.BVLit(2, bv)), v))
	s.Push()
	s.Assert(b.And(top, b.Ite(x, top, b.Not(xy))))
	s.Pop()
	s.Pop()
	s.Assert(b.Eq(v, b.BVLit(2, bv)))
	s.Command("(check-sat)")
	w.Flush()
	want := `(set-logic QF_BV)
; two lines
(declare-fun $let () Bool)
(declare-fun x () Bool)
(declare-fun |y z| () Bool)
(assert (let (
 ($5 (and x |y z|)))
(and
 (= $let $5)
 (not (= x (or (not $let) $5))))))
`
	got, rest, _ := strings.Cut(buf.String(), "(push 1)\n")
	// Numbers depend on the order of construction: compare by shape.
	if d := cmp.Diff(shape(want), shape(got)); d != "" {
		t.Errorf("first part (-want +got):\n%s", d)
	}
	wantRest := `(declare-fun $a1 () Bool)
(declare-fun |1v| () (_ BitVec 3))
(assert 
 (=> $a1 (bvult (bvadd |1v| (_ bv2 3)) |1v|)))
(push 1)
(assert (let (
 ($5 (and x |y z|)))
(let (
 ($6 (or (not $let) $5)))

 (and $6 (ite x $6 (not $5))))))
(pop 1)
(pop 1)
(declare-fun |1v| () (_ BitVec 3))
(assert 
 (= |1v| (_ bv2 3)))
(check-sat)
`
	if d := cmp.Diff(shape(wantRest), shape(rest)); d != "" {
		t.Errorf("rest (-want +got):\n%s", d)
	}
	if s.Constant("1v") != v || s.Constant("nobody") != nil || len(s.Constants()) != 4 {
		t.Errorf("constants are %v", s.Constants())
	}
}

// shape renames shared terms in order of appearance and drops line breaks.
func shape(text string) string {
	var sb strings.Builder
	names := map[string]string{}
	text = strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text)
	for _, word := range strings.Fields(text) {
		if word[0] == '$' && word[1] >= '0' && word[1] <= '9' {
			if names[word] == "" {
				names[word] = fmt.Sprint("$", len(names))
			}
			word = names[word]
		}
		sb.WriteString(word + " ")
	}
	return strings.ReplaceAll(strings.ReplaceAll(sb.String(), "( ", "("), " )", ")")
}

// TestNesting has a term too deep for a recursive parser.
func TestNesting(t *testing.T) {
	b := smt.NewBuilder()
	f := b.Const("x", smt.Bool)
	for i := range 10000 {
		c := b.Const(fmt.Sprint("c", i), smt.Bool)
		if i%2 == 0 {
			f = b.And(f, c)
		} else {
			f = b.Or(f, c)
		}
	}
	var buf bytes.Buffer
	if err := smt.WriteScript(&buf, "QF_UF", f); err != nil {
		t.Fatal(err)
	}
	depth, deepest := 0, 0
	for _, line := range strings.Split(buf.String(), "\n") {
		if strings.HasPrefix(line, "(let (") {
			depth = 0 // one level of lets, which a parser need not nest deep
		}
		for _, c := range line {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			}
			deepest = max(deepest, depth)
		}
	}
	if deepest > 60 {
		t.Errorf("parentheses are %d deep", deepest)
	}
}

func TestPrinterIsDeterministic(t *testing.T) {
	print := func() string {
		r := rand.New(rand.NewPCG(1, 2))
		b := smt.NewBuilder()
		var buf bytes.Buffer
		if err := smt.WriteScript(&buf, "", randomTerms(b, r, 2000)...); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	if first, second := print(), print(); first != second {
		t.Error("two runs print different scripts")
	}
}

// TestRename has names of every kind. The text of a seed is that of the names with
// other words in their places, and no word stands for two names.
func TestRename(t *testing.T) {
	script := func(seed int) (string, *smt.Script, *smt.Term) {
		b := smt.NewBuilder()
		node, kind := smt.Uninterpreted("node"), smt.Enumeration("kind", "red", "let")
		of := b.Func("of", []smt.Sort{node, smt.Bool}, kind)
		x := b.Var("some x", node)
		flag := b.Const("flag!0", smt.Bool)
		at := b.Apply(of, x, flag)
		var buf bytes.Buffer
		w := bufio.NewWriter(&buf)
		s := smt.NewScript(w)
		s.Rename(seed)
		s.Push()
		s.AssertUnder("$a1", b.Forall([]*smt.Term{x}, b.Eq(at, b.Enum(kind, "let")), []*smt.Term{at}))
		s.Assert(b.Not(b.Eq(b.Apply(of, b.Const("node", node), b.Not(flag)), b.Enum(kind, "red"))))
		s.Command("(check-sat)")
		w.Flush()
		return buf.String(), s, flag
	}
	plain, _, _ := script(0)
	if again, _, _ := script(0); again != plain {
		t.Error("without a seed two scripts differ")
	}
	seen := map[string]bool{plain: true}
	for seed := range 20 {
		text, s, flag := script(seed + 1)
		if again, _, _ := script(seed + 1); again != text {
			t.Errorf("seed %d: two scripts differ", seed+1)
		}
		if seen[text] {
			t.Errorf("seed %d gives the text of another one", seed+1)
		}
		seen[text] = true
		for _, name := range []string{"node", "kind", "red", "let", "of", "some", "flag"} {
			if strings.Contains(text, name) {
				t.Errorf("seed %d leaves %s in\n%s", seed+1, name, text)
			}
		}
		symbol := ""
		words, back := map[string]string{}, map[string]string{}
		mine, yours := symbols(t, plain), symbols(t, text)
		if len(mine) != len(yours) {
			t.Fatalf("seed %d has %d symbols, want %d", seed+1, len(yours), len(mine))
		}
		for i, m := range mine {
			y := yours[i]
			if words[m] == "" && back[y] == "" {
				words[m], back[y] = y, m
			}
			if words[m] != y || back[y] != m {
				t.Errorf("seed %d: %s for %s, elsewhere %s and %s", seed+1, y, m, words[m], back[y])
			}
			if m == "flag!0" {
				symbol = y
			}
		}
		if s.Constant(symbol) != flag || s.Constant("flag!0") != nil {
			t.Errorf("seed %d: %q is not the constant", seed+1, symbol)
		}
		s.Pop()
		if s.Constant(symbol) != nil {
			t.Errorf("seed %d: %q survives its scope", seed+1, symbol)
		}
	}
}

// symbols lists the atoms of a text, from first to last.
func symbols(t *testing.T, text string) []string {
	t.Helper()
	list, err := smt.ParseSexps(text)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var add func(list []smt.Sexp)
	add = func(list []smt.Sexp) {
		for _, s := range list {
			if s.Kind != smt.SexpList {
				out = append(out, s.Text)
			}
			add(s.List)
		}
	}
	add(list)
	return out
}

// randomTerms returns the last few of n random terms.
func randomTerms(b *smt.Builder, r *rand.Rand, n int) []*smt.Term {
	var ts []*smt.Term
	for i := range 100 {
		ts = append(ts, b.Const(fmt.Sprint("x", i), smt.Bool))
	}
	for range n {
		recent := ts[max(0, len(ts)-2000):]
		pick := func() *smt.Term { return recent[r.IntN(len(recent))] }
		switch r.IntN(4) {
		case 0:
			ts = append(ts, b.And(pick(), pick(), b.Not(pick())))
		case 1:
			ts = append(ts, b.Or(pick(), b.Not(pick()), pick()))
		default:
			ts = append(ts, b.Ite(pick(), pick(), pick()))
		}
	}
	return ts[len(ts)-500:]
}

func BenchmarkBuilder(b *testing.B) {
	b.ReportAllocs()
	const n = 200_000
	for b.Loop() {
		randomTerms(smt.NewBuilder(), rand.New(rand.NewPCG(1, 2)), n)
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "terms/s")
}

func BenchmarkPrinter(b *testing.B) {
	build := smt.NewBuilder()
	ts := randomTerms(build, rand.New(rand.NewPCG(1, 2)), 200_000)
	var buf bytes.Buffer
	for b.Loop() {
		buf.Reset()
		if err := smt.WriteScript(&buf, "", ts...); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(build.Len())/b.Elapsed().Seconds(), "terms/s")
}
