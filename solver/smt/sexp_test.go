package smt_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/solver/smt"
)

func TestParseSexps(t *testing.T) {
	sym := func(s string) smt.Sexp { return smt.Sexp{Kind: smt.SexpSymbol, Text: s} }
	str := func(s string) smt.Sexp { return smt.Sexp{Kind: smt.SexpString, Text: s} }
	list := func(l ...smt.Sexp) smt.Sexp { return smt.Sexp{List: l} }
	tests := []struct {
		give string
		want []smt.Sexp
	}{
		{"", nil},
		{" ; nothing\n", nil},
		{"sat\n", []smt.Sexp{sym("sat")}},
		{"(a(b)\t|c (d|)", []smt.Sexp{list(sym("a"), list(sym("b")), sym("c (d"))}},
		{`(error "say ""no"" (loudly)")`, []smt.Sexp{list(sym("error"), str(`say "no" (loudly)`))}},
		{"x;y\nz", []smt.Sexp{sym("x"), sym("z")}},
		{"() :key #b1", []smt.Sexp{list(), sym(":key"), sym("#b1")}},
	}
	for _, test := range tests {
		got, err := smt.ParseSexps(test.give)
		if err != nil {
			t.Errorf("%q: %v", test.give, err)
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.give, d)
		}
	}
	for _, bad := range []string{"(", ")", "(a))", `"a`, "|a", "((a)", `("a"")`} {
		if got, err := smt.ParseSexps(bad); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}

func TestSexpValues(t *testing.T) {
	tests := []struct {
		give string
		want uint64
		ok   bool
	}{
		{"#b101", 5, true},
		{"#x1F", 31, true},
		{"(_ bv7 3)", 7, true},
		{"#xffffffffffffffff", 1<<64 - 1, true},
		{"#x1ffffffffffffffff", 0, false},
		{"7", 0, false},
		{"(bv7 3)", 0, false},
		{"true", 0, false},
	}
	for _, test := range tests {
		list, err := smt.ParseSexps(test.give)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := list[0].BV(); ok != test.ok || ok && got != test.want {
			t.Errorf("%s is %d, %v", test.give, got, ok)
		}
	}
}

func FuzzParseSexps(f *testing.F) {
	f.Add(`(a "b" |c| ; d
		())`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = smt.ParseSexps(text) })
}
