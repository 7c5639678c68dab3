package solver

import "github.com/speckl/kraftprove/solver/smt"

// Model gives values to the constants of one smt.Builder. It is complete: a
// constant that the solver left out, since any value will do, is false or 0.
// Once filled, it may be read from several goroutines.
type Model struct {
	bits []uint64 // of Bool constants, by term number
	bvs  map[uint32]uint64
}

// NewModel returns a model in which every constant is false or 0. Back ends
// fill it.
func NewModel() *Model { return &Model{} }

// SetBool sets the value of a Bool constant.
func (m *Model) SetBool(t *smt.Term, v bool) {
	word, bit := int(t.ID()/64), uint64(1)<<(t.ID()%64)
	if !v {
		if word < len(m.bits) {
			m.bits[word] &^= bit
		}
		return
	}
	if word >= len(m.bits) {
		m.bits = append(m.bits, make([]uint64, word+1-len(m.bits))...)
	}
	m.bits[word] |= bit
}

// SetBV sets the value of a bit-vector constant.
func (m *Model) SetBV(t *smt.Term, v uint64) {
	if m.bvs == nil {
		m.bvs = map[uint32]uint64{}
	}
	m.bvs[t.ID()] = v
}

// Bool returns the value of a Bool constant.
func (m *Model) Bool(t *smt.Term) bool {
	word := int(t.ID() / 64)
	return word < len(m.bits) && m.bits[word]>>(t.ID()%64)&1 == 1
}

// BV returns the value of a bit-vector constant.
func (m *Model) BV(t *smt.Term) uint64 { return m.bvs[t.ID()] }

// Evaluator returns an evaluator of terms in the model.
func (m *Model) Evaluator() *smt.Evaluator { return smt.NewEvaluator(m.Bool, m.BV) }
