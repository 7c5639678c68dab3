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
			r.errYAML(diag.DuplicateKey, r.span(k), "the key "+oneLine(k.Value)+" stands twice", "rename or delete one of the two")
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
