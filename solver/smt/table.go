package smt

import "math/bits"

// table finds a term by its operator and arguments. It is open-addressed with
// linear probing and holds numbers, not pointers: eight bytes a slot, nothing
// for the garbage collector to look at. The stored hash spares nearly every
// comparison of terms that differ, and all terms a new hash when the table grows.
type table struct {
	slots []slot // a power of two
	used  int
	shift uint // a hash's top bits are its home slot
}

type slot struct {
	hash uint32
	id   uint32 // 0: free. Number 0 is true, which is never looked up.
}

const (
	minSlots = 1 << 10
	hashBits = 32
)

func newTable() table {
	return table{slots: make([]slot, minSlots), shift: hashBits - uint(bits.TrailingZeros(minSlots))}
}

// hashStep mixes one more word into a hash.
func hashStep(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

// hashEnd returns the hash of what was mixed: the product's upper half, which
// depends on all bits.
func hashEnd(mix uint64) uint32 { return uint32(mix * 0xd6e8feb86659fd93 >> hashBits) }

// make returns the term op(args...), made before or now.
func (b *Builder) make(op Op, s Sort, args ...*Term) *Term { return b.intern(op, s, nil, args) }

// intern is make with a function, for applications.
func (b *Builder) intern(op Op, s Sort, fn *Func, args []*Term) *Term {
	mix := uint64(op)
	if fn != nil {
		mix |= uint64(fn.id+1) << 8
	}
	for _, a := range args {
		mix = hashStep(mix+1, uint64(a.id))
	}
	h := hashEnd(mix)
	for i := h >> b.table.shift; ; i = (i + 1) & uint32(len(b.table.slots)-1) {
		sl := b.table.slots[i]
		if sl.id == 0 {
			break
		}
		if sl.hash == h {
			if t := b.Term(sl.id); t.op == op && sameArgs(t.args, args) && (fn == nil || t.info.fn == fn) {
				return t
			}
		}
	}
	t := b.alloc(op, s)
	t.args = b.cut(len(args))
	copy(t.args, args)
	for _, a := range args {
		t.has |= a.has
	}
	if fn != nil || t.has&open != 0 {
		t.describe(fn)
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
func (b *Builder) insert(h uint32, t *Term) {
	if 4*(b.table.used+1) > 3*len(b.table.slots) {
		b.table.grow()
	}
	b.table.put(slot{h, t.id})
	b.table.used++
}

func (t *table) put(s slot) {
	i := s.hash >> t.shift
	for t.slots[i].id != 0 {
		i = (i + 1) & uint32(len(t.slots)-1)
	}
	t.slots[i] = s
}

// grow doubles the table.
func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	t.shift--
	for _, s := range old {
		if s.id != 0 {
			t.put(s)
		}
	}
}

// alloc makes a term without arguments, with the next number.
func (b *Builder) alloc(op Op, s Sort) *Term {
	if b.n&(chunkSize-1) == 0 {
		b.chunks = append(b.chunks, make([]Term, chunkSize))
	}
	t := b.Term(b.n)
	t.id, t.op, t.sort = b.n, op, s
	if s != Bool {
		t.has = contentOf(s)
	}
	b.n++
	return t
}

// contentOf returns what a term of sort s has for that alone.
func contentOf(s Sort) content {
	switch {
	case s == Bool, s == Sort{}: // a pattern has no sort
		return 0
	case s.kind() == bitVecKind:
		return bitVecs
	}
	return firstOrder
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
