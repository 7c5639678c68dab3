package protocol

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// checker resolves names and checks sorts. It reports and goes on: an ill-sorted
// term gets InvalidSort, which fits everywhere and reports nothing more.
type checker struct {
	*reader
	sys     *System
	sorts   *sortTable
	globals map[string]*global
	index   *Sort // the sort that indexes sequences, or nil

	defs         []*defNode
	actionNodes  []*actionNode
	reads        map[Term]read    // where elements and optional values are read
	broken       map[*Action]bool // actions with errors: nothing is said about their use
	propIDs      map[string]diag.Span
	pendingHints []hint

	mutations     []*Mutation // of the spec, also of a mutated system
	scenarioNodes map[string]*scenarioNode
	initBody      []syntax.Stmt

	brokenVolatile bool // some variable cannot be volatile: less is said of crashes
}

// global is a declared name. Exactly one of the pointers is set.
type global struct {
	span   diag.Span
	sort   *Sort // element, natural, quorum, enumeration, record or message sort
	subset *Subsort
	state  *StateVar
	def    *defNode
	enum   *Sort // the name is constant number value of it
	value  int
}

type defNode struct {
	def     *Definition
	params  entry
	formula entry
	returns entry
	status  uint8 // 0 unseen, 1 being checked, 2 done
	size    int   // of the body, see checker.size
}

type actionNode struct {
	action   *Action
	do       entry
	survives entry
	body     []syntax.Stmt // as written; nil after an error in it
}

func mapKeys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

// reserved are the words that no declaration may take.
var reserved = map[string]bool{"Bool": true, "Nil": true, "TRUE": true, "FALSE": true, "Set": true, "Seq": true,
	"IF": true, "THEN": true, "ELSE": true, "LET": true, "IN": true, "len": true, "min": true, "max": true,
	"append": true, "truncate": true, "extend": true, "step": true, "ghost": true, "with": true, "receive": true, "let": true,
	"require": true, "send": true, "crash": true, "volatile": true, "if": true, "forall": true, "exists": true, "in": true, "notin": true,
	"union": true, "intersect": true, "subseteq": true, "not": true, "and": true, "or": true, "true": true, "false": true,
	MessagesScope: true}

func isIdent(s string) bool {
	for i, r := range s {
		if !(r == '_' || unicode.IsLetter(r) || i > 0 && '0' <= r && r <= '9') {
			return false
		}
	}
	return s != ""
}

// declare enters a global name; it reports a name that is taken or unusable.
func (c *checker) declare(name string, g *global) bool {
	switch {
	case !isIdent(name):
		c.badName(g.span, name)
		return false
	case reserved[name]:
		c.reservedName(g.span, name)
		return false
	}
	if old, dup := c.globals[name]; dup {
		c.declaredTwice(g.span, name, old.span)
		return false
	}
	c.globals[name] = g
	return true
}

func (c *checker) declareSorts(e entry) {
	for _, d := range c.mapping(e.node, "sorts") {
		f := c.fields(d.node, "sort "+d.key, "finite", "prefix", "natural", "index", "quorum", "subset")
		if f["subset"].node != nil {
			c.declareSubset(d, f)
			continue
		}
		s, ok := c.declaredSort(d, f)
		if !c.declare(d.key, &global{span: d.keySpan, sort: s}) {
			continue
		}
		if !ok {
			c.sorts.named[d.key], c.globals[d.key].sort = InvalidSort, InvalidSort
			continue
		}
		if s.Kind == ElementKind {
			c.checkPrefix(s, d)
		}
		c.sorts.named[d.key] = s
		c.sys.Sorts = append(c.sys.Sorts, s)
		if s.Kind == QuorumKind {
			s.Elem.Quorum = s
		}
	}
}

// declareSubset declares a set of elements of a sort: {subset: Server}.
func (c *checker) declareSubset(d entry, f map[string]entry) {
	at, of := c.span(f["subset"].node), c.str(f["subset"])
	sort := c.sorts.named[of]
	g := &global{span: d.keySpan, sort: InvalidSort} // after an error, nothing more is said of it
	switch {
	case sort == InvalidSort || c.rejected[f["subset"].node]:
	case sort == nil || sort.Kind != ElementKind:
		c.subsetOf(at, of)
	case sort.Subset != nil:
		c.twoSubsets(at, sort.Subset)
	default:
		g = &global{span: d.keySpan, subset: &Subsort{Name: d.key, Of: sort, Sort: c.sorts.set(sort)}}
	}
	for _, key := range []string{"finite", "prefix", "natural", "index", "quorum"} {
		if o, given := f[key]; given {
			c.notForSort(o.keySpan, key, d.key, "a subset")
		}
	}
	switch {
	case !c.declare(d.key, g):
	case g.subset != nil:
		sort.Subset = g.subset
	default:
		c.sorts.named[d.key] = InvalidSort
	}
}

