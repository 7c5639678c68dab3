package encode_test

import (
	"bytes"
	"testing"

	"github.com/speckl/kraftprove/encode"
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/solver/smt"
)

var raftScope = map[string]int{"Server": 3, "Term": 3, "Index": 3, "Value": 2, "Messages": 2}

// encodeAll encodes every action with all that is asked of it, each with an
// encoder of its own, as a proof does, and shows each query to visit.
func encodeAll(sys *protocol.System, scope encode.Scope, visit func(*encode.Encoder, []*smt.Term)) {
	for _, a := range sys.Actions {
		enc := encode.NewEncoder(sys, scope)
		step := enc.Step(a)
		fs := append(append([]*smt.Term{}, step.Pre.Assumptions...), step.Guards...)
		writes := protocol.Writes(a)
		var failures []*smt.Term
		for _, p := range sys.Properties {
			switch {
			case p.Kind == protocol.Literal:
			case p.TwoState:
				failures = append(failures, enc.Builder().Not(step.TwoState(p.Formula)))
			case p.Inductive():
				fs = append(fs, step.Pre.Formula(p.Formula))
				if protocol.Reads(p.Formula).Meets(writes) {
					failures = append(failures, enc.Builder().Not(step.Post(p.Formula)))
				}
			}
		}
		visit(enc, append(fs, enc.Builder().Or(failures...)))
	}
}

// TestSameText encodes twice: the queries are the same, byte by byte.
func TestSameText(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"features.yaml", "symmetric.yaml", "cluster.yaml", "raft.yaml"} {
		sys, again := load(t, name), load(t, name)
		text := func(sys *protocol.System) []byte {
			var out bytes.Buffer
			encodeAll(sys, encode.NewScope(sys, nil), func(_ *encode.Encoder, fs []*smt.Term) {
				if err := smt.WriteScript(&out, "QF_UF", fs...); err != nil {
					t.Fatal(err)
				}
			})
			return out.Bytes()
		}
		if first := text(sys); len(first) == 0 || !bytes.Equal(first, text(sys)) || !bytes.Equal(first, text(again)) {
			t.Errorf("%s: another text the second time", name)
		}
	}
}

func BenchmarkEncodeRaft(b *testing.B) {
	sys := load(b, "raft.yaml")
	terms := 0
	b.ReportAllocs()
	for b.Loop() {
		terms = 0
		encodeAll(sys, encode.NewScope(sys, raftScope), func(enc *encode.Encoder, _ []*smt.Term) { terms += enc.Builder().Len() })
	}
	b.ReportMetric(float64(terms), "terms/op")
}
