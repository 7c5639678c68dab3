package encode_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// TestMajorities has a solver confirm that majorities of a sort and of a subset are
// quorums, and that all that is said of them is needed for it.
func TestMajorities(t *testing.T) { // not parallel: one solver at a time
	for name, members := range map[string]string{"sort": "Server", "subset": "Voter"} {
		sys := parse(t, "protocol: p\nsorts: {Server: {}, Voter: {subset: Server}, Quorum: {quorum: "+members+"}}\n")
		quorum := sys.Sorts[1]
		for n := range 5 {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				list := func() []*smt.Term {
					if n > 0 {
						return encode.NewEncoder(sys, encode.NewScope(sys, nil)).MajoritiesFail(quorum, n)
					}
					return encode.NewQuantified(sys).MajoritiesFail(quorum)
				}
				if res := solve(t, list()); res.Status != solver.Unsat {
					t.Errorf("%v", res.Status)
				}
				needed := 0
				for k := range list() {
					if res := solve(t, slices.Delete(list(), k, k+1)); res.Status == solver.Sat {
						needed++
					}
				}
				if needed < 3 { // both sizes, and that something fails
					t.Errorf("only %d parts are needed", needed)
				}
			})
		}
	}
}
