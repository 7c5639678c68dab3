package report

import (
	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/syntax"
)

// formula is a term as a spec would write it, in lines of at most width runes
// if possible; 0 is one line.
func formula(t protocol.Term, width int) string {
	return syntax.FormatExprWidth(protocol.Express(t), width, 0)
}
