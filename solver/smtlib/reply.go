package smtlib

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// guardPrefix starts the symbols that stand for labels; no constant has it.
const guardPrefix = "$a"

// guard is the symbol under which the nth assertion holds.
func guard(n int) string { return guardPrefix + strconv.Itoa(n) }

// model reads the model of the last check. For 5,000 constants get-model costs
// both solvers less than get-value, and nothing has to be asked.
func (s *session) model(ctx context.Context) (*solver.Model, error) {
	reply, err := s.ask(ctx, "(get-model)")
	if err != nil {
		return nil, err
	}
	list, err := s.parseList(reply)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 && list[0].IsSymbol("model") { // as z3 began it before 4.8.10
		list = list[1:]
	}
	m := solver.NewModel()
	for _, def := range list {
		if err := s.define(m, def); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// define enters one (define-fun name () sort value) into the model. What we did
// not declare, such as guards, is not ours to read.
func (s *session) define(m *solver.Model, def smt.Sexp) error {
	if len(def.List) != 5 || !def.List[0].IsSymbol("define-fun") {
		return s.nonsense(fmt.Sprint(def), "no definition in a model")
	}
	c := s.told.Constant(def.List[1].Text)
	if c == nil {
		return nil
	}
	value := def.List[4]
	if c.Sort() == smt.Bool {
		if v, ok := value.Bool(); ok {
			m.SetBool(c, v)
			return nil
		}
	} else if v, ok := value.BV(); ok {
		m.SetBV(c, v)
		return nil
	}
	return s.nonsense(fmt.Sprint(def), "no value of sort "+c.Sort().String())
}

// core reads the labels of the last check's unsat core, none unless cores were
// asked for. They come in order of assertion, each once.
func (s *session) core(ctx context.Context) ([]string, error) {
	if !s.limits.Cores || !strings.HasPrefix(s.question(), "(check-sat-assuming") {
		return nil, nil
	}
	reply, err := s.ask(ctx, "(get-unsat-assumptions)")
	if err != nil {
		return nil, err
	}
	list, err := s.parseList(reply)
	if err != nil {
		return nil, err
	}
	in := map[int]bool{}
	for _, sym := range list {
		digits, ok := strings.CutPrefix(sym.Text, guardPrefix)
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n >= len(s.asserted) {
			return nil, s.nonsense(reply, "core with an unknown symbol")
		}
		in[n] = true
	}
	var core []string
	have := map[string]bool{}
	for i, a := range s.asserted {
		if in[i] && !have[a.label] {
			have[a.label] = true
			core = append(core, a.label)
		}
	}
	return core, nil
}

// parseList reads a reply that is one list, and no error message.
func (s *session) parseList(reply string) ([]smt.Sexp, error) {
	all, err := smt.ParseSexps(reply)
	switch {
	case err != nil:
		return nil, s.nonsense(reply, err.Error())
	case len(all) != 1 || all[0].Kind != smt.SexpList:
		return nil, s.nonsense(reply, "not one list")
	case len(all[0].List) > 0 && all[0].List[0].IsSymbol("error"):
		return nil, s.nonsense(reply, "error")
	}
	return all[0].List, nil
}

func (s *session) nonsense(reply, why string) error {
	return &solver.AnswerError{Name: s.program.Name, Answer: clip(reply), Why: why}
}

// clip keeps the beginning of a text, for messages.
func clip(text string) string {
	const most = 500
	text = strings.TrimSpace(text)
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
