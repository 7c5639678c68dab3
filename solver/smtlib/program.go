// Package smtlib asks solver programs, z3 and cvc5, over SMT-LIB 2.
//
// Each solver.Solver has a process of its own. The package knows how the
// programs differ (dialect.go), how to talk to a process that may be slow, dead
// or mad (process.go), and how a dialogue goes (session.go). It does not know
// what a formula is for.
package smtlib

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/speckl/kraftprove/solver"
)

// Program is a solver program that was found.
type Program struct {
	Name string // "z3" or "cvc5"
	Path string

	dialect *dialect
}

// Names returns the names that Find knows.
func Names() []string {
	names := make([]string, len(dialects))
	for i := range dialects {
		names[i] = dialects[i].name
	}
	return names
}

// Find looks for the solver of the given name: at path, or on PATH if path is
// empty. It returns a *solver.NotFoundError if it is not there.
func Find(name, path string) (Program, error) {
	for i := range dialects {
		d := &dialects[i]
		if d.name != name {
			continue
		}
		file := path
		if file == "" {
			file = d.binary
		}
		found, err := exec.LookPath(file)
		if err != nil {
			return Program{}, &solver.NotFoundError{Name: name, Path: path, Err: err}
		}
		return Program{Name: name, Path: found, dialect: d}, nil
	}
	return Program{}, fmt.Errorf("unknown solver %q, known are %s", name, strings.Join(Names(), ", "))
}

// FindAll looks on all of PATH for programs of the solver of the given name: those
// called by it, and by it with a version or another word behind, such as z3-4.13.
// They come in the order of PATH, a file that has several names once. That one is
// called so does not say that it answers.
func FindAll(name string) []Program {
	var out []Program
	known := map[string]bool{}
	for i := range dialects {
		d := &dialects[i]
		if d.name != name {
			continue
		}
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if !filepath.IsAbs(dir) {
				continue // as exec.LookPath has it
			}
			for _, pattern := range []string{d.binary, d.binary + "-*"} {
				for _, file := range matches(dir, pattern) {
					if real, err := filepath.EvalSymlinks(file); err == nil && !known[real] {
						known[real] = true
						out = append(out, Program{Name: name, Path: file, dialect: d})
					}
				}
			}
		}
	}
	return out
}

// matches are the programs in dir whose names match the pattern, sorted.
func matches(dir, pattern string) []string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		name := strings.TrimSuffix(e.Name(), ".exe")
		if ok, _ := path.Match(pattern, name); !ok {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, e.Name())); err == nil {
			out = append(out, found)
		}
	}
	return out
}

// Version asks the program for its version, such as "4.8.12".
func (p Program) Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && ctx.Err() == nil {
			return "", &solver.DiedError{Name: p.Name, Err: err, Stderr: string(exit.Stderr)}
		}
		return "", fmt.Errorf("%s --version: %w", p.Path, err)
	}
	m := p.dialect.version.FindSubmatch(out)
	if m == nil {
		return "", &solver.AnswerError{Name: p.Name, Answer: clip(string(out)), Why: "no version in it"}
	}
	return string(m[1]), nil
}

// Info says what reports show of the program.
func (p Program) Info(ctx context.Context) (solver.Info, error) {
	v, err := p.Version(ctx)
	return solver.Info{Name: p.Name, Version: v, Path: p.Path}, err
}
