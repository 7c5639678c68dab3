package specs_test

import (
	"os"
	"regexp"
	"strconv"
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
			if s.Subset != nil {
				out[s.Subset.Name] = true
			}
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
	for _, r := range sys.Scenarios {
		out[r.Name] = true
	}
	for _, m := range sys.Mutations {
		out[m.Name] = true
	}
	return out
}

// documented is each spec with the page that says how it models its reference.
var documented = []struct{ spec, page string }{
	{"raft.yaml", "../docs/model.md"},
	{"kraft.yaml", "../docs/model-kraft.md"},
}

func eachSpec(t *testing.T, check func(t *testing.T, sys *protocol.System, page string)) {
	t.Helper()
	t.Parallel()
	for _, d := range documented {
		t.Run(d.spec, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(d.page)
			if err != nil {
				t.Fatal(err)
			}
			check(t, load(t, d.spec), string(text))
		})
	}
}

var (
	pageLink = regexp.MustCompile(`\]\(([a-z-]+\.md)?#([^)]*)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notSlug  = regexp.MustCompile(`[^a-z0-9 -]`)
)

// The page about a model links to nothing that the spec lacks, and its tables
// leave out nothing that the spec claims to take from the reference.
func TestModelPage(t *testing.T) {
	eachSpec(t, func(t *testing.T, sys *protocol.System, page string) {
		t.Helper()
		spec := regexp.QuoteMeta(sys.File.Name)
		specLink := regexp.MustCompile("\\[`([^`]+)`\\]\\(\\.\\./specs/" + spec + "#([^)]*)\\)(?: \\(([0-9]+) steps\\))?")
		known := names(sys)
		inTable := map[string]bool{}
		for line := range strings.Lines(page) {
			links := specLink.FindAllStringSubmatch(line, -1)
			if n := strings.Count(line, ".yaml#"); n != len(links) {
				t.Errorf("%d of %d links have not the form [`name`](../specs/%s#name): %s", n-len(links), n, sys.File.Name, line)
			}
			for _, l := range links {
				if l[1] != l[2] || !known[l[2]] {
					t.Errorf("%s: the spec has no %s", l[0], l[2])
				}
				inTable[l[2]] = inTable[l[2]] || strings.HasPrefix(line, "|")
				for _, r := range sys.Scenarios {
					if r.Name == l[2] && l[3] != "" && l[3] != strconv.Itoa(len(r.Steps)) {
						t.Errorf("%s: the scenario has %d steps", l[0], len(r.Steps))
					}
				}
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
		}
		for _, r := range sys.Scenarios {
			missing("scenario", r.Name)
		}
	})
}

// Links within a page, and to another page about a model, lead to a heading.
func TestModelPageHeadings(t *testing.T) {
	eachSpec(t, func(t *testing.T, _ *protocol.System, page string) {
		t.Helper()
		for _, l := range pageLink.FindAllStringSubmatch(page, -1) {
			target := page
			if l[1] != "" {
				text, err := os.ReadFile("../docs/" + l[1])
				if err != nil {
					t.Error(err)
					continue
				}
				target = string(text)
			}
			if !slugs(target)[l[2]] {
				t.Errorf("no heading for %s", l[0])
			}
		}
	})
}

func slugs(page string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		out[strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return out
}

// Facts are cited by number: T9 or §2.5, or §2.5 VALID for an item of §2.5. The
// page has a heading for each section and a row for each item.
func TestFactsAreOnThePage(t *testing.T) {
	eachSpec(t, func(t *testing.T, sys *protocol.System, page string) {
		t.Helper()
		known := facts(page)
		for _, c := range citedFacts(string(sys.File.Text)) {
			if !known[c] {
				t.Errorf("the page has no fact %s", c)
			}
		}
	})
}

var (
	sourceLine  = regexp.MustCompile(`(?m)^ +source: (.*)$`)
	factsIn     = regexp.MustCompile(`facts (T[0-9]+|§[0-9]+(?:\.[0-9]+)?)`)
	factRange   = regexp.MustCompile(`^T([0-9]+) to T([0-9]+)$`)
	factSection = regexp.MustCompile(`^### (§[0-9.]+) `)
	factItem    = regexp.MustCompile(`^\| ([^|]+) \|`)
	numbered    = regexp.MustCompile(`^(§[0-9]|[TC][0-9])`)
)

// citedFacts is every fact that a spec cites in a source, one by one, and the
// numbers of those that it cites elsewhere.
func citedFacts(spec string) []string {
	var out []string
	for _, f := range factsIn.FindAllStringSubmatch(spec, -1) {
		out = append(out, f[1])
	}
	for _, s := range sourceLine.FindAllStringSubmatch(spec, -1) {
		for part := range strings.SplitSeq(s[1], ";") {
			fact := false
			for item := range strings.SplitSeq(part, ",") {
				item, begins := strings.CutPrefix(strings.TrimSpace(item), "facts ")
				fact = fact || begins
				if !fact {
					continue
				}
				if r := factRange.FindStringSubmatch(item); r != nil {
					from, _ := strconv.Atoi(r[1])
					to, _ := strconv.Atoi(r[2])
					for n := from; n <= to; n++ {
						out = append(out, "T"+strconv.Itoa(n))
					}
					continue
				}
				out = append(out, item)
			}
		}
	}
	return out
}

// facts is every fact under the headings with a §.
func facts(page string) map[string]bool {
	out := map[string]bool{}
	section := ""
	for line := range strings.Lines(page) {
		if h := factSection.FindStringSubmatch(line); h != nil {
			section = h[1]
			out[section] = true
		} else if strings.HasPrefix(line, "#") {
			section = ""
		}
		if r := factItem.FindStringSubmatch(line); r != nil && section != "" {
			out[section+" "+r[1]] = true
			if numbered.MatchString(r[1]) {
				out[r[1]] = true
			}
		}
	}
	return out
}

// Whoever reads a spec beside its reference needs to know what each part is for.
func TestEverythingIsExplained(t *testing.T) {
	eachSpec(t, func(t *testing.T, sys *protocol.System, _ string) {
		t.Helper()
		for _, a := range sys.Actions {
			if a.Source == "" {
				t.Errorf("action %s has no source", a.Name)
			}
		}
		for _, p := range sys.Properties {
			if p.Title == "" {
				t.Errorf("%s has no title", p.ID)
			}
			if (p.Kind == protocol.Invariant || p.Kind == protocol.Literal) && p.Cites == "" {
				t.Errorf("%s has no source", p.ID)
			}
		}
	})
}

// goesOn is the literal claims whose scenario does not end where they are false first.
var goesOn = map[string]bool{
	"K4.literal": true, // then some voter still has the record
}

// The scenario of a literal claim makes the claim false, at its end and not before,
// and nothing else: what is claimed to be true holds all along.
func TestLiteralClaimsAreRefuted(t *testing.T) {
	eachSpec(t, func(t *testing.T, sys *protocol.System, _ string) {
		t.Helper()
		for _, lit := range sys.Properties {
			if lit.Kind != protocol.Literal {
				continue
			}
			t.Run(lit.ID, func(t *testing.T) {
				t.Parallel()
				refute(t, sys, lit)
			})
		}
	})
}

func refute(t *testing.T, sys *protocol.System, lit *protocol.Property) {
	t.Helper()
	if lit.RefutedBy == nil {
		t.Fatal("no scenario")
	}
	ev := semantics.NewEvaluator(state.NewStructure(sys, lit.RefutedBy.Scope))
	run, err := ev.Replay(lit.RefutedBy)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range sys.Properties {
		if !p.TwoState && !ev.Formula(p.Formula, ev.Init()) {
			t.Errorf("%s is false initially", p.ID)
		}
	}
	for i, s := range run.Steps {
		for _, p := range sys.Properties {
			holds := false
			if p.TwoState {
				holds = ev.TwoState(p.Formula, s)
			} else {
				holds = ev.Formula(p.Formula, s.Post)
			}
			switch {
			case p == lit:
				if last := i == len(run.Steps)-1; holds == last && (last || !goesOn[p.ID]) {
					t.Errorf("the claim is %v after step %d of %d, %s", holds, i+1, len(run.Steps), s.Action.Name)
				}
			case p.Kind != protocol.Literal && !holds:
				t.Errorf("%s is false after step %d, %s", p.ID, i+1, s.Action.Name)
			}
		}
	}
}
