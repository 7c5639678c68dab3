package smtlib

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"time"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// Options are what a Solver does besides solving. The zero value does nothing.
type Options struct {
	// Transcript receives all commands and replies, if it is not nil.
	Transcript io.Writer
	// Logger receives one debug record for each Check, if it is not nil.
	Logger *slog.Logger
}

// New returns a Solver that runs p. Nothing is started before the first Check.
//
// With limits.Incremental, one process lives from the first Check to Close, and
// scopes are its own. Without, each Check has a fresh process that gets the
// assertions of all open scopes at once and never sees a scope.
func New(p Program, limits solver.Limits, opts Options) solver.Solver {
	return &session{program: p, limits: limits, opts: opts}
}

// session holds the assertions, so that any process can be told all of them.
type session struct {
	program Program
	limits  solver.Limits
	opts    Options

	asserted []assertion
	scopes   []int // len(asserted) at each Push

	proc *process
	text *bytes.Buffer // commands not yet sent to proc
	out  *bufio.Writer // in front of text
	told script        // what proc knows, once text is sent
}

// script is the dialogue with one process.
type script struct {
	*smt.Script
	asserted int      // how many of the assertions it has
	scopes   []int    // their number at each push
	logic    fragment // what its logic has
}

type assertion struct {
	label string
	f     *smt.Term
}

// grace is how long a solver may go on after its own time limit.
const grace = time.Second

func (s *session) Push() { s.scopes = append(s.scopes, len(s.asserted)) }

func (s *session) Pop() {
	if len(s.scopes) == 0 {
		panic("smtlib: Pop without Push")
	}
	last := len(s.scopes) - 1
	clear(s.asserted[s.scopes[last]:])
	s.asserted = s.asserted[:s.scopes[last]]
	s.scopes = s.scopes[:last]
	for s.proc != nil && len(s.told.scopes) > len(s.scopes) {
		end := len(s.told.scopes) - 1
		s.told.asserted = s.told.scopes[end]
		s.told.scopes = s.told.scopes[:end]
		s.told.Pop()
	}
}

func (s *session) Assert(label string, f *smt.Term) {
	s.asserted = append(s.asserted, assertion{label, f})
}

func (s *session) Close() error {
	s.stop()
	return nil
}

// stop ends the process, if there is one.
func (s *session) stop() {
	if s.proc != nil {
		s.proc.close()
		s.proc = nil
	}
}

func (s *session) Check(ctx context.Context) (solver.Result, error) {
	began := time.Now()
	res, err := s.check(ctx)
	if s.opts.Logger != nil {
		s.opts.Logger.DebugContext(ctx, "check", "backend", s.program.Name,
			"verdict", res.Status, "reason", res.Reason, "elapsed", time.Since(began), "error", err)
	}
	return res, err
}

func (s *session) check(ctx context.Context) (solver.Result, error) {
	if err := ctx.Err(); err != nil {
		return solver.UnknownResult(contextReason(err)), nil
	}
	if s.limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.limits.Timeout+grace)
		defer cancel()
	}
	if s.proc != nil && s.fragment() > s.told.logic {
		s.stop() // its logic is too narrow
	}
	if s.proc == nil {
		if err := s.start(); err != nil {
			return solver.Result{}, err
		}
	}
	if !s.limits.Incremental {
		defer s.stop()
	}
	s.tell()
	res, err := s.answer(ctx)
	if err != nil {
		res, err = s.explain(ctx, err)
		s.stop()
	}
	return res, err
}

// start starts a process that has been told nothing.
func (s *session) start() error {
	p, err := start(s.program.dialect.command(s.program.Path, s.limits))
	if err != nil {
		return err
	}
	s.proc = p
	s.text = &bytes.Buffer{}
	s.out = bufio.NewWriter(s.text)
	s.told = script{Script: smt.NewScript(s.out)}
	s.told.Rename(s.limits.Names)
	s.told.logic = s.fragment()
	for _, c := range s.program.dialect.prelude(s.limits, s.told.logic) {
		s.told.Command(c)
	}
	return nil
}

// fragment returns what the assertions need.
func (s *session) fragment() fragment {
	need := propositional
	for _, a := range s.asserted {
		need = max(need, fragmentOf(a.f))
	}
	return need
}

// tell writes the scopes and assertions that the process does not have.
func (s *session) tell() {
	for s.told.asserted < len(s.asserted) || len(s.told.scopes) < len(s.scopes) {
		n := s.told.asserted
		if open := len(s.told.scopes); open < len(s.scopes) && s.scopes[open] == n {
			s.told.scopes = append(s.told.scopes, n)
			if s.limits.Incremental {
				s.told.Push()
			}
			continue
		}
		if a := s.asserted[n]; s.named(a) {
			s.told.AssertUnder(guard(n), a.f)
		} else {
			s.told.Assert(a.f)
		}
		s.told.asserted++
	}
}

