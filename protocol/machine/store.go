package machine

import "math/bits"

// A word is a value of some sort, as one number:
//
//	Bool, element, enumeration, natural, quorum   the number of state.Value
//	set                                           its bits
//	optional                                      0 for Nil, or 1 + the word of the value
//	record, message, sequence, function           the number of a node in the store
//	union of messages                             the node of the message
//
// Two values of one sort are equal exactly if their words are.

// store holds each composed value once: a node is a class and its kids.
type store struct {
	kids  []int    // of all nodes, one behind the other
	end   []int    // node → end of its kids
	class []int    // node → what it is a value of
	hash  []uint64 // node → hash of its content, the same in each run of the program
	bad   []bool   // node → some natural or length in it lies outside the scope
	table []int32  // open addressing: node + 1

	classes []*class
}

// class is a sort of composed values.
type class struct {
	salt uint64
	// Of a record or message: how to look at each field. Of a sequence or
	// function: at each kid.
	fields []shape
	elem   shape
	max    int // most kids of a sequence; -1: no limit
}

// shape says how to look at a word of a sort.
type shape struct {
	kind  shapeKind
	size  int    // of a scalar: how many values the scope has
	node  bool   // words, or optional words, of nodes
	inner *shape // of an optional
}

type shapeKind uint8

const (
	scalar shapeKind = iota
	bitset
	optional
	composed
)

func (s *store) of(node int) []int {
	from := 0
	if node > 0 {
		from = s.end[node-1]
	}
	return s.kids[from:s.end[node]]
}

// hashOf is the hash of the content of a word.
func (s *store) hashOf(x *shape, word int) uint64 {
	switch {
	case !x.node || word == 0 && x.kind == optional:
		return uint64(word)
	case x.kind == optional:
		return s.hash[word-1] + 1
	}
	return s.hash[word]
}

// fits reports whether all naturals in a word lie in the scope.
func (s *store) fits(x *shape, word int) bool {
	switch x.kind {
	case scalar:
		return word < x.size
	case optional:
		return word == 0 || s.fits(x.inner, word-1)
	case composed:
		return !s.bad[word]
	case bitset:
	}
	return true
}

func (c *class) kid(i int) *shape {
	if c.fields != nil {
		return &c.fields[i]
	}
	return &c.elem
}

// intern is the node of a class with the kids, which stay the caller's.
func (s *store) intern(cl int, kids []int) int {
	c := s.classes[cl]
	h := c.salt + uint64(len(kids))
	ok := c.max < 0 || len(kids) <= c.max
	for i, k := range kids {
		x := c.kid(i)
		h = mix(h, s.hashOf(x, k))
		ok = ok && s.fits(x, k)
	}
	mask := len(s.table) - 1
	at := int(h) & mask
	for ; s.table[at] != 0; at = (at + 1) & mask {
		node := int(s.table[at] - 1)
		if s.hash[node] == h && s.class[node] == cl && equal(s.of(node), kids) {
			return node
		}
	}
	node := len(s.end)
	s.kids = append(s.kids, kids...)
	s.end = append(s.end, len(s.kids))
	s.class = append(s.class, cl)
	s.hash = append(s.hash, h)
	s.bad = append(s.bad, !ok)
	s.table[at] = int32(node + 1)
	if 2*len(s.end) > len(s.table) {
		s.rehash(2 * len(s.table))
	}
	return node
}

func (s *store) rehash(size int) {
	s.table = make([]int32, size)
	for node, h := range s.hash {
		at := int(h) & (size - 1)
		for s.table[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		s.table[at] = int32(node + 1)
	}
}

// forget drops all nodes from the n-th on. No word of theirs may be used again.
func (s *store) forget(n int) {
	if n == len(s.end) {
		return
	}
	s.end, s.class, s.hash, s.bad = s.end[:n], s.class[:n], s.hash[:n], s.bad[:n]
	s.kids = s.kids[:s.end[n-1]]
	s.rehash(len(s.table))
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}

// mix is a hash of two numbers, in that order.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	h := hi ^ lo
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}
