package protocol_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"b.yaml":     {Data: []byte("protocol: two\n")},
		"a.yaml":     {Data: []byte("protocol: one\n")},
		"c.yaml":     {Data: []byte("protocol: one\n")},
		"d.yaml":     {Data: []byte("protocol: [\n")},
		"notes.txt":  {Data: []byte("not a spec")},
		"sub/e.yaml": {Data: []byte("protocol: three\n")},
	}
	systems, errs, err := protocol.LoadAll(fsys)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range systems {
		names = append(names, s.Name)
	}
	if d := cmp.Diff([]string{"one", "two"}, names); d != "" {
		t.Error(d)
	}
	var got []string
	for _, e := range errs {
		got = append(got, e.Span.File.Name+" "+string(e.Code))
	}
	if d := cmp.Diff([]string{"c.yaml " + string(diag.DuplicateName), "d.yaml " + string(diag.NotYAML)}, got); d != "" {
		t.Error(d)
	}
	if _, _, err := protocol.Load(fsys, "x.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	one, _, _ := protocol.Load(fsys, "a.yaml")
	other, _, _ := protocol.Load(fsys, "b.yaml")
	if one.Hash == other.Hash || len(one.Hash) != 64 {
		t.Errorf("hashes %s and %s", one.Hash, other.Hash)
	}
}

func TestParseScope(t *testing.T) {
	t.Parallel()
	sys := parseFile(t, "testdata/terms.yaml")
	for _, c := range []struct {
		text string
		want map[string]int
		err  string
	}{
		{"", map[string]int{}, ""},
		{"Server=3,Term=62, Messages = 2,", map[string]int{"Server": 3, "Term": 62, "Messages": 2}, ""},
		{"Sever=3", nil, `scope "Sever=3": test has no sort Sever (did you mean Server?)`},
		{"Quorum=3", nil, `scope "Quorum=3": test has no sort Quorum (sorts: Server, Voter, Value, Term, Index, Messages)`},
		{"Server=3,Voter=3", map[string]int{"Server": 3, "Voter": 3}, ""},
		{"Voter=2", map[string]int{"Voter": 2}, ""}, // of 2 by default
		{"Voter=3", nil, `scope "Voter=3": Voter has 3 elements, more than the 2 of Server; give both a size`},
		{"Server=3,Voter=4", nil, `scope "Server=3,Voter=4": Voter has 4 elements, more than the 3 of Server; give both a size`},
		{"Voter=0", nil, `scope "Voter=0": write NAME=N with N from 1 to 62`},
		{"Server", nil, `scope "Server": write NAME=N with N from 1 to 62`},
		{"Server=0", nil, `scope "Server=0": write NAME=N with N from 1 to 62`},
		{"Server=63", nil, `scope "Server=63": write NAME=N with N from 1 to 62`},
		{"Server=3x", nil, `scope "Server=3x": write NAME=N with N from 1 to 62`},
		{"Server=3,Server=4", nil, `scope "Server=4": Server stands twice`},
	} {
		got, err := protocol.ParseScope([]*protocol.System{sys}, c.text)
		if msg := ""; err != nil {
			if msg = err.Error(); msg != c.err {
				t.Errorf("%s: got error %s, want %s", c.text, msg, c.err)
			}
			continue
		}
		if c.err != "" || !cmp.Equal(got, c.want) {
			t.Errorf("%s: got %v", c.text, got)
		}
	}
}

// TestParseScopeOfSeveral has two systems, of which each takes what it has.
func TestParseScopeOfSeveral(t *testing.T) {
	t.Parallel()
	var systems []*protocol.System
	for _, text := range []string{
		"protocol: a\nsorts: {Replica: {}, Voter: {subset: Replica}, Epoch: {natural: true}}\nscope: {Replica: 4, Voter: 3}\n",
		"protocol: b\nsorts: {Server: {}, Value: {}}\n",
	} {
		sys, errs := protocol.Parse("p.yaml", []byte(text))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		systems = append(systems, sys)
	}
	for _, c := range []struct{ text, want string }{
		{"Server=3,Voter=2,Messages=1", ""},
		{"Servr=3", `scope "Servr=3": no spec has a sort Servr (did you mean Server?)`},
		{"Voters=3", `scope "Voters=3": no spec has a sort Voters (did you mean Voter?)`},
		{"Thing=3", `scope "Thing=3": no spec has a sort Thing (sorts: Replica, Voter, Epoch, Server, Value, Messages)`},
		{"Server=1,Voter=5", `scope "Server=1,Voter=5": Voter has 5 elements, more than the 4 of Replica; give both a size`},
	} {
		got := ""
		sizes, err := protocol.ParseScope(systems, c.text)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s", c.text, got)
		}
		if err == nil && !cmp.Equal(sizes, map[string]int{"Server": 3, "Voter": 2, "Messages": 1}) {
			t.Errorf("%s: got %v", c.text, sizes)
		}
	}
}

