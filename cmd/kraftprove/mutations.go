package main

import (
	"slices"
	"strings"

	"github.com/speckl/kraftprove/protocol"
)

// mutations are specs, and mutations of them: nil means all, and the scenarios of the spec itself.
type mutations struct {
	systems   []*protocol.System
	mutations map[*protocol.System][]*protocol.Mutation
}

// one is the only mutation that is named, if it has one scenario.
func (s mutations) one() *protocol.Mutation {
	if len(s.systems) != 1 || len(s.mutations[s.systems[0]]) != 1 {
		return nil
	}
	if m := s.mutations[s.systems[0]][0]; len(m.Scenarios) == 1 {
		return m
	}
	return nil
}

// few reports whether no more than one mutation of each spec was named.
func (s mutations) few() bool {
	for _, sys := range s.systems {
		if len(s.mutations[sys]) != 1 {
			return false
		}
	}
	return true
}

// selectMutations reads arguments of the form SPEC, SPEC/MUTATION or MUTATION, which each spec may have.
func selectMutations(all []*protocol.System, args []string) (mutations, error) {
	sel := mutations{mutations: map[*protocol.System][]*protocol.Mutation{}}
	if len(args) == 0 {
		sel.systems = all
		return sel, nil
	}
	whole := map[*protocol.System]bool{}
	for _, arg := range args {
		name, mutation, ok := strings.Cut(arg, "/")
		in := all
		switch sys := findByName(all, arg); {
		case sys != nil:
			in, whole[sys] = []*protocol.System{sys}, true
		case ok:
			sys, err := findSystem(all, name)
			if err != nil {
				return sel, err
			}
			in = []*protocol.System{sys}
		default:
			mutation = arg
		}
		if mutation != "" {
			n := named{aMutation, mutation}
			if len(n.having(in)) == 0 {
				return sel, unknown(in, n)
			}
			in = n.having(in)
		}
		for _, sys := range in {
			if !slices.Contains(sel.systems, sys) {
				sel.systems = append(sel.systems, sys)
			}
			if m := sys.MutationNamed(mutation); m != nil && !slices.Contains(sel.mutations[sys], m) {
				sel.mutations[sys] = append(sel.mutations[sys], m)
			}
		}
	}
	for sys := range whole {
		delete(sel.mutations, sys)
	}
	return sel, nil
}
