package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

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

// shortLines reports a line that is too long to be shown or counted in.
func (r *reader) shortLines() bool {
	for start := 0; start < len(r.file.Text); {
		size := bytes.IndexByte(r.file.Text[start:], '\n') + 1
		if size == 0 {
			size = len(r.file.Text) - start
		}
		if size > maxLineBytes {
			r.errYAML(diag.FileTooLarge, r.file.Span(start, start+1), fmt.Sprintf("this line has %d bytes, at most %d are read", size, maxLineBytes),
				"a formula in a literal block may go over several lines")
			return false
		}
		start += size
	}
	return true
}

// plainText reports what YAML would reject or misread without a place: bytes
// that are no UTF-8, tabs, control characters and what YAML takes for the end
// of a line although editors do not. Of each line at most one is reported, and
// of the file at most a few.
func (r *reader) plainText() bool {
	const most = 5
	text := string(r.file.Text)
	reported, quietUntil := 0, 0
	for i, c := range text {
		if i < quietUntil {
			continue
		}
		what, help := "", ""
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			what, help = "this byte is not UTF-8", "save the file as UTF-8"
		case c == '\t':
			r.errYAML(diag.TabCharacter, r.file.Span(i, i+1), "a tab: YAML and the layout of statements count spaces", "indent with spaces")
		case c == '\uFEFF':
			what, help = "a byte order mark", "save the file as UTF-8 without it"
		case c == '\r' && !strings.HasPrefix(text[i:], "\r\n"), c == '\u0085', c == '\u2028', c == '\u2029':
			what, help = fmt.Sprintf("%U, which YAML takes for the end of a line", c), "end lines with a line feed"
		case c < ' ' && c != '\n' && c != '\r' || c == 0x7f || c >= 0x80 && c < 0xA0:
			what, help = fmt.Sprintf("control character %U", c), "delete it"
		default:
			continue
		}
		if what != "" {
			r.errYAML(diag.NotYAML, r.file.Span(i, i+runeSize(text[i:])), what, help)
		}
		if reported++; reported == most {
			return false
		}
		quietUntil = len(text)
		if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
			quietUntil = i + end
		}
	}
	return reported == 0
}

func runeSize(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// optionInFlow is an optional type in a mapping with braces.
var optionInFlow = regexp.MustCompile(`[{,].*\?\s*[},]`)

var lineInError = regexp.MustCompile(`line (\d+): (.*)`)

// syntaxError places an error of the YAML parser, which names at best the line
// where the construct at fault begins.
func (r *reader) syntaxError(err error) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := lineInError.FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1])
		msg = m[2]
	}
	lines := strings.SplitAfter(string(r.file.Text), "\n")
	if bad, ok := badLine(lines); ok {
		line = bad + 1
	}
	line = min(max(line, 1), len(lines))
	text := lines[line-1]
	start := r.file.Offset(line, 1) + len(text) - len(strings.TrimLeft(text, " "))
	end := r.file.Offset(line, 1) + len(strings.TrimRight(text, " \r\n"))
	help := blockForm
	switch {
	case strings.Contains(msg, "mapping values"):
	case optionInFlow.MatchString(text):
		help = "inside braces YAML wants quotes around a type with a question mark: \"Server?\""
	default:
		help = "check the indentation, quotes and brackets of this line and the one above; " + help
	}
	r.errYAML(diag.NotYAML, r.file.Span(start, max(start, end)), "not YAML: "+msg, help)
}

// blockForm is the help wherever YAML's own quoting is in the way of a formula.
const blockForm = "write a formula in a literal block: put `|` behind the colon and the formula on the next line, indented"

// badLine is the line, from 0, that keeps the lines from being YAML. The lines
// that are indented least begin parts, each of which is YAML by itself: of the
// first part that is not, the first line is to blame or, if that line is
// nothing but a key, a line among those below it.
func badLine(lines []string) (int, bool) {
	if isYAML(lines) {
		return 0, false
	}
	least := -1
	for _, l := range lines {
		if n, ok := indentation(l); ok && (least < 0 || n < least) {
			least = n
		}
	}
	begin := 0
	for begin < len(lines) {
		end := begin + 1
		for end < len(lines) {
			if n, ok := indentation(lines[end]); ok && n == least {
				break
			}
			end++
		}
		if !isYAML(lines[begin:end]) {
			below := lines[begin+1 : end]
			if _, ok := indentation(lines[begin]); !ok || !isYAML(lines[begin:begin+1]) {
				return begin, true
			}
			bad, ok := badLine(below)
			if blockHead.MatchString(lines[begin]) {
				bad, ok = outdented(below)
			}
			if !ok {
				return begin, true
			}
			return begin + 1 + bad, true
		}
		begin = end
	}
	return outdented(lines)
}

var blockHead = regexp.MustCompile(`[|>][-+0-9]*\s*$`)

// outdented is the first line of a block that is indented less than the first one.
func outdented(block []string) (int, bool) {
	first := -1
	for k, l := range block {
		n, ok := indentation(l)
		switch {
		case !ok:
		case first < 0:
			first = n
		case n < first:
			return k, true
		}
	}
	return 0, false
}

