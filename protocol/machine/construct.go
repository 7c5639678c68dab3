package machine

import "github.com/speckl/kraftprove/protocol"

func (c *compiler) setTerm(t *protocol.SetTerm) expr {
	elems := make([]expr, len(t.Elems))
	for i, e := range t.Elems {
		elems[i] = c.expr(e)
	}
	if len(elems) == 1 {
		x := elems[0]
		return func(f *frame) int { return 1 << x(f) }
	}
	return func(f *frame) int {
		set := 0
		for _, x := range elems {
			set |= 1 << x(f)
		}
		return set
	}
}

func (c *compiler) setOf(t *protocol.SetOf) expr {
	slot, release := c.bind(t.Var)
	defer release()
	p, n := c.cond(t.Cond), c.m.st.Size(t.Var.Sort)
	return func(f *frame) int {
		set := 0
		for k := range n {
			f.vars[slot] = k
			if p(f) {
				set |= 1 << k
			}
		}
		return set
	}
}

func (c *compiler) funcTerm(t *protocol.FuncTerm) expr {
	slot, release := c.bind(t.Var)
	defer release()
	x, n, cl := c.expr(t.Body), c.m.st.Size(t.Var.Sort), c.m.class(t.Of)
	return func(f *frame) int {
		kids := make([]int, n)
		for k := range kids {
			f.vars[slot] = k
			kids[k] = x(f)
		}
		return f.store.intern(cl, kids)
	}
}

// node is a composed value with the kids.
func (c *compiler) node(class int, kids []protocol.Term) expr {
	xs := make([]expr, len(kids))
	for i, t := range kids {
		xs[i] = c.expr(t)
	}
	return func(f *frame) int {
		var room [16]int
		words := room[:0]
		for _, x := range xs {
			words = append(words, x(f))
		}
		return f.store.intern(class, words)
	}
}
