package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/speckl/kraftprove/protocol/diag"
)

const (
	maxSpecBytes = 1 << 20 // a spec larger than this is not one that a person wrote
	maxLineBytes = 4000
	maxYAMLDepth = 32
	maxSize      = 62 // of a sort in a scope: a set is the bits of one word
)

// reader walks the YAML tree of one file and collects what is wrong with its
// shape. Positions come from the tree; text comes from the file's own bytes, so
// that spans inside formulas are exact.
type reader struct {
	file     *diag.File
	errs     diag.List
	rejected map[*yaml.Node]bool // nodes reported by screen
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
		r.errYAML(diag.FileTooLarge, r.file.Span(0, 0), fmt.Sprintf("the spec has %d bytes, at most %d are read", len(r.file.Text), maxSpecBytes),
			"split the protocol into several specs")
		return nil
	}
	if !r.shortLines() || !r.plainText() {
		return nil
	}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(r.file.Text))
	if err := decoder.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		r.syntaxError(err)
		return nil
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		r.errYAML(diag.NotYAML, r.file.Span(0, 0), "the spec is empty", "start with `protocol: NAME`")
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		r.errYAML(diag.NotYAML, r.span(root), "a spec is a mapping from section names to their contents", "start with `protocol: NAME`")
		return nil
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		r.errYAML(diag.NotYAML, r.documentEnd(root), "a spec file holds one YAML document, which ends here", "move the rest into a file of its own")
		return nil
	}
	if !r.screen(root, 0) {
		return nil
	}
	return root
}

var documentMark = regexp.MustCompile(`(?m)^(---|\.\.\.)(\s|$)`)

