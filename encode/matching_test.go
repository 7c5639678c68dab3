package encode_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/protocoltest"
	"github.com/speckl/kraftprove/protocol/state"
)

// scripted is a script with the values that it gives, for the evaluator.
type scripted struct {
	patterns []encode.Pattern
	values   []map[int]given // by pattern: arguments
}

// given is a value of an argument; of a message, some of its fields.
type given struct {
	typ    *protocol.Sort // of a message
	value  state.Value
	fields map[int]bool
}

// script makes a script that a random walk of n steps matches, or matched before it was changed.
func (l *levels) script(n int) scripted {
	var walk []*state.Step
	l.eval.RandomWalk(l.r, n, func(s *state.Step) bool { walk = append(walk, s); return true })
	var out scripted
	for i := 0; i < len(walk); {
		if l.r.IntN(3) == 0 { // a gap for some of the steps
			k := min(l.r.IntN(3), len(walk)-i)
			p := encode.Pattern{Many: true, Most: l.r.IntN(3)}
			if p.Most > 0 {
				p.Most = max(p.Most, k)
			}
			if l.r.IntN(2) == 0 {
				p.Actions = []*protocol.Action{l.sys.Actions[l.r.IntN(len(l.sys.Actions))]}
				for _, s := range walk[i : i+k] {
					p.Actions = append(p.Actions, s.Action)
				}
			}
			out.patterns, out.values = append(out.patterns, p), append(out.values, nil)
			if i += k; i >= len(walk) {
				break
			}
		}
		p, values := l.pattern(walk[i])
		out.patterns, out.values = append(out.patterns, p), append(out.values, values)
		i++
	}
	return out
}

// pattern matches a step: any step of its action, or one with some arguments.
func (l *levels) pattern(s *state.Step) (encode.Pattern, map[int]given) {
	p, values := encode.Pattern{Actions: []*protocol.Action{s.Action}}, map[int]given{}
	switch l.r.IntN(6) {
	case 0:
		return encode.Pattern{}, nil
	case 1:
		p.Actions = append(p.Actions, l.sys.Actions[l.r.IntN(len(l.sys.Actions))])
		return p, nil
	case 2:
		return p, nil
	}
	p.Args = make([]protocol.Term, len(s.Args))
	for i, q := range s.Action.Params {
		if l.r.IntN(3) == 0 {
			continue
		}
		d := &describer{st: l.st, ok: true}
		v := s.Args[i]
		if l.r.IntN(12) == 0 && q.Sort.IsScalar() {
			v = l.randomValue(q.Sort)
		}
		typ := q.Sort
		if typ.Kind == protocol.UnionKind {
			typ = typ.Union[v.N]
		}
		if typ.Kind != protocol.MessageKind {
			p.Args[i], values[i] = d.term(typ, v), given{value: v}
			continue
		}
		g := given{typ: typ, value: v, fields: map[int]bool{}}
		r := &protocol.RecordTerm{Of: typ, Fields: make([]protocol.Term, len(typ.Fields))}
		for k, f := range typ.Fields {
			d.ok = true
			if t := d.term(f.Sort, v.Kids[k]); d.ok && l.r.IntN(2) == 0 {
				r.Fields[k], g.fields[k] = t, true
			}
		}
		p.Args[i], values[i] = r, g
	}
	return p, values
}

func matches(p encode.Pattern, values map[int]given, s *state.Step) bool {
	if p.Actions != nil && !slices.Contains(p.Actions, s.Action) {
		return false
	}
	for i, g := range values {
		v := s.Args[i]
		if g.typ == nil {
			if !v.Equal(g.value) {
				return false
			}
			continue
		}
		if q := s.Action.Params[i].Sort; q.Kind == protocol.UnionKind && q.Union[v.N] != g.typ {
			return false
		}
		for k := range g.fields {
			if !v.Kids[k].Equal(g.value.Kids[k]) {
				return false
			}
		}
	}
	return true
}

