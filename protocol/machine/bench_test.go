package machine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/machine"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/specs"
)

func load(tb testing.TB, name string) *protocol.System {
	tb.Helper()
	sys, errs, err := protocol.Load(specs.FS, name)
	if err != nil || errs.HasErrors() {
		tb.Fatal(err, errs)
	}
	return sys
}

var walkScope = map[string]int{"Replica": 4, "Voter": 3, "Epoch": 6, "Offset": 6, "CorrelationId": 24, "Value": 2}

// BenchmarkSimulate reports steps per second of random walks through KRaft.
func BenchmarkSimulate(b *testing.B) {
	sys := load(b, "kraft.yaml")
	for _, c := range []struct {
		name string
		take func(*protocol.Property) bool
	}{
		{"none", func(*protocol.Property) bool { return false }},
		{"headline", func(p *protocol.Property) bool { return p.Kind == protocol.Invariant }},
		{"all", func(p *protocol.Property) bool { return p.Kind != protocol.Literal }},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := machine.New(state.NewStructure(sys, sys.Sizes(walkScope)))
			var props []*protocol.Property
			for _, p := range sys.Properties {
				if c.take(p) {
					props = append(props, p)
				}
			}
			w := m.Walker(m.Checker(props))
			for n := uint64(0); w.Steps < b.N; n++ {
				if p := w.Walk(b.Context(), rand.New(rand.NewPCG(1, n)), 150); p != nil {
					b.Fatalf("%s is broken", p.ID)
				}
			}
			b.ReportMetric(float64(w.Steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkExplore reports generated states per second, and bytes for each distinct one.
func BenchmarkExplore(b *testing.B) {
	sys := load(b, "kraft.yaml")
	sizes := map[string]int{"Replica": 3, "Voter": 3, "Epoch": 3, "Offset": 3, "CorrelationId": 4, "Value": 1}
	for _, c := range []struct {
		name string
		sym  map[*protocol.Sort]bool
		take func(*protocol.Property) bool
	}{
		{"plain", nil, func(*protocol.Property) bool { return false }},
		{"symmetry", sys.SymmetricSorts(), func(*protocol.Property) bool { return false }},
		{"headline", sys.SymmetricSorts(), func(p *protocol.Property) bool { return p.Kind == protocol.Invariant }},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := machine.New(state.NewStructure(sys, sys.Sizes(sizes)))
			var props []*protocol.Property
			for _, p := range sys.Properties {
				if c.take(p) {
					props = append(props, p)
				}
			}
			x := m.Explorer(m.Checker(props), c.sym)
			if x.Run(b.Context(), machine.Limits{States: b.N}) == machine.Violated {
				b.Fatalf("%s is broken", x.Violation().Property.ID)
			}
			s := x.Stats()
			b.ReportMetric(float64(s.Generated)/b.Elapsed().Seconds(), "generated/s")
			b.ReportMetric(float64(s.Bytes)/float64(s.Distinct), "B/state")
		})
	}
}
