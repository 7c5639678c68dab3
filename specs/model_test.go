package specs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/specs"
)

func load(t *testing.T, name string) *protocol.System {
	t.Helper()
	sys, errs, err := protocol.Load(specs.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range errs {
		t.Error(d)
	}
	if errs.HasErrors() {
		t.FailNow()
	}
	return sys
}

// names is everything in a spec that a document may link to.
func names(sys *protocol.System) map[string]bool {
	out := map[string]bool{"init": true}
	for _, sorts := range [][]*protocol.Sort{sys.Sorts, sys.Enums, sys.Records, sys.Messages} {
		for _, s := range sorts {
			out[s.Name] = true
		}
	}
	for _, v := range sys.State {
		out[v.Name] = true
	}
	for _, d := range sys.Defs {
		out[d.Name] = true
	}
	for _, a := range sys.Actions {
		out[a.Name] = true
	}
	for _, p := range sys.Properties {
		out[p.ID] = true
	}
	for _, r := range sys.Runs {
		out[r.Name] = true
	}
	return out
}

var (
	specLink = regexp.MustCompile("\\[`([^`]+)`\\]\\(\\.\\./specs/raft\\.yaml#([^)]*)\\)")
	pageLink = regexp.MustCompile(`\]\(#([^)]*)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notSlug  = regexp.MustCompile(`[^a-z0-9 -]`)
)

// The page about the model links to nothing that the spec lacks, and its tables
// leave out nothing that the spec claims to take from the reference.
func TestModelPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	sys := load(t, "raft.yaml")
	known := names(sys)
	inTable := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		links := specLink.FindAllStringSubmatch(line, -1)
		if n := strings.Count(line, "raft.yaml#"); n != len(links) {
			t.Errorf("%d of %d links have not the form [`name`](../specs/raft.yaml#name): %s", n-len(links), n, line)
		}
		for _, l := range links {
			if l[1] != l[2] || !known[l[2]] {
				t.Errorf("%s: the spec has no %s", l[0], l[2])
			}
			inTable[l[2]] = inTable[l[2]] || strings.HasPrefix(line, "|")
		}
	}
	slugs := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		slugs[strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	for _, l := range pageLink.FindAllStringSubmatch(string(text), -1) {
		if !slugs[l[1]] {
			t.Errorf("no heading for %s", l[0])
		}
	}

	missing := func(kind, name string) {
		if !inTable[name] {
			t.Errorf("%s %s stands in no table", kind, name)
		}
	}
	for _, v := range sys.State {
		missing("state variable", v.Name)
	}
	for _, m := range sys.Messages {
		missing("message", m.Name)
	}
	for _, a := range sys.Actions {
		missing("action", a.Name)
	}
	for _, p := range sys.Properties {
		if p.Kind == protocol.Invariant || p.Kind == protocol.Literal {
			missing("property", p.ID)
		}
		if p.RefutedBy != nil {
			missing("run", p.RefutedBy.Name)
		}
	}
}

// Whoever reads a spec beside its reference needs to know what each part is for.
func TestEverythingIsExplained(t *testing.T) {
	t.Parallel()
	sys := load(t, "raft.yaml")
	for _, a := range sys.Actions {
		if a.Source == "" {
			t.Errorf("action %s has no source", a.Name)
		}
	}
	for _, p := range sys.Properties {
		if p.Title == "" {
			t.Errorf("%s has no title", p.ID)
		}
		if p.Kind != protocol.Lemma && p.Cites == "" {
			t.Errorf("%s has no source", p.ID)
		}
	}
}

// The run of a literal claim makes the claim false, at its end and not before,
// and nothing else: what is claimed to be true holds all along.
func TestLiteralClaimsAreRefuted(t *testing.T) {
	t.Parallel()
	sys := load(t, "raft.yaml")
	for _, lit := range sys.Properties {
		if lit.Kind != protocol.Literal {
			continue
		}
		t.Run(lit.ID, func(t *testing.T) {
			t.Parallel()
			if lit.RefutedBy == nil {
				t.Fatal("no run")
			}
			ev := semantics.NewEvaluator(state.NewStructure(sys, lit.RefutedBy.Scope))
			steps, err := ev.Replay(lit.RefutedBy)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range sys.Properties {
				if !p.TwoState && !ev.Formula(p.Formula, ev.Init()) {
					t.Errorf("%s is false initially", p.ID)
				}
			}
			for i, s := range steps {
				for _, p := range sys.Properties {
					holds := false
					if p.TwoState {
						holds = ev.TwoState(p.Formula, s)
					} else {
						holds = ev.Formula(p.Formula, s.Post)
					}
					switch {
					case p == lit:
						if last := i == len(steps)-1; holds == last {
							t.Errorf("the claim is %v after step %d of %d, %s", holds, i+1, len(steps), s.Action.Name)
						}
					case p.Kind != protocol.Literal && !holds:
						t.Errorf("%s is false after step %d, %s", p.ID, i+1, s.Action.Name)
					}
				}
			}
		})
	}
}
