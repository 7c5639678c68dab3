package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// Schema is the version of the JSON form, which docs/json.md describes.
const Schema = "kraftprove/1"

// ToolInfo says which program wrote a report.
type ToolInfo struct {
	Name    string
	Version string
}

// JSON writes what a check found, for programs. Every key is always there.
func JSON(w io.Writer, rep *proofs.Report, tool ToolInfo) error {
	return writeJSON(w, newDocument(rep, tool))
}

// The JSON form: these types and no others. Lists are empty, never null; what
// is null is said in docs/json.md.
type (
	jsonDocument struct {
		Schema      string           `json:"schema"`
		Tool        jsonVersion      `json:"tool"`
		Solvers     []jsonVersion    `json:"solvers"`
		Specs       []jsonSpec       `json:"specs"`
		Summary     jsonSummary      `json:"summary"`
		Assumptions jsonAssumed      `json:"assumptions"`
		Properties  []jsonProperty   `json:"properties"`
		Obligations []jsonObligation `json:"obligations"`
	}
	jsonVersion struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	jsonSpec struct {
		Name        string         `json:"name"`
		Title       string         `json:"title"`
		File        string         `json:"file"`
		Hash        string         `json:"hash"`
		Mode        string         `json:"mode"`
		Scope       jsonScope      `json:"scope"`
		Assumptions jsonAssumed    `json:"assumptions"`
		Claims      []string       `json:"claims"`
		NotAsked    []string       `json:"not_asked"`
		Unneeded    []string       `json:"unneeded"`
		Opinion     *jsonOpinion   `json:"second_opinion"`
		Opinions    []jsonOpinion  `json:"opinions"`
		Stability   *jsonStability `json:"stability"`
		Seconds     float64        `json:"seconds"`
	}
	jsonOpinion struct {
		Solver      jsonVersion `json:"solver"`
		Agreed      int         `json:"agreed"`
		Undecided   []string    `json:"undecided"`
		Contradicts []string    `json:"contradicts"`
	}
	jsonStability struct {
		Seeds   int      `json:"seeds"`
		Changed []string `json:"changed"`
		Least   float64  `json:"least_seconds"`
		Most    float64  `json:"most_seconds"`
	}
	jsonScope   map[string]int
	jsonAssumed struct {
		Always    []string `json:"always"`
		Unbounded []string `json:"unbounded"`
		Bounded   []string `json:"bounded"`
	}
	jsonSummary struct {
		AsExpected bool `json:"as_expected"`
		Unexpected int  `json:"unexpected"`
		jsonCounts
		Unbounded jsonCounts `json:"unbounded"`
		Bounded   jsonCounts `json:"bounded"`
		Seconds   float64    `json:"seconds"`
	}
	jsonCounts struct {
		Obligations int `json:"obligations"`
		Proved      int `json:"proved"`
		Refuted     int `json:"refuted"`
		Unknown     int `json:"unknown"`
		Unsat       int `json:"unsat"`
		Untouched   int `json:"untouched"`
		Replayed    int `json:"replayed"`
	}
	jsonProperty struct {
		Spec     string   `json:"spec"`
		Check    string   `json:"check"`
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Kind     string   `json:"kind"`
		Form     string   `json:"form"`
		Verdict  string   `json:"verdict"`
		Mode     string   `json:"mode"`
		LeansOn  []string `json:"leans_on"`
		Lacking  []string `json:"lacking"`
		Formula  string   `json:"formula"`
		Location string   `json:"location"`
	}
	jsonObligation struct {
		Spec     string    `json:"spec"`
		Check    string    `json:"check"`
		ID       string    `json:"id"`
		Property *string   `json:"property"`
		Action   *string   `json:"action"`
		Kind     string    `json:"kind"`
		Mode     string    `json:"mode"`
		Scope    jsonScope `json:"scope"`
		Verdict  string    `json:"verdict"`
		Expected string    `json:"expected"`
		Answer   string    `json:"answer"`
		Reason   string    `json:"reason"`
		Solver   *string   `json:"solver"`
		Rung     *string   `json:"rung"`
		Tried    []string  `json:"tried"`
		HeldIn   jsonScope `json:"held_in"`
		Query    string    `json:"query"`
		Seconds  float64   `json:"seconds"`
		Core     []string  `json:"core"`
		Run      *jsonRun  `json:"run"`
		CTI      *jsonCTI  `json:"cti"`

		Reach  *jsonReach  `json:"reach"`
		Branch *jsonBranch `json:"branch"`
	}
	jsonBranch struct {
		Condition  string  `json:"condition"`
		Location   string  `json:"location"`
		Of         string  `json:"of"`
		Definition *string `json:"definition"`
		When       bool    `json:"when"`
	}
	jsonRun struct {
		Name  string `json:"name"`
		Steps int    `json:"steps"`
	}
	jsonCTI struct {
		Scope   jsonScope     `json:"scope"`
		Subsets []jsonValue   `json:"subsets"`
		Action  *jsonCall     `json:"action"`
		Pre     jsonState     `json:"pre"`
		Post    *jsonState    `json:"post"`
		Sent    []jsonMessage `json:"sent"`
		Broken  jsonBroken    `json:"broken"`
	}
	jsonCall struct {
		Name     string      `json:"name"`
		Location string      `json:"location"`
		Args     []jsonValue `json:"args"`
	}
	jsonState struct {
		Variables []jsonValue   `json:"variables"`
		Messages  []jsonMessage `json:"messages"`
	}
	jsonValue struct {
		Name  string          `json:"name"`
		Sort  string          `json:"sort"`
		Text  string          `json:"text"`
		Value json.RawMessage `json:"value"`
	}
	jsonMessage struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Value json.RawMessage `json:"value"`
	}
	jsonBroken struct {
		Formula   string        `json:"formula"`
		Variables []jsonValue   `json:"variables"`
		Literals  []jsonLiteral `json:"literals"`
	}
	jsonLiteral struct {
		Text   string `json:"text"`
		Before *bool  `json:"before"`
		After  bool   `json:"after"`
	}
)

