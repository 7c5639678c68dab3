package semantics_test

import (
	"slices"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
)

// sample is a step: the states differ in currentTerm, epoch and the messages.
func sample() *state.Step {
	pre := with(evaluator().Init(), map[*protocol.StateVar]state.Value{
		currentTerm:  nums(1, 2, 3),
		roleOf:       nums(leader, follower, candidate),
		votedFor:     kids(just(2), num(0), just(0)),
		logOf:        kids(kids(nums(1, 1), nums(2, 0)), kids(nums(1, 1)), kids()),
		votesGranted: nums(0b011, 0b100, 0),
		nextIndex:    kids(nums(0, 1, 2), nums(2, 2, 2), nums(0, 0, 0)),
		leaders:      nums(0, 1, 0, 1),
		epoch:        num(3),
		seen:         num(0b101),
	})
	pre = sent(pre, vote, nums(0, 1, 2), nums(2, 0, 1))
	pre = sent(pre, ack, nums(2, 1, 1))
	post := with(pre, map[*protocol.StateVar]state.Value{currentTerm: nums(3, 3, 3), epoch: num(1)})
	return &state.Step{Action: timeout, Pre: pre, Post: sent(post, ack, nums(0, 0, 2))}
}

// check evaluates a closed term in the sample step.
func check(t *testing.T, name string, x protocol.Term, want state.Value) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		s := sample()
		got := evaluator().Term(x, semantics.Env{Pre: s.Pre, Post: s.Post, Step: s.Action})
		if !got.Equal(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestTerm(t *testing.T) {
	t.Parallel()
	s0, s1, s2 := lit(server, 0), lit(server, 1), lit(server, 2)
	log0, log1, log2 := apply(read(logOf), s0), apply(read(logOf), s1), apply(read(logOf), s2)
	x, y, k := binding("x", server), binding("y", server), binding("k", term)
	k2 := binding("k2", term)
	plusDef := &protocol.Definition{Name: "plus", Params: []*protocol.Binding{k, k2},
		Body: shift(same(protocol.Max, use(k), use(k2)), 1)}
	plus := func(a, b protocol.Term) protocol.Term {
		return &protocol.Call{Def: plusDef, Args: []protocol.Term{a, b}}
	}

	for _, c := range []struct {
		name string
		term protocol.Term
		want state.Value
	}{
		{"literal", lit(term, 2), num(2)},
		{"literal of an enumeration", lit(role, leader), num(2)},
		{"default natural", def(term), num(0)},
		{"default record", def(entry), nums(0, 0)},
		{"default function", def(indexes), nums(0, 0, 0)},
		{"default function of naturals", def(byTerm), nums(0, 0, 0, 0)},
		{"default set, sequence, option", eq(def(entries), seqOf()), num(1)},

		{"state", read(epoch), num(3)},
		{"primed state", primed(epoch), num(1)},
		{"apply", apply(read(currentTerm), s1), num(2)},
		{"apply primed", apply(primed(currentTerm), s1), num(3)},
		{"apply nested", apply(read(nextIndex), s0, s2), num(2)},
		{"apply in part", apply(read(nextIndex), s0), nums(0, 1, 2)},
		{"apply past the domain", apply(read(leaders), shift(read(epoch), 1)), num(0)},
		{"apply past the domain to a function", apply(read(nextIndex), lit(server, 7)), nums(0, 0, 0)},
		{"apply past the domain, then on", apply(read(nextIndex), lit(server, 7), s1), num(0)},
		{"apply a literal function", apply(&protocol.FuncTerm{Var: k, Body: shift(use(k), 1), Of: funcSort(term, term)}, lit(term, 3)), num(4)},

		{"at 1", at(log0, lit(index, 1)), nums(1, 1)},
		{"at len", at(log0, length(log0)), nums(2, 0)},
		{"at 0", at(log0, lit(index, 0)), nums(0, 0)},
		{"at len + 1", at(log1, shift(length(log1), 1)), nums(0, 0)},
		{"at of nothing", at(log2, lit(index, 1)), nums(0, 0)},
		{"select", sel(at(log0, lit(index, 2)), "term"), num(2)},

		{"not", not(lit(boolean, 0)), num(1)},
		{"len", length(log0), num(2)},
		{"some", some(s2), just(2)},
		{"some of the first is not Nil", eq(some(s0), def(optional)), num(0)},
		{"value", un(protocol.Value, apply(read(votedFor), s0), server), num(2)},
		{"value of Nil", un(protocol.Value, apply(read(votedFor), s1), server), num(0)},
		{"value of Nil record", un(protocol.Value, def(option(entry)), entry), nums(0, 0)},
		{"quorum", un(protocol.IsQuorum, setOfServers(0, 2), boolean), num(1)},
		{"more than a quorum", un(protocol.IsQuorum, setOfServers(0, 1, 2), boolean), num(1)},
		{"less than a quorum", un(protocol.IsQuorum, setOfServers(1), boolean), num(0)},
		{"no quorums of this sort", un(protocol.IsQuorum, &protocol.SetTerm{Elems: []protocol.Term{lit(lonely, 0), lit(lonely, 1)}, Of: setSort(lonely)}, boolean), num(0)},
		{"members", un(protocol.MembersOf, lit(quorum, 1), servers), num(0b101)},
		{"members of no quorum", un(protocol.MembersOf, lit(quorum, 9), servers), num(0)},

		{"equal numbers", eq(read(epoch), lit(term, 3)), num(1)},
		{"equal options", eq(apply(read(votedFor), s1), def(optional)), num(1)},
		{"equal sequences", eq(same(protocol.Truncate, log0, lit(index, 1)), log1), num(1)},
		{"sequences of other length", eq(log0, log1), num(0)},
		{"equal functions", eq(apply(read(nextIndex), s2), def(indexes)), num(1)},
		{"less", bin(protocol.Lt, lit(term, 1), lit(term, 2)), num(1)},
		{"not less", bin(protocol.Lt, lit(term, 2), lit(term, 2)), num(0)},
		{"at most", bin(protocol.Le, lit(term, 2), lit(term, 2)), num(1)},
		{"not at most", bin(protocol.Le, lit(term, 3), lit(term, 2)), num(0)},
		{"implies: false antecedent", implies(lit(boolean, 0), lit(boolean, 0)), num(1)},
		{"implies: true", implies(lit(boolean, 1), lit(boolean, 1)), num(1)},
		{"implies: false", implies(lit(boolean, 1), lit(boolean, 0)), num(0)},
		{"iff", bin(protocol.Iff, lit(boolean, 0), lit(boolean, 0)), num(1)},
		{"not iff", bin(protocol.Iff, lit(boolean, 0), lit(boolean, 1)), num(0)},
		{"in", bin(protocol.In, s2, read(seen)), num(1)},
		{"not in", bin(protocol.In, s1, read(seen)), num(0)},
		{"nobody in", bin(protocol.In, lit(server, 200), setOfServers(0, 1, 2)), num(0)},
		{"subset", bin(protocol.Subset, setOfServers(2), read(seen)), num(1)},
		{"subset of itself", bin(protocol.Subset, read(seen), read(seen)), num(1)},
		{"no subset", bin(protocol.Subset, setOfServers(1, 2), read(seen)), num(0)},
		{"union", same(protocol.Union, setOfServers(1), read(seen)), num(0b111)},
		{"intersection", same(protocol.Intersect, setOfServers(1, 2), read(seen)), num(0b100)},
		{"difference", same(protocol.Difference, read(seen), setOfServers(1, 2)), num(0b001)},
		{"min", same(protocol.Min, lit(term, 1), lit(term, 2)), num(1)},
		{"max", same(protocol.Max, lit(term, 1), lit(term, 2)), num(2)},
		{"append", same(protocol.Append, log1, entryOf(3, 0)), kids(nums(1, 1), nums(3, 0))},
		{"append past the scope", length(same(protocol.Append, log0, entryOf(3, 0))), num(3)},
		{"append twice to one", and(
			eq(same(protocol.Append, same(protocol.Truncate, log0, lit(index, 1)), entryOf(3, 0)), seqOf(entryOf(1, 1), entryOf(3, 0))),
			eq(log0, seqOf(entryOf(1, 1), entryOf(2, 0)))), num(1)},
		{"truncate to 0", same(protocol.Truncate, log0, lit(index, 0)), kids()},
		{"truncate to len", same(protocol.Truncate, log0, lit(index, 2)), kids(nums(1, 1), nums(2, 0))},
		{"truncate past len", same(protocol.Truncate, log1, lit(index, 9)), kids(nums(1, 1))},

		{"extend", same(protocol.Extend, log1, log0), kids(nums(1, 1), nums(2, 0))},
		{"extend: what is there stays", same(protocol.Extend, seqOf(entryOf(3, 0)), log0), kids(nums(3, 0), nums(2, 0))},
		{"extend by less", same(protocol.Extend, log0, seqOf(entryOf(3, 0))), kids(nums(1, 1), nums(2, 0))},
		{"extend nothing", same(protocol.Extend, log2, log0), kids(nums(1, 1), nums(2, 0))},
		{"extend by nothing", same(protocol.Extend, log0, log2), kids(nums(1, 1), nums(2, 0))},
		{"extend twice from one", and(
			eq(same(protocol.Extend, log1, seqOf(entryOf(3, 0), entryOf(3, 1))), seqOf(entryOf(1, 1), entryOf(3, 1))),
			eq(same(protocol.Extend, log1, log0), log0)), num(1)},

		{"and", and(lit(boolean, 1), lit(boolean, 1)), num(1)},
		{"and: false", and(lit(boolean, 1), lit(boolean, 0)), num(0)},
		{"empty and", and(), num(1)},
		{"or", or(lit(boolean, 0), lit(boolean, 1)), num(1)},
		{"empty or", or(), num(0)},
		{"shift past the scope", shift(read(epoch), 2), num(5)},
		{"shift down", shift(read(epoch), -1), num(2)},
		{"shift below 0", shift(lit(term, 1), -2), num(0)},
		{"shift below 0 and back", shift(shift(lit(term, 1), -2), 2), num(2)},
		{"then", &protocol.Ite{Cond: lit(boolean, 1), Then: s1, Else: s2}, num(1)},
		{"else", &protocol.Ite{Cond: lit(boolean, 0), Then: s1, Else: s2}, num(2)},

		{"forall elements", all(x, bin(protocol.Lt, lit(term, 0), apply(read(currentTerm), use(x)))), num(1)},
		{"forall elements: false", all(x, eq(use(x), s0)), num(0)},
		{"exists elements", ex(x, eq(use(x), s2)), num(1)},
		{"forall naturals to the greatest", all(k, bin(protocol.Le, use(k), lit(term, 3))), num(1)},
		{"exists the greatest natural", ex(k, eq(use(k), lit(term, 3))), num(1)},
		{"exists no greater natural", ex(k, eq(use(k), lit(term, 4))), num(0)},
		{"nested", all(x, ex(y, not(eq(use(x), use(y))))), num(1)},
		{"same variable inside", all(x, ex(x, eq(use(x), s1))), num(1)},
		{"outer variable after the inner", ex(x, and(ex(x, eq(use(x), s1)), eq(use(x), s0))), num(1)},
		{"set", setOfServers(2, 0, 2), num(0b101)},
		{"set of no element", setOfServers(99), num(0)},
		{"comprehension", &protocol.SetOf{Var: x, Cond: bin(protocol.Lt, lit(term, 1), apply(read(currentTerm), use(x))), Of: servers}, num(0b110)},
		{"function", &protocol.FuncTerm{Var: x, Body: apply(read(nextIndex), use(x), s1), Of: indexes}, nums(1, 2, 0)},
		{"function of naturals", &protocol.FuncTerm{Var: k, Body: lit(value, 1), Of: byTerm}, nums(1, 1, 1, 1)},
		{"sequence", seqOf(entryOf(1, 1), entryOf(1, 0)), kids(nums(1, 1), nums(1, 0))},
		{"record", entryOf(2, 1), nums(2, 1)},
		{"let", &protocol.LetTerm{Var: k, X: read(epoch), Body: shift(use(k), -1)}, num(2)},
		{"let hides", &protocol.LetTerm{Var: k, X: lit(term, 1), Body: &protocol.LetTerm{Var: k, X: shift(use(k), 1), Body: use(k)}}, num(2)},
		{"call", plus(lit(term, 1), lit(term, 2)), num(3)},
		{"call in a call", plus(plus(lit(term, 3), lit(term, 0)), plus(lit(term, 1), lit(term, 2))), num(5)},
		{"step is", &protocol.StepIs{Actions: []*protocol.Action{nop, timeout}}, num(1)},
		{"step is not", &protocol.StepIs{Actions: []*protocol.Action{nop}}, num(0)},
	} {
		check(t, c.name, c.term, c.want)
	}
}

// TestSubset has 4 servers, the first 3 of which are voters, with quorums of voters.
func TestSubset(t *testing.T) {
	t.Parallel()
	server := &protocol.Sort{Kind: protocol.ElementKind, Name: "Server"}
	of := setSort(server)
	server.Subset = &protocol.Subsort{Name: "Voter", Of: server, Sort: of}
	quorum := &protocol.Sort{Kind: protocol.QuorumKind, Name: "Quorum", Elem: server, Within: server.Subset}
	sys := &protocol.System{Sorts: []*protocol.Sort{server, quorum}}
	voters := &protocol.SubsortTerm{Of: server.Subset}
	set := func(ks ...int) protocol.Term {
		x := &protocol.SetTerm{Of: of}
		for _, k := range ks {
			x.Elems = append(x.Elems, lit(server, k))
		}
		return x
	}
	includesQuorum := func(x protocol.Term) protocol.Term { return un(protocol.IsQuorum, x, boolean) }
	for _, c := range []struct {
		name    string
		servers int
		voters  int // 0: not said
		term    protocol.Term
		want    int
	}{
		{"the first ones", 4, 3, eq(voters, set(0, 1, 2)), 1},
		{"in", 4, 3, bin(protocol.In, lit(server, 2), voters), 1},
		{"not in", 4, 3, bin(protocol.In, lit(server, 3), voters), 0},
		{"all", 2, 2, eq(voters, set(0, 1)), 1},
		{"not said", 2, 0, eq(voters, set(0)), 1},
		{"too many", 2, 3, eq(voters, set(0, 1)), 1},
		{"majority", 4, 3, includesQuorum(set(0, 2)), 1},
		{"a majority of servers only", 4, 3, includesQuorum(set(1, 3)), 0},
		{"a majority and others", 4, 3, includesQuorum(set(0, 1, 3)), 1},
	} {
		e := semantics.NewEvaluator(state.NewStructure(sys, map[string]int{"Server": c.servers, "Voter": c.voters}))
		if got := e.Term(c.term, semantics.Env{}); got.N != c.want {
			t.Errorf("%s: got %v, want %d", c.name, got, c.want)
		}
	}
	st := state.NewStructure(sys, map[string]int{"Server": 5, "Voter": 3})
	if n := st.Size(quorum); n != 3 || st.Quorum(quorum, 2) != 0b110 {
		t.Errorf("%d quorums, the last one %b", n, st.Quorum(quorum, n-1))
	}
}

func TestQuantifierRanges(t *testing.T) {
	t.Parallel()
	count := func(s *protocol.Sort, n int) protocol.Term { // there are exactly n, by position
		b := binding("b", s)
		return and(ex(b, eq(use(b), lit(s, n-1))), all(b, not(eq(use(b), lit(s, n)))))
	}
	for _, c := range []struct {
		name string
		sort *protocol.Sort
		size int
	}{
		{"Bool", boolean, 2}, {"element", server, 3}, {"enumeration", role, 3},
		{"natural", term, 4}, {"quorum", quorum, 3},
	} {
		check(t, c.name, count(c.sort, c.size), num(1))
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	m, a, u := binding("m", vote), binding("a", ack), binding("u", anyMsg)
	for _, c := range []struct {
		name string
		term protocol.Term
		want int
	}{
		{"exists", ex(m, eq(use(m), record(vote, lit(server, 2), lit(server, 0), lit(term, 1)))), 1},
		{"exists not", ex(m, eq(sel(use(m), "term"), lit(term, 3))), 0},
		{"forall", all(m, bin(protocol.Lt, lit(term, 0), sel(use(m), "term"))), 1},
		{"pre-state", all(a, eq(sel(use(a), "from"), lit(server, 1))), 1},
		{"post-state", allPrimed(a, eq(sel(use(a), "from"), lit(server, 1))), 0},
		{"union: common field by name", all(u, bin(protocol.Lt, lit(term, 0), sel(use(u), "term"))), 1},
		{"union: both types", and(ex(u, eq(sel(use(u), "from"), lit(server, 0))), ex(u, eq(sel(use(u), "from"), lit(server, 1)))), 1},
		{"union: post-state", allPrimed(u, bin(protocol.Lt, lit(term, 0), sel(use(u), "term"))), 0},
	} {
		check(t, c.name, c.term, num(c.want))
	}
}

func TestUnionValue(t *testing.T) {
	t.Parallel()
	u := binding("u", anyMsg)
	env := semantics.Env{Vars: []semantics.Bound{{Var: u, Value: tag(1, nums(2, 1, 0))}}}
	if got := evaluator().Term(sel(use(u), "from"), env); got.N != 0 {
		t.Errorf("from = %v", got)
	}
	if got := evaluator().Term(sel(use(u), "term"), env); got.N != 2 {
		t.Errorf("term = %v", got)
	}
}

func TestFormulaAndTwoState(t *testing.T) {
	t.Parallel()
	e, s := evaluator(), sample()
	x := binding("x", server)
	if !e.Formula(eq(read(epoch), lit(term, 3)), s.Pre) || e.Formula(eq(read(epoch), lit(term, 3)), s.Post) {
		t.Error("a formula is evaluated in the state given")
	}
	grows := all(x, bin(protocol.Le, apply(read(currentTerm), use(x)), apply(primed(currentTerm), use(x))))
	if !e.TwoState(grows, s) {
		t.Error("currentTerm grows")
	}
	if e.TwoState(implies(&protocol.StepIs{Actions: []*protocol.Action{timeout}}, eq(read(epoch), primed(epoch))), s) {
		t.Error("epoch changes in a Timeout step")
	}
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	s := sample()
	x, m := binding("x", server), binding("m", vote)
	s0, s1 := lit(server, 0), lit(server, 1)
	for _, c := range []struct {
		name string
		term protocol.Term
		want []string
	}{
		{"whole variable", read(epoch), []string{"epoch"}},
		{"cell", apply(read(currentTerm), s1), []string{"currentTerm[1]"}},
		{"primed nested cell", apply(primed(nextIndex), s0, s1), []string{"nextIndex'[0 1]"}},
		{"index is read first", apply(read(currentTerm), un(protocol.Value, apply(read(votedFor), s0), server)), []string{"votedFor[0]", "currentTerm[2]"}},
		{"skipped", and(eq(read(epoch), lit(term, 0)), eq(read(seen), setOfServers())), []string{"epoch"}},
		{"decided", ex(x, eq(apply(read(currentTerm), use(x)), lit(term, 2))), []string{"currentTerm[0]", "currentTerm[1]"}},
		{"outside", apply(read(leaders), lit(term, 9)), nil},
		{"message", ex(m, eq(sel(use(m), "from"), s0)), []string{"Vote{[0 1 2]}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			evaluator().Term(c.term, semantics.Env{Pre: s.Pre, Post: s.Post, Record: recorder(&got)})
			if !slices.Equal(got, c.want) {
				t.Errorf("read %v, want %v", got, c.want)
			}
		})
	}
}
