package solver

import (
	"fmt"
	"strings"
)

// NotFoundError says that a solver is not installed.
type NotFoundError struct {
	Name string // the solver's name
	Path string // where it was looked for: a file, or "" for PATH
	Err  error
}

func (e *NotFoundError) Error() string {
	if e.Path != "" {
		return fmt.Sprintf("solver %s not found at %s: %v", e.Name, e.Path, e.Err)
	}
	return fmt.Sprintf("solver %s not found on PATH", e.Name)
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// DiedError says that a solver ended, by itself or because it was unusable, in
// the middle of a Check.
type DiedError struct {
	Name   string
	Err    error  // how it ended
	Stderr string // the end of what it wrote to standard error
}

func (e *DiedError) Error() string {
	msg := fmt.Sprintf("solver %s died: %v", e.Name, e.Err)
	if s := strings.TrimSpace(e.Stderr); s != "" {
		msg += ": " + s
	}
	return msg
}

func (e *DiedError) Unwrap() error { return e.Err }

// AnswerError says that a solver's answer makes no sense, or is an error
// message of its own.
type AnswerError struct {
	Name   string
	Answer string // the beginning of it
	Why    string // what is wrong with it
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("solver %s: %s: %q", e.Name, e.Why, e.Answer)
}

// UnsupportedError says that a back end cannot be asked what it was asked.
type UnsupportedError struct {
	Name string // the solver's name
	What string // what it does not take, such as "bit-vectors"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("solver %s takes no %s", e.Name, e.What)
}
