package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Load reads and checks the spec in one file of fsys. It returns what could be
// built and everything that is wrong with it; the system is usable only if the
// list has no errors. The error is about reading the file.
func Load(fsys fs.FS, name string) (*System, diag.List, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, nil, fmt.Errorf("read spec: %w", err)
	}
	sys, errs := Parse(name, text)
	return sys, errs, nil
}

// LoadAll loads every *.yaml file at the top of fsys, sorted by name.
func LoadAll(fsys fs.FS) ([]*System, diag.List, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, nil, fmt.Errorf("list specs: %w", err)
	}
	sort.Strings(names)
	var all diag.List
	var out []*System
	byName := map[string]*System{}
	for _, n := range names {
		sys, errs, err := Load(fsys, n)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, errs...)
		if sys == nil {
			continue
		}
		if other, dup := byName[sys.Name]; dup && sys.Name != "" {
			all = append(all, diag.Diagnostic{Code: diag.DuplicateName, Span: sys.File.Span(0, 0),
				Message: fmt.Sprintf("protocol %s is defined in %s as well", sys.Name, other.File.Name),
				Help:    "give each spec its own protocol name"})
			continue
		}
		byName[sys.Name] = sys
		out = append(out, sys)
	}
	return out, all.Sorted(), nil
}

// Parse checks the spec in text; name is for messages.
func Parse(name string, text []byte) (*System, diag.List) {
	c := check(name, text)
	return c.sys, c.errs.Sorted()
}

// check is the checker of the spec in text when it is done; its system is nil
// if the text could not be read.
func check(name string, text []byte) *checker {
	file := diag.NewFile(path.Clean(name), text)
	r := &reader{file: file, rejected: map[*yaml.Node]bool{}}
	root := r.parseYAML()
	if root == nil {
		return &checker{reader: r}
	}
	sum := sha256.Sum256(text)
	sections := r.fields(root, "a spec", "protocol", "title", "scope", "walk", "sorts", "enums", "records", "state", "messages",
		"definitions", "axioms", "init", "actions", "invariants", "lemmas", "theorems", "literals", "mutations", "scenarios", "display")
	c := newChecker(r, &System{File: file, Hash: hex.EncodeToString(sum[:]), source: &source{rejected: r.rejected, sections: sections}})
	c.system(sections)
	return c
}

func newChecker(r *reader, sys *System) *checker {
	return &checker{reader: r, sys: sys, sorts: newSortTable(), globals: map[string]*global{}, reads: map[Term]read{}}
}

// system checks the sections in the order of their dependence, whatever their
// order in the file.
func (c *checker) system(s map[string]entry) {
	c.sys.Name = c.str(s["protocol"])
	c.sys.Title = c.str(s["title"])
	switch node := s["protocol"].node; {
	case node == nil:
		c.errYAML(diag.NotYAML, c.file.Span(0, 0), "the spec has no protocol name", "start with `protocol: NAME`")
	case c.sys.Name == "" && (isNull(node) || node.Value != ""):
		c.errYAML(diag.NotYAML, s["protocol"].keySpan, "the spec has no protocol name", "start with `protocol: NAME`")
	case c.sys.Name != "" && !isIdent(c.sys.Name):
		c.badName(c.span(node), c.sys.Name)
	}
	c.declareSorts(s["sorts"])
	c.declareEnums(s["enums"])
	c.declareRecords(s["records"], s["messages"])
	c.declareState(s["state"])
	c.declareDefinitions(s["definitions"])
	c.display(s["display"])
	c.declareActions(s["actions"])
	for _, d := range c.defs {
		c.definition(d)
	}
	c.axioms(s["axioms"])
	c.init(s["init"])
	for _, a := range c.actionNodes {
		c.action(a)
	}
	c.properties(s["invariants"], Invariant)
	c.properties(s["lemmas"], Lemma)
	c.properties(s["theorems"], Theorem)
	if c.sys.Mutation == nil {
		c.declareMutations(s["mutations"])
		c.survivors()
	}
	c.scenarios(s["scenarios"])
	c.properties(s["literals"], Literal)
	c.breaks()
	c.hints()
	c.scope(s["scope"])
	c.walk(s["walk"])
	c.elementNames()
}

// scope checks the default sizes against the declared sorts.
func (c *checker) scope(e entry) {
	sizes, spans := c.sizes(e.node, "the scope")
	c.checkScope(sizes, spans)
	c.sys.Scope = sizes
	c.subsetsFit(c.sys.given(nil), spans)
}

func (c *checker) checkScope(sizes map[string]int, spans map[string]diag.Span) {
	names := append(c.sys.sized(), MessagesScope)
	for _, name := range slices.Sorted(mapKeys(sizes)) {
		if !contains(names, name) {
			c.unknownScope(spans[name], name, names)
			delete(sizes, name)
		}
	}
}

