package smt

import "math/bits"

// table finds a term by its operator and arguments. It is open-addressed with
// linear probing and holds numbers, not pointers: eight bytes a slot, nothing
// for the garbage collector to look at, and the stored half of the hash spares
// nearly every comparison of terms that differ.
type table struct {
	slots []slot // a power of two
	used  int
	shift uint // a hash's top bits are its home slot
}

type slot struct {
	hash uint32
	id   uint32 // 0: free. Number 0 is true, which is never looked up.
}

const minSlots = 1 << 10

func newTable() table {
	return table{slots: make([]slot, minSlots), shift: 64 - uint(bits.TrailingZeros(minSlots))}
}

// hashStep mixes one more word into a hash.
func hashStep(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

// hashEnd spreads a hash over all its bits.
func hashEnd(h uint64) uint64 { return h * 0xd6e8feb86659fd93 }

// make returns the term op(args...), made before or now.
func (b *Builder) make(op Op, s Sort, args ...*Term) *Term {
	h := uint64(op)
	for _, a := range args {
		h = hashStep(h+1, uint64(a.id))
	}
	h = hashEnd(h)
	for i := h >> b.table.shift; ; i = (i + 1) & uint64(len(b.table.slots)-1) {
		sl := b.table.slots[i]
		if sl.id == 0 {
			break
		}
		if sl.hash == uint32(h) {
			if t := b.Term(sl.id); t.op == op && sameArgs(t.args, args) {
				return t
			}
		}
	}
	t := b.alloc(op, s)
	t.args = b.cut(len(args))
	copy(t.args, args)
	for _, a := range args {
		t.bv = t.bv || a.bv
	}
	b.insert(h, t)
	return t
}

func sameArgs(as, bs []*Term) bool {
	if len(as) != len(bs) {
		return false
	}
	for i, a := range as {
		if a != bs[i] {
			return false
		}
	}
	return true
}

// insert adds a term that is not in the table.
func (b *Builder) insert(h uint64, t *Term) {
	if 4*(b.table.used+1) > 3*len(b.table.slots) {
		b.grow()
	}
	b.table.put(h>>b.table.shift, slot{uint32(h), t.id})
	b.table.used++
}

func (t *table) put(home uint64, s slot) {
	i := home
	for t.slots[i].id != 0 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = s
}

// grow doubles the table. Hashes are computed anew: a slot holds only half of one.
func (b *Builder) grow() {
	old := b.table.slots
	b.table.slots = make([]slot, 2*len(old))
	b.table.shift--
	for _, sl := range old {
		if sl.id == 0 {
			continue
		}
		t := b.Term(sl.id)
		h := uint64(t.op)
		for _, a := range t.args {
			h = hashStep(h+1, uint64(a.id))
		}
		b.table.put(hashEnd(h)>>b.table.shift, sl)
	}
}

// alloc makes a term without arguments, with the next number.
func (b *Builder) alloc(op Op, s Sort) *Term {
	if b.n&(chunkSize-1) == 0 {
		b.chunks = append(b.chunks, make([]Term, chunkSize))
	}
	t := b.Term(b.n)
	t.id, t.op, t.sort, t.bv = b.n, op, s, s.kind == bitVecKind
	b.n++
	return t
}

// cut takes room for n arguments from the current block.
func (b *Builder) cut(n int) []*Term {
	if n > len(b.spare) {
		if n > argBlock/4 {
			return make([]*Term, n)
		}
		b.spare = make([]*Term, argBlock)
	}
	args := b.spare[:n:n]
	b.spare = b.spare[n:]
	return args
}
