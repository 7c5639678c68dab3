package report

import (
	"fmt"
	"io"
	"strings"
)

// mermaid writes the run as a sequence diagram of Mermaid.
func (t *trace) mermaid(w io.Writer, lost bool) error {
	d := t.diagram(lost)
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	if t.Title != "" { // a title has no entities
		b.WriteString("  title " + strings.NewReplacer("#", " ", ";", ",", "\n", " ").Replace(t.Title) + "\n")
	}
	all := "p1"
	for k, name := range d.names {
		fmt.Fprintf(&b, "  participant p%d as %s\n", k+1, mermaidText(name))
	}
	switch n := len(d.names); {
	case n == 0: // something has to be there
		b.WriteString("  participant p1 as " + mermaidText(t.sys.Name) + "\n")
	case n > 1:
		all = fmt.Sprintf("p1,p%d", n)
	}
	for _, r := range d.rows {
		if r.remark != "" {
			fmt.Fprintf(&b, "  Note over %s: %s\n", all, mermaidText(r.remark))
		}
		number := fmt.Sprintf("%d ", r.number)
		for _, a := range r.arrows {
			if !a.lost {
				fmt.Fprintf(&b, "  p%d->>p%d: %s\n", a.from+1, a.to+1, mermaidText(append([]string{number + a.typ}, nonEmpty(a.fields)...)...))
				number = ""
			}
		}
		over := all
		if r.column >= 0 {
			over = fmt.Sprintf("p%d", r.column+1)
		}
		fmt.Fprintf(&b, "  Note over %s: %s\n", over, mermaidText(append([]string{number + r.call}, r.effects...)...))
		for _, a := range r.arrows {
			if a.lost {
				fmt.Fprintf(&b, "  p%d-xp%d: %s\n", a.from+1, a.to+1, mermaidText(append([]string{a.typ}, nonEmpty(a.fields)...)...))
			}
		}
	}
	if len(d.end.lines) > 0 {
		fmt.Fprintf(&b, "  Note over %s: %s\n", all, mermaidText(d.end.lines...))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// nonEmpty is a list of the text, or nothing.
func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

var mermaidEntities = strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "%%", "#37;#37;", "\n", " ")

// mermaidText is lines as a text of Mermaid.
func mermaidText(lines ...string) string {
	out := make([]string, len(lines))
	for k, l := range lines {
		words := strings.Split(mermaidEntities.Replace(l), " ")
		for i, w := range words {
			if strings.EqualFold(w, "end") { // ends a block of Mermaid
				words[i] = "#" + fmt.Sprint(w[0]) + ";" + w[1:]
			}
		}
		out[k] = strings.Join(words, " ")
	}
	return strings.Join(out, "<br/>")
}
