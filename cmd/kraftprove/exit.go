package main

import (
	"errors"
	"fmt"

	"github.com/speckl/kraftprove/proofs"
)

// The exit codes.
const (
	exitOK          = 0   // every verdict is as expected
	exitRefuted     = 1   // something is refuted, or a literal claim is not
	exitSpec        = 2   // the spec is wrong
	exitUnknown     = 3   // something is unknown or conditional
	exitEnvironment = 4   // a solver or file is missing or failed
	exitDisagree    = 5   // two solvers contradict each other
	exitUsage       = 64  // the command line is wrong
	exitInternal    = 70  // kraftprove is wrong
	exitInterrupted = 130 // Ctrl-C
)

// exitError ends the program with a code. A message that was printed already is
// not printed again.
type exitError struct {
	code    int
	err     error
	printed bool
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

func environment(err error) error { return &exitError{code: exitEnvironment, err: err} }

// verdictCode is the exit code that a report's verdicts ask for.
func verdictCode(rep *proofs.Report) int {
	code := obligationCode(rep)
	if code != exitOK {
		return code
	}
	for _, s := range rep.Systems {
		for _, p := range s.Properties {
			if p.Verdict == proofs.Unknown || p.Verdict == proofs.Conditional {
				return exitUnknown
			}
		}
	}
	return exitOK
}

// obligationCode is the exit code that the obligations' verdicts ask for, whatever
// follows for the properties.
func obligationCode(rep *proofs.Report) int {
	unknown := false
	for _, s := range rep.Systems {
		for _, o := range s.Opinions {
			if len(o.Contradicts) > 0 {
				return exitDisagree
			}
		}
	}
	for _, s := range rep.Systems {
		for _, r := range s.Results {
			switch {
			case r.AsExpected():
			case r.Verdict == proofs.Refuted, r.Kind == proofs.LiteralIsFalse:
				return exitRefuted
			default:
				unknown = true
			}
		}
	}
	if unknown {
		return exitUnknown
	}
	return exitOK
}

// codeOf is the exit code of a failed command.
func codeOf(err error) int {
	var exit *exitError
	var internal *proofs.InternalError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &internal):
		return exitInternal
	case errors.As(err, &exit):
		return exit.code
	}
	return exitUsage // what cobra finds wrong with the command line
}
