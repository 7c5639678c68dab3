package machine

import "encoding/binary"

// A packed state is a few dozen bytes: a bit for each cell that does not have the word it has in
// the initial state, the words of those cells, and the messages.

// pack appends a state to b.
func (m *Machine) pack(b []byte, s *State) []byte {
	at := len(b)
	b = append(b, make([]byte, (m.cells+7)/8)...)
	for i, w := range s.cells {
		if w != m.init.cells[i] {
			b[at+i>>3] |= 1 << (i & 7)
			b = binary.AppendUvarint(b, uint64(w))
		}
	}
	for _, list := range s.msgs {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, w := range list {
			b = binary.AppendUvarint(b, uint64(w))
		}
	}
	return b
}

// unpack reads a state into s, and returns what stands behind it.
func (m *Machine) unpack(b []byte, s *State) []byte {
	bits := b[:(m.cells+7)/8]
	b = b[len(bits):]
	next := func() int {
		if w := b[0]; w < 0x80 {
			b = b[1:]
			return int(w)
		}
		w, n := binary.Uvarint(b)
		b = b[n:]
		return int(w)
	}
	copy(s.cells, m.init.cells)
	for i, x := range bits {
		for k := i * 8; x != 0; k, x = k+1, x>>1 {
			if x&1 != 0 {
				s.cells[k] = next()
			}
		}
	}
	for typ := range s.msgs {
		list := s.msgs[typ][:0]
		for n := next(); n > 0; n-- {
			list = append(list, next())
		}
		s.msgs[typ] = list
	}
	return b
}

// queue is packed states, first in, first out, in blocks.
type queue struct {
	blocks [][]byte
	head   []byte // of the first block
	count  int
	bytes  int // of all blocks
}

const blockSize = 1 << 20

func (q *queue) push(m *Machine, s *State) {
	n := len(q.blocks)
	if n == 0 || len(q.blocks[n-1])+blockSize/8 > blockSize {
		q.blocks = append(q.blocks, make([]byte, 0, blockSize))
		q.bytes += blockSize
		n++
		if n == 1 {
			q.head = nil
		}
	}
	last := q.blocks[n-1]
	packed := m.pack(last, s)
	q.bytes += cap(packed) - cap(last)
	if n == 1 {
		from := len(last) - len(q.head)
		q.head = packed[from:]
	}
	q.blocks[n-1] = packed
	q.count++
}

func (q *queue) pop(m *Machine, s *State) bool {
	if q.count == 0 {
		return false
	}
	if len(q.head) == 0 {
		q.bytes -= cap(q.blocks[0])
		q.blocks = q.blocks[1:]
		q.head = q.blocks[0]
	}
	q.head = m.unpack(q.head, s)
	q.count--
	return true
}

// rest is all blocks but the first.
func (q *queue) rest() [][]byte {
	if len(q.blocks) == 0 {
		return nil
	}
	return q.blocks[1:]
}

// addBlock adds packed states of a checkpoint; the first block is what was left of one.
func (q *queue) addBlock(b []byte, first bool) {
	q.blocks = append(q.blocks, b)
	q.bytes += cap(b)
	if first {
		q.head = b
	}
}
