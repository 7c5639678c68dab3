package machine

import (
	"cmp"
	"math"
	"slices"

	"github.com/speckl/kraftprove/protocol"
)

// Two states are alike if renaming elements of symmetric sorts makes one of the other. All states that are alike
// have one fingerprint, the least of those of a few renamings: each element gets a signature that renaming
// does not change, made of where the element stands, and just those renamings are tried that put
// the elements in the order of their signatures.

// symmetry finds the fingerprints of a machine's states.
type symmetry struct {
	m      *Machine
	blocks []block
	size   int // elements of all blocks' sorts
	offset map[*protocol.Sort]int
	roles  map[*protocol.Sort]*role
	leaves []*role // by state variable: of its cells
	spots  []spot  // by cell
	types  []*role // by message type

	perms map[string]*perm
	sig   []uint64
	order []int

	abstract []uint64 // node → its hash with all elements made equal; 0: not known yet
	stands   []uint64 // node × element → where in the node the element stands
}

// block is the elements of a sort that can be renamed to each other.
type block struct{ from, to int }

// role says where symmetric elements are in values of a sort.
type role struct {
	kind   roleKind
	shape  *shape
	sort   *protocol.Sort
	off    int     // of the element sort
	inner  *role   // of an optional, a sequence, a function
	fields []*role // of a record
	class  int
}

type roleKind uint8

const (
	plain    roleKind = iota // no symmetric elements
	element                  // one
	members                  // a set of them
	quorum                   // a quorum of them
	maybe                    // an optional
	composes                 // a node
)

// spot is a cell: which symmetric elements its state variable is applied to, and hashes of the rest.
type spot struct {
	salt  uint64 // tells it from all other cells
	alike uint64 // the same for the cells that a renaming can take it to
	args  []int
	leaf  *role
	def   int // a word that counts for nothing
}

// perm is a renaming.
type perm struct {
	to     []int // element → element, over all blocks
	cells  []int32
	quorum map[*protocol.Sort][]int
	nodes  []uint64 // node → hash of the renamed node; 0: not known yet
}

// newSymmetry has the sorts in which states may be renamed; nil for none.
func newSymmetry(m *Machine, sorts map[*protocol.Sort]bool) *symmetry {
	s := &symmetry{m: m, offset: map[*protocol.Sort]int{}, roles: map[*protocol.Sort]*role{}, perms: map[string]*perm{}}
	inner := innerDomains(m.sys)
	for _, x := range m.sys.Sorts {
		if !sorts[x] || inner[x] || m.st.Size(x) < 2 {
			continue
		}
		s.offset[x] = s.size
		n, within := m.st.Size(x), 0
		if x.Subset != nil {
			for within < n && m.st.Subset(x.Subset)>>within&1 != 0 {
				within++
			}
		}
		for _, b := range []block{{s.size, s.size + within}, {s.size + within, s.size + n}} {
			if b.to > b.from {
				s.blocks = append(s.blocks, b)
			}
		}
		s.size += n
	}
	s.sig = make([]uint64, s.size)
	s.order = make([]int, s.size)
	for i, v := range m.sys.State {
		l := &m.vars[i]
		leaf := s.role(l.leaf)
		s.leaves = append(s.leaves, leaf)
		s.addSpots(v, l, leaf)
	}
	for _, x := range m.sys.Messages {
		s.types = append(s.types, s.role(x))
	}
	return s
}

// innerDomains are the domains of functions that are part of other values than functions. Renaming
// would have to move their kids; their elements are kept as they are.
func innerDomains(sys *protocol.System) map[*protocol.Sort]bool {
	out := map[*protocol.Sort]bool{}
	seen := map[*protocol.Sort]bool{}
	var walk func(x *protocol.Sort, top bool)
	walk = func(x *protocol.Sort, top bool) {
		switch x.Kind {
		case protocol.FuncKind:
			if !top {
				out[x.Domain] = true
			}
			walk(x.Elem, top)
		case protocol.OptionKind, protocol.SeqKind:
			walk(x.Elem, false)
		case protocol.RecordKind, protocol.MessageKind:
			if !seen[x] {
				seen[x] = true
				for _, f := range x.Fields {
					walk(f.Sort, false)
				}
			}
		default:
		}
	}
	for _, v := range sys.State {
		walk(v.Sort, true)
	}
	for _, m := range sys.Messages {
		walk(m, false)
	}
	return out
}

