package smtlib_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/solver/smtlib"
	"github.com/speckl/kraftprove/solver/solvertest"
)

func TestSuite(t *testing.T) {
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			solvertest.Run(t, backend(name))
		})
	}
}

func BenchmarkSolver(b *testing.B) {
	for _, name := range smtlib.Names() {
		b.Run(name, func(b *testing.B) {
			solvertest.Benchmark(b, backend(name))
		})
	}
}

func backend(name string) solvertest.Backend {
	return solvertest.Backend{New: func(l solver.Limits) (solver.Solver, error) {
		p, err := smtlib.Find(name, "")
		if err != nil {
			return nil, err
		}
		return smtlib.New(p, l, smtlib.Options{}), nil
	}}
}

func find(t *testing.T, name string) smtlib.Program {
	t.Helper()
	p, err := smtlib.Find(name, "")
	if err != nil {
		solvertest.Missing(t, err)
	}
	return p
}

func TestFind(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "z3")
	_, err := smtlib.Find("z3", missing)
	var notFound *solver.NotFoundError
	if !errors.As(err, &notFound) || notFound.Path != missing || notFound.Name != "z3" {
		t.Errorf("Find(z3, missing file): %v", err)
	}
	if _, err := smtlib.Find("yices", ""); err == nil || errors.As(err, &notFound) {
		t.Errorf("Find(yices): %v, want an error that says it is unknown", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := smtlib.Find("cvc5", ""); !errors.As(err, &notFound) {
		t.Errorf("Find(cvc5) on an empty PATH: %v", err)
	}
}

// TestFindAll has programs of one solver in several folders and under several names.
func TestFindAll(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs scripts and links")
	}
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("#!/bin/sh\necho 'Z3 version 1.2.3 - 64 bit'\n"), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	want := []string{file("b/z3", 0o755), file("a/z3-4.1", 0o755), file("a/z3-nightly", 0o755)}
	file("a/z3", 0o644) // no program
	file("a/z3x", 0o755)
	file("a/cvc5", 0o755)
	file("c/z3/x", 0o644) // a folder
	if err := os.Symlink(want[1], filepath.Join(dir, "c", "z3-link")); err != nil {
		t.Fatal(err)
	}
	path := "." // what is relative is left out
	for _, d := range []string{"b", "a", "none", "c", "b"} {
		path += string(os.PathListSeparator) + filepath.Join(dir, d)
	}
	t.Setenv("PATH", path)
	var got []string
	for _, p := range smtlib.FindAll("z3") {
		got = append(got, p.Path)
		if info, err := p.Info(t.Context()); err != nil || info.Version != "1.2.3" || info.Name != "z3" {
			t.Errorf("%s: %v, %v", p.Path, info, err)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("programs (-want +got):\n%s", d)
	}
	if list := smtlib.FindAll("yices"); list != nil {
		t.Errorf("FindAll(yices): %v", list)
	}
}

func TestVersion(t *testing.T) {
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			info, err := find(t, name).Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(`^\d+\.\d+`).MatchString(info.Version) {
				t.Errorf("version %q", info.Version)
			}
		})
	}
}

// TestPlainScript checks that nothing keeps Z3 from its SAT solver: no scope, no
// name and no logic, however the assertions were made.
func TestPlainScript(t *testing.T) {
	b := smt.NewBuilder()
	x, y := b.Const("x", smt.Bool), b.Const("y 1", smt.Bool)
	var transcript bytes.Buffer
	s := smtlib.New(find(t, "z3"), solver.Limits{Timeout: 1500e6}, smtlib.Options{Transcript: &transcript})
	defer s.Close()
	s.Assert("p", b.Or(x, y))
	s.Push()
	s.Assert("q", b.Not(x))
	if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Sat {
		t.Fatalf("%v, %v", res, err)
	}
	want := `(set-option :print-success false)
(set-option :produce-models true)
(set-option :timeout 1500)
(declare-fun x () Bool)
(declare-fun |y 1| () Bool)
(assert (and
 (or x |y 1|)
 (not x)))
(check-sat)
sat
(get-model)
`
	got, _, _ := strings.Cut(transcript.String(), "(\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("transcript (-want +got):\n%s", d)
	}
}

