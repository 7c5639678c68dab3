//go:build z3

package z3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	binding "github.com/mitchellh/go-z3"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// Info says which library answers.
func Info() (solver.Info, error) { return solver.Info{Name: Name, Version: version()}, nil }

// New returns a Solver that runs Z3 in this process. It honours Timeout, Steps,
// Names and Incremental, but not Seed, MemoryMB (libz3 counts the memory of all its
// contexts together), Cores (they are always empty) and Options. While a term
// that is not purely Boolean is asserted, Check returns a
// *solver.UnsupportedError.
func New(l solver.Limits) (solver.Solver, error) {
	return &inProcess{limits: l}, nil
}

// inProcess keeps the assertions: the binding's solver has no scopes, so each
// check has a new one that is told all.
type inProcess struct {
	limits   solver.Limits
	asserted []*smt.Term
	scopes   []int // len(asserted) at each Push

	conv *converter // with limits.Incremental, kept from check to check
}

// interruptEvery is how often a check that is to give up is interrupted: what
// comes before Z3 is ready to listen is lost.
const interruptEvery = 5 * time.Millisecond

func (s *inProcess) Push() { s.scopes = append(s.scopes, len(s.asserted)) }

func (s *inProcess) Pop() {
	if len(s.scopes) == 0 {
		panic("z3: Pop without Push")
	}
	last := len(s.scopes) - 1
	clear(s.asserted[s.scopes[last]:])
	s.asserted = s.asserted[:s.scopes[last]]
	s.scopes = s.scopes[:last]
}

func (s *inProcess) Assert(_ string, f *smt.Term) { s.asserted = append(s.asserted, f) }

func (s *inProcess) Close() error {
	s.drop()
	return nil
}

// drop frees the context.
func (s *inProcess) drop() {
	if s.conv != nil {
		s.conv.close()
		s.conv = nil
	}
}

func (s *inProcess) Check(ctx context.Context) (solver.Result, error) {
	for _, f := range s.asserted {
		if what := beyond(f); what != "" {
			return solver.Result{}, &solver.UnsupportedError{Name: Name, What: what}
		}
	}
	if s.limits.Timeout > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		timer := time.AfterFunc(s.limits.Timeout, func() { cancel(context.DeadlineExceeded) })
		defer timer.Stop()
	}
	if s.conv == nil {
		s.conv = newConverter(s.limits)
	}
	res, err := s.check(ctx)
	if !s.limits.Incremental || err != nil || res.Status == solver.Unknown {
		s.drop() // what an interrupted context is good for, nobody says
	}
	return res, err
}

// beyond names what f has and the binding lacks, "" if there is nothing.
func beyond(f *smt.Term) string {
	switch {
	case f.Quantified():
		return "quantifiers"
	case f.FirstOrder():
		return "integers, declared sorts and functions"
	case f.HasBitVec():
		return "bit-vectors"
	}
	return ""
}

func (s *inProcess) check(ctx context.Context) (solver.Result, error) {
	z := s.newSolver()
	defer z.Close()
	for _, f := range s.asserted {
		if ctx.Err() != nil {
			return gaveUp(ctx), nil
		}
		z.Assert(s.conv.convert(f))
	}
	if ctx.Err() != nil {
		return gaveUp(ctx), nil
	}
	status := s.run(ctx, z)
	switch {
	case s.conv.err == nil:
	case status == binding.Undef && ctx.Err() != nil: // Z3 says "canceled"
	default:
		return solver.Result{}, s.conv.err
	}
	switch status {
	case binding.True:
		m, err := s.conv.model(z, s.asserted)
		return solver.Result{Status: solver.Sat, Model: m}, err
	case binding.False:
		return solver.Result{Status: solver.Unsat}, nil
	}
	switch {
	case ctx.Err() != nil:
		return gaveUp(ctx), nil
	case s.limits.Steps > 0: // there is no other reason to give up on Booleans
		return solver.UnknownResult(solver.ResourceLimit), nil
	}
	return solver.UnknownResult(solver.Incomplete), nil
}

// tactic guards the parameter of libz3 that newSolver sets.
var tactic sync.Mutex

// newSolver makes a solver for few hard checks or many easy ones. Given no
// tactic, Z3 4.8.12 uses its SAT solver; the tactic smt goes straight to the SMT
// core. Of the consecution queries of a Raft model those below 0.1 s take 1.7
// times as long with SAT, those above 0.3 s 2.3 times as long with SMT.
func (s *inProcess) newSolver() *binding.Solver {
	name := ""
	if s.limits.Incremental {
		name = "smt"
	}
	tactic.Lock()
	defer tactic.Unlock()
	setGlobal("tactic.default_tactic", name)
	z := s.conv.ctx.NewSolver()
	z.Assert(s.conv.yes) // only now does Z3 read the parameter
	return z
}

