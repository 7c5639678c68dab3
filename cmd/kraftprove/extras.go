package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/speckl/kraftprove/proofs"
)

// extras is what check was asked beside the verdicts.
type extras struct {
	opinions  []opinionOf
	stability map[string]*proofs.Stability
}

type opinionOf struct {
	system  *proofs.SystemReport
	opinion *proofs.Opinion
}

// contradiction reports whether two solvers contradict each other.
func (x *extras) contradiction() bool {
	return slices.ContainsFunc(x.opinions, func(o opinionOf) bool { return len(o.opinion.Contradicts) > 0 })
}

func (x *extras) write(w io.Writer) {
	for _, o := range x.opinions {
		all := o.opinion.Agreed + len(o.opinion.Undecided) + len(o.opinion.Contradicts)
		fmt.Fprintf(w, "\nsecond opinion on %s, %s: %s agrees on %d of %d obligations", o.system.System.Name, o.system.Mode, o.opinion.Solver, o.opinion.Agreed, all)
		if n := len(o.opinion.Undecided); n > 0 {
			fmt.Fprintf(w, ", could not decide %d: %s", n, strings.Join(o.opinion.Undecided, ", "))
		}
		fmt.Fprintln(w)
		if n := len(o.opinion.Contradicts); n > 0 {
			fmt.Fprintf(w, "CONTRADICTION on %d: %s\nOne of the two solvers is wrong; nothing that rests on these is to be believed.\n", n, strings.Join(o.opinion.Contradicts, ", "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.stability)) {
		st := x.stability[name]
		fmt.Fprintf(w, "\n%s, %d seeds: %d verdicts change; a run takes %s to %s\n", name, st.Seeds, len(st.Changed), round(st.Least), round(st.Most))
		for _, id := range st.Changed {
			fmt.Fprintf(w, "  changes   %s\n", id)
		}
		for _, sp := range st.Spread[:min(5, len(st.Spread))] {
			fmt.Fprintf(w, "  %-50s %s to %s\n", sp.ID, round(sp.Least), round(sp.Most))
		}
	}
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// writeLocks writes what proved the obligations beside each spec.
func (a *app) writeLocks(rep *proofs.Report) error {
	dir := a.specsDir
	if dir == "" {
		dir = checkoutSpecs()
	}
	if dir == "" {
		return fmt.Errorf("write lock file: not in a checkout; say where the specs are: --specs DIR")
	}
	for _, s := range rep.Systems {
		if s.Mode == proofs.Bounded {
			continue
		}
		name := filepath.Join(dir, lockName(s.System.File.Name))
		if err := os.WriteFile(name, []byte(s.Lock().String()), 0o644); err != nil {
			return fmt.Errorf("write lock file: %w", err)
		}
		fmt.Fprintf(a.err, "wrote %s\n", relative(name))
	}
	return nil
}

// lockName is the lock file of a spec file: raft.lock of raft.yaml.
func lockName(spec string) string { return strings.TrimSuffix(filepath.Base(spec), ".yaml") + ".lock" }
