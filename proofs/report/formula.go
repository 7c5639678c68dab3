package report

import (
	"fmt"

	"github.com/speckl/kraftprove/protocol"
)

// formula is a term as a spec would write it, in lines of at most width runes
// if possible.
func formula(t protocol.Term, width int) string {
	_ = width
	return fmt.Sprintf("%T", t)
}