// ends are the states after runs of at most most steps that match the script; false if there are too many.
func (l *levels) ends(s scripted, most int) ([]*state.State, bool) {
	type place struct {
		steps int
		s     *state.State
	}
	tried := 0
	now := map[string]place{"": {0, l.eval.Init()}}
	key := func(p place) string { return fmt.Sprint(p.steps, *p.s) }
	step := func(from map[string]place, ok func(*state.Step) bool) map[string]place {
		out := map[string]place{}
		for _, p := range from {
			for _, a := range l.sys.Actions {
				for x := range l.eval.Steps(p.s, a) {
					if tried++; p.steps < most && ok(x) {
						q := place{p.steps + 1, x.Post}
						out[key(q)] = q
					}
				}
			}
		}
		return out
	}
	for i, p := range s.patterns {
		ok := func(x *state.Step) bool { return matches(p, s.values[i], x) }
		if !p.Many {
			now = step(now, ok)
			continue
		}
		rounds := most
		if p.Most > 0 {
			rounds = p.Most
		}
		more := now
		for range rounds {
			if tried > 20000 {
				return nil, false
			}
			more = step(more, ok)
			maps.Copy(now, more)
		}
	}
	var out []*state.State
	for _, p := range now {
		out = append(out, p.s)
	}
	return out, tried <= 20000
}

// TestScripts compares whether a run matches a script and leads to a goal, by an unrolling and by the evaluator.
func TestScripts(t *testing.T) { // not parallel: one solver at a time
	for _, test := range []struct {
		spec  string
		scope map[string]int // nil: random ones
		steps int
		seeds int
	}{
		{"features.yaml", nil, 3, 6},
		{"symmetric.yaml", nil, 3, 8},
		{"cluster.yaml", nil, 3, 6},
		{"raft.yaml", map[string]int{"Server": 2, "Term": 2, "Index": 1, "Value": 1}, 6, 16},
		{"kraft.yaml", map[string]int{"Replica": 2, "Voter": 1, "Epoch": 2, "Offset": 2, "CorrelationId": 2, "Value": 1}, 6, 16},
	} {
		sys := load(t, test.spec)
		t.Run(test.spec, func(t *testing.T) {
			seen := map[string]int{}
			seeds := test.seeds
			if testing.Short() {
				seeds /= 2
			}
			forSeeds(t, seeds, func(t *testing.T, r *rand.Rand) {
				scope := maps.Clone(test.scope)
				if scope == nil {
					scope = randomScope(sys, r, 3)
				}
				l := newWorld(sys, scope, r).explore(2, 3000)
				s := l.script(1 + r.IntN(test.steps))
				laid, most := true, 0
				for _, p := range s.patterns {
					switch {
					case !p.Many:
						most++
					case p.Most == 0:
						laid, most = false, most+1
					default:
						most += p.Most
					}
				}
				ends, ok := l.ends(s, most)
				if !ok {
					return
				}
				goal := encode.Goal{Whole: r.IntN(3) == 0}
				switch {
				case r.IntN(3) > 0 && len(ends) > 0: // the last state, more or less
					end := ends[r.IntN(len(ends))]
					for _, v := range sys.State {
						if r.IntN(3) > 0 {
							goal.Cells = append(goal.Cells, encode.Cell{Var: v, Value: end.Vars[v.Index]})
						}
					}
					if n := len(goal.Cells); n > 0 && r.IntN(3) == 0 {
						c := &goal.Cells[r.IntN(n)]
						c.Value = l.randomValue(c.Var.Sort)
					}
				case r.IntN(2) == 0:
					goal.Formula = protocoltest.NewGenerator(l.world.st, l.world.r).Formula(false)
				}
				want := slices.ContainsFunc(ends, func(s *state.State) bool { return l.meets(goal, s) })
				u := encode.NewEncoder(sys, l.scope).Unroll(goal, s.patterns)
				for u.Depth() < most {
					u.Extend()
				}
				found, left := l.ask(t, u, goal, most, true)
				if left {
					seen["leaves the scope"]++
				} else if found != want {
					t.Fatalf("scope %v, script %v, goal %v %s: found %v, by the evaluator %v", scope, s, goal, showGoal(goal), found, want)
				}
				seen[fmt.Sprintf("laid out %v, found %v", laid, found)]++
			})
			t.Log(seen)
			if testing.Short() {
				return
			}
			for _, want := range []string{"laid out true, found true", "laid out false, found true"} {
				if seen[want] == 0 {
					t.Errorf("never: %s", want)
				}
			}
		})
	}
}
