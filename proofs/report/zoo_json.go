package report

import (
	"io"

	"github.com/speckl/kraftprove/protocol/explore"
)

// ZooSchema is the version of the JSON form of a zoo, which docs/zoo.md describes.
const ZooSchema = "kraftprove/zoo/1"

type (
	jsonZoo struct {
		Schema  string        `json:"schema"`
		Tool    jsonVersion   `json:"tool"`
		Stopped bool          `json:"stopped"`
		Seconds float64       `json:"seconds"`
		Specs   []jsonZooSpec `json:"specs"`
	}
	jsonZooSpec struct {
		jsonSource
		Scenarios []jsonExhibit `json:"scenarios"`
		Untold    []string      `json:"untold"`
		Coverage  *jsonCoverage `json:"coverage"`
	}
	jsonCoverage struct {
		Actions  int           `json:"actions"`
		Branches int           `json:"branches"`
		Idle     []string      `json:"idle"`
		Untaken  []jsonUntaken `json:"untaken"`
	}
	jsonUntaken struct {
		Action *string `json:"action"`
		jsonBranch
	}
	jsonExhibit struct {
		Name     string         `json:"name"`
		Title    string         `json:"title"`
		Source   string         `json:"source"`
		Location string         `json:"location"`
		Mutation *jsonZooBug    `json:"mutation"`
		Scope    map[string]int `json:"scope"`
		Breaks   *string        `json:"breaks"`
		Verdict  string         `json:"verdict"`
		Problem  *string        `json:"problem"`
		Steps    int            `json:"steps"`
		States   int            `json:"states"`
		Seconds  float64        `json:"seconds"`
		Spared   *string        `json:"spared"`
	}
	jsonZooBug struct {
		Name   string `json:"name"`
		Title  string `json:"title"`
		Source string `json:"source"`
	}
)

// ZooJSON writes what was found as one object. Of runs it has the length; each is written by WriteExecution.
func ZooJSON(w io.Writer, z *Zoo) error {
	out := jsonZoo{Schema: ZooSchema, Tool: jsonVersion(z.Tool), Stopped: z.Stopped, Seconds: z.Elapsed.Seconds(), Specs: []jsonZooSpec{}}
	for _, s := range z.Specs {
		spec := jsonZooSpec{jsonSource: newSource(s.System), Scenarios: []jsonExhibit{}, Untold: []string{}}
		for _, x := range s.Exhibits {
			spec.Scenarios = append(spec.Scenarios, newExhibit(x))
		}
		for _, m := range s.Untold {
			spec.Untold = append(spec.Untold, m.Name)
		}
		if s.Coverage != nil {
			spec.Coverage = newJSONCoverage(s.Coverage)
		}
		out.Specs = append(out.Specs, spec)
	}
	return writeJSON(w, out)
}

func newJSONCoverage(c *explore.Coverage) *jsonCoverage {
	out := &jsonCoverage{Idle: []string{}, Untaken: []jsonUntaken{}}
	out.Actions, out.Branches = c.Counts()
	idle, untaken := c.Missing()
	for _, a := range idle {
		out.Idle = append(out.Idle, a.Name)
	}
	for _, u := range untaken {
		b := jsonUntaken{jsonBranch: newJSONBranch(u.Condition, u.Value)}
		if a := u.Condition.Action; a != nil {
			b.Action = &a.Name
		}
		out.Untaken = append(out.Untaken, b)
	}
	return out
}

func newExhibit(x *explore.Exhibit) jsonExhibit {
	s := x.Scenario
	out := jsonExhibit{Name: s.Name, Title: s.Title, Source: s.Cites, Location: place(s.Span), Scope: s.Scope, Steps: len(x.Played.Run.Steps),
		States: x.Tried(), Seconds: x.Elapsed().Seconds()}
	if m := x.Mutation; m != nil {
		out.Mutation = &jsonZooBug{m.Name, m.Title, m.Cites}
	}
	if id := brokenBy(x); id != none {
		out.Breaks = &id
	}
	switch x.Verdict() {
	case explore.AsTold:
		out.Verdict = "as_told"
	case explore.NotTold:
		out.Verdict = "not_told"
	case explore.NotSpared:
		out.Verdict = "not_spared"
	case explore.Undecided:
		out.Verdict = "undecided"
	}
	if text, _ := verdictOf(x); x.Verdict() != explore.AsTold {
		out.Problem = &text
	}
	if why := spared(x); why != "" {
		out.Spared = &why
	}
	return out
}
