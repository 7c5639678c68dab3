package machine

// sign computes the signatures of all elements in the state.
func (s *symmetry) sign(t *State) {
	clear(s.sig)
	for i, w := range t.cells {
		x := &s.spots[i]
		if w == x.def || x.args == nil && x.leaf.kind == plain {
			continue
		}
		h := mix(x.alike, s.blind(x.leaf, w))
		for k, e := range x.args {
			own := h
			if s.has(x.leaf, w, e) {
				own++
			}
			s.sig[e] += mix(own, uint64(k)+21)
		}
		s.point(x.leaf, w, h)
	}
	for typ, list := range t.msgs {
		for _, node := range list {
			s.point(s.types[typ], node, uint64(typ)+31)
		}
	}
}

// blind is a hash of a word in which all elements are equal.
func (s *symmetry) blind(r *role, w int) uint64 {
	switch r.kind {
	case plain:
		return s.m.store.hashOf(r.shape, w)
	case element, quorum:
		return 1
	case members:
		n := uint64(0)
		for ; w != 0; w &= w - 1 {
			n++
		}
		return n
	case maybe:
		if w == 0 {
			return 0
		}
		return s.blind(r.inner, w-1) + 1
	case composes:
	}
	s.learn(r, w)
	return s.abstract[w]
}

// has reports whether a word is the element, or a set that has it.
func (s *symmetry) has(r *role, w, e int) bool {
	switch r.kind {
	case element:
		return r.off+w == e
	case members:
		return e >= r.off && w>>(e-r.off)&1 != 0
	case maybe:
		return w != 0 && s.has(r.inner, w-1, e)
	case quorum:
		return e >= r.off && w < s.m.st.Size(r.sort) && s.m.st.Quorum(r.sort, w)>>(e-r.off)&1 != 0
	case plain, composes:
	}
	return false
}

// point adds to the signatures of the elements in a word that stands where h says.
func (s *symmetry) point(r *role, w int, h uint64) {
	switch r.kind {
	case element:
		s.sig[r.off+w] += mix(h, 41)
	case members:
		s.pointAll(r.off, w, h)
	case quorum:
		if w < s.m.st.Size(r.sort) {
			s.pointAll(r.off, s.m.st.Quorum(r.sort, w), h)
		}
	case maybe:
		if w != 0 {
			s.point(r.inner, w-1, h)
		}
	case composes:
		s.learn(r, w)
		for e, x := range s.stands[w*s.size : (w+1)*s.size] {
			if x != 0 {
				s.sig[e] += mix(h, x)
			}
		}
	case plain:
	}
}

func (s *symmetry) pointAll(off, bits int, h uint64) {
	for k := 0; bits>>k != 0; k++ {
		if bits>>k&1 != 0 {
			s.sig[off+k] += mix(h, 43)
		}
	}
}

// learn computes what a node says about the elements in it.
func (s *symmetry) learn(r *role, node int) {
	if n := len(s.m.store.end); n > len(s.abstract) {
		s.abstract = append(s.abstract, make([]uint64, n-len(s.abstract))...)
		s.stands = append(s.stands, make([]uint64, n*s.size-len(s.stands))...)
	}
	if s.abstract[node] != 0 {
		return
	}
	kids := s.m.store.of(node)
	h := uint64(len(kids)) + s.m.store.classes[r.class].salt
	for i, k := range kids {
		h = mix(h, s.blind(r.kid(i), k))
	}
	s.abstract[node] = h | 1
	outer := s.sig
	s.sig = make([]uint64, s.size)
	for i, k := range kids {
		s.point(r.kid(i), k, mix(h, uint64(i)))
	}
	copy(s.stands[node*s.size:], s.sig)
	s.sig = outer
}
