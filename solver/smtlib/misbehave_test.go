package smtlib_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
	"github.com/speckl/kraftprove/solver/smtlib"
)

// misbehaveEnv makes the test binary be a solver of the kind it names.
const misbehaveEnv = "KRAFTPROVE_TEST_MISBEHAVE"

func TestMain(m *testing.M) {
	if how := os.Getenv(misbehaveEnv); how != "" {
		misbehave(how)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// misbehave is the main program of a bad solver.
func misbehave(how string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	echo := func(line string) { // as z3 does
		if s, ok := strings.CutPrefix(line, `(echo "`); ok {
			fmt.Println(strings.TrimSuffix(s, `")`))
		}
	}
	switch how {
	case "dies at once":
		fmt.Fprintln(os.Stderr, "libfoo.so: cannot open")
		os.Exit(3)
	case "ends silently":
		return
	case "closes its input":
		os.Stdin.Close()
		time.Sleep(time.Hour)
	case "hangs":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		time.Sleep(time.Hour)
	case "runs out of memory":
		in.Scan()
		fmt.Fprintln(os.Stderr, `(error "out of memory")`)
		os.Exit(101)
	case "talks for ever":
		for {
			if _, err := fmt.Println(strings.Repeat("bla ", 1000)); err != nil {
				return
			}
		}
	}
	for in.Scan() {
		line := in.Text()
		switch {
		case strings.HasPrefix(line, "(echo"):
			echo(line)
		case line == "(check-sat)":
			fmt.Println(map[string]string{
				"prints garbage":   "Segfaultfest",
				"answers twice":    "sat\nunsat",
				"complains first":  "(error \"line 3: what?\")\nunsat",
				"bad model":        "sat",
				"model of numbers": "sat",
				"error for model":  "sat",
				"dies for model":   "sat",
				"says nothing":     "",
			}[how])
		case line == "(get-model)":
			if how == "dies for model" {
				os.Exit(1)
			}
			fmt.Println(map[string]string{
				"bad model":        "((define-fun x () Bool",
				"model of numbers": "((define-fun x () Bool 17))",
				"error for model":  `(error "no model")`,
			}[how])
		}
	}
}

func TestMisbehaviour(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const died, nonsense = "died", "nonsense"
	tests := []struct {
		how  string
		want string // died, nonsense, or a result
		says string // what the error has to contain
	}{
		{"dies at once", died, "libfoo.so: cannot open"},
		{"ends silently", died, "exit status 0"},
		{"closes its input", "unknown timeout", ""},
		{"hangs", "unknown timeout", ""},
		{"runs out of memory", "unknown memory", ""},
		{"talks for ever", "unknown timeout", ""},
		{"prints garbage", nonsense, "Segfaultfest"},
		{"answers twice", nonsense, "sat"},
		{"complains first", nonsense, "line 3: what?"},
		{"says nothing", nonsense, ""},
		{"bad model", nonsense, "define-fun"},
		{"model of numbers", nonsense, "Bool"},
		{"error for model", nonsense, "no model"},
		{"dies for model", died, "exit status 1"},
	}
	for _, test := range tests {
		for _, incremental := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/incremental=%v", test.how, incremental), func(t *testing.T) {
				t.Setenv(misbehaveEnv, test.how)
				t.Setenv("GORACE", "atexit_sleep_ms=0") // or a race-checked solver is slow to end
				p, err := smtlib.Find("z3", self)
				if err != nil {
					t.Fatal(err)
				}
				b := smt.NewBuilder()
				s := smtlib.New(p, solver.Limits{Incremental: incremental}, smtlib.Options{})
				defer s.Close()
				for i := range 5000 { // more than a pipe holds
					s.Assert("", b.Const(fmt.Sprintf("a_rather_long_name_%d", i), smt.Bool))
				}
				s.Assert("", b.Const("x", smt.Bool))
				for range 2 { // the second time, afresh
					ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
					began := time.Now()
					res, err := s.Check(ctx)
					cancel()
					if took := time.Since(began); took > 2*time.Second {
						t.Errorf("took %v", took)
					}
					got := fmt.Sprint(res.Status, " ", res.Reason)
					var d *solver.DiedError
					var a *solver.AnswerError
					switch {
					case errors.As(err, &d):
						got = died
					case errors.As(err, &a):
						got = nonsense
					case err != nil:
						t.Fatal(err)
					}
					if got != test.want {
						t.Errorf("got %s (%v), want %s", got, err, test.want)
					}
					if err != nil && !strings.Contains(err.Error(), test.says) {
						t.Errorf("%q is not in: %v", test.says, err)
					}
				}
			})
		}
	}
}

// TestHangAfterLimit has a solver that ignores its own time limit.
func TestHangAfterLimit(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(misbehaveEnv, "hangs")
	p, err := smtlib.Find("z3", self)
	if err != nil {
		t.Fatal(err)
	}
	s := smtlib.New(p, solver.Limits{Timeout: 100 * time.Millisecond}, smtlib.Options{})
	defer s.Close()
	began := time.Now()
	res, err := s.Check(t.Context())
	if took := time.Since(began); err != nil || res.Reason != solver.Timeout || took > 3*time.Second {
		t.Errorf("%v, %v after %v", res, err, took)
	}
}
