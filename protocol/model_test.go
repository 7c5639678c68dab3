package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
)

// TestModel compares what is declared in terms.yaml with terms.model; its
// formulas and actions are compared by TestExpress and TestExpanded.
func TestModel(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff(readFile(t, "testdata/terms.model"), dump(parseFile(t, "testdata/terms.yaml"))); d != "" {
		t.Error(d)
	}
}

func dump(sys *protocol.System) string {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol %s\n", sys.Name)
	for _, s := range sys.Sorts {
		fmt.Fprintf(&b, "sort %s kind=%d prefix=%q finite=%t index=%t", s, s.Kind, s.Prefix, s.Finite, s.Index)
		if s.Elem != nil {
			fmt.Fprintf(&b, " of=%s back=%t", s.Elem, s.Elem.Quorum == s)
		}
		if s.Within != nil {
			fmt.Fprintf(&b, " within=%s", s.Within.Name)
		}
		if x := s.Subset; x != nil {
			fmt.Fprintf(&b, " subset=%s: %s back=%t", x.Name, x.Sort, x.Of == s && x.Sort.Elem == s)
		}
		b.WriteString("\n")
	}
	for _, s := range sys.Enums {
		fmt.Fprintf(&b, "enum %s %v\n", s, s.Consts)
	}
	for _, s := range append(append([]*protocol.Sort(nil), sys.Records...), sys.Messages...) {
		fmt.Fprintf(&b, "type %s kind=%d id=%d", s, s.Kind, s.ID)
		for i, f := range s.Fields {
			fmt.Fprintf(&b, " %s: %s", f.Name, ghost(f.Ghost, f.Sort))
			if f.Index != i {
				b.WriteString(" MISPLACED")
			}
		}
		b.WriteString("\n")
	}
	for _, v := range sys.State {
		fmt.Fprintf(&b, "state %d %s: %s", v.Index, v.Name, ghost(v.Ghost, v.Sort))
		if v.Volatile {
			b.WriteString(" VOLATILE")
		}
		b.WriteString("\n")
	}
	for _, d := range sys.Defs {
		fmt.Fprintf(&b, "definition %s/%d: %s ghost=%t state=%t\n", d.Name, len(d.Params), d.Body.Sort(), d.Ghost, d.State)
	}
	for _, a := range sys.Actions {
		fmt.Fprintf(&b, "action %d %s:", a.Index, a.Name)
		for _, p := range a.Params {
			fmt.Fprintf(&b, " %s ∈ %s", p.Name, p.Sort)
		}
		fmt.Fprintf(&b, " statements=%d updates=%d sends=%d\n", len(a.Body), len(a.Updates), len(a.Sends))
	}
	for _, p := range sys.Properties {
		fmt.Fprintf(&b, "property %d %s kind=%d implied=%t twoState=%t inductive=%t\n", p.Index, p.ID, p.Kind, p.Implied, p.TwoState, p.Inductive())
	}
	return b.String()
}

func ghost(is bool, s *protocol.Sort) string {
	if is {
		return "ghost " + s.String()
	}
	return s.String()
}

// TestCrash sees to it that a crash is the updates of what is volatile and not
// assigned, each of which is written where the crash is.
func TestCrash(t *testing.T) {
	t.Parallel()
	var got []string
	for _, u := range parseFile(t, "testdata/terms.yaml").Action("Crash").Updates {
		got = append(got, fmt.Sprintf("%s: %t, %s", u.State.Name, u.Crash, strings.SplitN(u.Span.Text(), ":=", 2)[0]))
	}
	want := []string{"state: false, state[m.to] ", "log: false, log[v] ", "history: false, history ",
		"votesGranted: true, crash m.to", "matchIndex: true, crash m.to"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