// declaredSort is the sort that an entry of sorts describes.
func (c *checker) declaredSort(d entry, f map[string]entry) (s *Sort, ok bool) {
	s = &Sort{Kind: ElementKind, Name: d.key}
	switch {
	case f["quorum"].node != nil:
		s.Kind = QuorumKind
		at := c.span(f["quorum"].node)
		of := c.str(f["quorum"])
		s.Elem = c.sorts.named[of]
		if g := c.globals[of]; g != nil && g.subset != nil {
			s.Within, s.Elem = g.subset, g.subset.Of
		}
		switch {
		case s.Elem == InvalidSort:
			return s, false
		case s.Elem == nil || s.Elem.Kind != ElementKind:
			c.quorumOf(at, of)
			return s, false
		case s.Elem.Quorum != nil:
			c.twoQuorums(at, s.Elem)
			return s, false
		}
	case c.boolean(f["natural"]):
		s.Kind = NaturalKind
	}
	if s.Kind != ElementKind {
		for _, key := range []string{"finite", "prefix"} {
			if o, given := f[key]; given {
				what := "a sort of naturals"
				if s.Kind == QuorumKind {
					what = "a sort of quorums"
				}
				c.notForSort(o.keySpan, key, s.Name, what)
			}
		}
	}
	if c.boolean(f["index"]) {
		switch {
		case s.Kind != NaturalKind:
			c.indexNotNatural(f["index"].keySpan, d.key)
		case c.index != nil:
			c.twoIndexes(f["index"].keySpan, c.index.Name)
		default:
			c.index, s.Index = s, true
		}
	}
	if s.Kind == ElementKind {
		s.Finite = c.boolean(f["finite"])
		if s.Prefix = c.str(f["prefix"]); s.Prefix == "" {
			s.Prefix = string(unicode.ToLower([]rune(d.key + "x")[0]))
		} else if last := s.Prefix[len(s.Prefix)-1]; !isIdent(s.Prefix) || '0' <= last && last <= '9' {
			c.badPrefix(c.span(f["prefix"].node), s.Prefix)
		}
	}
	return s, true
}

// checkPrefix reports a sort whose elements have the names of another sort's.
func (c *checker) checkPrefix(s *Sort, d entry) {
	for _, other := range c.sys.Sorts {
		if other.Kind == ElementKind && other.Prefix == s.Prefix {
			c.samePrefix(d.keySpan, s.Prefix, other.Name)
			s.Prefix += s.Name // so that nothing more is reported
		}
	}
}

// elementNames reports declarations that take the name of an element.
func (c *checker) elementNames() {
	for _, s := range c.sys.Sorts {
		for _, name := range slices.Sorted(mapKeys(c.globals)) {
			if elementNumber(name, s) > 0 {
				c.elementName(c.globals[name].span, name, s.Name)
			}
		}
	}
}

func (c *checker) declareEnums(e entry) {
	const most = 62
	for _, d := range c.mapping(e.node, "enums") {
		s := &Sort{Kind: EnumKind, Name: d.key, Finite: true}
		if !c.declare(d.key, &global{span: d.keySpan, sort: s}) {
			continue
		}
		c.sorts.named[d.key] = InvalidSort
		if d.node.Kind != yaml.SequenceNode || len(d.node.Content) == 0 || len(d.node.Content) > most {
			if !c.rejected[d.node] {
				c.errYAML(diag.NotYAML, c.span(d.node), fmt.Sprintf("an enumeration is a list of 1 to %d names", most), "write `"+d.key+": [A, B]`")
			}
			continue
		}
		for _, n := range d.node.Content {
			if c.rejected[n] {
				continue
			}
			if n.Kind != yaml.ScalarNode {
				c.errYAML(diag.NotYAML, c.span(n), "a constant of an enumeration is a name", "write `"+d.key+": [A, B]`")
				continue
			}
			if c.declare(n.Value, &global{span: c.span(n), enum: s, value: len(s.Consts)}) {
				s.Consts = append(s.Consts, n.Value)
			}
		}
		if len(s.Consts) > 0 {
			c.sorts.named[d.key] = s
			c.sys.Enums = append(c.sys.Enums, s)
		}
	}
}

