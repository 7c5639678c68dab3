package smt

import (
	"fmt"
	"strconv"
)

// appendTerm appends a term without any sharing.
func (n *names) appendTerm(buf []byte, t *Term) []byte {
	if len(t.args) == 0 {
		return n.appendLeaf(buf, t)
	}
	if t.isQuantifier() {
		buf = n.appendBinder(buf, t)
		buf = n.appendTerm(buf, t.Body())
		return n.appendPatterns(buf, t)
	}
	buf = n.appendHead(buf, t)
	for _, a := range t.args {
		buf = append(buf, ' ')
		buf = n.appendTerm(buf, a)
	}
	return append(buf, ')')
}

// appendHead appends what comes before the arguments of a term that is no
// quantifier.
func (n *names) appendHead(buf []byte, t *Term) []byte {
	buf = append(buf, '(')
	switch t.op {
	case OpApp:
		return n.appendSymbol(buf, t.info.fn.name)
	case OpPattern: // a list
		return buf
	}
	return append(buf, opNames[t.op]...)
}

// appendBinder appends what comes before the body of a quantifier.
func (n *names) appendBinder(buf []byte, t *Term) []byte {
	buf = append(buf, '(')
	buf = append(buf, opNames[t.op]...)
	buf = append(buf, " ("...)
	for i, v := range t.Vars() {
		if i > 0 {
			buf = append(buf, ' ')
		}
		buf = append(buf, '(')
		buf = n.appendLeaf(buf, v)
		buf = append(buf, ' ')
		buf = append(buf, n.sort(v.sort)...)
		buf = append(buf, ')')
	}
	buf = append(buf, ") "...)
	if len(t.Patterns()) > 0 {
		buf = append(buf, "(! "...)
	}
	return buf
}

// appendPatterns appends what comes after the body of a quantifier. The terms
// of patterns are written in full: they stand outside the lets of the body.
func (n *names) appendPatterns(buf []byte, t *Term) []byte {
	patterns := t.Patterns()
	for _, p := range patterns {
		buf = append(buf, " :pattern ("...)
		for i, a := range p.args {
			if i > 0 {
				buf = append(buf, ' ')
			}
			buf = n.appendTerm(buf, a)
		}
		buf = append(buf, ')')
	}
	if len(patterns) > 0 {
		buf = append(buf, ')')
	}
	return append(buf, ')')
}

// appendLeaf appends a term without arguments.
func (n *names) appendLeaf(buf []byte, t *Term) []byte {
	switch t.op {
	case OpConst:
		return n.appendSymbol(buf, t.info.fn.name)
	case OpEnum:
		return n.appendSymbol(buf, t.info.name)
	case OpVar:
		// The number keeps variables of one name apart.
		return appendQuoted(buf, fmt.Sprintf("%c%s!%d", definedPrefix, n.rename(t.info.name), t.id))
	case OpBVLit:
		buf = append(buf, "(_ bv"...)
		buf = strconv.AppendUint(buf, t.info.value, 10)
		buf = append(buf, ' ')
		buf = strconv.AppendInt(buf, int64(t.sort.Width()), 10)
		return append(buf, ')')
	case OpIntLit:
		return appendInt(buf, t.Int())
	}
	return append(buf, opNames[t.op]...)
}

// appendInt appends an integer: SMT-LIB 2 has no negative literals.
func appendInt(buf []byte, v int64) []byte {
	if v >= 0 {
		return strconv.AppendInt(buf, v, 10)
	}
	buf = append(buf, "(- "...)
	buf = strconv.AppendUint(buf, -uint64(v), 10)
	return append(buf, ')')
}
