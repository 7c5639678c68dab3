package report

import (
	"io"
	"slices"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// uses lists, by property, the properties in the cores of its obligations, in
// declared order and without itself.
func uses(s *proofs.SystemReport) map[string][]string {
	in := map[string]map[string]bool{}
	for _, r := range s.Results {
		if r.Property == nil {
			continue
		}
		if in[r.Property.ID] == nil {
			in[r.Property.ID] = map[string]bool{}
		}
		for _, c := range r.Core {
			in[r.Property.ID][c] = true
		}
	}
	out := map[string][]string{}
	for _, p := range s.System.Properties {
		for _, q := range s.System.Properties {
			if p != q && in[p.ID][q.ID] {
				out[p.ID] = append(out[p.ID], q.ID)
			}
		}
	}
	return out
}

// Why writes the obligations that need a property, and, as a tree, the properties
// that its own proof needs. The report must have cores.
func Why(w io.Writer, s *proofs.SystemReport, p *protocol.Property) error {
	out := &errWriter{w: w}
	var need []string
	for _, r := range s.Results {
		if r.Property != nil && r.Property != p && slices.Contains(r.Core, p.ID) {
			need = append(need, r.ID())
		}
	}
	out.printf("%s %s\n", p.ID, p.Title)
	if len(need) == 0 {
		out.printf("\nno other obligation needs it\n")
	} else {
		out.printf("\nneeded by %d obligations\n", len(need))
		for _, id := range need {
			out.printf("  %s\n", id)
		}
	}
	all := uses(s)
	if len(all[p.ID]) == 0 {
		out.printf("\nleans on nothing but itself\n")
		return out.err
	}
	out.printf("\nleans on (each lemma once, where it is needed first)\n")
	drawTree(out, nearest(p.ID, all), p.ID, "  ")
	return out.err
}

// nearest gives each property under root to one that uses it, the one closest to
// the root, so that the whole is a tree.
func nearest(root string, uses map[string][]string) map[string][]string {
	tree := map[string][]string{}
	seen := map[string]bool{root: true}
	for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
		for _, k := range uses[queue[0]] {
			if !seen[k] {
				seen[k] = true
				tree[queue[0]] = append(tree[queue[0]], k)
				queue = append(queue, k)
			}
		}
	}
	return tree
}

func drawTree(out *errWriter, tree map[string][]string, id, indent string) {
	kids := tree[id]
	for i, k := range kids {
		branch, next := "├─ ", "│  "
		if i == len(kids)-1 {
			branch, next = "└─ ", "   "
		}
		out.printf("%s%s%s\n", indent, branch, k)
		drawTree(out, tree, k, indent+next)
	}
}

// WhyDOT writes what a property leans on as a graph in the DOT language: of several
// systems, each in a frame of its own.
func WhyDOT(w io.Writer, systems []*proofs.SystemReport, id string) error {
	out := &errWriter{w: w}
	out.printf("digraph %q {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n", id)
	for i, s := range systems {
		prefix := ""
		if len(systems) > 1 {
			prefix = s.System.Name + "/"
			out.printf("  subgraph cluster%d {\n  label=%q;\n", i, s.System.Name)
		}
		whyNodes(out, s, id, prefix)
		if len(systems) > 1 {
			out.printf("  }\n")
		}
	}
	out.printf("}\n")
	return out.err
}

// whyNodes writes the nodes and edges of one system.
func whyNodes(out *errWriter, s *proofs.SystemReport, root, prefix string) {
	all := uses(s)
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		label := id
		if q := s.System.Property(id); q != nil && q.Title != "" {
			label += "\\n" + strings.ReplaceAll(q.Title, `"`, `\"`)
		}
		out.printf("  %q [label=\"%s\"];\n", prefix+id, label)
		for _, k := range all[id] {
			out.printf("  %q -> %q;\n", prefix+id, prefix+k)
			visit(k)
		}
	}
	visit(root)
}