// mostVoters is how many elements a scope may have of which there are quorums: all smallest majorities are listed, 6435 of 15.
const mostVoters = 15

// voters is whatever the quorums of an element sort are made of, the sort or its subset, and its size in a scope; 0 if it has no quorums.
func (s *System) voters(x *Sort, sizes map[string]int) (name string, n int) {
	for _, q := range s.Sorts {
		if q.Kind != QuorumKind || q.Elem != x {
			continue
		}
		if q.Within != nil {
			return q.Within.Name, sizes[q.Within.Name]
		}
		return x.Name, sizes[x.Name]
	}
	return x.Name, 0
}

// subsetsFit reports the subsets that are larger than their sorts, and what has too many quorums.
func (c *checker) subsetsFit(sizes map[string]int, spans map[string]diag.Span) {
	for _, s := range c.sys.Sorts {
		if name, n := c.sys.voters(s, sizes); n > mostVoters {
			c.tooManyVoters(spans[name], name, n)
		}
		if size := sizes[s.subsetName()]; size > sizes[s.Name] {
			c.subsetTooLarge(spans[s.Subset.Name], s.Subset, size, sizes[s.Name])
		}
	}
}

// MessagesScope is the name in a scope for the number of messages of each type.
const MessagesScope = "Messages"

// DefaultSize is the size in a scope of what a spec gives no size.
const DefaultSize = 2

// sized are the names that a scope gives a size: of sorts, each with its subset.
func (s *System) sized() []string {
	var out []string
	for _, x := range s.Sorts {
		if x.Kind != QuorumKind {
			out = append(out, x.Name)
		}
		if x.Subset != nil {
			out = append(out, x.Subset.Name)
		}
	}
	return out
}

// given are the sizes of the spec's scope with some replaced, and a size of each sort.
func (s *System) given(override map[string]int) map[string]int {
	out := map[string]int{}
	for _, x := range s.Sorts {
		if x.Kind != QuorumKind {
			out[x.Name] = DefaultSize
		}
	}
	maps.Copy(out, s.Scope)
	maps.Copy(out, override)
	return out
}

// Sizes are the sizes of the spec's scope with some replaced, by the names of sorts
// and subsets and MessagesScope. No subset is larger than its sort.
func (s *System) Sizes(override map[string]int) map[string]int {
	given := s.given(override)
	out := map[string]int{}
	for _, name := range append(s.sized(), MessagesScope) {
		n, ok := given[name]
		if !ok {
			n = DefaultSize
		}
		out[name] = n
	}
	for _, x := range s.Sorts {
		if x.Subset != nil {
			out[x.Subset.Name] = min(out[x.Subset.Name], out[x.Name])
		}
	}
	return out
}

// ParseScope reads Server=3,Term=3. Each of the systems takes the sizes of what it
// has; a name that none has is an error.
func ParseScope(systems []*System, text string) (map[string]int, error) {
	out := map[string]int{}
	var known []string
	for _, s := range systems {
		for _, name := range s.sized() {
			if !contains(known, name) {
				known = append(known, name)
			}
		}
	}
	known = append(known, MessagesScope)
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, num, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		var n int
		if _, err := fmt.Sscanf(strings.TrimSpace(num), "%d", &n); !ok || err != nil || fmt.Sprint(n) != strings.TrimSpace(num) || n < 1 || n > maxSize {
			return nil, fmt.Errorf("scope %q: write NAME=N with N from 1 to %d", part, maxSize)
		}
		if !contains(known, name) {
			who := "no spec has a"
			if len(systems) == 1 {
				who = systems[0].Name + " has no"
			}
			return nil, fmt.Errorf("scope %q: %s sort %s (%s)", part, who, name, suggest(name, known, "sorts: "+strings.Join(known, ", ")))
		}
		if _, dup := out[name]; dup {
			return nil, fmt.Errorf("scope %q: %s stands twice", part, name)
		}
		out[name] = n
	}
	for _, s := range systems {
		sizes := s.given(out)
		for _, x := range s.Sorts {
			if name, n := s.voters(x, sizes); n > mostVoters {
				return nil, fmt.Errorf("scope %q: %s has %d elements; of more than %d, there are too many quorums to list", text, name, n, mostVoters)
			}
			if size := sizes[x.subsetName()]; size > sizes[x.Name] {
				return nil, fmt.Errorf("scope %q: %s has %d elements, more than the %d of %s; give both a size", text, x.Subset.Name, size, sizes[x.Name], x.Name)
			}
		}
	}
	return out, nil
}

func (c *checker) parseTypeOf(e entry) (syntax.TypeDecl, bool) {
	start, end, ok := c.typeText(e)
	if !ok {
		return syntax.TypeDecl{}, false
	}
	decl, errs := syntax.ParseTypeDecl(c.file, start, end)
	c.errs = append(c.errs, errs...)
	return decl, !errs.HasErrors() && decl.Type != nil
}
