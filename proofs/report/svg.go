package report

import (
	"fmt"
	"io"
	"strings"
)

// A diagram as a picture. Texts of the diagram are in a monospaced font, so that their
// widths are known.

// Sizes in pixels.
const (
	svgChar    = 6.95 // a character of the font, at 11.5 px
	svgLine    = 15   // from one line to the next
	svgNumbers = 52   // the column of step numbers
	svgMargin  = 24
	svgPad     = 9  // in boxes
	svgGap     = 12 // between steps
	svgHead    = 30 // the boxes of the lifelines
)

// Notes and arrows wrap their texts at so many characters.
const (
	svgNoteLeast = 20
	svgNoteMost  = 31
)

const svgStyle = `
    text { font: 11.5px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; fill: #1f2328; }
    .title { font: 600 17px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    .from { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #59636e; }
    .remark { font: italic 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #59636e; }
    .bold { font-weight: 600; }
    .dim { fill: #59636e; }
    .bg { fill: #ffffff; }
    .life { stroke: #d1d9e0; stroke-width: 1.5; }
    .rule { stroke: #eaeef2; }
    .head { fill: #ddf4ff; stroke: #54aeff; }
    .note { fill: #f6f8fa; stroke: #d1d9e0; }
    .arrow { stroke: #0969da; stroke-width: 1.5; fill: none; }
    .tip { fill: #0969da; }
    .lost { stroke: #818b98; stroke-width: 1.5; stroke-dasharray: 4 3; fill: none; }
    .cross { stroke: #818b98; stroke-width: 1.5; }
    .bad { fill: #ffebe9; stroke: #cf222e; }
    .bad-text { fill: #a40e26; }
    .good { fill: #dafbe1; stroke: #1a7f37; }
    .good-text { fill: #116329; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .from, .remark, .dim { fill: #9198a1; }
      .bg { fill: #0d1117; }
      .life { stroke: #3d444d; }
      .rule { stroke: #21262d; }
      .head { fill: #121d2f; stroke: #1f6feb; }
      .note { fill: #151b23; stroke: #3d444d; }
      .arrow { stroke: #4493f8; }
      .tip { fill: #4493f8; }
      .lost, .cross { stroke: #656c76; }
      .bad { fill: #25171c; stroke: #f85149; }
      .bad-text { fill: #ffa198; }
      .good { fill: #12261e; stroke: #3fb950; }
      .good-text { fill: #7ee787; }
    }
`

// picture is an SVG under way, from the top down.
type picture struct {
	d       diagram
	spacing float64 // between lifelines
	width   float64
	y       float64 // where the next thing begins
	back    strings.Builder
	front   strings.Builder
}

