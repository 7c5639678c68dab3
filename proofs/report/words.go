package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
)

// scopeParts are the sizes of a scope in words: "3 servers", "2 voters among them",
// "terms 0…3".
func scopeParts(sys *protocol.System, scope encode.Scope) []string {
	var out []string
	for _, kind := range []protocol.Kind{protocol.ElementKind, protocol.NaturalKind} {
		for _, s := range sys.Sorts {
			n := scope.Sizes[s.Name]
			switch {
			case s.Kind != kind:
			case kind == protocol.ElementKind:
				out = append(out, counted(n, noun(s.Name)))
				if x := s.Subset; x != nil {
					out = append(out, counted(scope.Sizes[x.Name], noun(x.Name))+" among them")
				}
			case n == 0:
				out = append(out, noun(s.Name)+" 0")
			default:
				out = append(out, fmt.Sprintf("%s 0…%d", plural(noun(s.Name)), n))
			}
		}
	}
	return out
}

// Scope is a scope in words.
func Scope(sys *protocol.System, scope encode.Scope) string {
	parts := scopeParts(sys, scope)
	if len(sys.Messages) > 0 {
		parts = append(parts, messageBound(scope)+" before a step")
	}
	return strings.Join(parts, ", ")
}

// anyNumber says that sizes are left open: "any number of servers, terms and
// messages, and any non-empty set of voters among the servers". It is empty if the
// system has nothing of which there could be more.
func anyNumber(sys *protocol.System) string {
	var out, subsets []string
	for _, kind := range []protocol.Kind{protocol.ElementKind, protocol.NaturalKind} {
		for _, s := range sys.Sorts {
			if s.Kind == kind {
				out = append(out, plural(noun(s.Name)))
			}
			if x := s.Subset; x != nil && s.Kind == kind {
				subsets = append(subsets, "any non-empty set of "+plural(noun(x.Name))+" among the "+plural(noun(s.Name)))
			}
		}
	}
	if len(sys.Messages) > 0 {
		out = append(out, "messages")
	}
	if len(out) == 0 {
		return ""
	}
	text := "any number of " + enumerate(out)
	if len(subsets) > 0 {
		text += ", and " + enumerate(subsets)
	}
	return text
}

// membersName is the sort or the subset whose elements are the members of quorums.
func membersName(quorum *protocol.Sort) string {
	if quorum.Within != nil {
		return quorum.Within.Name
	}
	return quorum.Elem.Name
}

func messageBound(scope encode.Scope) string {
	if scope.Messages == 0 {
		return "no message but the one received"
	}
	return "at most " + counted(scope.Messages, "message") + " of each type"
}

// noun is the name of a sort as a word of a sentence: "server", "correlation id" of
// CorrelationId, "SMT sort" of SMTSort.
func noun(name string) string {
	r := []rune(name)
	var words []string
	for from, k := 0, 1; k <= len(r); k++ {
		switch {
		case k == len(r), r[k] == '_', unicode.IsUpper(r[k]) && !unicode.IsUpper(r[k-1]),
			unicode.IsUpper(r[k]) && k+1 < len(r) && unicode.IsLower(r[k+1]):
			word := strings.Trim(string(r[from:k]), "_")
			if len(word) < 2 || word != strings.ToUpper(word) {
				word = strings.ToLower(word)
			}
			words = append(words, word)
			from = k
		}
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// counted is a number of things: "1 server", "3 servers".
func counted(n int, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return grouped(n) + " " + noun
}

// grouped is a number with a comma at each thousand: 1,234,567.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func plural(noun string) string {
	n := len(noun)
	switch {
	case strings.HasSuffix(noun, "poch"): // epochs
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	case n > 1 && noun[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(noun[n-2])):
		return noun[:n-1] + "ies"
	}
	return noun + "s"
}

// ranges shortens a list of ids: three or more that count up, such as I1, I2,
// I3, become I1–I3, where the first of them stands.
func ranges(ids []string) []string {
	numbers := map[string][]int{} // by prefix
	for _, id := range ids {
		if prefix, n, ok := numbered(id); ok {
			numbers[prefix] = append(numbers[prefix], n)
		}
	}
	var out []string
	done := map[string]bool{}
	for _, id := range ids {
		if done[id] {
			continue
		}
		prefix, n, ok := numbered(id)
		last := n
		for ok && slices.Contains(numbers[prefix], last+1) {
			last++
		}
		if !ok || last < n+2 || slices.Contains(numbers[prefix], n-1) {
			out = append(out, id)
			continue
		}
		for k := n; k <= last; k++ {
			done[prefix+strconv.Itoa(k)] = true
		}
		out = append(out, fmt.Sprintf("%s–%s%d", id, prefix, last))
	}
	return out
}

// numbered splits an id that ends in a number without leading zeros.
func numbered(id string) (prefix string, n int, ok bool) {
	prefix = strings.TrimRight(id, "0123456789")
	n, err := strconv.Atoi(id[len(prefix):])
	return prefix, n, err == nil && strconv.Itoa(n) == id[len(prefix):]
}

// duration is a time for people: 85 ms, 2.9 s, 3 min 07 s.
func duration(d time.Duration) string {
	switch {
	case d < 999500*time.Microsecond:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 59950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
