package proofs

import "fmt"

// Mode says for which sizes a proof holds.
type Mode uint8

// The modes. Auto is Unbounded, and Bounded for what that leaves; Both is one
// after the other. A result has one of the first two.
const (
	Bounded   Mode = iota // in a scope
	Unbounded             // for any number of elements, naturals and messages
	Auto
	Both
)

var modeNames = [...]string{Bounded: "bounded", Unbounded: "unbounded", Auto: "auto", Both: "both"}

// String is the mode's name on the command line and in reports.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// ParseMode reads a mode's name.
func ParseMode(name string) (Mode, bool) {
	for m, n := range modeNames {
		if n == name {
			return Mode(m), true
		}
	}
	return 0, false
}