// svg writes the run as a picture of its sequence diagram.
func (t *trace) svg(w io.Writer, lost bool) error {
	p := &picture{d: t.diagram(lost), y: svgMargin}
	p.layOut()
	p.heading(t)
	p.heads()
	top := p.y
	p.y += svgGap
	for _, r := range p.d.rows {
		p.row(r)
	}
	for k := range p.d.names {
		fmt.Fprintf(&p.back, `  <line class="life" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", p.x(k), top, p.x(k), p.y)
	}
	p.heads()
	p.verdict()
	p.y += svgMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", p.width, p.y, p.width, p.y)
	fmt.Fprintf(&b, "  <title>%s</title>\n  <style>%s  </style>\n", escape(t.heading()), svgStyle)
	fmt.Fprintf(&b, `  <rect class="bg" width="%.0f" height="%.0f"/>`+"\n", p.width, p.y)
	b.WriteString(p.back.String() + p.front.String() + "</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// heading is a title for the run.
func (t *trace) heading() string {
	if t.Title != "" {
		return t.Title
	}
	return "An execution of " + t.sys.Name
}

// layOut finds the widths.
func (p *picture) layOut() {
	widest := svgNoteLeast
	for _, r := range p.d.rows {
		for _, l := range noteLines(r) {
			widest = max(widest, runes(l))
		}
	}
	const least = 620 // room for titles and for what is broken
	columns := float64(max(len(p.d.names), 1))
	p.spacing = max(svgChar*float64(widest)+2*svgPad+14, (least-svgNumbers-svgMargin)/columns)
	p.width = svgNumbers + p.spacing*columns + svgMargin
}

// x is where a lifeline stands.
func (p *picture) x(column int) float64 {
	return svgNumbers + p.spacing*(float64(column)+0.5)
}

// noteLines is the text of the note of a step; the first lines are the call.
func noteLines(r diagramRow) []string {
	return append(callLines(r), effectLines(r)...)
}

func callLines(r diagramRow) []string {
	if runes(r.call) <= svgNoteMost {
		return []string{r.call}
	}
	name, args, _ := strings.Cut(r.call, "(")
	return append(fill([]string{name}, svgNoteMost), fill(units("("+args), svgNoteMost)...)
}

func effectLines(r diagramRow) []string {
	var out []string
	for _, e := range r.effects {
		out = append(out, fill([]string{e}, svgNoteMost)...)
	}
	return out
}

// heading writes the title and where the run is from.
func (p *picture) heading(t *trace) {
	const wide = 9.8 // a character of the title, about
	for _, l := range fill(strings.Fields(t.heading()), int((p.width-2*svgMargin)/wide)) {
		p.y += 17
		p.text(svgMargin, p.y, "title", "start", l)
		p.y += 5
	}
	from := t.sys.Name + ", " + counted(len(t.steps), "step")
	if t.From != "" {
		from += ", " + t.From
	}
	for _, l := range fill(strings.Fields(from), int((p.width-2*svgMargin)/6.4)) {
		p.y += 15
		p.text(svgMargin, p.y, "from", "start", l)
	}
	p.y += 18
}

// heads draws the boxes with the names of the lifelines.
func (p *picture) heads() {
	for k, name := range p.d.names {
		w := max(svgChar*float64(runes(name))+2*svgPad, 56)
		fmt.Fprintf(&p.front, `  <rect class="head" x="%.1f" y="%.1f" width="%.1f" height="%d" rx="6"/>`+"\n", p.x(k)-w/2, p.y, w, svgHead)
		p.text(p.x(k), p.y+svgHead/2+4, "bold", "middle", name)
	}
	p.y += svgHead
}

// row draws a step.
func (p *picture) row(r diagramRow) {
	if r.remark != "" {
		p.remark(r.remark)
	}
	numbered := false
	number := func(y float64) {
		if !numbered {
			p.text(svgNumbers-12, y, "dim", "end", fmt.Sprint(r.number))
		}
		numbered = true
	}
	for _, a := range r.arrows {
		if !a.lost {
			p.arrow(a)
			number(p.y + 4)
			p.y += 7
		}
	}
	number(p.y + svgPad + 9)
	p.note(r)
	for _, a := range r.arrows {
		if a.lost {
			p.y += 4
			p.arrow(a)
			p.y += 4
		}
	}
	p.y += svgGap
}

// remark draws what is said of a step, over the whole width.
func (p *picture) remark(text string) {
	p.y += 8
	fmt.Fprintf(&p.back, `  <line class="rule" x1="%d" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", svgMargin, p.y, p.width-svgMargin, p.y)
	for _, l := range fill(strings.Fields(text), int((p.width-2*svgMargin)/6.6)) {
		p.y += 17
		p.masked(svgMargin, p.y, "remark", "start", l, 6.4)
	}
	p.y += 12
}

// note draws the box of what a replica does; of nobody in particular, at the left.
func (p *picture) note(r diagramRow) {
	calls, effects := callLines(r), effectLines(r)
	widest := 0
	for _, l := range append(append([]string{}, calls...), effects...) {
		widest = max(widest, runes(l))
	}
	w := svgChar*float64(widest) + 2*svgPad
	h := float64(svgLine*(len(calls)+len(effects))) + svgPad
	x := p.x(max(r.column, 0))
	if r.column < 0 {
		x = svgNumbers + w/2
	}
	fmt.Fprintf(&p.front, `  <rect class="note" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4"/>`+"\n", x-w/2, p.y, w, h)
	y := p.y + svgPad/2 - 3
	for _, l := range calls {
		y += svgLine
		p.text(x, y, "bold", "middle", l)
	}
	for _, l := range effects {
		y += svgLine
		p.text(x, y, "dim", "middle", l)
	}
	p.y += h
}

// arrow draws a message with its label above; it leaves y on the arrow.
func (p *picture) arrow(a arrow) {
	from, to := p.x(a.from), p.x(a.to)
	room := to - from
	if room < 0 {
		room = -room
	}
	if room == 0 {
		room = p.spacing
	}
	middle := (from + to) / 2
	chars := int((room - 30) / svgChar)
	style := "bold"
	if a.lost {
		style = "dim"
	}
	for _, l := range fill([]string{a.typ}, chars) {
		p.y += svgLine - 1
		p.masked(middle, p.y, style, "middle", l, svgChar)
	}
	if a.fields != "" {
		for _, l := range fill(units(a.fields), chars) {
			p.y += svgLine - 1
			p.masked(middle, p.y, "dim", "middle", l, svgChar)
		}
	}
	p.y += 8
	y := p.y
	switch {
	case a.from == a.to:
		// A loop at the right of the lifeline.
		p.y += 10
		if a.lost {
			fmt.Fprintf(&p.front, `  <path class="lost" d="M %.1f %.1f h 26 a 5 5 0 0 1 0 10"/>`+"\n", from, y)
			p.cross(from+26, p.y)
			break
		}
		fmt.Fprintf(&p.front, `  <path class="arrow" d="M %.1f %.1f h 26 a 5 5 0 0 1 0 10 h -18"/>`+"\n", from, y)
		p.tip(from, p.y, -1)
	case a.lost:
		stop := from + (to-from)*0.72
		fmt.Fprintf(&p.front, `  <path class="lost" d="M %.1f %.1f H %.1f"/>`+"\n", from, y, stop)
		p.cross(stop, y)
	default:
		direction := 1.0
		if to < from {
			direction = -1
		}
		fmt.Fprintf(&p.front, `  <path class="arrow" d="M %.1f %.1f H %.1f"/>`+"\n", from, y, to-7*direction)
		p.tip(to, y, direction)
	}
}

// tip draws the head of an arrow that points at x, from the left if direction is 1, from
// the right if it is -1.
func (p *picture) tip(x, y, direction float64) {
	fmt.Fprintf(&p.front, `  <path class="tip" d="M %.1f %.1f l %.1f -4.5 v 9 z"/>`+"\n", x, y, -9*direction)
}

// cross draws where a message is lost.
func (p *picture) cross(x, y float64) {
	fmt.Fprintf(&p.front, `  <path class="cross" d="M %.1f %.1f l 8 8 m 0 -8 l -8 8"/>`+"\n", x-4, y-4)
}

// verdict draws how the run ends.
func (p *picture) verdict() {
	if len(p.d.end.lines) == 0 {
		return
	}
	p.y += svgGap
	class := "good"
	if p.d.end.broken {
		class = "bad"
	}
	chars := int((p.width - 2*svgMargin - 2*svgPad) / svgChar)
	var lines []string
	title := 0
	for k, l := range p.d.end.lines {
		lines = append(lines, fill(strings.Fields(l), chars)...)
		if k == 0 {
			title = len(lines)
		}
	}
	h := float64(svgLine*len(lines)) + 2*svgPad
	fmt.Fprintf(&p.front, `  <rect class="%s" x="%d" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`+"\n", class, svgMargin, p.y, p.width-2*svgMargin, h)
	y := p.y + svgPad - 4
	for k, l := range lines {
		y += svgLine
		style := class + "-text"
		if k < title {
			style += " bold"
		}
		p.text(svgMargin+svgPad, y, style, "start", l)
	}
	p.y += h
}

// text draws a line of text on its base line.
func (p *picture) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(&p.front, `  <text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, escape(text))
}

// masked is text that hides the lifelines behind it.
func (p *picture) masked(x, y float64, class, anchor, text string, char float64) {
	w := char*float64(runes(text)) + 6
	left := x - 3
	if anchor == "middle" {
		left = x - w/2
	}
	fmt.Fprintf(&p.front, `  <rect class="bg" x="%.1f" y="%.1f" width="%.1f" height="%d"/>`+"\n", left, y-11, w, svgLine-1)
	p.text(x, y, class, anchor, text)
}

// escape makes text safe in XML. Control characters, which XML cannot have, become
// blanks.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
