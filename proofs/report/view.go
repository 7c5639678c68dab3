package report

import (
	"slices"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// view is a state or a step, of a counterexample or of a run, with what a reader
// needs to see of it: what changed, and what the step and the broken instance of the
// property read.
type view struct {
	printer
	cti      *proofs.CTI // nil in a run
	pre      *state.State
	post     *state.State // pre if there is no step
	read     map[*protocol.StateVar][][]int
	used     [][]state.Value // messages read, by type: sorted
	property *protocol.Property
	broken   *semantics.Broken // the instance of the property that is false
	paired   bool              // its literals have a value before the step and one after
	literals []literal
	all      bool // everything is needed

	// refer names a message in a run by the step that sent it, or is nil.
	refer func(*protocol.Sort, state.Value) string
}

// literal is a part of the broken instance with its truth value: before and
// after the step, or, of a state or of a two-state property, just after.
type literal struct {
	term   protocol.Term // nil if it says that the message sent, of type typ, is among those sent
	sent   *protocol.Binding
	typ    *protocol.Sort
	before bool
	after  bool
}

// text is the literal in lines of at most width runes, if possible; 0 is one line.
func (l literal) text(width int) string {
	if l.term == nil {
		return l.sent.Name + " ∈ " + l.typ.Name
	}
	return formula(l.term, width)
}

func (l literal) flipped() bool { return l.before != l.after }

// newPlainView is a view of a step, or of one state twice, in which nothing is read.
func newPlainView(p printer, pre, post *state.State) *view {
	return &view{
		printer: p,
		pre:     pre,
		post:    post,
		read:    map[*protocol.StateVar][][]int{},
		used:    make([][]state.Value, len(p.st.System.Messages)),
	}
}

func newView(c *proofs.CTI, all bool) *view {
	post := c.Post
	if post == nil {
		post = c.Pre
	}
	v := newPlainView(printer{c.Structure, newStrips(c.Structure.System)}, c.Pre, post)
	v.cti, v.all = c, all
	v.property, v.broken = c.Obligation.Property, c.Broken
	v.paired = c.Obligation.Kind == proofs.Consecution
	ev := semantics.NewEvaluator(c.Structure)
	record := v.recorder()
	if step := c.Step(); step != nil {
		ev.Reads(step, record)
	}
	env := semantics.Env{Pre: v.post, Vars: c.Broken.Vars, Record: record}
	if c.Obligation.Kind == proofs.TwoState {
		env.Pre, env.Post, env.Step = v.pre, v.post, c.Obligation.Action
	}
	v.evaluate(ev, env)
	v.findFull(known{})
	return v
}

// recorder makes what is read needed.
func (v *view) recorder() *semantics.Recorder {
	return &semantics.Recorder{
		Cell: func(s *protocol.StateVar, path []int, _ bool) {
			v.read[s] = append(v.read[s], slices.Clone(path))
		},
		Message: func(typ *protocol.Sort, msg state.Value, _ bool) { v.use(typ, msg) },
	}
}

// evaluate finds the literals' truth values in env.
func (v *view) evaluate(ev *semantics.Evaluator, env semantics.Env) {
	for _, b := range v.broken.Vars {
		typ, msg := message(b.Var.Sort, b.Value)
		if typ == nil {
			continue
		}
		v.use(typ, msg)
		if v.paired && !v.pre.HasMessage(typ, msg) && v.post.HasMessage(typ, msg) {
			v.literals = append(v.literals, literal{sent: b.Var, typ: typ, after: true})
		}
	}
	for _, t := range v.broken.Literals {
		l := literal{term: t, after: ev.Term(t, env).N != 0}
		l.before = l.after
		if v.paired {
			before := env
			before.Pre = v.pre
			l.before = ev.Term(t, before).N != 0
		}
		v.literals = append(v.literals, l)
	}
}

func (v *view) use(typ *protocol.Sort, msg state.Value) {
	list := v.used[typ.ID]
	at, ok := slices.BinarySearchFunc(list, msg, state.Value.Compare)
	if !ok {
		v.used[typ.ID] = slices.Insert(list, at, msg)
	}
}

func (v *view) isUsed(typ *protocol.Sort, msg state.Value) bool {
	_, ok := slices.BinarySearchFunc(v.used[typ.ID], msg, state.Value.Compare)
	return ok
}

// needed reports whether the step or the broken instance reads some of what
// lies at path.
func (v *view) needed(s *protocol.StateVar, path []int) bool {
	return v.all || slices.ContainsFunc(v.read[s], func(r []int) bool {
		n := min(len(r), len(path))
		return slices.Equal(r[:n], path[:n])
	})
}

// shown reports whether some of what lies at path is needed or changed.
func (v *view) shown(s *protocol.StateVar, path []int) bool {
	return v.needed(s, path) || !at(v.pre.Vars[s.Index], path).Equal(at(v.post.Vars[s.Index], path))
}

// at is the part of a function at path.
func at(f state.Value, path []int) state.Value {
	for _, k := range path {
		f = f.Kids[k]
	}
	return f
}