// declareRecords declares records and messages together: a message's field may
// be a record or another message, but no record may contain itself.
func (c *checker) declareRecords(records, messages entry) {
	type decl struct {
		sort *Sort
		e    entry
	}
	var decls []decl
	add := func(e entry, kind Kind, what string) {
		for _, d := range c.mapping(e.node, what) {
			s := &Sort{Kind: kind, Name: d.key}
			if !c.declare(d.key, &global{span: d.keySpan, sort: s}) {
				continue
			}
			c.sorts.named[d.key] = s
			decls = append(decls, decl{s, d})
			if kind == MessageKind {
				s.ID = len(c.sys.Messages)
				c.sys.Messages = append(c.sys.Messages, s)
			} else {
				c.sys.Records = append(c.sys.Records, s)
			}
		}
	}
	add(records, RecordKind, "records")
	add(messages, MessageKind, "messages")
	for _, d := range decls {
		for _, f := range c.mapping(d.e.node, "the fields of "+d.e.key) {
			if !isIdent(f.key) {
				c.badName(f.keySpan, f.key)
				continue
			}
			typ, ok := c.parseTypeOf(f)
			field := &Field{Name: f.key, Sort: InvalidSort, Ghost: typ.Ghost, Index: len(d.sort.Fields)}
			if ok {
				field.Sort = c.sortOf(typ.Type)
			}
			if typ.Ghost && d.sort.Kind == RecordKind {
				c.ghostInRecord(f.keySpan, f.key)
			}
			c.notVolatile(typ)
			d.sort.Fields = append(d.sort.Fields, field)
		}
		if len(d.sort.Fields) == 0 && (isNull(d.e.node) || d.e.node.Kind == yaml.MappingNode && len(d.e.node.Content) == 0) {
			c.errYAML(diag.NotYAML, d.e.keySpan, d.e.key+" has no fields", "write `"+d.e.key+": {field: Type}`")
		}
	}
	for _, d := range decls {
		if inside(d.sort, d.sort, map[*Sort]bool{}) {
			c.recordInItself(d.e.keySpan, d.e.key)
			for _, f := range d.sort.Fields {
				f.Sort = InvalidSort
			}
		}
	}
	sizes := map[*Sort]int{}
	for _, d := range decls {
		if parts(d.sort, sizes) > maxParts {
			if !slices.ContainsFunc(d.sort.Fields, func(f *Field) bool { return parts(f.Sort, sizes) > maxParts }) {
				c.tooManyParts(d.e.keySpan, d.e.key)
			}
			for _, f := range d.sort.Fields {
				f.Sort = InvalidSort
			}
		}
	}
}

// inside reports whether a value of sort s has a proper part of sort target.
func inside(s, target *Sort, seen map[*Sort]bool) bool {
	if seen[s] {
		return s == target
	}
	seen[s] = true
	switch s.Kind {
	case RecordKind, MessageKind:
		for _, f := range s.Fields {
			if f.Sort == target || inside(f.Sort, target, seen) {
				return true
			}
		}
	case OptionKind, SeqKind, FuncKind, SetKind:
		return s.Elem == target || inside(s.Elem, target, seen)
	case Invalid, BoolKind, ElementKind, EnumKind, NaturalKind, QuorumKind, UnionKind:
	}
	return false
}

const maxParts = 500

// parts is how many fields a value has, those of its fields included, where a
// set, a sequence or a function counts once.
func parts(s *Sort, known map[*Sort]int) int {
	if n, ok := known[s]; ok {
		return n
	}
	n := 1
	switch s.Kind {
	case RecordKind, MessageKind:
		for _, f := range s.Fields {
			n = min(n+parts(f.Sort, known), maxParts+1)
		}
	case OptionKind, SeqKind, FuncKind, SetKind:
		n = parts(s.Elem, known)
	case Invalid, BoolKind, ElementKind, EnumKind, NaturalKind, QuorumKind, UnionKind:
	}
	known[s] = n
	return n
}

func (c *checker) declareState(e entry) {
	for _, d := range c.mapping(e.node, "state") {
		typ, ok := c.parseTypeOf(d)
		v := &StateVar{Name: d.key, Sort: InvalidSort, Ghost: typ.Ghost, Index: len(c.sys.State), Span: d.keySpan}
		if ok {
			v.Sort = c.sortOf(typ.Type)
		}
		v.Volatile = typ.Volatile && c.losable(typ, v)
		if c.declare(d.key, &global{span: d.keySpan, state: v}) {
			c.sys.State = append(c.sys.State, v)
		}
	}
}