func (s *symmetry) addSpots(v *protocol.StateVar, l *layout, leaf *role) {
	def := 0
	switch leaf.kind {
	case plain, maybe, members, composes:
		if w := s.m.fallback(l.leaf); !l.shape.node || l.shape.kind == optional || len(s.m.store.of(w)) == 0 {
			def = w
		} else {
			def = math.MinInt
		}
	case element, quorum:
		def = math.MinInt // the first one is renamed as any other
	}
	for i := range l.size {
		x := spot{salt: mix(uint64(v.Index)+11, uint64(i)), alike: uint64(v.Index) + 7, leaf: leaf, def: def}
		rest, size := i, l.size
		for t, k := v.Sort, 0; t.Kind == protocol.FuncKind; t, k = t.Elem, k+1 {
			size /= l.dims[k]
			arg := rest / size
			rest %= size
			if off, ok := s.offset[t.Domain]; ok {
				x.args = append(x.args, off+arg)
				x.alike = mix(x.alike, 1)
			} else {
				x.alike = mix(x.alike, uint64(arg)+2)
			}
		}
		if len(x.args) == 2 && x.args[0] == x.args[1] {
			x.alike = mix(x.alike, 3)
		}
		s.spots = append(s.spots, x)
	}
}

func (s *symmetry) role(x *protocol.Sort) *role {
	if r, ok := s.roles[x]; ok {
		return r
	}
	r := &role{sort: x, shape: s.m.shape(x)}
	s.roles[x] = r
	switch x.Kind {
	case protocol.ElementKind:
		if off, ok := s.offset[x]; ok {
			r.kind, r.off = element, off
		}
	case protocol.SetKind:
		if off, ok := s.offset[x.Elem]; ok {
			r.kind, r.off = members, off
		}
	case protocol.QuorumKind:
		if off, ok := s.offset[x.Elem]; ok {
			r.kind, r.off = quorum, off
		}
	case protocol.OptionKind:
		if r.inner = s.role(x.Elem); r.inner.kind != plain {
			r.kind = maybe
		}
	case protocol.SeqKind, protocol.FuncKind:
		r.class = s.m.class(x)
		if r.inner = s.role(x.Elem); r.inner.kind != plain {
			r.kind = composes
		}
	case protocol.RecordKind, protocol.MessageKind:
		r.class = s.m.class(x)
		for _, f := range x.Fields {
			y := s.role(f.Sort)
			r.fields = append(r.fields, y)
			if y.kind != plain {
				r.kind = composes
			}
		}
	case protocol.BoolKind, protocol.EnumKind, protocol.NaturalKind, protocol.UnionKind, protocol.Invalid:
	}
	return r
}

func (r *role) kid(i int) *role {
	if r.fields != nil {
		return r.fields[i]
	}
	return r.inner
}

// raw is the fingerprint of a state as it is.
func (s *symmetry) raw(t *State) uint64 {
	var sum uint64
	for i, w := range t.cells {
		sum += s.cell(i, w)
	}
	for typ, list := range t.msgs {
		for _, node := range list {
			sum += s.message(typ, node)
		}
	}
	return sum
}

// cell is what a cell adds to the raw fingerprint.
func (s *symmetry) cell(i, w int) uint64 {
	x := &s.spots[i]
	if w == x.def {
		return 0
	}
	return mix(x.salt, s.m.store.hashOf(x.leaf.shape, w))
}

// message is what a message adds to the raw fingerprint.
func (s *symmetry) message(typ, node int) uint64 {
	return mix(uint64(typ)+101, s.m.store.hash[node])
}

// fingerprint is the same for states that are alike, and else, but for a chance of 1 in 2⁶⁴, different.
func (s *symmetry) fingerprint(t *State) uint64 {
	if s.size == 0 {
		return s.raw(t)
	}
	s.sign(t)
	for _, b := range s.blocks {
		for i := b.from; i < b.to; i++ {
			s.order[i] = i
		}
		slices.SortFunc(s.order[b.from:b.to], func(i, j int) int {
			if c := cmp.Compare(s.sig[i], s.sig[j]); c != 0 {
				return c
			}
			return i - j
		})
	}
	if s.tied() > manyRenamings {
		return s.renamed(s.perm(), t)
	}
	least := uint64(math.MaxUint64)
	s.renamings(0, func(p *perm) { least = min(least, s.renamed(p, t)) })
	return least
}

// manyRenamings is up to how many are tried. With more, states that are alike may count as different.
const manyRenamings = 720

// tied is how many renamings sort the elements by signature, if not more than a few times manyRenamings.
func (s *symmetry) tied() int {
	all, run := 1, 1
	for i := 1; i < s.size && all <= manyRenamings; i++ {
		if s.sameBlock(i-1, i) && s.sig[s.order[i-1]] == s.sig[s.order[i]] {
			run++
			all *= run
		} else {
			run = 1
		}
	}
	return all
}

