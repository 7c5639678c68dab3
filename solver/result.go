package solver

import "fmt"

// Result is the answer to a Check.
type Result struct {
	Status Status
	Reason Reason   // why not known, if Status is Unknown
	Model  *Model   // if Status is Sat; nil if an assertion is first-order
	Core   []string // labels in order of assertion, if Status is Unsat and cores were asked for
}

// Status is one of the three answers.
type Status uint8

// The answers; the zero value claims nothing.
const (
	Unknown Status = iota
	Sat
	Unsat
)

func (s Status) String() string {
	switch s {
	case Unknown:
		return "unknown"
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Reason says why an answer is unknown.
type Reason uint8

// The reasons; None with an answer that is known.
const (
	None          Reason = iota
	Timeout              // Limits.Timeout, or the deadline of Check's context
	Memory               // Limits.MemoryMB
	ResourceLimit        // Limits.Steps
	Incomplete           // the solver gave up
	Cancelled            // Check's context was cancelled
)

func (r Reason) String() string {
	switch r {
	case None:
		return "none"
	case Timeout:
		return "timeout"
	case Memory:
		return "memory"
	case ResourceLimit:
		return "resource limit"
	case Incomplete:
		return "incomplete"
	case Cancelled:
		return "cancelled"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// UnknownResult returns the answer that is unknown for the given reason.
func UnknownResult(r Reason) Result { return Result{Status: Unknown, Reason: r} }
