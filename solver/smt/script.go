package smt

import (
	"bufio"
	"io"
	"strings"
)

// Script writes the commands of a dialogue with a solver. Assertions are held
// back until a command that depends on them, so that what they share is written
// once.
type Script struct {
	w       *bufio.Writer
	printer *Printer
	pending []Guarded
}

// NewScript returns a Script that writes to w. Whoever owns w flushes it.
func NewScript(w *bufio.Writer) *Script {
	return &Script{w: w, printer: NewPrinter(w)}
}

// Rename has the script call everything that it declares or binds by other names,
// which depend on the seed; 0 leaves the names as they are. It comes before the
// first assertion.
func (s *Script) Rename(seed int) { s.printer.Rename(seed) }

// WriteScript writes a whole script that asserts fs and asks for an answer;
// without set-logic if logic is empty.
func WriteScript(w io.Writer, logic string, fs ...*Term) error {
	bw := bufio.NewWriter(w)
	if logic != "" {
		bw.WriteString("(set-logic " + logic + ")\n")
	}
	s := NewScript(bw)
	for _, f := range fs {
		s.Assert(f)
	}
	s.Command("(check-sat)")
	return bw.Flush()
}

// Assert adds f to the current scope. All formulas come from one [Builder].
func (s *Script) Assert(f *Term) { s.pending = append(s.pending, Guarded{"", f}) }

// AssertUnder adds guard ⇒ f to the current scope. It declares the guard, which
// must be a new symbol: one that starts with '$' collides with no constant.
func (s *Script) AssertUnder(guard string, f *Term) {
	s.w.WriteString("(declare-fun " + string(s.printer.names.appendSymbol(nil, guard)) + " () Bool)\n")
	s.pending = append(s.pending, Guarded{guard, f})
}

// Push opens a scope.
func (s *Script) Push() {
	s.Command("(push 1)")
	s.printer.Push()
}

// Pop closes the scope that was opened last.
func (s *Script) Pop() {
	s.Command("(pop 1)")
	s.printer.Pop()
}

// Command writes the assertions held back and then one command, such as
// (check-sat).
func (s *Script) Command(text string) {
	s.flush()
	s.w.WriteString(text)
	s.w.WriteByte('\n')
}

// Comment writes a comment. It does not wait for the assertions held back.
func (s *Script) Comment(text string) {
	s.w.WriteString("; " + strings.NewReplacer("\n", " ", "\r", " ").Replace(text) + "\n")
}

// Constant returns the constant of the given symbol that is declared in the open
// scopes, or nil.
func (s *Script) Constant(symbol string) *Term { return s.printer.Constant(symbol) }

// Constants returns the constants declared in the open scopes, in order of
// declaration. The caller must not change the list.
func (s *Script) Constants() []*Term { return s.printer.Constants() }

// flush writes the assertions held back.
func (s *Script) flush() {
	s.printer.Assert(s.pending...)
	clear(s.pending)
	s.pending = s.pending[:0]
}