// documentEnd is the first document mark behind the beginning of the root.
func (r *reader) documentEnd(root *yaml.Node) diag.Span {
	start := r.offset(root)
	if m := documentMark.FindIndex(r.file.Text[start:]); m != nil {
		return r.file.Span(start+m[0], start+m[0]+3)
	}
	return r.span(root)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func (r *reader) offset(n *yaml.Node) int { return r.file.Offset(n.Line, n.Column) }

// span is the place of a node: of a scalar its text, of a collection what of it
// is in its first line.
func (r *reader) span(n *yaml.Node) diag.Span {
	start := r.offset(n)
	if n.Kind == yaml.ScalarNode && !r.rejected[n] {
		if s, e := r.text(n); e > s {
			return r.file.Span(s, e)
		}
	}
	end := r.lineEnd(n.Line)
	line := string(r.file.Text[start:max(start, end)])
	if n.Style&yaml.FlowStyle != 0 {
		line = line[:flowEnd(line)]
	} else if at := strings.Index(line, " #"); at >= 0 {
		line = line[:at]
	}
	return r.file.Span(start, start+len(strings.TrimRight(line, " \r")))
}

// extent is the place of a node with all that is in it.
func (r *reader) extent(n *yaml.Node) diag.Span {
	at := r.span(n)
	for _, k := range n.Content {
		at = diag.Join(at, r.extent(k))
	}
	return at
}

// flowEnd is the end of the collection in brackets that begins a line.
func flowEnd(line string) int {
	depth := 0
	for i, c := range line {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return len(line)
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
	if r.rejected[n] {
		return 0, 0, false
	}
	if n.Kind != yaml.ScalarNode {
		r.errYAML(diag.NotYAML, r.span(n), "expected a formula", blockForm)
		return 0, 0, false
	}
	start, end = r.text(n)
	if strings.TrimSpace(n.Value) == "" {
		r.errYAML(diag.NotYAML, r.span(n), "expected a formula, found nothing", blockForm)
		return 0, 0, false
	}
	if n.Style&(yaml.LiteralStyle|yaml.DoubleQuotedStyle) == 0 {
		rest := string(r.file.Text[end:r.lineEnd(n.Line)])
		if strings.HasPrefix(strings.TrimLeft(rest, " "), "#") {
			r.errYAML(diag.YAMLFeature, r.file.Span(end, end+len(strings.TrimRight(rest, " \r"))), "YAML takes this for a comment and cuts the formula here", blockForm)
			return 0, 0, false
		}
	}
	return start, end, true
}

// mapping lists a mapping's entries in written order; nil with an error if the
// node is something else. A missing node has no entries.
func (r *reader) mapping(n *yaml.Node, what string) []entry {
	if n == nil || isNull(n) || r.rejected[n] {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.errYAML(diag.NotYAML, r.span(n), "expected "+what+", a mapping from names to contents", "write `name: …`, one a line")
		return nil
	}
	out := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if r.rejected[n.Content[i]] {
			continue
		}
		out = append(out, entry{key: n.Content[i].Value, keySpan: r.span(n.Content[i]), node: n.Content[i+1]})
	}
	return out
}

// renamed are keys that had another name once.
var renamed = map[string]string{"runs": "scenarios"}

// fields is a mapping whose keys must be among the known ones. A misspelt key
// is reported and then taken for the one that it resembles.
func (r *reader) fields(n *yaml.Node, what string, known ...string) map[string]entry {
	out := map[string]entry{}
	var unknown []entry
	for _, e := range r.mapping(n, what) {
		if contains(known, e.key) {
			out[e.key] = e
		} else {
			unknown = append(unknown, e)
		}
	}
	for _, e := range unknown {
		help := "the keys are " + strings.Join(known, ", ")
		k := Closest(e.key, known)
		if now := renamed[e.key]; contains(known, now) {
			k = now
		}
		if k != "" {
			help = "did you mean " + k + "?"
			if _, given := out[k]; !given {
				out[k] = e
			}
		}
		r.errYAML(diag.UnknownKey, e.keySpan, what+" has no key "+oneLine(e.key), help)
	}
	return out
}

// str is the content of a scalar that is plain prose or a name.
func (r *reader) str(e entry) string {
	if e.node == nil || isNull(e.node) || r.rejected[e.node] {
		return ""
	}
	if e.node.Kind != yaml.ScalarNode {
		r.errYAML(diag.NotYAML, r.span(e.node), e.key+" is a text", "write `"+e.key+": …` on one line")
		return ""
	}
	return strings.TrimSpace(e.node.Value)
}

// boolean is the content of a flag.
func (r *reader) boolean(e entry) bool {
	if e.node == nil || r.rejected[e.node] {
		return false
	}
	switch {
	case e.node.Kind == yaml.ScalarNode && e.node.Value == "true":
		return true
	case e.node.Kind == yaml.ScalarNode && e.node.Value == "false":
		return false
	}
	r.errYAML(diag.NotYAML, r.span(e.node), e.key+" is true or false, not "+oneLine(r.span(e.node).Text()), "write `"+e.key+": true`, or leave it out")
	return false
}

// sizes reads a scope: {Server: 3, Term: 3}.
func (r *reader) sizes(n *yaml.Node, what string) (map[string]int, map[string]diag.Span) {
	out, spans := map[string]int{}, map[string]diag.Span{}
	for _, e := range r.mapping(n, what) {
		if r.rejected[e.node] {
			continue
		}
		v, err := strconv.Atoi(e.node.Value)
		if e.node.Kind != yaml.ScalarNode || err != nil || v < 1 || v > maxSize {
			r.errYAML(diag.NotYAML, r.span(e.node), fmt.Sprintf("the size of %s is a number from 1 to %d, not ", e.key, maxSize)+oneLine(r.span(e.node).Text()), "write `"+e.key+": 3`")
			continue
		}
		out[e.key], spans[e.key] = v, e.keySpan
	}
	return out, spans
}

// label adds a second place to the message reported last.
func (r *reader) label(at diag.Span, text string) {
	if at.IsValid() {
		last := &r.errs[len(r.errs)-1]
		last.Labels = append(last.Labels, diag.Label{Span: at, Text: text})
	}
}

func (r *reader) errYAML(code diag.Code, at diag.Span, msg, help string) {
	r.errs = append(r.errs, diag.Diagnostic{Code: code, Span: at, Message: msg, Help: help})
}
