package syntax

import (
	"strings"
	"unicode/utf8"
)

// A doc is a text with places where a line may be broken, after Wadler's "A
// prettier printer". It is laid out within a width by breaking groups from the
// outside in, each only if it does not fit on the rest of its line.
//
//sumtype:decl
type doc interface{ isDoc() }

type (
	docText   string
	docConcat []doc
	docLine   string          // a line break, or this text if its group is not broken
	docGroup  struct{ x doc } // all its breaks are line breaks, or none
	docAlign  struct{ x doc } // its lines begin in the column where it begins
	docIndent struct {        // its lines begin further right
		by int
		x  doc
	}
)

func (docText) isDoc()   {}
func (docConcat) isDoc() {}
func (docLine) isDoc()   {}
func (docGroup) isDoc()  {}
func (docAlign) isDoc()  {}
func (docIndent) isDoc() {}

// layoutItem is a piece that is still to be laid out.
type layoutItem struct {
	x      doc
	indent int
	broken bool // its breaks are line breaks
}

// oneLine is the width for layouts without line breaks.
const oneLine = 0

// layOut is the text of a doc in lines of at most width runes, where possible.
// The first line begins at column indent, and so do further ones.
func layOut(x doc, width, indent int) string {
	var out strings.Builder
	column := indent
	todo := []layoutItem{{x, indent, width > oneLine}}
	for len(todo) > 0 {
		it := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch x := it.x.(type) {
		case docText:
			out.WriteString(string(x))
			column += utf8.RuneCountInString(string(x))
		case docLine:
			if it.broken {
				out.WriteString("\n" + strings.Repeat(" ", it.indent))
				column = it.indent
			} else {
				out.WriteString(string(x))
				column += utf8.RuneCountInString(string(x))
			}
		case docGroup:
			flat := layoutItem{x.x, it.indent, false}
			broken := it.broken && !fits(width-column, append(todo, flat))
			todo = append(todo, layoutItem{x.x, it.indent, broken})
		default:
			todo = push(todo, it, column)
		}
	}
	return out.String()
}

// fits reports whether the text up to the next line break is at most room runes.
// The pieces are on a stack, the next one last.
func fits(room int, stack []layoutItem) bool {
	var todo []layoutItem // on top of the stack
	for rest := len(stack); room >= 0; {
		var it layoutItem
		switch {
		case len(todo) > 0:
			it = todo[len(todo)-1]
			todo = todo[:len(todo)-1]
		case rest > 0:
			rest--
			it = stack[rest]
		default:
			return true
		}
		switch x := it.x.(type) {
		case docText:
			room -= utf8.RuneCountInString(string(x))
		case docLine:
			if it.broken {
				return true
			}
			room -= utf8.RuneCountInString(string(x))
		case docGroup:
			todo = append(todo, layoutItem{x.x, it.indent, it.broken})
		default:
			todo = push(todo, it, 0)
		}
	}
	return false
}

// push puts the parts of a piece on the stack.
func push(todo []layoutItem, it layoutItem, column int) []layoutItem {
	switch x := it.x.(type) {
	case docConcat:
		for i := len(x) - 1; i >= 0; i-- {
			todo = append(todo, layoutItem{x[i], it.indent, it.broken})
		}
		return todo
	case docAlign:
		return append(todo, layoutItem{x.x, column, it.broken})
	case docIndent:
		return append(todo, layoutItem{x.x, it.indent + x.by, it.broken})
	case docText, docLine, docGroup: // the callers' business
	}
	panic("unhandled piece of a layout")
}
