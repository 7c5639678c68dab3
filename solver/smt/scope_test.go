package smt_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/solver/smt"
)

// script returns the text of one batch of assertions.
func script(fs ...*smt.Term) string {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	s := smt.NewScript(w)
	for _, f := range fs {
		s.Assert(f)
	}
	s.Command("(check-sat)")
	w.Flush()
	return strings.TrimSuffix(buf.String(), "(check-sat)\n")
}

func TestScopes(t *testing.T) {
	w := newWorld()
	and, or := w.And, w.Or
	all := func(f *smt.Term, vs ...*smt.Term) *smt.Term { return w.Forall(vs, f) }
	nextA, nextX := w.Next(w.a), w.Next(w.x)
	tests := []struct {
		name string
		give []*smt.Term
		want string // the assert command
	}{
		{"shared inside",
			vars(all(or(w.Led(nextX), w.Met(nextX, w.x)), w.x)),
			"(forall (($x!2 Server)) (let (($0 (next $x!2))) (or (led $0) (met $0 $x!2))))"},
		{"shared outside, used inside only",
			vars(all(or(w.Met(nextA, w.x), w.Met(w.x, nextA)), w.x)),
			"(let (($0 (next a))) (forall (($x!2 Server)) (or (met $0 $x!2) (met $x!2 $0))))"},
		{"in two quantifiers",
			vars(all(w.Met(nextA, w.x), w.x), all(w.Met(w.y, nextA), w.y)),
			"(let (($0 (next a))) (and (forall (($x!2 Server)) (met $0 $x!2)) (forall (($y!3 Server)) (met $y!3 $0))))"},
		{"one variable, two quantifiers",
			vars(all(or(w.Led(nextX), w.Met(nextX, w.x)), w.x), w.Exists(vars(w.x), w.Met(nextX, nextX))),
			"(and (forall (($x!2 Server)) (let (($0 (next $x!2))) (or (led $0) (met $0 $x!2))))" +
				" (exists (($x!2 Server)) (let (($0 (next $x!2))) (met $0 $0))))"},
		{"outer variable shared by inner quantifiers",
			vars(all(or(all(w.Met(nextX, w.y), w.y), all(w.Met(w.z, nextX), w.z)), w.x)),
			"(forall (($x!2 Server)) (let (($0 (next $x!2)))" +
				" (or (forall (($y!3 Server)) (met $0 $y!3)) (forall (($z!4 Server)) (met $z!4 $0)))))"},
		{"of outer and inner variables",
			vars(all(all(or(w.Led(w.Next(w.x)), w.Met(w.Next(w.x), w.Next(w.y)), w.Led(w.Next(w.y))), w.y), w.x)),
			"(forall (($x!2 Server)) (let (($0 (next $x!2))) (forall (($y!3 Server)) (let (($1 (next $y!3)))" +
				" (or (led $0) (met $0 $1) (led $1))))))"},
		{"hidden variable",
			vars(all(and(w.Led(nextX), w.Met(nextX, w.y), w.Exists(vars(w.x), and(w.Met(w.y, nextX), w.Led(nextX)))), w.x, w.y)),
			"(forall (($x!2 Server) ($y!3 Server)) (let (($0 (next $x!2)))" +
				" (and (led $0) (met $0 $y!3) (exists (($x!2 Server)) (let (($0 (next $x!2))) (and (led $0) (met $y!3 $0)))))))"},
		{"a quantifier twice",
			vars(w.Iff(w.p, all(w.Led(w.x), w.x)), or(w.Led(w.a), all(w.Led(w.x), w.x))),
			"(let (($0 (forall (($x!2 Server)) (led $x!2)))) (and (= p $0) (or $0 (led a))))"},
		{"a quantifier's name comes after those in it",
			vars(w.Iff(w.p, all(w.Met(nextA, w.x), w.x)), or(w.Led(nextA), all(w.Met(nextA, w.x), w.x))),
			"(let (($0 (next a))) (let (($1 (forall (($x!2 Server)) (met $0 $x!2)))) (and (= p $1) (or $1 (led $0)))))"},
		{"deep inside", // the outermost quantifier uses next(a) two quantifiers down
			vars(w.Iff(w.p, all(all(all(w.Met(nextA, w.z), w.z), w.b), w.b)),
				or(w.Led(nextA), all(w.Iff(w.b, all(w.Iff(w.Led(w.x), all(w.Met(nextA, w.z), w.z)), w.x)), w.b)),
				w.Iff(w.Led(w.a), all(w.Iff(w.b, all(w.Iff(w.Led(w.x), all(w.Met(nextA, w.z), w.z)), w.x)), w.b))),
			"(let (($0 (next a))) (let (($1 (forall (($z!4 Server)) (met $0 $z!4))))" +
				" (let (($2 (forall (($b!7 Bool)) (= $b!7 (forall (($x!2 Server)) (= (led $x!2) $1))))))" +
				" (and (= p $1) (or (led $0) $2) (= (led a) $2)))))"},
		{"patterns are in full",
			vars(w.Led(nextA), w.Forall(vars(w.x), or(w.Met(nextX, nextA), w.Led(nextX)), vars(w.Met(nextX, nextA)), vars(nextX, w.Led(nextX)))),
			"(let (($0 (next a))) (and (led $0) (forall (($x!2 Server)) (! (let (($1 (next $x!2))) (or (led $1) (met $1 $0)))" +
				" :pattern ((met (next $x!2) (next a))) :pattern ((next $x!2) (led (next $x!2)))))))"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := script(test.give...)
			got := text[strings.Index(text, "(assert"):]
			if d := cmp.Diff(shape("(assert "+test.want+")"), shape(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			sameMeaning(t, text, test.give...)
		})
	}
}

func TestDeclarations(t *testing.T) {
	w := newWorld()
	id := smt.Uninterpreted("Id")
	owner := w.Func("owner", []smt.Sort{id}, w.server)
	k := w.Var("k", id)
	var buf bytes.Buffer
	out := bufio.NewWriter(&buf)
	s := smt.NewScript(out)
	s.Assert(w.Eq(w.Role(w.a), w.Enum(w.role, "Leader")))
	s.Push()
	s.Assert(w.Forall(vars(w.x), w.Led(w.x), vars(w.Met(w.x, w.a))))
	s.Push()
	s.Assert(w.Exists(vars(k), w.Eq(w.Apply(owner, k), w.a)))
	s.Pop()
	s.Pop()
	s.Assert(w.Exists(vars(k), w.Led(w.Apply(owner, k))))
	s.Command("(check-sat)")
	out.Flush()
	want := `(declare-datatypes ((Role 0)) (((Follower)(Leader))))
(declare-sort Server 0)
(declare-fun a () Server)
(declare-fun roleOf (Server) Role)
(assert 
 (= Leader (roleOf a)))
(push 1)
(declare-fun met (Server Server) Bool)
(declare-fun led (Server) Bool)
(assert 
 (forall (($x!2 Server)) (! (led $x!2) :pattern ((met $x!2 a)))))
(push 1)
(declare-sort Id 0)
(declare-fun owner (Id) Server)
(assert 
 (exists (($k!0 Id)) (= a (owner $k!0))))
(pop 1)
(pop 1)
(declare-sort Id 0)
(declare-fun owner (Id) Server)
(declare-fun led (Server) Bool)
(assert 
 (exists (($k!0 Id)) (led (owner $k!0))))
(check-sat)
`
	got := strings.ReplaceAll(buf.String(), fmt.Sprint("$k!", k.ID()), "$k!0")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if n := len(s.Constants()); n != 1 {
		t.Errorf("%d constants", n)
	}
}

// TestRandomScopes prints random formulas in which quantifiers bind the same few
// variables over and over, and compares the text with the formulas.
func TestRandomScopes(t *testing.T) {
	for seed := range uint64(300) {
		g := &generator{newWorld(), rand.New(rand.NewPCG(seed, 1)), nil}
		var fs []*smt.Term
		for range 3 {
			f := g.formula(7)
			fs = append(fs, g.Forall(f.Free(), f))
		}
		sameMeaning(t, script(fs...), fs...)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// generator makes random first-order formulas, of parts made before now and then.
type generator struct {
	*world
	r    *rand.Rand
	made []*smt.Term
}

func (g *generator) formula(depth int) *smt.Term {
	if len(g.made) > 0 && g.r.IntN(4) == 0 {
		return g.made[g.r.IntN(len(g.made))]
	}
	f := g.newFormula(depth)
	g.made = append(g.made, f)
	return f
}

func (g *generator) newFormula(depth int) *smt.Term {
	if depth == 0 {
		return g.Led(g.object(2))
	}
	switch g.r.IntN(8) {
	case 0:
		return g.Met(g.object(2), g.object(2))
	case 1:
		return g.And(g.formula(depth-1), g.formula(depth-1))
	case 2:
		return g.Or(g.formula(depth-1), g.Not(g.formula(depth-1)))
	case 3:
		return g.Iff(g.formula(depth-1), g.formula(depth-1))
	case 4:
		return g.Lt(g.Term(g.object(2)), g.Add(g.Term(g.object(1)), g.i))
	case 5:
		return g.Forall(vars(g.x, g.i), g.formula(depth-1))
	case 6:
		return g.Exists(vars(g.y), g.formula(depth-1))
	}
	f := g.formula(depth - 1)
	return g.Forall(vars(g.z, g.x), f, vars(g.Met(g.x, g.Next(g.z)), g.Led(g.a)))
}

func (g *generator) object(depth int) *smt.Term {
	if depth > 0 && g.r.IntN(2) == 0 {
		return g.Next(g.object(depth - 1))
	}
	return []*smt.Term{g.x, g.y, g.z, g.a, g.c}[g.r.IntN(5)]
}

// sameMeaning checks that the text asserts the conjunction of the formulas, once
// lets are put in.
func sameMeaning(t *testing.T, text string, fs ...*smt.Term) {
	t.Helper()
	commands, err := smt.ParseSexps(text)
	if err != nil {
		t.Fatal(err)
	}
	got := resolve(commands[len(commands)-1].List[1], nil)
	plain := fs[0].String()
	if len(fs) > 1 {
		plain = "(and"
		for _, f := range fs {
			plain += " " + f.String()
		}
		plain += ")"
	}
	list, err := smt.ParseSexps(plain)
	if err != nil {
		t.Fatal(err)
	}
	want := resolve(list[0], nil)
	if g, w := got.text(nil), want.text(nil); g != w {
		t.Errorf("text %s\nmeans %s\nwant  %s", text, g, w)
	}
}

// node is an s-expression in which variables point to what binds them.
type node struct {
	word   string
	binder *node // of a variable
	index  int   // of a variable in its binder
	kids   []*node
}

// env says what the names around an s-expression mean.
type env struct {
	name  string
	means *node
	outer *env
}

// resolve puts in the values of lets, each in the scope of its let.
func resolve(e smt.Sexp, around *env) *node {
	if e.Kind != smt.SexpList {
		for v := around; v != nil; v = v.outer {
			if v.name == e.Text {
				return v.means
			}
		}
		return &node{word: e.Text}
	}
	if len(e.List) == 0 {
		return &node{}
	}
	switch e.List[0].Text {
	case "let":
		inside := around
		for _, def := range e.List[1].List {
			inside = &env{def.List[0].Text, resolve(def.List[1], around), inside}
		}
		return resolve(e.List[2], inside)
	case "forall", "exists":
		n := &node{word: e.List[0].Text}
		for i, v := range e.List[1].List {
			around = &env{v.List[0].Text, &node{binder: n, index: i}, around}
			n.word += " " + v.List[1].Text
		}
		n.kids = []*node{resolve(e.List[2], around)}
		return n
	}
	n := &node{}
	for _, k := range e.List {
		n.kids = append(n.kids, resolve(k, around))
	}
	return n
}

// text writes n with variables as distances to their binders.
func (n *node) text(around []*node) string {
	if n.binder != nil {
		for up := range around {
			if around[len(around)-1-up] == n.binder {
				return fmt.Sprintf("%d.%d", up, n.index)
			}
		}
		return "unbound"
	}
	if n.word != "" && len(n.kids) == 1 {
		return "(" + n.word + " " + n.kids[0].text(append(around, n)) + ")"
	}
	parts := []string{n.word}
	for _, k := range n.kids {
		parts = append(parts, k.text(around))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// TestScopesAreLinear prints a chain of quantifiers, each used twice by the next
// one; written in full, it would have 2^40 times the length.
func TestScopesAreLinear(t *testing.T) {
	w := newWorld()
	f := w.Led(w.a)
	for i := range 40 {
		x, y := w.Var(fmt.Sprint("x", i), w.server), w.Var(fmt.Sprint("y", i), w.server)
		shared := w.Or(f, w.Met(x, y))
		f = w.Forall(vars(x), w.Iff(w.Exists(vars(y), w.And(w.Met(y, x), shared)), w.Forall(vars(y), w.Or(w.Led(y), shared))))
	}
	began := time.Now()
	text := script(f)
	if took := time.Since(began); len(text) > 50_000 || took > time.Second {
		t.Errorf("%d bytes in %v", len(text), took)
	}
}
