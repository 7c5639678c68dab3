package semantics_test

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// The tests use one small election protocol, built by hand: no loader is
// involved, and every kind of sort occurs.

func natural(name string) *protocol.Sort {
	return &protocol.Sort{Kind: protocol.NaturalKind, Name: name}
}
func option(e *protocol.Sort) *protocol.Sort {
	return &protocol.Sort{Kind: protocol.OptionKind, Name: e.Name + "?", Elem: e}
}
func setSort(e *protocol.Sort) *protocol.Sort {
	return &protocol.Sort{Kind: protocol.SetKind, Name: "Set(" + e.Name + ")", Elem: e}
}
func seqSort(e *protocol.Sort) *protocol.Sort {
	return &protocol.Sort{Kind: protocol.SeqKind, Name: "Seq(" + e.Name + ")", Elem: e, Domain: index}
}
func funcSort(d, e *protocol.Sort) *protocol.Sort {
	return &protocol.Sort{Kind: protocol.FuncKind, Name: d.Name + " → " + e.Name, Domain: d, Elem: e}
}
func fields(s *protocol.Sort, fs ...*protocol.Field) *protocol.Sort {
	for i, f := range fs {
		f.Index = i
	}
	s.Fields = fs
	return s
}
func field(name string, s *protocol.Sort) *protocol.Field {
	return &protocol.Field{Name: name, Sort: s}
}

var (
	server  = &protocol.Sort{Kind: protocol.ElementKind, Name: "Server", Prefix: "n", Finite: true}
	value   = &protocol.Sort{Kind: protocol.ElementKind, Name: "Value", Prefix: "v"}
	lonely  = &protocol.Sort{Kind: protocol.ElementKind, Name: "Lonely", Prefix: "l"} // no quorum sort
	term    = natural("Term")
	index   = natural("Index")
	quorum  = &protocol.Sort{Kind: protocol.QuorumKind, Name: "Quorum", Elem: server}
	role    = &protocol.Sort{Kind: protocol.EnumKind, Name: "Role", Consts: []string{"Follower", "Candidate", "Leader"}}
	boolean = protocol.BoolSort

	servers  = setSort(server)
	optional = option(server)
	entry    = fields(&protocol.Sort{Kind: protocol.RecordKind, Name: "Entry"}, field("term", term), field("value", value))
	entries  = seqSort(entry)
	indexes  = funcSort(server, index)
	byTerm   = funcSort(term, value)

	vote = fields(&protocol.Sort{Kind: protocol.MessageKind, Name: "Vote", ID: 0},
		field("from", server), field("to", server), field("term", term))
	ack = fields(&protocol.Sort{Kind: protocol.MessageKind, Name: "Ack", ID: 1},
		field("term", term), field("ok", boolean), field("from", server))
	anyMsg = fields(&protocol.Sort{Kind: protocol.UnionKind, Name: "Vote ∪ Ack", Union: []*protocol.Sort{vote, ack}},
		field("from", server), field("term", term))
)

var vars []*protocol.StateVar

func variable(name string, s *protocol.Sort) *protocol.StateVar {
	v := &protocol.StateVar{Name: name, Sort: s, Index: len(vars)}
	vars = append(vars, v)
	return v
}

var (
	currentTerm  = variable("currentTerm", funcSort(server, term))
	roleOf       = variable("role", funcSort(server, role))
	votedFor     = variable("votedFor", funcSort(server, optional))
	logOf        = variable("log", funcSort(server, entries))
	votesGranted = variable("votesGranted", funcSort(server, servers))
	nextIndex    = variable("nextIndex", funcSort(server, indexes))
	leaders      = variable("leaders", byTerm)
	epoch        = variable("epoch", term)
	seen         = variable("seen", servers)
)

// Terms.

