package protocol

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
)

const (
	maxSpecBytes = 1 << 20 // a spec larger than this is not one that a person wrote
	maxYAMLDepth = 32
)

// reader walks the YAML tree of one file and collects what is wrong with its
// shape. Positions come from the tree; text comes from the file's own bytes, so
// that spans inside formulas are exact.
type reader struct {
	file *diag.File
	errs diag.List
}

// entry is one key of a mapping with its value.
type entry struct {
	key     string
	keySpan diag.Span
	node    *yaml.Node
}

// parseYAML reads the file into a tree whose nodes are free of what the house
// style rejects (tabs, anchors, aliases, tags, duplicate keys, folded and
// single-quoted scalars). The root is nil if nothing can be read.
func (r *reader) parseYAML() *yaml.Node {
	if len(r.file.Text) > maxSpecBytes {
		r.errYAML(codeTooLarge, r.file.Span(0, 0), fmt.Sprintf("the spec has %d bytes, at most %d are read", len(r.file.Text), maxSpecBytes),
			"split the protocol into several specs")
		return nil
	}
	if !r.plainText() {
		return nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(r.file.Text, &doc); err != nil {
		r.syntaxError(err)
		return nil
	}
	if len(doc.Content) == 0 {
		r.errYAML(codeYAML, r.file.Span(0, 0), "the spec is empty", "start with `protocol: NAME`")
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		r.errYAML(codeYAML, r.span(root), "a spec is a mapping from section names to their contents", "start with `protocol: NAME`")
		return nil
	}
	if rest := r.secondDocument(); rest.IsValid() {
		r.errYAML(codeYAML, rest, "a spec file holds one YAML document, and this starts a second one", "move it into a file of its own")
		return nil
	}
	if !r.screen(root, 0) {
		return nil
	}
	return root
}

var documentMark = regexp.MustCompile(`(?m)^---(\s|$)`)

func (r *reader) secondDocument() diag.Span {
	marks := documentMark.FindAllIndex(r.file.Text, 2)
	for _, m := range marks {
		before := strings.TrimSpace(string(r.file.Text[:m[0]]))
		lines := strings.Split(before, "\n")
		for _, l := range lines {
			l = strings.TrimSpace(l)
			if l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "%") && l != "---" {
				return r.file.Span(m[0], m[0]+3)
			}
		}
	}
	return diag.Span{}
}

// plainText reports tabs, control characters and invalid UTF-8, which YAML
// would reject or misread without a place.
func (r *reader) plainText() bool {
	ok := true
	text := string(r.file.Text)
	for i, c := range text {
		switch {
		case c == '\t':
			r.errYAML(codeTab, r.file.Span(i, i+1), "a tab: YAML and the layout of statements count spaces", "indent with spaces")
			ok = false
		case c == '\uFFFD' && !strings.HasPrefix(text[i:], "\uFFFD"):
			r.errYAML(codeYAML, r.file.Span(i, i+1), "this byte is not UTF-8", "save the file as UTF-8")
			ok = false
		case c < ' ' && c != '\n' && c != '\r' || c == 0x7f:
			r.errYAML(codeYAML, r.file.Span(i, i+1), fmt.Sprintf("control character %U", c), "delete it")
			ok = false
		}
		if len(r.errs) > 60 {
			return false
		}
	}
	return ok
}

var lineInError = regexp.MustCompile(`line (\d+): (.*)`)

// syntaxError places an error of the YAML parser, which has a line at best.
func (r *reader) syntaxError(err error) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := lineInError.FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1])
		msg = m[2]
	}
	// The parser's own line is that of the construct it was in, or missing: the
	// shortest prefix of whole lines that fails ends with the line at fault.
	lines := strings.SplitAfter(string(r.file.Text), "\n")
	bad := sort.Search(len(lines), func(n int) bool {
		var doc yaml.Node
		return yaml.Unmarshal([]byte(strings.Join(lines[:n+1], "")), &doc) != nil
	})
	if bad < len(lines) {
		line = bad + 1
	}
	line = min(max(line, 1), len(lines))
	text := lines[line-1]
	start := r.file.Offset(line, 1) + len(text) - len(strings.TrimLeft(text, " "))
	end := r.file.Offset(line, 1) + len(strings.TrimRight(text, " \r\n"))
	help := "write a formula in a literal block: put `|` behind the colon and the formula on the next line, indented"
	if strings.Contains(msg, "mapping") {
		help = "check the indentation of this line and the one above; " + help
	}
	r.errYAML(codeYAML, r.file.Span(start, max(start, end)), "not YAML: "+msg, help)
}

