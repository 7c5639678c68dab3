package report

import (
	"fmt"
	"slices"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// trace is an execution taken apart for those who write it.
type trace struct {
	*Execution
	sys      *protocol.System
	plain    printer        // values as a spec would write them
	page     printer        // values for people
	replicas *protocol.Sort // the element sort that indexes most of the state; nil if none does
	clock    *protocol.Sort // the natural sort, not of indexes, that most of state and messages have; nil if there is none
	steps    []*event       // the steps
	broken   *view          // the end of the run, with why the property is false there; nil if none is said to be
}

// event is a step of a trace.
type event struct {
	*state.Step
	number  int // from 1
	note    string
	changes []change
	sent    []envelope
	got     []envelope // messages among the arguments
	actor   int        // the replica that performs it, by position; -1 if one cannot tell
}

// change is a cell that a step changes: of a function, the value for all arguments.
type change struct {
	of       *protocol.StateVar
	path     []int
	sort     *protocol.Sort // of the cell
	old, now state.Value
}

// envelope is a message with the step that sent it first.
type envelope struct {
	typ  *protocol.Sort
	msg  state.Value
	step int // 0: it was sent before the run began
}

// newTrace takes an execution apart. It is an error if its property holds at the
// end, or its goal does not.
func newTrace(e *Execution) (*trace, error) {
	st := e.Run.Structure
	t := &trace{Execution: e, sys: st.System, plain: printer{st: st}, page: printer{st, newStrips(st.System)}}
	t.replicas, t.clock = mostUsed(t.sys)
	var sent []envelope
	for i, s := range e.Run.Steps {
		x := &event{Step: s, number: i + 1}
		if i < len(e.Notes) {
			x.note = e.Notes[i]
		}
		for _, v := range t.sys.State {
			for _, path := range differences(v.Sort, s.Pre.Vars[v.Index], s.Post.Vars[v.Index], nil) {
				x.changes = append(x.changes, change{v, path, leaf(v.Sort), at(s.Pre.Vars[v.Index], path), at(s.Post.Vars[v.Index], path)})
			}
		}
		for _, typ := range t.sys.Messages {
			for _, m := range s.Post.Msgs[typ.ID] {
				if !s.Pre.HasMessage(typ, m) {
					x.sent = append(x.sent, envelope{typ, m, x.number})
				}
			}
		}
		sent = append(sent, x.sent...)
		for k, a := range s.Action.Params {
			if typ, m := message(a.Sort, s.Args[k]); typ != nil {
				x.got = append(x.got, origin(sent, typ, m))
			}
		}
		x.actor = t.actorOf(x)
		t.steps = append(t.steps, x)
	}
	t.findFull()
	return t, t.conclude()
}

// mostUsed are the element sort that indexes most state variables, and the natural
// sort that occurs most in state and messages, indexes aside.
func mostUsed(sys *protocol.System) (replicas, clock *protocol.Sort) {
	indexes, numbers := map[*protocol.Sort]int{}, map[*protocol.Sort]int{}
	for _, v := range sys.State {
		if v.Sort.Kind == protocol.FuncKind {
			indexes[v.Sort.Domain]++
		}
		numbers[leaf(v.Sort)]++
	}
	for _, m := range sys.Messages {
		for _, f := range m.Fields {
			numbers[f.Sort]++
		}
	}
	for _, s := range sys.Sorts {
		switch {
		case s.Kind == protocol.ElementKind && indexes[s] > indexes[replicas]:
			replicas = s
		case s.Kind == protocol.NaturalKind && !s.Index && numbers[s] > numbers[clock]:
			clock = s
		}
	}
	return replicas, clock
}

// leaf is what a function yields in the end.
func leaf(s *protocol.Sort) *protocol.Sort {
	for s.Kind == protocol.FuncKind {
		s = s.Elem
	}
	return s
}

// differences are the paths of the cells in which two values of a sort differ.
func differences(sort *protocol.Sort, v, w state.Value, path []int) [][]int {
	switch {
	case v.Equal(w):
		return nil
	case sort.Kind != protocol.FuncKind:
		return [][]int{path}
	}
	var out [][]int
	for k := range v.Kids {
		out = append(out, differences(sort.Elem, v.Kids[k], w.Kids[k], append(slices.Clone(path), k))...)
	}
	return out
}

// origin is a message with the step that sent it.
func origin(sent []envelope, typ *protocol.Sort, m state.Value) envelope {
	for _, s := range sent {
		if s.typ == typ && s.msg.Equal(m) {
			return s
		}
	}
	return envelope{typ, m, 0}
}

// actorOf is the replica that performs a step: the one that a message received is
// for, or the first argument that is one.
func (t *trace) actorOf(x *event) int {
	for _, g := range x.got {
		if to := t.party(g, "to"); to >= 0 {
			return to
		}
	}
	for k, a := range x.Action.Params {
		if a.Sort == t.replicas {
			return x.Args[k].N
		}
	}
	return -1
}

// party is the replica that a field of a message names, from or to; -1 if the
// message has no such field.
func (t *trace) party(m envelope, field string) int {
	f := m.typ.Field(field)
	if f == nil || t.replicas == nil || f.Sort != t.replicas {
		return -1
	}
	return m.msg.Kids[f.Index].N
}

// sender is the replica that sent a message, or -1.
func (t *trace) sender(m envelope) int {
	if from := t.party(m, "from"); from >= 0 {
		return from
	}
	if m.step > 0 {
		return t.steps[m.step-1].actor
	}
	return -1
}

// final is the state in which the run ends.
func (t *trace) final() *state.State {
	if len(t.steps) == 0 {
		return t.Run.Init
	}
	return t.steps[len(t.steps)-1].Post
}

// scope is the sizes of the run's structure.
func (t *trace) scope() encode.Scope { return scopeOf(t.Run.Structure) }

// findFull finds the records of which pages and diagrams must show all fields.
func (t *trace) findFull() {
	seen := known{}
	v := newPlainView(t.page, t.Run.Init, t.final())
	v.all = true
	v.findFull(seen)
	v.all = false
	for _, s := range t.sys.State {
		if !s.Ghost {
			v.read[s] = [][]int{nil}
		}
	}
	for _, x := range t.steps {
		v.pre, v.post = x.Pre, x.Post
		v.findFull(seen)
	}
}

// conclude evaluates what the run is said to end with.
func (t *trace) conclude() error {
	ev := semantics.NewEvaluator(t.Run.Structure)
	if t.Goal != nil && !ev.Formula(t.Goal, t.final()) {
		return fmt.Errorf("the run does not end with %s", formula(t.Goal, 0))
	}
	if t.Broken == nil {
		return nil
	}
	v := newPlainView(t.page, t.final(), t.final())
	env := semantics.Env{Pre: t.final()}
	if n := len(t.steps); n > 0 {
		last := t.steps[n-1]
		v.pre, v.paired = last.Pre, !t.Broken.TwoState
		if t.Broken.TwoState {
			env = semantics.Env{Pre: last.Pre, Post: last.Post, Step: last.Action}
		}
	} else if t.Broken.TwoState {
		return fmt.Errorf("%s is about steps, and the run has none", t.Broken.ID)
	}
	v.property, v.broken, v.refer = t.Broken, ev.Explain(t.Broken.Formula, env), t.reference
	if v.broken == nil {
		return fmt.Errorf("the run does not break %s", t.Broken.ID)
	}
	env.Vars, env.Record = v.broken.Vars, v.recorder()
	v.evaluate(ev, env)
	t.broken = v
	return nil
}

// reference names a message by its type, its parties and the step that sent it; it
// is the whole message if that is not enough.
func (t *trace) reference(typ *protocol.Sort, m state.Value) string {
	step := 0
	of := " of the start"
	var among []envelope // those sent in the step, or before the run
	for _, x := range t.steps {
		if slices.ContainsFunc(x.sent, func(s envelope) bool { return s.typ == typ && s.msg.Equal(m) }) {
			step, of, among = x.number, fmt.Sprintf(" of step %d", x.number), x.sent
		}
	}
	if step == 0 {
		for _, s := range t.Run.Init.Msgs[typ.ID] {
			among = append(among, envelope{typ, s, 0})
		}
	}
	mine := envelope{typ, m, step}
	from, to := t.party(mine, "from"), t.party(mine, "to")
	alike := 0
	for _, s := range among {
		if s.typ == typ && t.party(s, "from") == from && t.party(s, "to") == to {
			alike++
		}
	}
	switch {
	case alike != 1:
		return t.page.value(typ, m)
	case from >= 0 && to >= 0:
		return typ.Name + " " + t.replica(from) + "→" + t.replica(to) + of
	}
	return typ.Name + of
}

// replica is the name of a replica.
func (t *trace) replica(k int) string { return t.plain.key(t.replicas, k) }

// call is the action with its arguments.
func (t *trace) call(x *event) string {
	return x.Action.Name + "(" + t.page.join(len(x.Args), ", ", func(k int) string {
		a := x.Action.Params[k]
		if typ, m := message(a.Sort, x.Args[k]); typ != nil {
			return a.Name + " = " + t.reference(typ, m)
		}
		return a.Name + " = " + t.page.value(a.Sort, x.Args[k])
	}) + ")"
}

// cellName is a cell as a formula would write it: endOffset[n1][n2].
func (t *trace) cellName(c change) string {
	name, sort := c.of.Name, c.of.Sort
	for _, k := range c.path {
		name += "[" + t.plain.key(sort.Domain, k) + "]"
		sort = sort.Elem
	}
	return name
}
