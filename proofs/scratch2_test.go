package proofs_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

func TestDump(t *testing.T) {
	sys, _, _ := protocol.Load(os.DirFS("../specs"), "raft.yaml")
	sc := encode.NewScope(sys, map[string]int{"Server": 3, "Term": 3, "Index": 3, "Value": 2, "Messages": 2})
	for _, a := range append(sys.Actions, nil) {
		e := encode.NewEncoder(sys, sc)
		b := e.Builder()
		var all, bad []*smt.Term
		name := "implied"
		if a == nil {
			st := e.AnyState()
			all = append(all, st.Assumptions...)
			for _, p := range sys.Properties {
				if p.Inductive() {
					all = append(all, st.Formula(p.Formula))
				} else if p.Implied {
					bad = append(bad, b.Not(st.Formula(p.Formula)))
				}
			}
		} else {
			name = a.Name
			st := e.Step(a)
			all = append(all, st.Guards...)
			all = append(all, st.Pre.Assumptions...)
			w := encode.Writes(a)
			for _, p := range sys.Properties {
				if p.Inductive() {
					all = append(all, st.Pre.Formula(p.Formula))
					if encode.Reads(p.Formula).Meets(w) {
						bad = append(bad, b.Not(st.Post(p.Formula)))
					}
				} else if p.TwoState {
					bad = append(bad, b.Not(st.TwoState(p.Formula)))
				}
			}
		}
		all = append(all, b.Or(bad...))
		f, _ := os.Create("/tmp/t/" + name + ".smt2")
		smt.WriteScript(f, "QF_UF", all...)
		f.Close()
		fmt.Println(name, b.Len())
	}
}
