package explore

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/diag"
)

// Exhibit is a scenario of a spec and what became of it. That of a mutation is played twice: in the mutated
// protocol, which it shall break, and in the protocol as it is, which shall survive.
type Exhibit struct {
	Mutation *protocol.Mutation // nil: the scenario is about the protocol as it is
	Scenario *protocol.Scenario // of the system that it happens in
	Played   *Played
	Spared   *Played // in the protocol as it is, in at most as many steps; nil if it was not played there
	Foreign  string  // what the scenario names that only the mutated protocol has, so that this survives; else empty
}

// Verdict is what an exhibit shows.
type Verdict uint8

// The verdicts.
const (
	AsTold    Verdict = iota // the scenario goes as it says, and the protocol as it is survives
	NotTold                  // the scenario does not go as it says
	NotSpared                // it goes as it says in the protocol as it is, too
	Undecided                // a search was cut short
)

// Verdict is AsTold only if both searches were finished.
func (x *Exhibit) Verdict() Verdict {
	switch {
	case !x.Played.Found && !x.Played.All:
		return Undecided
	case x.Played.Problem != "":
		return NotTold
	case x.Mutation == nil || x.Foreign != "":
		return AsTold
	case x.Spared.Found:
		return NotSpared
	case !x.Spared.All:
		return Undecided
	}
	return AsTold
}

// Elapsed is how long the searches took.
func (x *Exhibit) Elapsed() time.Duration {
	if x.Spared == nil {
		return x.Played.Elapsed
	}
	return x.Played.Elapsed + x.Spared.Elapsed
}

// Tried is how many states the searches saw.
func (x *Exhibit) Tried() int {
	if x.Spared == nil {
		return x.Played.Tried
	}
	return x.Played.Tried + x.Spared.Tried
}

// ZooOptions say how the scenarios are played.
type ZooOptions struct {
	Limits  PlayLimits    // of each search
	Time    time.Duration // for each scenario; 0 is no limit
	Workers int           // scenarios at a time; less than 1 means 1
	Done    func()        // called after each scenario, by one worker at a time or several; may be nil
}

// Zoo plays the scenarios of some mutations of a system, and, if own is set, those about the protocol as it is, in this
// order. A mutation may be wrong, which shows when it is checked: then nothing is played, and the list says what is wrong.
// If the context ends, those that were not finished are left out.
func Zoo(ctx context.Context, sys *protocol.System, mutations []*protocol.Mutation, own bool, o ZooOptions) ([]*Exhibit, diag.List) {
	var cages []cage
	for _, m := range mutations {
		if len(m.Scenarios) == 0 {
			continue
		}
		mutated, errs := sys.Mutated(m)
		if errs.HasErrors() {
			return nil, errs
		}
		spared, missing := sys.Spared(m)
		for _, s := range mutated.Scenarios {
			cages = append(cages, cage{&Exhibit{Mutation: m, Scenario: s}, mutated, spared, missing})
		}
	}
	if own {
		for _, s := range sys.Scenarios {
			cages = append(cages, cage{x: &Exhibit{Scenario: s}, sys: sys})
		}
	}
	finished := make([]bool, len(cages))
	var g errgroup.Group
	g.SetLimit(max(o.Workers, 1))
	for i, c := range cages {
		g.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			c.play(ctx, o)
			finished[i] = ctx.Err() == nil
			if o.Done != nil {
				o.Done()
			}
			return nil
		})
	}
	_ = g.Wait() // no error comes
	var out []*Exhibit
	for i, c := range cages {
		if finished[i] {
			out = append(out, c.x)
		}
	}
	return out, nil
}

// cage is where an exhibit is played.
type cage struct {
	x       *Exhibit
	sys     *protocol.System // that of the scenario
	spared  *protocol.System // the protocol as it is, with the scenario; nil if it is that of the scenario
	missing diag.List        // what the scenarios name that spared does not have
}

func (c cage) play(ctx context.Context, o ZooOptions) {
	if o.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Time)
		defer cancel()
	}
	x := c.x
	x.Played = Play(ctx, c.sys, x.Scenario, o.Limits)
	if c.spared == nil || !x.Played.Found {
		return
	}
	as := c.spared.Scenario(x.Scenario.Name)
	if x.Foreign = c.foreign(as); x.Foreign == "" {
		_, x.Spared = Survives(ctx, c.spared, as, len(x.Played.Run.Steps), o.Limits)
	}
}

// foreign is the first thing wrong with the scenario in the protocol as it is: whoever lacks what a scenario names
// cannot do what it tells.
func (c cage) foreign(as *protocol.Scenario) string {
	told := c.x.Scenario
	if len(as.Steps) == len(told.Steps) && (as.Breaks == nil) == (told.Breaks == nil) && (as.Ends == nil) == (told.Ends == nil) {
		return ""
	}
	for _, d := range c.missing {
		if d.Severity == diag.Error && d.Span.Start > as.Span.Start {
			return d.Message
		}
	}
	panic("a scenario is incomplete, and nothing is wrong with it")
}
