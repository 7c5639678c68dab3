package smt

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

// taken are the words of the SMT-LIB 2 language and of its theories that no
// declared symbol may be, quoted or not, to at least one solver: Z3 4.8.12 takes
// |let| for let in front of arguments, cvc5 1.0.3 knows tuple in every logic.
// (Those of bit-vectors all start with "bv", those of datatypes with "is-".)
var taken = wordSet(`! _ as BINARY DECIMAL exists HEXADECIMAL forall let match NUMERAL par STRING lambda root-obj
	true false not => and or xor = distinct ite concat extract
	+ - * / ^ < <= > >= div mod abs divisible is_int to_int to_real tuple update is
	Bool Int Real String Array Set Seq List BitVec RegEx RegLan Unicode RoundingMode
	Float16 Float32 Float64 Float128 Tuple Relation Table`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// definedPrefix starts the names that a Printer makes: $12 for a shared term,
// $x!12 for a variable, $and for what is named and.
const definedPrefix = '$'

// checkName panics on a name that no quoting makes a symbol, or that belongs to
// the printer.
func checkName(name string) {
	if name == "" || name[0] == definedPrefix || strings.ContainsAny(name, `|\`) {
		panic(fmt.Sprintf("smt: bad name: %q", name))
	}
}

// names are the words for what is declared or bound; nil leaves names as they are.
// Different names get different words, whatever is asked for, and equal seeds
// equal ones.
type names struct {
	seed uint64
	word map[string]string // by name
	used map[string]bool
}

// newNames returns the words of a seed; those of 0 are the names.
func newNames(seed int) *names {
	if seed == 0 {
		return nil
	}
	return &names{uint64(seed), map[string]string{}, map[string]bool{}}
}

// rename returns the word for a name. No word is taken, nor one of the printer's.
func (n *names) rename(name string) string {
	if n == nil || name[0] == definedPrefix {
		return name
	}
	word, known := n.word[name]
	if known {
		return word
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(n.seed, h.Sum64()))
	for word == "" || n.used[word] {
		word = "k" + strconv.FormatUint(uint64(r.Uint32()), 36)
	}
	n.word[name], n.used[word] = word, true
	return word
}

// symbol returns the symbol of a declared name: the word for it unless that is
// taken.
func (n *names) symbol(name string) string {
	name = n.rename(name)
	if taken[name] || strings.HasPrefix(name, "bv") || strings.HasPrefix(name, "is-") {
		return string(definedPrefix) + name
	}
	return name
}

// appendSymbol appends the symbol of a declared name, quoted where SMT-LIB 2
// wants that.
func (n *names) appendSymbol(buf []byte, name string) []byte {
	return appendQuoted(buf, n.symbol(name))
}

func appendQuoted(buf []byte, symbol string) []byte {
	if isSimple(symbol) {
		return append(buf, symbol...)
	}
	buf = append(buf, '|')
	buf = append(buf, symbol...)
	return append(buf, '|')
}

func isSimple(symbol string) bool {
	if symbol == "" || symbol[0] >= '0' && symbol[0] <= '9' {
		return false
	}
	for i := 0; i < len(symbol); i++ {
		if !symbolByte[symbol[i]] {
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