func lit(s *protocol.Sort, n int) protocol.Term  { return &protocol.Lit{Of: s, Value: n} }
func def(s *protocol.Sort) protocol.Term         { return &protocol.Default{Of: s} }
func use(b *protocol.Binding) protocol.Term      { return &protocol.Var{To: b} }
func read(v *protocol.StateVar) protocol.Term    { return &protocol.StateRead{State: v} }
func primed(v *protocol.StateVar) protocol.Term  { return &protocol.StateRead{State: v, Primed: true} }
func at(s, k protocol.Term) protocol.Term        { return &protocol.At{Seq: s, Index: k} }
func shift(x protocol.Term, d int) protocol.Term { return &protocol.Shift{X: x, Delta: d} }
func and(ts ...protocol.Term) protocol.Term      { return &protocol.Nary{And: true, Args: ts} }
func or(ts ...protocol.Term) protocol.Term       { return &protocol.Nary{Args: ts} }
func sel(x protocol.Term, name string) protocol.Term {
	return &protocol.Select{X: x, Field: x.Sort().Field(name)}
}
func apply(f protocol.Term, args ...protocol.Term) protocol.Term {
	for _, x := range args {
		f = &protocol.Apply{Fun: f, Arg: x}
	}
	return f
}
func un(op protocol.UnaryOp, x protocol.Term, of *protocol.Sort) protocol.Term {
	return &protocol.UnaryTerm{Op: op, X: x, Of: of}
}
func not(x protocol.Term) protocol.Term { return un(protocol.Not, x, boolean) }
func some(x protocol.Term) protocol.Term {
	return un(protocol.Some, x, optional)
}
func bin(op protocol.BinaryOp, x, y protocol.Term) protocol.Term { // Boolean results
	return &protocol.BinaryTerm{Op: op, X: x, Y: y, Of: boolean}
}
func same(op protocol.BinaryOp, x, y protocol.Term) protocol.Term { // results of x's sort
	return &protocol.BinaryTerm{Op: op, X: x, Y: y, Of: x.Sort()}
}
func eq(x, y protocol.Term) protocol.Term      { return bin(protocol.Eq, x, y) }
func implies(x, y protocol.Term) protocol.Term { return bin(protocol.Implies, x, y) }
func binding(name string, s *protocol.Sort) *protocol.Binding {
	return &protocol.Binding{Name: name, Sort: s}
}
func all(b *protocol.Binding, body protocol.Term) *protocol.Quant {
	return &protocol.Quant{Forall: true, Var: b, Body: body}
}
func ex(b *protocol.Binding, body protocol.Term) *protocol.Quant {
	return &protocol.Quant{Var: b, Body: body}
}
func allPrimed(b *protocol.Binding, body protocol.Term) *protocol.Quant {
	return &protocol.Quant{Forall: true, Var: b, Primed: true, Body: body}
}
func setOfServers(ks ...int) protocol.Term {
	t := &protocol.SetTerm{Of: servers}
	for _, k := range ks {
		t.Elems = append(t.Elems, lit(server, k))
	}
	return t
}
func record(s *protocol.Sort, fs ...protocol.Term) *protocol.RecordTerm {
	return &protocol.RecordTerm{Of: s, Fields: fs}
}
func entryOf(t, v int) protocol.Term { return record(entry, lit(term, t), lit(value, v)) }
func seqOf(es ...protocol.Term) protocol.Term {
	return &protocol.SeqTerm{Elems: es, Of: entries}
}
func length(s protocol.Term) protocol.Term { return un(protocol.Len, s, index) }

// Values.

func num(n int) state.Value { return state.Value{N: n} }
func kids(vs ...state.Value) state.Value {
	return state.Value{Kids: vs}
}
func nums(ns ...int) state.Value {
	v := state.Value{}
	for _, n := range ns {
		v.Kids = append(v.Kids, num(n))
	}
	return v
}
func tag(n int, v state.Value) state.Value { return state.Value{N: n, Kids: v.Kids} }
func just(n int) state.Value               { return tag(1, nums(n)) }

