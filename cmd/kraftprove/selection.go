package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/proofs/report"
	"github.com/speckl/kraftprove/protocol"
)

// selection is what the arguments of a command name: specs, and properties in them.
type selection struct {
	systems    []*protocol.System
	properties map[*protocol.System][]string
}

// property is the first property named in a spec.
func (s selection) property(sys *protocol.System) *protocol.Property {
	return sys.Property(s.properties[sys][0])
}

// heading writes which spec the text behind it is about, if there are several.
func (s selection) heading(a *app, position int) error {
	if len(s.systems) == 1 {
		return nil
	}
	return report.Heading(a.out, s.systems[position], position, report.Options{Width: a.width, Color: a.color})
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
		sys, err := findSystem(all, name)
		if err != nil {
			return sel, err
		}
		if !slices.Contains(sel.systems, sys) {
			sel.systems = append(sel.systems, sys)
		}
		if !hasProp {
			whole[sys] = true
			continue
		}
		if sys.Property(prop) == nil {
			return sel, unknown([]*protocol.System{sys}, named{aProperty, prop})
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

// selectProperty reads [SPEC/]PROPERTY. Without SPEC, each spec is meant that has the
// property and all else that the command line names.
func selectProperty(all []*protocol.System, arg string, names ...named) (selection, error) {
	id := arg
	if name, rest, ok := strings.Cut(arg, "/"); ok {
		sys, err := findSystem(all, name)
		if err != nil {
			return selection{}, err
		}
		all, id = []*protocol.System{sys}, rest
	}
	names = append([]named{{aProperty, id}}, names...)
	systems := all
	for i, n := range names {
		if len(n.having(all)) == 0 {
			if findByName(all, arg) != nil {
				return selection{}, usage("%s is a spec: write %s/PROPERTY", arg, arg)
			}
			return selection{}, unknown(all, n)
		}
		if systems = n.having(systems); i == 0 {
			all = systems
		}
	}
	if len(systems) == 0 {
		return selection{}, noneHasAll(all, names)
	}
	sel := selection{systems, map[*protocol.System][]string{}}
	for _, sys := range systems {
		sel.properties[sys] = []string{id}
	}
	return sel, nil
}

// named is something in a spec that the command line names.
type named struct {
	kind part
	name string
}

// part is what a spec has by name.
type part uint8

const (
	aProperty part = iota
	anAction
	aMutation
)

func (p part) String() string {
	return [...]string{aProperty: "property", anAction: "action", aMutation: "mutation"}[p]
}

// of are the names of the parts that a spec has.
func (p part) of(sys *protocol.System) []string {
	var out []string
	switch p {
	case aProperty:
		for _, x := range sys.Properties {
			out = append(out, x.ID)
		}
	case anAction:
		for _, x := range sys.Actions {
			out = append(out, x.Name)
		}
	case aMutation:
		for _, x := range sys.Mutations {
			out = append(out, x.Name)
		}
	}
	return out
}

// having are the specs that have what is named.
func (n named) having(systems []*protocol.System) []*protocol.System {
	var out []*protocol.System
	for _, s := range systems {
		if slices.Contains(n.kind.of(s), n.name) {
			out = append(out, s)
		}
	}
	return out
}

// unknown says that none of the specs has what is named, and what may be meant.
func unknown(systems []*protocol.System, n named) error {
	var known []string
	for _, s := range systems {
		known = append(known, n.kind.of(s)...)
	}
	has, where := "has", systems[0].Name
	if len(systems) > 1 {
		has, where = "have", "SPEC"
	}
	help := "see kraftprove list " + where
	if near := protocol.Closest(n.name, known); near != "" {
		help = "did you mean " + near + "?"
	}
	return usage("%s %s no %s %s; %s", strings.Join(systemNames(systems), " and "), has, n.kind, n.name, help)
}

// noneHasAll says which specs have what of the names.
func noneHasAll(systems []*protocol.System, names []named) error {
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s (%s)", n.name, strings.Join(systemNames(n.having(systems)), ", ")))
	}
	return usage("no spec has all of these: %s", strings.Join(parts, ", "))
}

func findByName(all []*protocol.System, name string) *protocol.System {
	for _, s := range all {
		if s.Name == name || s.Mutation != nil && s.Name == name+"/"+s.Mutation.Name {
			return s
		}
	}
	return nil
}

// findSystem finds the spec that an argument names.
func findSystem(all []*protocol.System, name string) (*protocol.System, error) {
	if s := findByName(all, name); s != nil {
		return s, nil
	}
	var instead []string
	for _, s := range (named{aProperty, name}).having(all) {
		instead = append(instead, s.Name+"/"+name)
	}
	help := "there are: " + strings.Join(systemNames(all), ", ")
	if len(instead) > 0 {
		help = "for the property write " + strings.Join(instead, " or ")
	}
	return nil, usage("no spec is called %s; %s", name, help)
}

func systemNames(all []*protocol.System) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}
