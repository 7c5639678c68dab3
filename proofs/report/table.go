package report

import (
	"slices"
	"strings"
)

// table is a table with a head; the first column names the rows.
type table struct {
	head []string
	rows [][]span
	wrap bool // the last column is made narrower, within reason, to fit the page
	// In the blocks behind the first, quiet leaves out the rows that have nothing
	// there.
	quiet bool
}

const gap = "   " // between columns

// write writes the table in blocks of columns that fit the page; each block
// repeats the first column. An entry that is wider than the page is wrapped.
func (t table) write(p *page) {
	width := make([]int, len(t.head))
	for c, h := range t.head {
		width[c] = runes(h)
		for _, r := range t.rows {
			width[c] = max(width[c], runes(r[c].text))
		}
		if c > 0 {
			width[c] = min(width[c], p.room()-width[0]-runes(gap))
		}
	}
	if last := len(width) - 1; t.wrap {
		const least = 16
		rest := p.room()
		for _, w := range width[:last] {
			rest -= w + runes(gap)
		}
		if rest >= least {
			width[last] = min(width[last], rest)
		}
	}
	for from := 1; from < len(t.head); {
		if from > 1 {
			p.blank()
		}
		columns := []int{0}
		taken := width[0]
		for c := from; c < len(t.head) && (c == from || taken+runes(gap)+width[c] <= p.room()); c++ {
			columns = append(columns, c)
			taken += runes(gap) + width[c]
		}
		head := make([]span, len(t.head))
		for c, h := range t.head {
			head[c] = span{h, dim}
		}
		writeRow(p, head, columns, width)
		for _, r := range t.rows {
			if from == 1 || !t.quiet || slices.ContainsFunc(columns[1:], func(c int) bool { return r[c].text != notNeeded }) {
				writeRow(p, r, columns, width)
			}
		}
		from += len(columns) - 1
	}
}

// writeRow writes some columns of a row, on as many lines as they take.
func writeRow(p *page, row []span, columns, width []int) {
	parts := make([][]string, len(columns))
	height := 1
	for i, c := range columns {
		parts[i] = fill(strings.Fields(row[c].text), width[c])
		height = max(height, len(parts[i]))
	}
	for k := range height {
		var l line
		column := 0
		for i, c := range columns {
			l.pad(column)
			if k < len(parts[i]) {
				l.add(parts[i][k], row[c].style)
			}
			column += width[c] + runes(gap)
		}
		p.write(l)
	}
}