// Actions.

type actionOf struct {
	params []*protocol.Binding
	body   []protocol.Stmt
}

func action(name string, a actionOf) *protocol.Action {
	out := &protocol.Action{Name: name, Body: a.body}
	for _, p := range a.params {
		out.Params = append(out.Params, &protocol.Param{Binding: p})
	}
	for _, s := range a.body {
		switch s := s.(type) {
		case *protocol.Update:
			out.Updates = append(out.Updates, s)
		case *protocol.Send:
			out.Sends = append(out.Sends, s)
		case *protocol.Let, *protocol.Guard:
		}
	}
	return out
}
func let(b *protocol.Binding, x protocol.Term) *protocol.Let { return &protocol.Let{Var: b, X: x} }
func require(c protocol.Term) *protocol.Guard                { return &protocol.Guard{Cond: c} }
func set(v *protocol.StateVar, x protocol.Term, path ...protocol.Term) *protocol.Update {
	return &protocol.Update{State: v, Path: path, Value: x}
}
func send(m *protocol.RecordTerm, cond protocol.Term) *protocol.Send {
	return &protocol.Send{Message: m, Cond: cond}
}

const follower, candidate, leader = 0, 1, 2

var (
	guardTimeout, guardTerm, guardQuorum *protocol.Guard

	timeout      = timeoutAction()
	requestVote  = requestVoteAction()
	handleVote   = handleVoteAction()
	handleAny    = handleAnyAction()
	becomeLeader = becomeLeaderAction()
	appendEntry  = appendAction()
	swap         = swapAction()
	nop          = action("Nop", actionOf{})
)

func timeoutAction() *protocol.Action {
	i, t := binding("i", server), binding("t", term)
	guardTimeout = require(not(eq(apply(read(roleOf), use(i)), lit(role, leader))))
	return action("Timeout", actionOf{[]*protocol.Binding{i}, []protocol.Stmt{
		guardTimeout,
		let(t, shift(apply(read(currentTerm), use(i)), 1)),
		set(currentTerm, use(t), use(i)),
		set(roleOf, lit(role, candidate), use(i)),
		set(votedFor, some(use(i)), use(i)),
		set(votesGranted, &protocol.SetTerm{Elems: []protocol.Term{use(i)}, Of: servers}, use(i)),
	}})
}

func requestVoteAction() *protocol.Action {
	i, j := binding("i", server), binding("j", server)
	return action("RequestVote", actionOf{[]*protocol.Binding{i, j}, []protocol.Stmt{
		require(not(eq(use(i), use(j)))),
		require(eq(apply(read(roleOf), use(i)), lit(role, candidate))),
		send(record(vote, use(i), use(j), apply(read(currentTerm), use(i))), nil),
	}})
}

// HandleVote grants by the pre-state only: it updates what its condition reads.
func handleVoteAction() *protocol.Action {
	m, i, grant := binding("m", vote), binding("i", server), binding("grant", boolean)
	voted := apply(read(votedFor), use(i))
	guardTerm = require(bin(protocol.Le, apply(read(currentTerm), use(i)), sel(use(m), "term")))
	return action("HandleVote", actionOf{[]*protocol.Binding{m}, []protocol.Stmt{
		let(i, sel(use(m), "to")),
		guardTerm,
		let(grant, or(eq(voted, def(optional)), eq(voted, some(sel(use(m), "from"))))),
		set(votedFor, &protocol.Ite{Cond: use(grant), Then: some(sel(use(m), "from")), Else: voted}, use(i)),
		send(record(ack, sel(use(m), "term"), lit(boolean, 1), use(i)), eq(voted, def(optional))),
	}})
}

