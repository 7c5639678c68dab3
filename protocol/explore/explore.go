package explore

import (
	"context"
	"io"
	"time"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/state"
)

// Options say what to visit.
type Options struct {
	Properties []*protocol.Property // tested in each state, and at each step
	Distinct   bool                 // tell states apart that differ only in the names of elements
	Limits     machine.Limits
	Resume     io.Reader                  // a checkpoint to go on from; may be nil
	Save       io.Writer                  // where to write one if the exploration ends early; may be nil
	Progress   func(machine.ExploreStats) // called now and then; may be nil
}

// Exploration is what a breadth-first search saw.
type Exploration struct {
	Outcome   machine.Outcome
	Stats     machine.ExploreStats
	Symmetric []*protocol.Sort // states that differ only in the names of these elements count as one
	Resumed   int              // states that had been generated when the checkpoint was written
	Saved     bool             // it wrote a checkpoint
	Violation *Violation
	Elapsed   time.Duration
}

// Explore visits all states of the structure that can be reached, breadth first. The error is about the
// checkpoints: about the one to resume, and there is no exploration, or about the one to save.
func Explore(ctx context.Context, st *state.Structure, o Options) (*Exploration, error) {
	start := time.Now()
	m := machine.New(st)
	sorts := map[*protocol.Sort]bool{}
	out := &Exploration{}
	if !o.Distinct {
		sorts = st.System.SymmetricSorts()
		for _, s := range st.System.Sorts {
			if sorts[s] && st.Size(s) > 1 {
				out.Symmetric = append(out.Symmetric, s)
			}
		}
	}
	x := m.Explorer(m.Checker(o.Properties), sorts)
	if o.Resume != nil {
		if err := x.Resume(o.Resume); err != nil {
			return nil, err
		}
		out.Resumed = x.Stats().Generated
	}
	out.Outcome = run(ctx, x, o)
	out.Stats = x.Stats()
	out.Elapsed = time.Since(start)
	if v := x.Violation(); v != nil {
		out.Violation = confirm(st, v.Property, v.Moves)
	} else if o.Save != nil && out.Outcome != machine.Exhausted {
		if err := x.Save(o.Save); err != nil {
			return out, err
		}
		out.Saved = true
	}
	return out, nil
}

// run explores in pieces and tells of each.
func run(ctx context.Context, x *machine.Explorer, o Options) machine.Outcome {
	const piece = 20000
	if o.Progress == nil {
		return x.Run(ctx, o.Limits)
	}
	for {
		l := o.Limits
		soon := x.Stats().Distinct + piece
		if l.States == 0 || soon < l.States {
			l.States = soon
		}
		out := x.Run(ctx, l)
		if out != machine.StateLimit || l.States == o.Limits.States {
			return out
		}
		o.Progress(x.Stats())
	}
}