// screen rejects what the house style does not allow anywhere in a spec.
func (r *reader) screen(n *yaml.Node, depth int) bool {
	if depth > maxYAMLDepth {
		r.errYAML(codeYAML, r.span(n), fmt.Sprintf("nested deeper than %d levels", maxYAMLDepth), "no section of a spec is nested this deep")
		return false
	}
	ok := true
	reject := func(what, help string) {
		r.errYAML(codeYAMLFeature, r.span(n), what, help)
		ok = false
	}
	switch {
	case n.Kind == yaml.AliasNode:
		reject("a YAML alias", "write the value out, or use a definition")
		return false
	case n.Anchor != "":
		reject("a YAML anchor", "write the value out, or use a definition")
	case n.Style&yaml.TaggedStyle != 0:
		reject("a YAML tag", "leave it out")
	case n.Kind == yaml.ScalarNode && n.Style&yaml.FoldedStyle != 0:
		reject("a folded scalar (>): it joins lines", "use a literal block: `|`")
	case n.Kind == yaml.ScalarNode && n.Style&yaml.SingleQuotedStyle != 0:
		reject("single quotes: they double every prime", "use a literal block: `|`")
	case n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0:
		start := r.offset(n)
		end := start + 1 + len(n.Value)
		if end > len(r.file.Text) || string(r.file.Text[start+1:end]) != n.Value {
			reject("a quoted scalar with a backslash or a line break, which YAML rewrites", "use a literal block: `|`")
		}
	case n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle == 0:
		start := r.offset(n)
		if !strings.HasPrefix(string(r.file.Text[start:]), n.Value) {
			reject("a plain scalar over several lines", "use a literal block: `|`")
		}
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]*yaml.Node{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				r.errYAML(codeYAML, r.span(k), "a key is a name", "write `name: value`")
				ok = false
				continue
			}
			if k.Value == "<<" {
				r.errYAML(codeYAMLFeature, r.span(k), "a YAML merge key", "write the values out")
				ok = false
			}
			if first, dup := seen[k.Value]; dup {
				r.errs = append(r.errs, diag.Diagnostic{Code: codeDuplicateKey, Span: r.span(k),
					Message: "the key " + k.Value + " stands twice",
					Labels:  []diag.Label{{Span: r.span(first), Text: "first here"}},
					Help:    "rename or delete one of the two"})
				ok = false
			}
			seen[k.Value] = k
		}
	}
	for _, c := range n.Content {
		ok = r.screen(c, depth+1) && ok
	}
	return ok
}

func (r *reader) offset(n *yaml.Node) int { return r.file.Offset(n.Line, n.Column) }

// span is the place of a node: of a scalar its text, of a collection its first line.
func (r *reader) span(n *yaml.Node) diag.Span {
	start := r.offset(n)
	if n.Kind == yaml.ScalarNode {
		if s, e := r.text(n); e > s {
			return r.file.Span(s, e)
		}
	}
	end := start
	for end < len(r.file.Text) && r.file.Text[end] != '\n' && r.file.Text[end] != '\r' {
		end++
	}
	return r.file.Span(start, end)
}

// text is the range of bytes that holds a scalar's content: of a literal block
// all its lines, with their indentation.
func (r *reader) text(n *yaml.Node) (start, end int) {
	start = r.offset(n)
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		value := strings.TrimRight(n.Value, "\n")
		if value == "" {
			return start, start
		}
		count := strings.Count(value, "\n") + 1
		return r.file.Offset(n.Line+1, 1), r.lineEnd(n.Line + count)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		start++
	}
	return start, min(start+len(n.Value), len(r.file.Text))
}

func (r *reader) lineEnd(line int) int {
	end := r.file.Offset(line, 1)
	for end < len(r.file.Text) && r.file.Text[end] != '\n' {
		end++
	}
	return end
}

