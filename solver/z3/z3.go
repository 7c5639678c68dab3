// Package z3 runs Z3 inside this process, through github.com/mitchellh/go-z3.
//
// It saves the process and the text that solver/smtlib needs, which counts when
// checks are many and small. It takes purely Boolean terms and knows no unsat
// cores, since the binding has neither bit-vectors nor assumptions; and a fault
// inside libz3 ends the program. So it is an extra, never the only back end.
//
// It is built with the tag z3 only, and needs Z3's header and library then, and
// a copy of the binding that finds them: scripts/install-z3.sh prepares all of
// it. Without the tag New returns ErrNotBuilt.
package z3

import "errors"

// Name is what the back end is called.
const Name = "z3-lib"

// ErrNotBuilt says that the program was built without the tag z3.
var ErrNotBuilt = errors.New("built without in-process Z3")