func handleAnyAction() *protocol.Action {
	m := binding("m", anyMsg)
	return action("HandleAny", actionOf{[]*protocol.Binding{m}, []protocol.Stmt{
		set(epoch, same(protocol.Max, read(epoch), sel(use(m), "term"))),
		set(seen, same(protocol.Union, read(seen), &protocol.SetTerm{Elems: []protocol.Term{sel(use(m), "from")}, Of: servers})),
	}})
}

func becomeLeaderAction() *protocol.Action {
	i, q := binding("i", server), binding("q", quorum)
	guardQuorum = require(bin(protocol.Subset, un(protocol.MembersOf, use(q), servers), apply(read(votesGranted), use(i))))
	return action("BecomeLeader", actionOf{[]*protocol.Binding{q, i}, []protocol.Stmt{
		require(eq(apply(read(roleOf), use(i)), lit(role, candidate))),
		guardQuorum,
		set(roleOf, lit(role, leader), use(i)),
	}})
}

func appendAction() *protocol.Action {
	i, v := binding("i", server), binding("v", value)
	return action("Append", actionOf{[]*protocol.Binding{i, v}, []protocol.Stmt{
		set(logOf, same(protocol.Append, apply(read(logOf), use(i)), record(entry, apply(read(currentTerm), use(i)), use(v))), use(i)),
		set(nextIndex, shift(length(apply(read(logOf), use(i))), 1), use(i), use(i)),
	}})
}

// Swap exchanges two cells: right if updates are simultaneous.
func swapAction() *protocol.Action {
	a, b := lit(server, 0), lit(server, 1)
	return action("Swap", actionOf{body: []protocol.Stmt{
		set(currentTerm, apply(read(currentTerm), b), a),
		set(currentTerm, apply(read(currentTerm), a), b),
	}})
}

var system = newSystem()

func newSystem() *protocol.System {
	sys := &protocol.System{
		Name:     "election",
		Sorts:    []*protocol.Sort{server, value, lonely, term, index, quorum},
		Enums:    []*protocol.Sort{role},
		Records:  []*protocol.Sort{entry},
		Messages: []*protocol.Sort{vote, ack},
		State:    vars,
		Actions:  []*protocol.Action{timeout, requestVote, handleVote, handleAny, becomeLeader, appendEntry, swap, nop},
	}
	for i, a := range sys.Actions {
		a.Index = i
	}
	return sys
}

// withInit is the system with another initial action.
func withInit(init *protocol.Action) *protocol.System {
	sys := *system
	sys.Init = init
	return &sys
}

var sizes = map[string]int{"Server": 3, "Value": 2, "Lonely": 2, "Term": 3, "Index": 2}

// evaluator works with 3 servers, terms 0…3, indexes 0…2.
func evaluator() *semantics.Evaluator { return semantics.NewEvaluator(structure()) }

func structure() *state.Structure {
	return state.NewStructure(system, sizes)
}

// with is s with other values of some variables.
func with(s *state.State, vs map[*protocol.StateVar]state.Value) *state.State {
	s = s.Clone()
	for v, x := range vs {
		s.Vars[v.Index] = x
	}
	return s
}

// sent is s with more messages.
func sent(s *state.State, typ *protocol.Sort, msgs ...state.Value) *state.State {
	s = s.Clone()
	for _, m := range msgs {
		s.AddMessage(typ, m)
	}
	return s
}

// recorder writes down what is read.
func recorder(out *[]string) *semantics.Recorder {
	return &semantics.Recorder{
		Cell: func(v *protocol.StateVar, path []int, primed bool) {
			s := v.Name
			if primed {
				s += "'"
			}
			if len(path) > 0 {
				s += fmt.Sprint(path)
			}
			*out = append(*out, s)
		},
		Message: func(typ *protocol.Sort, m state.Value, primed bool) {
			ns := make([]int, len(m.Kids))
			for i, k := range m.Kids {
				ns[i] = k.N
			}
			*out = append(*out, fmt.Sprintf("%s{%v}", typ.Name, ns))
		},
	}
}