// formula is the range of a formula or body, and reports a comment that YAML
// cut off a plain one.
func (r *reader) formula(n *yaml.Node) (start, end int, ok bool) {
	if n.Kind != yaml.ScalarNode {
		r.errYAML(codeYAML, r.span(n), "expected a formula", "write it in a literal block: put `|` behind the colon and the formula on the next line, indented")
		return 0, 0, false
	}
	start, end = r.text(n)
	if strings.TrimSpace(n.Value) == "" {
		r.errYAML(codeYAML, r.span(n), "expected a formula, found nothing", "write it in a literal block: put `|` behind the colon and the formula on the next line, indented")
		return 0, 0, false
	}
	if n.Style&(yaml.LiteralStyle|yaml.DoubleQuotedStyle) == 0 {
		rest := string(r.file.Text[end:r.lineEnd(n.Line)])
		if strings.HasPrefix(strings.TrimLeft(rest, " "), "#") {
			r.errYAML(codeYAMLFeature, r.file.Span(end, end+len(strings.TrimRight(rest, " \r"))), "YAML takes this for a comment and cuts the formula here",
				"write the formula in a literal block: put `|` behind the colon and the formula on the next line, indented")
			return 0, 0, false
		}
	}
	return start, end, true
}

// mapping lists a mapping's entries in written order; nil with an error if the
// node is something else. A missing node has no entries.
func (r *reader) mapping(n *yaml.Node, what string) []entry {
	if n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.errYAML(codeYAML, r.span(n), "expected "+what+", a mapping from names to contents", "write `name: …`, one a line")
		return nil
	}
	out := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, entry{key: n.Content[i].Value, keySpan: r.span(n.Content[i]), node: n.Content[i+1]})
	}
	return out
}

// fields is a mapping whose keys must be among the known ones.
func (r *reader) fields(n *yaml.Node, what string, known ...string) map[string]entry {
	out := map[string]entry{}
	for _, e := range r.mapping(n, what) {
		if !contains(known, e.key) {
			r.errYAML(codeUnknownKey, e.keySpan, what+" has no key "+e.key, suggest(e.key, known, "the keys are "+strings.Join(known, ", ")))
			continue
		}
		out[e.key] = e
	}
	return out
}

// str is the content of a scalar that is plain prose or a name.
func (r *reader) str(e entry) string {
	if e.node == nil {
		return ""
	}
	if e.node.Kind != yaml.ScalarNode {
		r.errYAML(codeYAML, r.span(e.node), e.key+" is a text", "write `"+e.key+": …` on one line")
		return ""
	}
	return strings.TrimSpace(e.node.Value)
}

// boolean is the content of a flag.
func (r *reader) boolean(e entry) bool {
	if e.node == nil {
		return false
	}
	switch {
	case e.node.Kind == yaml.ScalarNode && e.node.Value == "true":
		return true
	case e.node.Kind == yaml.ScalarNode && e.node.Value == "false":
		return false
	}
	r.errYAML(codeYAML, r.span(e.node), e.key+" is true or false", "")
	return false
}

// sizes reads a scope: {Server: 3, Term: 3}.
func (r *reader) sizes(n *yaml.Node, what string) (map[string]int, map[string]diag.Span) {
	out, spans := map[string]int{}, map[string]diag.Span{}
	for _, e := range r.mapping(n, what) {
		v, err := strconv.Atoi(e.node.Value)
		if e.node.Kind != yaml.ScalarNode || err != nil || v < 1 || v > 62 {
			r.errYAML(codeYAML, r.span(e.node), "a size is a number from 1 to 62", "")
			continue
		}
		out[e.key], spans[e.key] = v, e.keySpan
	}
	return out, spans
}

func (r *reader) errYAML(code diag.Code, at diag.Span, msg, help string) {
	r.errs = append(r.errs, diag.Diagnostic{Code: code, Span: at, Message: msg, Help: help})
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// suggest names the known word that is closest to a misspelt one, or else says fallback.
func suggest(got string, known []string, fallback string) string {
	best, bestAt := 3, ""
	for _, k := range known {
		if d := distance(strings.ToLower(got), strings.ToLower(k)); d < best && d < len([]rune(k)) {
			best, bestAt = d, k
		}
	}
	if bestAt == "" {
		return fallback
	}
	return "did you mean " + bestAt + "?"
}

// distance is the number of edits between two words, cut off where it no longer matters.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 60 || len(y) > 60 || len(x)-len(y) > 3 || len(y)-len(x) > 3 {
		return 99
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := prev
			if x[i-1] != y[j-1] {
				cost++
			}
			prev, row[j] = row[j], min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(y)]
}
