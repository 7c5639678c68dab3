package report

import "github.com/speckl/kraftprove/proofs"

type (
	jsonReach struct {
		Breaks  *string        `json:"breaks"`
		By      string         `json:"by"`
		Run     *jsonExecution `json:"run"`
		Walks   *jsonWalks     `json:"walks"`
		Solver  *jsonReached   `json:"solver"`
		Pre     *jsonReached   `json:"pre_state"`
		Seconds float64        `json:"seconds"`
	}
	jsonWalks struct {
		Scope   jsonScope `json:"scope"`
		Seed    uint64    `json:"seed"`
		Length  int       `json:"length"`
		Walks   int       `json:"walks"`
		Steps   int       `json:"steps"`
		Seconds float64   `json:"seconds"`
	}
	jsonReached struct {
		Scope   jsonScope `json:"scope"`
		Reached string    `json:"reached"`
		Depth   int       `json:"depth"`
		Seconds float64   `json:"seconds"`
	}
)

// newJSONReach is a search for a run; it has no tool of its own.
func newJSONReach(f *proofs.Finding, tool ToolInfo) *jsonReach {
	out := &jsonReach{By: f.By, Solver: newJSONReached(f.Solved), Pre: newJSONReached(f.Pre), Seconds: f.Elapsed.Seconds()}
	if e := Found(f, tool); e != nil {
		if t, err := newTrace(e); err == nil { // what was found breaks what it should: proofs sees to it
			out.Run, out.Breaks = t.document(), &f.Property.ID
		}
	}
	if s := f.Walks; s != nil {
		out.Walks = &jsonWalks{f.WalkedIn.Sizes(), f.Config.Seed, f.Config.Length, s.Walks, s.Steps, s.Elapsed.Seconds()}
	}
	return out
}

func newJSONReached(r *proofs.ReachResult) *jsonReached {
	if r == nil {
		return nil
	}
	return &jsonReached{r.Scope.Sizes, r.Reached.String(), r.Depth, r.Elapsed.Seconds()}
}