func (c *checker) declareDefinitions(e entry) {
	for _, d := range c.mapping(e.node, "definitions") {
		f := c.fields(d.node, "definition "+d.key, "params", "formula", "returns", "source", "note")
		n := &defNode{def: &Definition{Name: d.key, Span: d.keySpan}, params: f["params"], formula: f["formula"], returns: f["returns"]}
		if c.declare(d.key, &global{span: d.keySpan, def: n}) {
			c.defs = append(c.defs, n)
		}
	}
}

func (c *checker) declareActions(e entry) {
	c.broken = map[*Action]bool{}
	for _, d := range c.mapping(e.node, "actions") {
		f := c.fields(d.node, "action "+d.key, "source", "note", "do", "survives")
		switch {
		case !isIdent(d.key):
			c.badName(d.keySpan, d.key)
			continue
		case d.key == initName:
			c.reservedName(d.keySpan, d.key)
			continue
		}
		a := &Action{Name: d.key, Source: c.str(f["source"]), Index: len(c.sys.Actions), Span: d.keySpan, system: c.sys}
		c.sys.Actions = append(c.sys.Actions, a)
		c.actionNodes = append(c.actionNodes, &actionNode{action: a, do: f["do"], survives: f["survives"]})
	}
}

// initName is the name of the pseudo-action that makes the initial state.
const initName = "Init"

func (c *checker) typeText(e entry) (start, end int, ok bool) {
	if c.rejected[e.node] {
		return 0, 0, false
	}
	if e.node.Kind != yaml.ScalarNode || strings.TrimSpace(e.node.Value) == "" {
		at := c.span(e.node)
		if isNull(e.node) {
			at = e.keySpan
		}
		c.errYAML(diag.NotYAML, at, "expected a type", "for example `Server → Term`, `Seq(Entry)`, `Set(Server)`, `Server?`")
		return 0, 0, false
	}
	start, end = c.text(e.node)
	return start, end, true
}

// sortOf is the sort that a written type means.
func (c *checker) sortOf(t syntax.Type) *Sort {
	switch t := t.(type) {
	case *syntax.TypeName:
		if s := c.sorts.named[t.Name]; s != nil {
			return s
		}
		if g := c.globals[t.Name]; g != nil && g.subset != nil {
			c.subsetAsType(t.Sp, g.subset)
			return InvalidSort
		}
		c.unknownType(t.Sp, t.Name)
		return InvalidSort
	case *syntax.TypeOption:
		elem := c.sortOf(t.Elem)
		switch elem.Kind {
		case Invalid:
			return InvalidSort
		case OptionKind:
			c.badType(t.Sp, "an optional value of an optional sort", "one ? is enough")
			return InvalidSort
		}
		return c.sorts.option(elem)
	case *syntax.TypeApply:
		elem := c.sortOf(t.Arg)
		if elem.Kind == Invalid {
			return InvalidSort
		}
		switch t.Fun {
		case "Set":
			if elem.Kind != ElementKind && elem.Kind != EnumKind {
				c.badType(t.Sp, "sets are over a declared sort or an enumeration, not "+elem.Name, "a function "+elem.Name+" → Bool serves")
				return InvalidSort
			}
			return c.sorts.set(elem)
		case "Seq":
			if c.index == nil {
				c.badType(t.Sp, "no sort indexes sequences", "declare one: `Index: {natural: true, index: true}`")
				return InvalidSort
			}
			return c.sorts.seq(c.index, elem)
		}
		c.badType(t.Sp, "unknown type "+t.Fun+"(…)", "there are Set(T) and Seq(T)")
		return InvalidSort
	case *syntax.TypeFunc:
		dom, res := c.sortOf(t.Domain), c.sortOf(t.Result)
		if dom.Kind == Invalid || res.Kind == Invalid {
			return InvalidSort
		}
		switch dom.Kind {
		case ElementKind, EnumKind, NaturalKind, QuorumKind, BoolKind:
			return c.sorts.function(dom, res)
		}
		c.badType(t.Domain.Span(), "a function's argument is an element, a constant, a natural or a quorum, not "+dom.Name, "")
		return InvalidSort
	}
	panic("unhandled type")
}
