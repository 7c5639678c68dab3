package smt

import (
	"fmt"
	"strconv"
	"strings"
)

// reserved are the words of the SMT-LIB 2 language that a simple symbol must
// not be.
var reserved = wordSet("! _ as BINARY DECIMAL exists HEXADECIMAL forall let match NUMERAL par STRING")

// theory are the symbols of the theories in use, which no constant may have as
// its name, quoted or not. (Those of bit-vectors all start with "bv".)
var theory = wordSet("true false not => and or xor = distinct ite concat extract")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// definedPrefix starts the names that a Printer gives to shared terms.
const definedPrefix = '$'

// checkName panics on a name that no quoting makes a symbol, or that belongs to
// the printer or to a theory.
func checkName(name string) {
	if name == "" || name[0] == definedPrefix || strings.ContainsAny(name, "|\\") || theory[name] {
		panic(fmt.Sprintf("smt: bad name for a constant: %q", name))
	}
}

// appendSymbol appends name, quoted where it is not a simple symbol.
func appendSymbol(buf []byte, name string) []byte {
	if isSimple(name) {
		return append(buf, name...)
	}
	buf = append(buf, '|')
	buf = append(buf, name...)
	return append(buf, '|')
}

func isSimple(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' || reserved[name] {
		return false
	}
	for i := 0; i < len(name); i++ {
		if !symbolByte[name[i]] {
			return false
		}
	}
	return true
}

// symbolByte says which bytes a simple symbol may have.
var symbolByte = func() (is [256]bool) {
	for c := 'a'; c <= 'z'; c++ {
		is[c], is[c-'a'+'A'] = true, true
	}
	for c := '0'; c <= '9'; c++ {
		is[c] = true
	}
	for _, c := range "~!@$%^&*_-+=<>.?/" {
		is[c] = true
	}
	return is
}()

// appendLeaf appends a term without arguments.
func appendLeaf(buf []byte, t *Term) []byte {
	switch t.op {
	case OpConst:
		return appendSymbol(buf, t.leaf.name)
	case OpBVLit:
		buf = append(buf, "(_ bv"...)
		buf = strconv.AppendUint(buf, t.leaf.value, 10)
		buf = append(buf, ' ')
		buf = strconv.AppendInt(buf, int64(t.sort.width), 10)
		return append(buf, ')')
	}
	return append(buf, t.op.String()...)
}
