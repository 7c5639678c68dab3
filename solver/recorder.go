package solver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/speckl/kraftprove/solver/smt"
)

// Recorder is a Solver that has another do the work and writes down what it was
// asked, as an SMT-LIB 2 script that replays the dialogue. Labels and answers
// are comments.
type Recorder struct {
	Solver
	w      *bufio.Writer
	script *smt.Script
	closed bool
}

// Record returns a Recorder around s that writes to w, which the caller owns.
// An empty logic writes no set-logic.
func Record(s Solver, w io.Writer, logic string) *Recorder {
	bw := bufio.NewWriter(w)
	r := &Recorder{Solver: s, w: bw, script: smt.NewScript(bw)}
	if logic != "" {
		r.script.Command("(set-logic " + logic + ")")
	}
	return r
}

// Push opens a scope of the wrapped Solver and of the script.
func (r *Recorder) Push() {
	r.script.Push()
	r.Solver.Push()
}

// Pop drops what was asserted since the matching Push, in both.
func (r *Recorder) Pop() {
	r.Solver.Pop()
	r.script.Pop()
}

// Assert hands f and its label, which may be empty, to the wrapped Solver; in the
// script the label is a comment.
func (r *Recorder) Assert(label string, f *smt.Term) {
	if label != "" {
		r.script.Comment(label)
	}
	r.script.Assert(f)
	r.Solver.Assert(label, f)
}

// Check asks the wrapped Solver. A fault of writing the script comes back from
// Close.
func (r *Recorder) Check(ctx context.Context) (Result, error) {
	r.script.Command("(check-sat)")
	res, err := r.Solver.Check(ctx)
	switch {
	case err != nil:
		r.script.Comment("error: " + err.Error())
	case res.Status == Unknown:
		r.script.Comment("unknown: " + res.Reason.String())
	default:
		r.script.Comment(res.Status.String())
	}
	if len(res.Core) > 0 {
		r.script.Comment("core: " + strings.Join(res.Core, " "))
	}
	return res, err
}

// Close closes the wrapped Solver and completes the script. After a first call,
// it only closes the wrapped Solver.
func (r *Recorder) Close() error {
	err := r.Solver.Close()
	if r.closed {
		return err
	}
	r.closed = true
	r.script.Command("(exit)")
	if werr := r.w.Flush(); werr != nil {
		return errors.Join(err, fmt.Errorf("record script: %w", werr))
	}
	return err
}