// TestSizes fills in and replaces the sizes of a scope; no subset outgrows its sort.
func TestSizes(t *testing.T) {
	t.Parallel()
	const text = "protocol: p\nsorts: {S: {}, V: {subset: S}, Q: {quorum: V}, T: {natural: true}}\n"
	type sizes = map[string]int
	for _, c := range []struct {
		scope          string
		override, want sizes
	}{
		{"", nil, sizes{"S": 2, "V": 2, "T": 2, "Messages": 2}},
		{"", sizes{"S": 1}, sizes{"S": 1, "V": 1, "T": 2, "Messages": 2}},
		{"scope: {S: 4, V: 3, T: 1}\n", nil, sizes{"S": 4, "V": 3, "T": 1, "Messages": 2}},
		{"scope: {S: 4, V: 3, T: 1}\n", sizes{"S": 2, "Q": 7, "X": 8, "Messages": 0}, sizes{"S": 2, "V": 2, "T": 1, "Messages": 0}},
		{"scope: {S: 4, V: 3, T: 1}\n", sizes{"V": 1}, sizes{"S": 4, "V": 1, "T": 1, "Messages": 2}},
	} {
		sys, errs := protocol.Parse("p.yaml", []byte(text+c.scope))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if d := cmp.Diff(c.want, sys.Sizes(c.override)); d != "" {
			t.Errorf("%s%v: %s", c.scope, c.override, d)
		}
	}
	sys, _ := protocol.Parse("p.yaml", []byte(text+"scope: {S: 4, V: 3}\n"))
	if _, err := protocol.ParseScope([]*protocol.System{sys}, "S=2"); err == nil || err.Error() != `scope "S=2": V has 3 elements, more than the 2 of S; give both a size` {
		t.Errorf("got %v", err)
	}
}

// TestWalkSizes lets naturals go farther, or takes what the spec says.
func TestWalkSizes(t *testing.T) {
	t.Parallel()
	const text = "protocol: p\nsorts: {S: {}, V: {subset: S}, T: {natural: true}, U: {natural: true}}\nscope: {S: 4, V: 3, T: 1, U: 9}\n"
	type sizes = map[string]int
	for _, c := range []struct {
		walk           string
		override, want sizes
	}{
		{"", nil, sizes{"S": 4, "V": 3, "T": 6, "U": 9, "Messages": 2}},
		{"", sizes{"T": 2, "S": 2}, sizes{"S": 2, "V": 2, "T": 2, "U": 9, "Messages": 2}},
		{"walk: {T: 5}\n", nil, sizes{"S": 4, "V": 3, "T": 5, "U": 9, "Messages": 2}},
		{"walk: {S: 5, V: 5, U: 3}\n", sizes{"T": 2}, sizes{"S": 5, "V": 5, "T": 2, "U": 3, "Messages": 2}},
	} {
		sys, errs := protocol.Parse("p.yaml", []byte(text+c.walk))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if d := cmp.Diff(c.want, sys.WalkSizes(c.override)); d != "" {
			t.Errorf("%s%v: %s", c.walk, c.override, d)
		}
	}
}

func TestLookUp(t *testing.T) {
	t.Parallel()
	sys := parseFile(t, "testdata/terms.yaml")
	if sys.Property("F3") == nil || sys.Property("F0") != nil || sys.Action("Stop") != sys.Actions[1] || sys.Action("stop") != nil {
		t.Error("wrong")
	}
	if !slices.Contains(sys.Enums[0].Consts, "Leader") {
		t.Error("no Leader")
	}
}
