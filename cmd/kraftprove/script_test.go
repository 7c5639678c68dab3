package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kraftprove": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("z3"); err != nil {
		if os.Getenv("KRAFTPROVE_REQUIRE_SOLVERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("KRAFTPROVE_UPDATE") == "1",
		Setup: func(e *testscript.Env) error {
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			e.Setenv("SPECS", filepath.Join(wd, "..", "..", "specs"))
			bin, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			e.Setenv("BIN", bin) // where kraftprove is
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode},
	})
}

// exitCode runs kraftprove and wants the given exit code: exitcode 2 check --specs dir.
// What it printed is compared by stdout and stderr as after exec.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exitcode CODE ARG ...")
	}
	err := ts.Exec("kraftprove", args[1:]...)
	got := "0"
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("run kraftprove: %v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// trigger calls a function once a text has been written.
type trigger struct {
	mu   sync.Mutex
	want string
	call func()
	seen bytes.Buffer
}

func (w *trigger) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Write(b)
	if w.call != nil && strings.Contains(w.seen.String(), w.want) {
		w.call()
		w.call = nil
	}
	return len(b), nil
}

// An interrupt ends the program within a second, with exit code 130.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var at time.Time
	log := &trigger{want: "msg=query", call: func() { at = time.Now(); cancel() }}
	var out bytes.Buffer
	code := run(ctx, []string{"check", "raft", "--debug", "--scope", "Server=5,Term=4,Index=4"}, strings.NewReader(""), &out, log)
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d\n%s", code, exitInterrupted, log.seen.String())
	}
	if took := time.Since(at); took > 5*time.Second {
		t.Errorf("the program went on for %s", took)
	}
}

// A panic becomes exit code 70 and one line.
func TestCrash(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var errs bytes.Buffer
	a := &app{out: io.Discard, err: &errs}
	if code := a.crashed("broken", []byte("stack")); code != exitInternal {
		t.Errorf("exit code %d, want %d", code, exitInternal)
	}
	if got := errs.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "broken") {
		t.Errorf("got %q, want one line that names the fault", got)
	}
}
