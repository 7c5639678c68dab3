package main

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/google/go-cmp/cmp"
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode, "samecounts": sameCounts},
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

// sameCounts compares what two explorations counted: samecounts a.json b.json.
func sameCounts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samecounts FILE FILE")
	}
	var got [2]struct {
		Generated, Distinct, Queue int
		LeftOut                    int `json:"left_out"`
		Levels                     []int
		Actions                    []struct {
			Name       string
			Steps, New int
		}
	}
	for i, name := range args {
		if err := json.Unmarshal([]byte(ts.ReadFile(name)), &got[i]); err != nil {
			ts.Fatalf("read %s: %v", name, err)
		}
	}
	if d := cmp.Diff(got[0], got[1]); d != "" || got[0].Distinct == 0 {
		ts.Fatalf("counts (-%s +%s):\n%s", args[0], args[1], d)
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

// An interrupt ends a search, which says what it has seen and, asked to, writes a checkpoint. Exit code 130.
func TestInterruptSearch(t *testing.T) {
	t.Parallel()
	checkpoint := filepath.Join(t.TempDir(), "c.ckpt")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"simulate", "raft", "--time", "1h"}, "Stopped before the time was up. "},
		{[]string{"explore", "raft", "--checkpoint", checkpoint}, "Stopped before it was done, "},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		var out, errs bytes.Buffer
		code := run(ctx, c.args, strings.NewReader(""), &out, &errs)
		cancel()
		if code != exitInterrupted || !strings.Contains(out.String(), "\n"+c.want) || errs.String() != "kraftprove: interrupted\n" {
			t.Errorf("%v: exit code %d, want %d\n%s%s", c.args, code, exitInterrupted, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"explore", "raft", "--resume", checkpoint, "--states", "1"}, strings.NewReader(""), &out, &errs); code != exitUnknown {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	if rest, err := filepath.Glob(filepath.Join(filepath.Dir(checkpoint), ".*")); err != nil || len(rest) > 0 {
		t.Errorf("left behind: %v, %v", rest, err)
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