func newDocument(rep *proofs.Report, tool ToolInfo) jsonDocument {
	d := jsonDocument{
		Schema:      Schema,
		Tool:        jsonVersion(tool),
		Solvers:     []jsonVersion{{rep.Solver.Name, rep.Solver.Version}},
		Specs:       []jsonSpec{},
		Properties:  []jsonProperty{},
		Obligations: []jsonObligation{},
		Summary:     jsonSummary{AsExpected: true, Seconds: rep.Elapsed.Seconds()},
	}
	// In both modes, two checks share what is shown by one state, step or run: it
	// is of the second, which is the bounded one.
	owner := map[*proofs.Result]*proofs.SystemReport{}
	for _, sys := range rep.Systems {
		for _, r := range sys.Results {
			owner[r] = sys
		}
	}
	var assumed Assumed
	for _, sys := range rep.Systems {
		d.Specs = append(d.Specs, newSpec(sys))
		assumed.add(Assumptions(sys.System).in(sys.Mode))
		for _, r := range sys.Properties {
			d.Properties = append(d.Properties, newProperty(sys, r))
		}
		for _, r := range sys.Results {
			if owner[r] != sys {
				continue
			}
			d.Summary.add(r)
			d.Obligations = append(d.Obligations, newObligation(rep, sys, r, tool))
			v := jsonVersion{r.Solver.Name, r.Solver.Version}
			if v.Name != "" && !slices.Contains(d.Solvers, v) {
				d.Solvers = append(d.Solvers, v)
			}
		}
	}
	d.Assumptions = newAssumed(assumed)
	return d
}

func newAssumed(a Assumed) jsonAssumed {
	return jsonAssumed{notNil(a.Always), notNil(a.Unbounded), notNil(a.Bounded)}
}

func (s *jsonSummary) add(r *proofs.Result) {
	s.count(r)
	if r.Mode == proofs.Unbounded {
		s.Unbounded.count(r)
	} else {
		s.Bounded.count(r)
	}
	if !r.AsExpected() {
		s.Unexpected++
		s.AsExpected = false
	}
}

func (s *jsonCounts) count(r *proofs.Result) {
	s.Obligations++
	switch r.Verdict {
	case proofs.Proved:
		s.Proved++
	case proofs.Refuted:
		s.Refuted++
	case proofs.Unknown, proofs.Conditional:
		s.Unknown++
	}
	switch r.Answer {
	case proofs.Unsat:
		s.Unsat++
	case proofs.Untouched:
		s.Untouched++
	case proofs.Replayed:
		s.Replayed++
	case proofs.Sat, proofs.NoAnswer:
	}
}

func newSpec(sys *proofs.SystemReport) jsonSpec {
	assumed := Assumptions(sys.System).within(sys.System, sys.Scope).in(sys.Mode)
	s := jsonSpec{
		Name:        sys.System.Name,
		Title:       sys.System.Title,
		Hash:        sys.System.Hash,
		Mode:        sys.Mode.String(),
		Scope:       newScope(sys.System, sys.Scope),
		Assumptions: newAssumed(assumed),
		NotAsked:    notNil(notAsked(sys)),
		Claims:      []string{},
		Opinions:    []jsonOpinion{},
		Unneeded:    sys.Unneeded,
		Seconds:     sys.Elapsed.Seconds(),
	}
	if sys.System.File != nil {
		s.File = sys.System.File.Name
	}
	for _, c := range claims(sys) {
		s.Claims = append(s.Claims, c.text)
	}
	for _, o := range sys.Opinions {
		s.Opinions = append(s.Opinions, jsonOpinion{jsonVersion{o.Solver.Name, o.Solver.Version}, o.Agreed, notNil(o.Undecided), notNil(o.Contradicts)})
	}
	if len(s.Opinions) > 0 {
		s.Opinion = &s.Opinions[0]
	}
	if st := sys.Stability; st != nil {
		s.Stability = &jsonStability{st.Seeds, notNil(st.Changed), st.Least.Seconds(), st.Most.Seconds()}
	}
	return s
}