// renamings yields the renamings that sort the elements by signature.
func (s *symmetry) renamings(at int, yield func(*perm)) {
	tie := at
	for tie+1 < s.size && (s.sig[s.order[tie]] != s.sig[s.order[tie+1]] || !s.sameBlock(tie, tie+1)) {
		tie++
	}
	if tie+1 >= s.size {
		yield(s.perm())
		return
	}
	end := tie + 1
	for end < s.size && s.sameBlock(tie, end) && s.sig[s.order[tie]] == s.sig[s.order[end]] {
		end++
	}
	permutations(s.order[tie:end], func() { s.renamings(end, yield) })
}

func (s *symmetry) sameBlock(i, j int) bool {
	for _, b := range s.blocks {
		if i >= b.from && i < b.to {
			return j >= b.from && j < b.to
		}
	}
	return false
}

// permutations puts list in each order in turn, and back.
func permutations(list []int, yield func()) {
	if len(list) < 2 {
		yield()
		return
	}
	for i := range list {
		list[0], list[i] = list[i], list[0]
		permutations(list[1:], yield)
		list[0], list[i] = list[i], list[0]
	}
}

// perm is the renaming of the i-th element of the order to i.
func (s *symmetry) perm() *perm {
	var room [64]byte
	key := room[:0]
	for _, e := range s.order {
		key = append(key, byte(e))
	}
	if p, ok := s.perms[string(key)]; ok {
		return p
	}
	p := &perm{to: make([]int, s.size), quorum: map[*protocol.Sort][]int{}}
	for i, e := range s.order {
		p.to[e] = i
	}
	for i, v := range s.m.sys.State {
		l := &s.m.vars[i]
		for at := range l.size {
			rest, size, to := at, l.size, l.base
			for t, k := v.Sort, 0; t.Kind == protocol.FuncKind; t, k = t.Elem, k+1 {
				size /= l.dims[k]
				arg := rest / size
				rest %= size
				if off, ok := s.offset[t.Domain]; ok {
					arg = p.to[off+arg] - off
				}
				to += arg * size
			}
			p.cells = append(p.cells, int32(to))
		}
	}
	s.perms[string(key)] = p
	return p
}

// renamed is the raw fingerprint of the state with its elements renamed.
func (s *symmetry) renamed(p *perm, t *State) uint64 {
	var sum uint64
	for i, w := range t.cells {
		x := &s.spots[i]
		if w != x.def {
			sum += mix(s.spots[p.cells[i]].salt, s.hash(p, x.leaf, w))
		}
	}
	for typ, list := range t.msgs {
		for _, node := range list {
			sum += mix(uint64(typ)+101, s.hash(p, s.types[typ], node))
		}
	}
	return sum
}

// hash is the hash of a renamed word.
func (s *symmetry) hash(p *perm, r *role, w int) uint64 {
	switch r.kind {
	case plain:
		return s.m.store.hashOf(r.shape, w)
	case element:
		return uint64(p.to[r.off+w] - r.off)
	case members:
		return uint64(p.set(r.off, w))
	case quorum:
		return uint64(p.quorumOf(s.m, r, w))
	case maybe:
		if w == 0 {
			return 0
		}
		return s.hash(p, r.inner, w-1) + 1
	case composes:
	}
	for w >= len(p.nodes) {
		p.nodes = append(p.nodes, make([]uint64, len(s.m.store.end)-len(p.nodes))...)
	}
	if h := p.nodes[w]; h != 0 {
		return h
	}
	kids := s.m.store.of(w)
	h := s.m.store.classes[r.class].salt + uint64(len(kids))
	for i, k := range kids {
		h = mix(h, s.hash(p, r.kid(i), k))
	}
	p.nodes[w] = h
	return h
}

func (p *perm) set(off, bits int) int {
	out := 0
	for k := 0; bits>>k != 0; k++ {
		if bits>>k&1 != 0 {
			out |= 1 << (p.to[off+k] - off)
		}
	}
	return out
}

// quorumOf is the quorum whose members are the renamed members of the q-th.
func (p *perm) quorumOf(m *Machine, r *role, q int) int {
	table, ok := p.quorum[r.sort]
	if !ok {
		n := m.st.Size(r.sort)
		table = make([]int, n)
		for k := range n {
			want := p.set(r.off, m.st.Quorum(r.sort, k))
			for j := range n {
				if m.st.Quorum(r.sort, j) == want {
					table[k] = j
				}
			}
		}
		p.quorum[r.sort] = table
	}
	if q >= len(table) {
		return q
	}
	return table[q]
}
