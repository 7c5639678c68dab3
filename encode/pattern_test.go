package encode_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/speckl/kraftprove/encode"
)

const triggers = `protocol: triggers
sorts:
  Node: {finite: true}
  Time: {natural: true}
  Place: {natural: true, index: true}
  Quorum: {quorum: Node}
enums: {Role: [Idle, Busy], One: [Only]}
records: {Entry: {time: Time}}
state:
  clock: Node → Time
  peer:  Node → Node?
  count: Role → Node → Time
  log:   Node → Seq(Entry)
  acked: Time → Set(Node)
messages:
  Ping: {from: Node, time: Time}
  Pong: {time: Time, to: Node}
actions:
  Tick:
    do: |
      with i ∈ Node
      clock[i] := clock[i] + 1
lemmas:
  domain:
    patterns: |
      log[i][k].time, clock[j]
      peer[i], i ∈ acked[3], log[j][k].time, peer[j]!
    formula: |
      ∀ i ∈ Node, k ∈ 1..len(log[i]), j ∈ {i, peer[i]!}: log[j][k].time ≤ clock[i]
  finite:
    patterns: count[r][i]
    formula: |
      ∀ r ∈ Role, i ∈ Node, o ∈ One: count[r][i] ≥ 0 ∧ o = o
  union:
    patterns: m.time, clock[i]
    formula: |
      ∀ i ∈ Node, m ∈ Ping ∪ Pong: m.time ≤ clock[i]
  quorum:
    patterns: |
      peer[i], i ∈ acked[t]
      i ∈ q, i ∈ acked[t]
    formula: |
      ∀ i ∈ Node, t ∈ Time, q ∈ Quorum: i ∈ q ⇒ i ∈ acked[t]
  inside:
    patterns: clock[i]
    formula: |
      ∀ i ∈ Node: clock[i] > 0 ⇒ (∀ j ∈ Node: clock[j] ≤ clock[i])
  none:
    formula: |
      ∀ i ∈ Node: clock[i] ≥ 0
`

// TestPatterns has hypotheses with patterns: those of the spec, at the variables of
// the outermost quantifier, with the predicate by which quorums are found.
func TestPatterns(t *testing.T) {
	t.Parallel()
	sys := parse(t, triggers)
	number := regexp.MustCompile(`\$(\w+)!\d+`)
	pattern := regexp.MustCompile(`:pattern \((.*?\))\)`)
	for name, want := range map[string][]string{
		"domain": {"(|log[].time| i k) (clock j)", "(peer? i) (acked 3 i) (|log[].time| j k) (peer! j)"},
		"finite": {"(count Idle i)", "(count Busy i)"},
		"union":  {"(Ping.time m) (clock i)", "(Pong.time m) (clock i)"},
		"quorum": {"(quorum:Quorum q) (peer? i) (acked t i)", "(quorum:Quorum q) (member:Quorum q i) (acked t i)"},
		"inside": {"(clock i)"},
		"none":   nil,
	} {
		p := sys.Property(name)
		u := encode.NewQuantified(sys)
		step := u.Step(sys.Actions[0], 0)
		text := number.ReplaceAllString(step.Pre.Hypothesis(p).String(), "$1")
		text = strings.ReplaceAll(strings.ReplaceAll(text, "|quorum:Quorum|", "quorum:Quorum"), "|member:Quorum|", "member:Quorum")
		var got []string
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: patterns\n%s\nwant\n%s\nin %s", name, strings.Join(got, "\n"), strings.Join(want, "\n"), text)
		}
		for where, goal := range map[string]string{"pre": step.Pre.Formula(p.Formula).String(), "post": step.Post(p.Formula).String()} {
			if strings.Contains(goal, ":pattern") {
				t.Errorf("%s: a pattern in the formula of the %s-state: %s", name, where, goal)
			}
		}
	}
}