func TestOptions(t *testing.T) {
	b := smt.NewBuilder()
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			limits := solver.Limits{Options: map[string]string{
				"z3.smt.arith.solver": "2", "cvc5.decision": "justification", "yices.what": "ever",
			}}
			s := smtlib.New(find(t, name), limits, smtlib.Options{})
			defer s.Close()
			s.Assert("", b.Const("x", smt.Bool))
			if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Sat {
				t.Errorf("%v, %v", res, err)
			}
			limits.Options[name+".no-such-option"] = "1"
			s = smtlib.New(find(t, name), limits, smtlib.Options{})
			defer s.Close()
			var bad *solver.AnswerError
			var died *solver.DiedError
			if res, err := s.Check(t.Context()); !errors.As(err, &bad) && !errors.As(err, &died) {
				t.Errorf("with an unknown option: %v, %v", res, err)
			}
		})
	}
}

func TestSteps(t *testing.T) {
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := smt.NewBuilder()
			s := smtlib.New(find(t, name), solver.Limits{Steps: 20000}, smtlib.Options{})
			defer s.Close()
			s.Assert("", solvertest.Pigeonhole(b, 12))
			res, err := s.Check(t.Context())
			if err != nil || res.Reason != solver.ResourceLimit {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}

// TestMemory runs into a bound that a moderate query exceeds.
func TestMemory(t *testing.T) {
	for _, name := range smtlib.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := smt.NewBuilder()
			s := smtlib.New(find(t, name), solver.Limits{MemoryMB: 64}, smtlib.Options{})
			defer s.Close()
			s.Assert("", solvertest.Pigeonhole(b, 60))
			ctx, cancel := context.WithTimeout(t.Context(), 60e9)
			defer cancel()
			res, err := s.Check(ctx)
			if err != nil || res.Reason != solver.Memory {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}

// TestLargeScript has more to say than a pipe holds while the solver talks back.
func TestLargeScript(t *testing.T) {
	b := smt.NewBuilder()
	s := smtlib.New(find(t, "z3"), solver.Limits{Incremental: true}, smtlib.Options{})
	defer s.Close()
	x := b.Const("x", smt.Bool)
	f := x
	for i := range 20000 {
		if i%500 == 0 {
			s.Assert("", f)
			f = x
		}
		f = b.Ite(x, b.Iff(b.Const("y", smt.Bool), f), b.Or(f, b.Const(fmt.Sprint("z", i), smt.Bool)))
	}
	if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Sat {
		t.Errorf("%v, %v", res, err)
	}
}

func TestRecorder(t *testing.T) {
	b := smt.NewBuilder()
	x := b.Const("x", smt.Bool)
	var script bytes.Buffer
	p := find(t, "z3")
	s := solver.Record(smtlib.New(p, solver.Limits{Cores: true}, smtlib.Options{}), &script, "QF_UF")
	s.Assert("it\nholds", x)
	s.Push()
	s.Assert("not", b.Not(x))
	if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Unsat {
		t.Fatalf("%v, %v", res, err)
	}
	s.Pop()
	if res, err := s.Check(t.Context()); err != nil || res.Status != solver.Sat {
		t.Fatalf("%v, %v", res, err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	want := `(set-logic QF_UF)
; it holds
(declare-fun x () Bool)
(assert 
 x)
(push 1)
; not
(assert 
 (not x))
(check-sat)
; unsat
; core: it holds not
(pop 1)
(check-sat)
; sat
(exit)
`
	if d := cmp.Diff(want, script.String()); d != "" {
		t.Errorf("script (-want +got):\n%s", d)
	}
}
