package proofs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/semantics"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// A branch that nothing takes is proved to be safe by being impossible. So for each
// condition of an action the run looks for steps that find it true and false. One step
// takes a branch of many conditions: each step found, first of all the one that shows
// that the action fires, is evaluated for all of them, and the solver is asked for a
// step that takes any of the branches left, until it says that there is none.
//
// Some branches need another scope: IF Voter = {i} needs a single voter. What the
// scope rules out is looked for in scopes with one element of a sort, or one in its
// subset. Smaller naturals are not tried, nor fewer messages: what is possible there is,
// as a rule, possible in the scope.

// Branches lists the obligations of a system's conditions, two each: an action has a
// step that takes the branch, from a state that satisfies every inductive property.
// They are asked if Config.Branches says so, and follow those that Plan lists.
func Branches(sys *protocol.System) []Obligation {
	var out []Obligation
	for _, c := range sys.Conditions() {
		for _, when := range []bool{true, false} {
			out = append(out, Obligation{Kind: Branch, Action: c.Action, Condition: c, When: when})
		}
	}
	return out
}

// sighting is a step from a state that satisfies every inductive property.
type sighting struct {
	step    *state.Step
	scope   encode.Scope
	ev      *semantics.Evaluator // of that scope
	query   string               // that found it
	elapsed time.Duration
}

// takes reports whether the step takes the branch.
func (s *sighting) takes(b *Result) bool {
	return s.ev.Holds(b.Condition.Taken(s.step.Action, b.When), s.step)
}

// show notes that the step takes the branch.
func (r *run) show(b *Result, s *sighting) {
	b.Verdict, b.Answer, b.Reason = Proved, Replayed, ""
	b.Query, b.Elapsed, b.Witness = s.query, s.elapsed, s.step
	if !maps.Equal(s.scope.Sizes, r.scope.Sizes) {
		b.In = &s.scope
	}
}

// branches settles the branches of an action's own conditions, and keeps the steps
// that it finds. The question is the one about the step.
func (r *run) branches(ctx context.Context, a *protocol.Action, fires *Result, q *question, list []*Result) error {
	switch {
	case fires != nil && fires.Verdict == Proved:
		s := &sighting{fires.Witness, r.scope, semantics.NewEvaluator(r.report.Structure), fires.Query, fires.Elapsed}
		r.seen[a.Index] = []*sighting{s}
	case fires != nil && fires.Verdict == Refuted:
		for _, b := range list {
			b.Verdict, b.Answer, b.Reason, b.Query, b.Elapsed = Refuted, fires.Answer, "the action cannot happen", fires.Query, fires.Elapsed
		}
		return nil
	case fires != nil:
		for _, b := range list {
			b.Reason = "it is not known whether the action can happen: " + fires.Reason
		}
		return nil
	}
	return r.hunt(ctx, a.Name+"/branches", list, q)
}

// sharedBranches settles the branches of the definitions' conditions. It comes last,
// since most of them are taken by steps that were found for something else.
func (r *run) sharedBranches(ctx context.Context, list []*Result) error {
	return r.hunt(ctx, "definitions/branches", list, nil)
}

// hunt looks for steps that take the branches, in one scope after the other and there
// by one action after the other. The question, if it is not nil, is the first one.
func (r *run) hunt(ctx context.Context, query string, list []*Result, q *question) error {
	scopes, names := r.branchScopes()
	for _, scope := range scopes {
		for _, b := range list {
			r.look(b, scope)
		}
		for _, a := range r.sys.Actions {
			open := slices.DeleteFunc(slices.Clone(list), func(b *Result) bool {
				return b.Verdict == Proved || !slices.Contains(b.Condition.Users(), a)
			})
			if len(open) == 0 {
				continue
			}
			if q == nil {
				q = r.ask(scope, a, nil)
			}
			if err := r.take(ctx, query, scope, q, open); err != nil {
				return err
			}
			q = nil
			if ctx.Err() != nil {
				cancelled(list)
				return nil
			}
		}
	}
	for _, b := range list {
		if b.Verdict == Unknown && b.Reason == "" {
			b.Verdict, b.Answer, b.Reason = Refuted, Unsat, "nothing takes it in this scope"
			if len(names) > 0 {
				b.Reason += ", nor with " + strings.Join(names, " or ")
			}
		}
	}
	return nil
}