func newScope(sys *protocol.System, scope encode.Scope) jsonScope {
	out := maps.Clone(scope.Sizes)
	if out == nil {
		out = map[string]int{}
	}
	if len(sys.Messages) > 0 {
		out[protocol.MessagesScope] = scope.Messages
	}
	return out
}

func newProperty(sys *proofs.SystemReport, r *proofs.PropertyResult) jsonProperty {
	q := r.Property
	return jsonProperty{
		Spec:     sys.System.Name,
		Check:    sys.Mode.String(),
		ID:       q.ID,
		Title:    q.Title,
		Kind:     kindName(q.Kind),
		Form:     formName(q),
		Verdict:  r.Verdict.String(),
		Mode:     r.Mode.String(),
		LeansOn:  notNil(r.LeansOn),
		Lacking:  notNil(r.Lacking),
		Formula:  syntax.FormatExpr(q.Source),
		Location: place(q.Span),
	}
}

func kindName(k protocol.PropertyKind) string {
	switch k {
	case protocol.Invariant:
		return "invariant"
	case protocol.Lemma:
		return "lemma"
	case protocol.Theorem:
		return "theorem"
	case protocol.Literal:
		return "literal"
	}
	panic(fmt.Sprintf("unhandled property kind %d", k))
}

// formName says how a property is proved.
func formName(q *protocol.Property) string {
	switch {
	case q.Kind == protocol.Literal:
		return "literal"
	case q.TwoState:
		return "two-state"
	case q.Implied:
		return "implied"
	default:
		return "inductive"
	}
}

func newObligation(rep *proofs.Report, sys *proofs.SystemReport, r *proofs.Result, tool ToolInfo) jsonObligation {
	o := jsonObligation{
		Spec:     sys.System.Name,
		Check:    sys.Mode.String(),
		ID:       r.ID(),
		Kind:     r.Kind.String(),
		Mode:     r.Mode.String(),
		Verdict:  r.Verdict.String(),
		Expected: r.Expected().String(),
		Answer:   r.Answer.String(),
		Reason:   r.Reason,
		Query:    r.Query,
		Seconds:  r.Elapsed.Seconds(),
		Tried:    notNil(r.Tried),
	}
	if r.Mode != proofs.Unbounded {
		o.Scope = newScope(sys.System, sys.Scope)
	}
	if r.Held != nil {
		o.HeldIn = newScope(sys.System, *r.Held)
	}
	if r.Answer == proofs.Unsat {
		o.Core = r.Core
	}
	if isByRung(r) {
		o.Rung = &r.Rung
	}
	if r.Property != nil {
		o.Property = &r.Property.ID
	}
	if r.Action != nil {
		o.Action = &r.Action.Name
	}
	if r.Answer != proofs.Untouched && r.Kind != proofs.LiteralIsFalse {
		name := solverOf(rep, r)
		o.Solver = &name
	}
	if r.Kind == proofs.LiteralIsFalse && r.Property.RefutedBy != nil {
		o.Run = &jsonRun{Name: r.Property.RefutedBy.Name}
		if r.Run != nil {
			o.Run.Steps = len(r.Run.Steps)
		}
		o.Scope = maps.Clone(r.Property.RefutedBy.Scope)
	}
	if r.CTI != nil {
		o.CTI = newJSONCTI(r.CTI)
	}
	if r.Reach != nil {
		o.Reach = newJSONReach(r.Reach, tool)
	}
	if r.Kind == proofs.Branch {
		b := newJSONBranch(r.Condition, r.When)
		o.Branch = &b
	}
	if r.In != nil {
		o.Scope = newScope(sys.System, *r.In)
	}
	return o
}

func newJSONBranch(c *protocol.Condition, when bool) jsonBranch {
	b := jsonBranch{Condition: written(c), Location: place(c.Span()), Of: "if", When: when}
	if c.Send {
		b.Of = "send"
	}
	if c.Def != nil {
		b.Definition = &c.Def.Name
	}
	return b
}

func newJSONCTI(c *proofs.CTI) *jsonCTI {
	v := newView(c, true)
	v.strips = nil // as a spec would write it
	out := &jsonCTI{
		Scope:   newScope(c.Structure.System, c.Scope),
		Subsets: v.jsonSubsets(),
		Pre:     v.jsonState(v.pre),
		Sent:    []jsonMessage{},
		Broken:  v.jsonBroken(),
	}
	if c.Post != nil {
		post := v.jsonState(c.Post)
		out.Post = &post
		call := v.jsonCall(c.Obligation.Action, c.Args)
		out.Action = &call
	}
	for _, typ := range v.st.System.Messages {
		for _, m := range v.post.Msgs[typ.ID] {
			if !v.pre.HasMessage(typ, m) {
				out.Sent = append(out.Sent, v.jsonMessage(typ, m))
			}
		}
	}
	return out
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
