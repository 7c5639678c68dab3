package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a diagnostic makes a specification unusable.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// String is the severity's name in lower case.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Code is the stable name of a kind of diagnostic, such as KP0103. Codes lists
// them all.
type Code string

// Label is a remark on another place that explains a diagnostic.
type Label struct {
	Span Span
	Text string
}

// Diagnostic is one thing that is wrong with a specification. Its message is
// in lower case, has no full stop and names the offender and what was
// expected. Help, if any, says what to write instead.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Span     Span
	Message  string
	Labels   []Label
	Help     string
}

// String is the diagnostic on one line, without labels and help.
func (d Diagnostic) String() string {
	place := ""
	if d.Span.IsValid() {
		place = d.Span.String() + ": "
	}
	return fmt.Sprintf("%s%s[%s]: %s", place, d.Severity, d.Code, d.Message)
}

func (d Diagnostic) equal(o Diagnostic) bool {
	return d.Severity == o.Severity && d.Code == o.Code && d.Span == o.Span &&
		d.Message == o.Message && d.Help == o.Help && slices.Equal(d.Labels, o.Labels)
}

// List is a collection of diagnostics. As an error it stands for all of them;
// an empty list is no error, so convert it only if HasErrors.
type List []Diagnostic

// Error is the first diagnostic and the number of further ones.
func (l List) Error() string {
	if len(l) == 0 {
		return "no diagnostics"
	}
	first := l.Sorted()[0].String()
	if len(l) == 1 {
		return first
	}
	return fmt.Sprintf("%s (and %d more)", first, len(l)-1)
}

// HasErrors reports whether any diagnostic is more than a warning.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted is the list ordered by file name, offset and code, without exact
// repeats. Diagnostics without a place come first.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, byPlace)
	var unique List
	group := 0 // where the diagnostics of the same place and code begin
	for _, d := range sorted {
		if group < len(unique) && byPlace(unique[group], d) != 0 {
			group = len(unique)
		}
		if !slices.ContainsFunc(unique[group:], d.equal) {
			unique = append(unique, d)
		}
	}
	return unique
}

func byPlace(a, b Diagnostic) int {
	return cmp.Or(
		strings.Compare(a.Span.fileName(), b.Span.fileName()),
		cmp.Compare(a.Span.Start, b.Span.Start),
		strings.Compare(string(a.Code), string(b.Code)),
	)
}

func (s Span) fileName() string {
	if !s.IsValid() {
		return ""
	}
	return s.File.Name
}
