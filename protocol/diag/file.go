// Package diag holds source files, places in them and diagnostics about them:
// what is wrong with a specification, where, and how to show it to a person.
// It knows nothing of what the files contain.
package diag

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// File is a source text with a name. Its places are byte offsets; line and
// column are computed only to be shown. A file is made by NewFile, never
// changed afterwards, and safe for concurrent use.
type File struct {
	Name string
	Text []byte

	starts []int // byte offset of each line's first byte; starts[0] is 0
}

// NewFile makes a file. It keeps text, which must not be changed any more.
func NewFile(name string, text []byte) *File {
	starts := []int{0}
	for i, b := range text {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return &File{Name: name, Text: text, starts: starts}
}

// Position is the 1-based line of a byte offset and its 1-based column in
// runes. An offset outside the file counts as its nearest end.
func (f *File) Position(offset int) (line, column int) {
	offset = f.clamp(offset)
	line, found := slices.BinarySearch(f.starts, offset)
	if found {
		line++
	}
	return line, utf8.RuneCount(f.Text[f.starts[line-1]:offset]) + 1
}

// Line is the text of a 1-based line without its line ending, and empty if
// there is no such line.
func (f *File) Line(n int) string {
	start, end := f.lineBounds(n)
	return string(f.Text[start:end])
}

// Offset is the byte offset of a 1-based line and a 1-based column in runes.
// A place outside the text counts as the nearest one inside.
func (f *File) Offset(line, column int) int {
	if line > len(f.starts) {
		return len(f.Text)
	}
	offset, end := f.lineBounds(max(line, 1))
	for range column - 1 {
		if offset >= end {
			break
		}
		_, size := utf8.DecodeRune(f.Text[offset:end])
		offset += size
	}
	return offset
}

// Span is the place between two byte offsets, end excluded, cut to the file.
func (f *File) Span(start, end int) Span {
	start = f.clamp(start)
	return Span{File: f, Start: start, End: max(start, f.clamp(end))}
}

func (f *File) clamp(offset int) int {
	return min(max(offset, 0), len(f.Text))
}

// lineBounds are the offsets of a line's text, line ending excluded.
func (f *File) lineBounds(n int) (start, end int) {
	if n < 1 || n > len(f.starts) {
		return 0, 0
	}
	start, end = f.starts[n-1], len(f.Text)
	if n < len(f.starts) {
		end = f.starts[n] - 1
	}
	text := bytes.TrimSuffix(f.Text[start:end], []byte("\r"))
	return start, start + len(text)
}

// Span is a place in a file: the bytes from Start up to, not including, End.
// The zero Span is no place at all.
type Span struct {
	File       *File
	Start, End int
}

// IsValid reports whether the span is a place in a file.
func (s Span) IsValid() bool { return s.File != nil }

// String is the span's start as name:line:column, or "-" for no place.
func (s Span) String() string {
	if !s.IsValid() {
		return "-"
	}
	line, column := s.File.Position(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.File.Name, line, column)
}

// Text is the part of the file that the span covers.
func (s Span) Text() string {
	if !s.IsValid() {
		return ""
	}
	s = s.clamped()
	return string(s.File.Text[s.Start:s.End])
}

// Remark is what stands behind # in the line where the span ends.
func (s Span) Remark() string {
	if !s.IsValid() {
		return ""
	}
	rest, _, _ := bytes.Cut(s.File.Text[s.clamped().End:], []byte("\n"))
	_, remark, _ := bytes.Cut(rest, []byte("#"))
	return string(bytes.TrimSpace(remark))
}

// clamped is the span cut to its file, with its end not before its start.
func (s Span) clamped() Span { return s.File.Span(s.Start, s.End) }

// Join is the smallest span that covers both. An invalid span adds nothing,
// and neither does a span b in another file than a.
func Join(a, b Span) Span {
	switch {
	case !a.IsValid():
		return b
	case a.File != b.File:
		return a
	}
	return Span{File: a.File, Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}
