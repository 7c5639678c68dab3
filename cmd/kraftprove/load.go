package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/specs"
)

// specFiles is where the specs and their lock files are.
func (a *app) specFiles() fs.FS {
	if a.specsDir != "" {
		return os.DirFS(a.specsDir)
	}
	return specs.FS
}

// loadLocks reads the lock files of the specs. One that is missing or unreadable
// would only have saved time.
func (a *app) loadLocks(systems []*protocol.System) map[string]proofs.Lock {
	out := map[string]proofs.Lock{}
	for _, s := range systems {
		if text, err := fs.ReadFile(a.specFiles(), lockName(s.File.Name)); err == nil {
			out[s.Name] = proofs.ParseLock(text)
		}
	}
	return out
}

// loadSpecs reads the specs. A spec that is wrong is shown and ends the command.
func (a *app) loadSpecs() ([]*protocol.System, error) {
	if a.specsDir != "" {
		info, err := os.Stat(a.specsDir)
		if err != nil {
			return nil, environment(fmt.Errorf("open --specs: %w", err))
		}
		if !info.IsDir() {
			return nil, environment(fmt.Errorf("open --specs: %s is not a folder", a.specsDir))
		}
	} else {
		a.noteDifferentSpecs()
	}
	systems, diags, err := protocol.LoadAll(a.specFiles())
	if err != nil {
		return nil, environment(err)
	}
	if len(diags) > 0 {
		if err := diag.Render(a.err, diags, diag.RenderOptions{Color: a.color && a.progress}); err != nil {
			return nil, environment(err)
		}
	}
	if diags.HasErrors() {
		return nil, &exitError{code: exitSpec, printed: true}
	}
	if len(systems) == 0 {
		return nil, environment(fmt.Errorf("%s has no *.yaml file", a.specsDir))
	}
	if a.mutation != "" {
		return a.mutated(systems)
	}
	return systems, nil
}

// mutated are the systems that have the mutation that --mutation names, with it.
func (a *app) mutated(systems []*protocol.System) ([]*protocol.System, error) {
	var out []*protocol.System
	var names []string
	for _, s := range systems {
		for _, m := range s.Mutations {
			names = append(names, m.Name)
		}
		m := s.MutationNamed(a.mutation)
		if m == nil {
			continue
		}
		mutant, diags := s.Mutated(m)
		if len(diags) > 0 {
			if err := diag.Render(a.err, diags, diag.RenderOptions{Color: a.color && a.progress}); err != nil {
				return nil, environment(err)
			}
		}
		if diags.HasErrors() {
			return nil, &exitError{code: exitSpec, printed: true}
		}
		out = append(out, mutant)
	}
	if len(out) == 0 {
		help := "no spec has one"
		if len(names) > 0 {
			help = "there are: " + strings.Join(names, ", ")
			if near := protocol.Closest(a.mutation, names); near != "" {
				help = "did you mean " + near + "?"
			}
		}
		return nil, usage("--mutation %s: there is no such mutation; %s", a.mutation, help)
	}
	return out, nil
}

// noteDifferentSpecs says so if the built-in specs are not those of the checkout.
func (a *app) noteDifferentSpecs() {
	dir := checkoutSpecs()
	if dir == "" {
		return
	}
	names := map[string]bool{}
	for _, fsys := range []fs.FS{specs.FS, os.DirFS(dir)} {
		list, _ := fs.Glob(fsys, "*.yaml")
		for _, n := range list {
			names[n] = true
		}
	}
	for n := range names {
		built, err1 := fs.ReadFile(specs.FS, n)
		here, err2 := os.ReadFile(filepath.Join(dir, n))
		if err1 != nil || err2 != nil || !bytes.Equal(built, here) {
			fmt.Fprintf(a.err, "note: the built-in specs differ from those of this checkout; to use the latter: make build, or --specs %s\n", relative(dir))
			return
		}
	}
}

func relative(dir string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, dir); err == nil {
			return rel
		}
	}
	return dir
}
