package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	return systems, nil
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

// selection is what the arguments of a command name: specs, and properties in them.
type selection struct {
	systems    []*protocol.System
	properties map[*protocol.System][]string
}

// selectSpecs reads arguments of the form SPEC or SPEC/PROPERTY.
func selectSpecs(all []*protocol.System, args []string) (selection, error) {
	sel := selection{properties: map[*protocol.System][]string{}}
	if len(args) == 0 {
		sel.systems = all
		return sel, nil
	}
	whole := map[*protocol.System]bool{}
	for _, arg := range args {
		name, prop, hasProp := strings.Cut(arg, "/")
		sys := findSystem(all, name)
		if sys == nil {
			return sel, usage("no spec is called %s; there are: %s", name, strings.Join(systemNames(all), ", "))
		}
		if !slices.Contains(sel.systems, sys) {
			sel.systems = append(sel.systems, sys)
		}
		if !hasProp {
			whole[sys] = true
			continue
		}
		if sys.Property(prop) == nil {
			return sel, unknownProperty(sys, prop)
		}
		if !slices.Contains(sel.properties[sys], prop) {
			sel.properties[sys] = append(sel.properties[sys], prop)
		}
	}
	for sys := range whole {
		delete(sel.properties, sys)
	}
	return sel, nil
}

func findSystem(all []*protocol.System, name string) *protocol.System {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func systemNames(all []*protocol.System) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

func unknownProperty(sys *protocol.System, id string) error {
	var out []string
	for _, p := range sys.Properties {
		out = append(out, p.ID)
	}
	return usage("%s has no property %s; there are: %s", sys.Name, id, strings.Join(out, ", "))
}

// findProperty reads [SPEC/]PROPERTY: without a spec, the property of exactly one.
func findProperty(all []*protocol.System, arg string) (*protocol.System, *protocol.Property, error) {
	if name, id, ok := strings.Cut(arg, "/"); ok {
		sys := findSystem(all, name)
		if sys == nil {
			return nil, nil, usage("no spec is called %s; there are: %s", name, strings.Join(systemNames(all), ", "))
		}
		if p := sys.Property(id); p != nil {
			return sys, p, nil
		}
		return nil, nil, unknownProperty(sys, id)
	}
	var found []*protocol.System
	for _, s := range all {
		if s.Property(arg) != nil {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		if len(all) == 1 {
			return nil, nil, unknownProperty(all[0], arg)
		}
		return nil, nil, usage("no spec has a property %s; see kraftprove list", arg)
	case 1:
		return found[0], found[0].Property(arg), nil
	}
	return nil, nil, usage("%s is in several specs (%s): write SPEC/%s", arg, strings.Join(systemNames(found), ", "), arg)
}
