package report

import (
	"encoding/json"
	"io"

	"github.com/speckl/kraftprove/proofs"
)

// MutantsSchema is the version of the JSON form of mutants, which docs/json.md describes.
const MutantsSchema = "kraftprove/mutants/1"

type (
	jsonMutants struct {
		Schema string            `json:"schema"`
		Tool   jsonVersion       `json:"tool"`
		Specs  []jsonMutatedSpec `json:"specs"`
	}
	jsonMutatedSpec struct {
		jsonSource
		By      string           `json:"by"`
		Solver  *jsonVersion     `json:"solver"`
		Scope   jsonScope        `json:"scope"`
		Counts  jsonMutantCounts `json:"counts"`
		Mutants []jsonMutant     `json:"mutants"`
		Seconds float64          `json:"seconds"`
	}
	jsonMutantCounts struct {
		All         int `json:"all"`
		ByHeadline  int `json:"by_headline"`
		ByLemma     int `json:"by_lemma"`
		Explained   int `json:"explained"`
		Unexplained int `json:"unexplained"`
		Odd         int `json:"odd"`
		Unknown     int `json:"unknown"`
		NoProtocol  int `json:"no_protocol"`
	}
	jsonMutant struct {
		Name     string            `json:"name"`
		Named    bool              `json:"named"`
		Title    string            `json:"title"`
		Location string            `json:"location"`
		Changes  []jsonPatchedPart `json:"changes"`
		Outcome  string            `json:"outcome"`
		Property *string           `json:"property"`
		Action   *string           `json:"action"`
		Scenario *string           `json:"scenario"`
		Steps    *int              `json:"steps"`
		Survives string            `json:"survives"`
		Reason   string            `json:"reason"`
		Seconds  float64           `json:"seconds"`
	}
	jsonPatchedPart struct {
		Section string   `json:"section"`
		Name    string   `json:"name"`
		Dropped bool     `json:"dropped"`
		Lines   []string `json:"lines"`
	}
)

// MutantsJSON writes what became of mutants, for programs. Every key is always there.
func MutantsJSON(w io.Writer, reps []*proofs.MutantReport, tool ToolInfo) error {
	doc := jsonMutants{Schema: MutantsSchema, Tool: jsonVersion(tool), Specs: []jsonMutatedSpec{}}
	for _, r := range reps {
		doc.Specs = append(doc.Specs, newMutatedSpec(r))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

func newMutatedSpec(rep *proofs.MutantReport) jsonMutatedSpec {
	sys := rep.System
	out := jsonMutatedSpec{
		jsonSource: jsonSource{Name: sys.Name, Title: sys.Title, File: sys.File.Name, Hash: sys.Hash},
		By:         "run",
		Counts: jsonMutantCounts{All: len(rep.Results), ByHeadline: rep.Count(proofs.ByHeadline), ByLemma: rep.Count(proofs.ByLemma),
			Explained: rep.Count(proofs.Explained), Unexplained: rep.Count(proofs.Unexplained), Odd: rep.Count(proofs.Odd),
			Unknown: rep.Count(proofs.Undecided), NoProtocol: rep.Count(proofs.NoProtocol)},
		Mutants: []jsonMutant{},
		Seconds: rep.Elapsed.Seconds(),
	}
	if !rep.ByRun {
		out.By, out.Scope = "induction", newScope(sys, rep.Scope)
		out.Solver = &jsonVersion{rep.Solver.Name, rep.Solver.Version}
	}
	for _, r := range rep.Results {
		out.Mutants = append(out.Mutants, newMutant(r))
	}
	return out
}

func newMutant(r *proofs.MutantResult) jsonMutant {
	m := r.Mutation
	out := jsonMutant{Name: m.Name, Named: !m.Mutant, Title: m.Title, Location: place(m.Span), Changes: []jsonPatchedPart{},
		Outcome: r.Outcome().String(), Survives: m.Survives, Reason: r.Reason, Seconds: r.Elapsed.Seconds()}
	for _, c := range m.Changes {
		out.Changes = append(out.Changes, jsonPatchedPart{c.Section, c.Name, c.Dropped, append([]string{}, c.Lines...)})
	}
	if r.Property != nil {
		out.Property = &r.Property.ID
	}
	if r.Action != nil {
		out.Action = &r.Action.Name
	}
	if r.Scenario != nil {
		out.Scenario = &r.Scenario.Name
	}
	if r.Run != nil {
		n := len(r.Run.Steps)
		out.Steps = &n
	}
	return out
}