// indentation is the number of spaces in front of a line's text; a line that
// is empty or a comment has none.
func indentation(line string) (int, bool) {
	text := strings.TrimLeft(line, " ")
	t := strings.TrimRight(text, "\r\n")
	return len(line) - len(text), t != "" && t[0] != '#'
}

// isYAML reports whether the lines are YAML by themselves, but for aliases of
// what stands elsewhere.
func isYAML(lines []string) bool {
	decoder := yaml.NewDecoder(strings.NewReader(strings.Join(lines, "")))
	err := decoder.Decode(new(yaml.Node))
	if err == nil {
		err = decoder.Decode(new(yaml.Node)) // there is nothing more
	}
	return errors.Is(err, io.EOF) || err != nil && strings.Contains(err.Error(), "unknown anchor")
}

// screen reports what the house style does not allow anywhere in a spec, and
// notes where it stands: what was rejected is not read any further, and nothing
// more is reported of it. It returns false if the tree is too deep to be read.
func (r *reader) screen(n *yaml.Node, depth int) bool {
	if depth > maxYAMLDepth {
		r.errYAML(diag.NotYAML, r.span(n), fmt.Sprintf("nested deeper than %d levels", maxYAMLDepth), "no section of a spec is nested this deep")
		return false
	}
	switch {
	case n.Kind == yaml.AliasNode:
		r.reject(n, "a YAML alias", "write the value out, or use a definition")
		return true
	case n.Anchor != "":
		r.reject(n, "a YAML anchor", "write the value out, or use a definition")
	case n.Style&yaml.TaggedStyle != 0:
		r.reject(n, "a YAML tag", "leave it out")
	case n.Kind == yaml.ScalarNode:
		r.screenScalar(n)
	case n.Kind == yaml.MappingNode:
		r.screenKeys(n)
	}
	for _, c := range n.Content {
		if !r.screen(c, depth+1) {
			return false
		}
	}
	return true
}

func (r *reader) screenScalar(n *yaml.Node) {
	const literal = "use a literal block: put `|` behind the colon and the text on the next line, indented"
	rest := r.file.Text[r.offset(n):]
	switch {
	case n.Style&yaml.LiteralStyle != 0:
	case n.Style&yaml.FoldedStyle != 0:
		r.reject(n, "a folded scalar (>): it joins lines", literal)
	case n.Style&yaml.SingleQuotedStyle != 0:
		r.reject(n, "single quotes: inside them YAML halves every pair of primes", literal)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		if !bytes.HasPrefix(rest, []byte(`"`+n.Value+`"`)) {
			r.reject(n, "a quoted scalar with a backslash or a line break, which YAML rewrites", literal)
		}
	case !bytes.HasPrefix(rest, []byte(n.Value)):
		r.reject(n, "a plain scalar over several lines", literal)
	}
}

func (r *reader) screenKeys(n *yaml.Node) {
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		first, dup := seen[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.errYAML(diag.NotYAML, r.span(k), "a key is a name", "write `name: value`")
			r.rejected[k] = true
		case k.Value == "<<":
			r.reject(k, "a YAML merge key", "write the values out")
		case dup:
			r.errYAML(diag.DuplicateKey, r.span(k), "the key "+k.Value+" stands twice", "rename or delete one of the two")
			r.label(r.span(first), "first here")
			r.rejected[k] = true
		default:
			seen[k.Value] = k
		}
	}
}

func (r *reader) reject(n *yaml.Node, what, help string) {
	r.rejected[n] = true
	r.errYAML(diag.YAMLFeature, r.span(n), what, help)
}

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
		if k := closest(e.key, known); k != "" {
			help = "did you mean " + k + "?"
			if _, given := out[k]; !given {
				out[k] = e
			}
		}
		r.errYAML(diag.UnknownKey, e.keySpan, what+" has no key "+e.key, help)
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
	if k := closest(got, known); k != "" {
		return "did you mean " + k + "?"
	}
	return fallback
}

// closest is the known word that a misspelt one resembles most, or "".
func closest(got string, known []string) string {
	best, bestAt := 3, ""
	for _, k := range known {
		size := len([]rune(k))
		if d := distance(strings.ToLower(got), strings.ToLower(k)); d < best && d < size && d <= max(1, size/3) {
			best, bestAt = d, k
		}
	}
	return bestAt
}

// distance is the number of edits between two words, where an exchange of two
// neighbours is one; words that differ much in length are far apart.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 60 || len(y) > 60 || len(x)-len(y) > 3 || len(y)-len(x) > 3 {
		return 99
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := rows[i-1][j-1]
			if x[i-1] != y[j-1] {
				cost++
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cost = min(cost, rows[i-2][j-2]+1)
			}
			rows[i][j] = min(cost, rows[i-1][j]+1, rows[i][j-1]+1)
		}
	}
	return rows[len(x)][len(y)]
}