func (s *session) named(a assertion) bool { return s.limits.Cores && a.label != "" }

// answer asks for the answer to what the process has been told.
func (s *session) answer(ctx context.Context) (solver.Result, error) {
	began := time.Now()
	status, err := s.ask(ctx, s.question())
	if err != nil {
		return solver.Result{}, err
	}
	switch strings.TrimSpace(status) {
	case "sat":
		if s.fragment() == firstOrder {
			return solver.Result{Status: solver.Sat}, nil
		}
		m, err := s.model(ctx)
		return solver.Result{Status: solver.Sat, Model: m}, err
	case "unsat":
		core, err := s.core(ctx)
		return solver.Result{Status: solver.Unsat, Core: core}, err
	case "unknown":
		took := time.Since(began)
		why, err := s.ask(ctx, "(get-info :reason-unknown)")
		return solver.UnknownResult(s.whyUnknown(why, took)), err
	}
	r, ok := s.program.dialect.reason(status)
	quotes := strings.Contains(status, "(error") // and in it all kinds of words
	limit := r == solver.Memory || r == solver.ResourceLimit ||
		r == solver.Timeout && strings.Contains(status, "canceled") // Z3's timer went off in a push or an assertion
	if ok && (!quotes || limit) {
		s.stop() // it gave up instead of answering; what it knows now is unclear
		return solver.UnknownResult(r), nil
	}
	return solver.Result{}, s.nonsense(status, "neither sat, unsat nor unknown")
}

// whyUnknown tells the reason that the solver gave after some time. Among
// quantifiers Z3 4.8.12 says "canceled" or "unknown" if it was the step limit
// that stopped it; "canceled" is for time, too.
func (s *session) whyUnknown(why string, took time.Duration) solver.Reason {
	r, known := s.program.dialect.reason(why)
	early := s.limits.Timeout == 0 || took < s.limits.Timeout
	if s.limits.Steps > 0 && early && (!known || r == solver.Timeout) {
		return solver.ResourceLimit
	}
	return r
}

// question is the command that asks for an answer.
func (s *session) question() string {
	var guards []string
	for i, a := range s.asserted {
		if s.named(a) {
			guards = append(guards, guard(i))
		}
	}
	if len(guards) == 0 {
		return "(check-sat)"
	}
	return "(check-sat-assuming (" + strings.Join(guards, " ") + "))"
}

// ask sends the commands not yet sent and one more, and returns the reply.
func (s *session) ask(ctx context.Context, command string) (string, error) {
	s.told.Command(command)
	if err := s.out.Flush(); err != nil {
		panic(fmt.Sprintf("smtlib: writing to memory failed: %v", err))
	}
	s.transcribe(s.text.String())
	reply, err := s.proc.ask(ctx, s.text.Bytes())
	s.text.Reset()
	s.transcribe(reply)
	return reply, err
}

func (s *session) transcribe(text string) {
	if s.opts.Transcript != nil && text != "" {
		// A transcript is a help for people: that it fails changes no answer.
		_, _ = io.WriteString(s.opts.Transcript, text)
	}
}

// explain turns the end of a process into a result, if it is one.
func (s *session) explain(ctx context.Context, err error) (solver.Result, error) {
	var bad *solver.AnswerError
	if errors.As(err, &bad) {
		return solver.Result{}, err
	}
	if cerr := ctx.Err(); cerr != nil {
		return solver.UnknownResult(contextReason(cerr)), nil
	}
	p := s.proc
	if errors.Is(err, errEndless) {
		return solver.Result{}, s.nonsense(p.rest, "reply does not end")
	}
	if r, ok := s.program.dialect.reason(p.rest + p.stderr.String()); ok && r == solver.Memory {
		return solver.UnknownResult(solver.Memory), nil
	}
	var exit *exec.ExitError
	if s.program.dialect.shellMemory && s.limits.MemoryMB > 0 && errors.As(err, &exit) && bySignal(exit) {
		return solver.UnknownResult(solver.Memory), nil // it does not look at what malloc returns
	}
	return solver.Result{}, &solver.DiedError{
		Name:   s.program.Name,
		Err:    err,
		Stderr: clip(p.rest) + p.stderr.String(),
	}
}

func contextReason(err error) solver.Reason {
	if errors.Is(err, context.DeadlineExceeded) {
		return solver.Timeout
	}
	return solver.Cancelled
}
