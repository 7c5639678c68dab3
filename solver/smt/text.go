package smt

import (
	"fmt"
	"strconv"
)

// appendTerm appends a term without any sharing.
func appendTerm(buf []byte, t *Term) []byte {
	if len(t.args) == 0 {
		return appendLeaf(buf, t)
	}
	if t.isQuantifier() {
		buf = appendBinder(buf, t)
		buf = appendTerm(buf, t.Body())
		return appendPatterns(buf, t)
	}
	buf = appendHead(buf, t)
	for _, a := range t.args {
		buf = append(buf, ' ')
		buf = appendTerm(buf, a)
	}
	return append(buf, ')')
}

// appendHead appends what comes before the arguments of a term that is no
// quantifier.
func appendHead(buf []byte, t *Term) []byte {
	buf = append(buf, '(')
	switch t.op {
	case OpApp:
		return appendSymbol(buf, t.info.fn.name)
	case OpPattern: // a list
		return buf
	}
	return append(buf, opNames[t.op]...)
}

// appendBinder appends what comes before the body of a quantifier.
func appendBinder(buf []byte, t *Term) []byte {
	buf = append(buf, '(')
	buf = append(buf, opNames[t.op]...)
	buf = append(buf, " ("...)
	for i, v := range t.Vars() {
		if i > 0 {
			buf = append(buf, ' ')
		}
		buf = append(buf, '(')
		buf = appendLeaf(buf, v)
		buf = append(buf, ' ')
		buf = append(buf, v.sort.String()...)
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
func appendPatterns(buf []byte, t *Term) []byte {
	patterns := t.Patterns()
	for _, p := range patterns {
		buf = append(buf, " :pattern ("...)
		for i, a := range p.args {
			if i > 0 {
				buf = append(buf, ' ')
			}
			buf = appendTerm(buf, a)
		}
		buf = append(buf, ')')
	}
	if len(patterns) > 0 {
		buf = append(buf, ')')
	}
	return append(buf, ')')
}

// appendLeaf appends a term without arguments.
func appendLeaf(buf []byte, t *Term) []byte {
	switch t.op {
	case OpConst:
		return appendSymbol(buf, t.info.fn.name)
	case OpEnum:
		return appendSymbol(buf, t.info.name)
	case OpVar:
		// The number keeps variables of one name apart.
		return appendQuoted(buf, fmt.Sprintf("%c%s!%d", definedPrefix, t.info.name, t.id))
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
