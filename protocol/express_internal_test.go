package protocol

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// TestExpress prints every formula of the specs and checks it again in its
// place: the terms are equal, and printing is stable.
func TestExpress(t *testing.T) {
	t.Parallel()
	specs, err := filepath.Glob("../specs/*.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatal("no specs", err)
	}
	for _, name := range append(specs, "testdata/terms.yaml") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := check(name, text)
			if c.errs.HasErrors() {
				t.Fatal(c.errs)
			}
			r := roundTrip{t, c}
			for _, p := range c.sys.Properties {
				r.check(p.Formula, context{what: p.ID, primes: true}, nil)
			}
			for _, a := range c.sys.Axioms {
				r.check(a.Formula, context{what: a.Name, noState: true}, nil)
			}
			for _, d := range c.sys.Defs {
				r.check(d.Body, context{what: d.Name}, d.Params)
			}
			for _, a := range append(c.sys.Actions, c.sys.Init) {
				r.action(a)
			}
			for _, s := range c.sys.Scenarios {
				for _, step := range s.Steps {
					for _, arg := range step.Args {
						if arg == nil { // any value
							continue
						}
						r.check(arg, context{what: s.Name, noState: true, elements: &Scope{Sizes: s.Scope}, partial: true}, nil)
					}
				}
			}
		})
	}
}

type roundTrip struct {
	*testing.T
	c *checker
}

func (r roundTrip) action(a *Action) {
	var locals []*Binding
	for _, p := range a.Params {
		locals = append(locals, p.Binding)
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *Let:
			r.check(s.X, context{what: a.Name}, locals)
			locals = append(locals, s.Var)
		case *Guard:
			r.check(s.Cond, context{what: a.Name}, locals)
		case *Update:
			for _, p := range s.Path {
				r.check(p, context{what: a.Name}, locals)
			}
			r.check(s.Value, context{what: a.Name}, locals)
		case *Send:
			r.check(s.Message, context{what: a.Name}, locals)
			if s.Cond != nil {
				r.check(s.Cond, context{what: a.Name}, locals)
			}
		}
	}
}

// check prints a term, checks the text in the same place and compares.
func (r roundTrip) check(want Term, ctx context, locals []*Binding) {
	r.Helper()
	text := syntax.FormatExpr(Express(want))
	f := diag.NewFile(ctx.what, []byte(text))
	e, errs := syntax.ParseExpr(f, 0, len(text))
	if len(errs) > 0 {
		r.Fatalf("%s: %v", text, errs)
	}
	n := len(r.c.errs)
	x := &exprs{checker: r.c, ctx: ctx, locals: locals}
	got := x.expr(e, want.Sort()).t
	if errs := r.c.errs[n:]; errs.HasErrors() {
		r.c.errs = r.c.errs[:n]
		r.Errorf("%s: %s\n%v", ctx.what, text, errs)
		return
	}
	if !equal(got, want) {
		r.Errorf("%s: %s\nis another term, printed %s", ctx.what, text, syntax.FormatExpr(Express(got)))
	}
	if again := syntax.FormatExpr(Express(got)); again != text {
		r.Errorf("%s: %s\nis printed again as %s", ctx.what, text, again)
	}
}

// TestExpressIsNatural compares the printed formulas of terms.yaml with what was
// written, where a comment does not say how else they are printed.
func TestExpressIsNatural(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/terms.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := check("terms.yaml", text)
	if c.errs.HasErrors() {
		t.Fatal(c.errs)
	}
	spaces := regexp.MustCompile(`\s+`)
	for _, p := range c.sys.Properties {
		want := p.Note
		if want == "" {
			line, _ := p.Span.File.Position(p.Source.Span().Start)
			want = p.Source.Span().Text()
			if _, comment, ok := strings.Cut(p.Span.File.Line(line), "# "); ok {
				want = comment
			}
		}
		want = spaces.ReplaceAllString(want, " ")
		if got := syntax.FormatExpr(Express(p.Formula)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", p.ID, got, want)
		}
	}
}

func TestExpanded(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/terms.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := check("terms.yaml", text)
	var b strings.Builder
	for _, a := range c.sys.Actions {
		b.WriteString(a.Expanded())
	}
	want, err := os.ReadFile("testdata/terms.expanded")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s", b.String())
	}
}

func TestExpressRenames(t *testing.T) {
	t.Parallel()
	s := &Sort{Kind: NaturalKind, Name: "Term"}
	a, b := &Binding{Name: "x", Sort: s}, &Binding{Name: "x", Sort: s}
	less := &BinaryTerm{Op: Lt, X: &Var{a}, Y: &Var{b}, Of: BoolSort}
	both := &Quant{Forall: true, Var: a, Body: &Quant{Var: b, Body: less}}
	if got := syntax.FormatExpr(Express(both)); got != "∀ x ∈ Term: ∃ x2 ∈ Term: x < x2" {
		t.Error(got)
	}
}