// look shows the branch by a step that was found before in the scope, if one takes it.
func (r *run) look(b *Result, scope encode.Scope) {
	for _, a := range b.Condition.Users() {
		for _, s := range r.seen[a.Index] {
			if b.Verdict != Proved && maps.Equal(s.scope.Sizes, scope.Sizes) && s.takes(b) {
				r.show(b, s)
			}
		}
	}
}

// branchScopes are the scope of the run, and then those with one element of a sort or
// of its subset, with what makes them so.
func (r *run) branchScopes() (scopes []encode.Scope, names []string) {
	scopes = []encode.Scope{r.scope}
	add := func(name string) {
		if r.scope.Sizes[name] > 1 {
			sizes := maps.Clone(r.scope.Sizes)
			sizes[name] = 1
			scopes = append(scopes, encode.Scope{Sizes: sizes, Messages: r.scope.Messages})
			names = append(names, name+"=1")
		}
	}
	for _, s := range r.sys.Sorts {
		if s.Kind != protocol.ElementKind {
			continue
		}
		if s.Subset != nil {
			add(s.Subset.Name)
		}
		add(s.Name)
		if x := scopes[len(scopes)-1]; s.Subset != nil && x.Sizes[s.Name] == 1 {
			x.Sizes[s.Subset.Name] = 1 // it is not empty, and no larger than the sort
		}
	}
	return scopes, names
}

// take looks for steps of the question's action that take the branches, until there is
// none that takes another.
func (r *run) take(ctx context.Context, query string, scope encode.Scope, q *question, open []*Result) error {
	a := q.step.Action
	formulas := make([]*smt.Term, len(open))
	for i, b := range open {
		formulas[i] = q.step.Holds(b.Condition.Taken(a, b.When))
	}
	ev := semantics.NewEvaluator(scope.Structure(r.sys))
	for len(open) > 0 && ctx.Err() == nil {
		start := time.Now()
		res, err := r.check(ctx, q, q.enc.Builder().Or(formulas...), r.cfg.limits())
		if err != nil {
			return fmt.Errorf("%s: %w", r.name(query), err)
		}
		elapsed := time.Since(start)
		r.cfg.logger().Debug("query", "obligation", r.name(query), "goals", len(open), "verdict", res.Status.String(), "elapsed", elapsed)
		switch res.Status {
		case solver.Unsat:
			for _, b := range open {
				b.Query, b.Elapsed = query, elapsed
			}
			return nil
		case solver.Unknown:
			if len(open) == 1 {
				open[0].Query, open[0].Elapsed, open[0].Reason = query, elapsed, res.Reason.String()
				return nil
			}
			for _, b := range open {
				if err := r.take(ctx, query, scope, q, []*Result{b}); err != nil {
					return err
				}
			}
			return nil
		case solver.Sat:
		}
		step, err := r.stepOf(ev, q, res.Model)
		if err != nil {
			panic(fmt.Sprintf("evaluator and solver disagree: %v", err))
		}
		s := &sighting{step, scope, ev, query, elapsed}
		r.seen[a.Index] = append(r.seen[a.Index], s)
		value := res.Model.Evaluator()
		var left []*Result
		var rest []*smt.Term
		for i, b := range open {
			takes := s.takes(b)
			if takes != value.Bool(formulas[i]) {
				panic(fmt.Sprintf("evaluator and solver disagree on %s", b.ID()))
			}
			if takes {
				r.show(b, s)
			} else {
				left, rest = append(left, b), append(rest, formulas[i])
			}
		}
		if len(left) == len(open) {
			panic("a model of a question takes none of its branches")
		}
		open, formulas = left, rest
	}
	return nil
}