// run checks, and interrupts the check once ctx ends.
func (s *inProcess) run(ctx context.Context, z *binding.Solver) binding.LBool {
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for {
			interrupt(s.conv.ctx)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	status := z.Check()
	close(done)
	watch.Wait()
	return status
}

func gaveUp(ctx context.Context) solver.Result {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return solver.UnknownResult(solver.Timeout)
	}
	return solver.UnknownResult(solver.Cancelled)
}

// converter turns terms into those of one Z3 context, each once.
type converter struct {
	ctx   *binding.Context
	sort  *binding.Sort
	yes   *binding.AST
	asts  []*binding.AST // by number
	stack []*smt.Term
	args  []*binding.AST
	mask  int   // makes another number of a term's
	err   error // the first error that Z3 reported
}

// symbols is how many numbers Z3 takes for symbols, a power of two.
const symbols = 1 << 29

func newConverter(l solver.Limits) *converter {
	config := binding.NewConfig()
	defer config.Close()
	config.SetParamValue("auto_config", "true")
	config.SetParamValue("model", "true")
	if l.Steps > 0 {
		config.SetParamValue("rlimit", fmt.Sprint(l.Steps))
	}
	c := &converter{ctx: binding.NewContext(config)}
	if l.Names != 0 {
		c.mask = rand.New(rand.NewPCG(uint64(l.Names), 0)).IntN(symbols)
	}
	c.ctx.SetErrorHandler(func(ctx *binding.Context, code binding.ErrorCode) {
		if c.err == nil {
			c.err = &solver.AnswerError{Name: Name, Answer: ctx.Error(code), Why: fmt.Sprintf("error %d", code)}
		}
	})
	c.sort = c.ctx.BoolSort()
	c.yes = c.ctx.True()
	return c
}

func (c *converter) close() { _ = c.ctx.Close() }

// convert returns t as an expression of Z3.
func (c *converter) convert(t *smt.Term) *binding.AST {
	if n := int(t.ID()) + 1; n > len(c.asts) {
		c.asts = append(c.asts, make([]*binding.AST, max(n, 2*len(c.asts))-len(c.asts))...)
	}
	c.stack = append(c.stack[:0], t)
	for len(c.stack) > 0 {
		top := c.stack[len(c.stack)-1]
		if c.asts[top.ID()] == nil && c.need(top) {
			continue
		}
		if c.asts[top.ID()] == nil {
			c.asts[top.ID()] = c.apply(top)
		}
		c.stack = c.stack[:len(c.stack)-1]
	}
	return c.asts[t.ID()]
}

// need puts the arguments of t that are not converted on the stack, and reports
// whether there are any.
func (c *converter) need(t *smt.Term) bool {
	n := len(c.stack)
	for _, a := range t.Args() {
		if c.asts[a.ID()] == nil {
			c.stack = append(c.stack, a)
		}
	}
	return len(c.stack) > n
}

// apply makes t from its converted arguments.
func (c *converter) apply(t *smt.Term) *binding.AST {
	c.args = c.args[:0]
	for _, a := range t.Args() {
		c.args = append(c.args, c.asts[a.ID()])
	}
	switch t.Op() {
	case smt.OpTrue:
		return c.yes
	case smt.OpFalse:
		return c.ctx.False()
	case smt.OpConst:
		// Numbers as symbols spare us the names.
		return c.ctx.Const(c.ctx.SymbolInt(int(t.ID())^c.mask), c.sort)
	case smt.OpNot:
		return c.args[0].Not()
	case smt.OpAnd:
		return c.args[0].And(c.args[1:]...)
	case smt.OpOr:
		return c.args[0].Or(c.args[1:]...)
	case smt.OpIte:
		return c.args[0].Ite(c.args[1], c.args[2])
	case smt.OpEq:
		return c.args[0].Eq(c.args[1])
	case smt.OpBVLit, smt.OpBVAdd, smt.OpBVUlt, smt.OpBVUle,
		smt.OpIntLit, smt.OpAdd, smt.OpLt, smt.OpLe, smt.OpEnum, smt.OpApp,
		smt.OpVar, smt.OpForall, smt.OpExists, smt.OpPattern: // see beyond
	}
	panic(fmt.Sprintf("z3: unhandled %s", t.Op()))
}

// model reads the values of the constants below the asserted formulas.
func (c *converter) model(z *binding.Solver, asserted []*smt.Term) (*solver.Model, error) {
	zm := z.Model()
	defer zm.Close()
	m := solver.NewModel()
	seen := make([]bool, len(c.asts))
	stack := append(c.stack[:0], asserted...)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t.ID()] {
			continue
		}
		seen[t.ID()] = true
		stack = append(stack, t.Args()...)
		if t.Op() != smt.OpConst {
			continue
		}
		v := zm.Eval(c.asts[t.ID()])
		if v == nil {
			return nil, &solver.AnswerError{Name: Name, Answer: t.Name(), Why: "no value in the model"}
		}
		if *v == *c.yes { // Z3 has one true in each context
			m.SetBool(t, true)
		}
	}
	c.stack = stack
	return m, c.err
}
