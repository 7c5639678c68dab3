package report

// cell is one entry of a table.
type cell = span

// table is a table with a head; the first column names the rows.
type table struct {
	head []string
	rows [][]cell
}

const gap = "   " // between columns

// write writes the table in blocks of columns that fit the page; each block
// repeats the first column.
func (t table) write(p *page) {
	width := make([]int, len(t.head))
	for c, h := range t.head {
		width[c] = runes(h)
		for _, r := range t.rows {
			width[c] = max(width[c], runes(r[c].text))
		}
	}
	for from := 1; from < len(t.head); {
		if from > 1 {
			p.blank()
		}
		to, taken := from, width[0]
		for to < len(t.head) && (to == from || taken+runes(gap)+width[to] <= p.room()) {
			taken += runes(gap) + width[to]
			to++
		}
		block := append([]int{0}, seq(from, to)...)
		var l line
		for _, c := range block {
			l.column(cell{t.head[c], dim}, width[c])
		}
		p.write(l)
		for _, r := range t.rows {
			l = nil
			for _, c := range block {
				l.column(r[c], width[c])
			}
			p.write(l)
		}
		from = to
	}
}

// column appends a cell and blanks up to the next column.
func (l *line) column(c cell, width int) {
	end := l.width() + width + runes(gap)
	l.add(c.text, c.style)
	l.pad(end)
}

func seq(from, to int) []int {
	var out []int
	for k := from; k < to; k++ {
		out = append(out, k)
	}
	return out
}
