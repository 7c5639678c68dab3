package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/proofs"
	"github.com/speckl/kraftprove/protocol"
)

// The matrix has a row for each property and a column for each action; the
// actions' names stand above it like stairs:
//
//	                       init
//	                       │ Timeout
//	                       │ │ RequestVote
//	  commitWithinLog      ∞ ∞ ·              proved

// matrix is the layout of one.
type matrix struct {
	sys     *proofs.SystemReport
	actions []*protocol.Action
	cells   map[string]map[string]*proofs.Result // by property, and action or "init"
	quorums []*proofs.Result                     // the theory of quorums
	step    int                                  // width of an action's column
	names   int                                  // width of the first column
	verdict int                                  // column of the verdicts
}

const margin = 2 // before a row's id

func newMatrix(sys *proofs.SystemReport) *matrix {
	m := &matrix{sys: sys, actions: sys.System.Actions, cells: map[string]map[string]*proofs.Result{}}
	for _, r := range sys.Results {
		if r.Kind == proofs.Majorities {
			m.quorums = append(m.quorums, r)
			continue
		}
		if r.Kind == proofs.Branch {
			continue
		}
		id, column := "fires", "init"
		if r.Property != nil {
			id = r.Property.ID
		}
		if r.Action != nil {
			column = r.Action.Name
		}
		if m.cells[id] == nil {
			m.cells[id] = map[string]*proofs.Result{}
		}
		m.cells[id][column] = r
	}
	return m
}

// write writes the matrix.
func (m *matrix) write(p *page) {
	ids := 0
	for _, r := range m.sys.Properties {
		ids = max(ids, runes(r.Property.ID))
	}
	// Titles share the first column if there is room.
	wide := 0
	for _, r := range m.sys.Properties {
		if titled(r.Property) {
			wide = max(wide, m.idWidth()+2+runes(r.Property.Title))
		}
	}
	verdictRoom := m.verdictRoom()
	m.step = 2
	if margin+ids+2+m.marks()+2+verdictRoom > p.room() {
		m.step = 1
	}
	free := p.room() - margin - m.marks() - verdictRoom - 2
	for i, a := range m.actions { // its name ends within the page
		free = min(free, p.room()-margin-2-m.step*(i+1)-runes(a.Name))
	}
	m.names = max(ids, min(wide, free))
	m.verdict = margin + m.names + 2 + m.marks() + 2
	for _, r := range m.sys.Properties {
		if r.Property.Kind == protocol.Literal { // its note is in the place of the marks
			m.verdict = max(m.verdict, margin+m.names+2+runes(m.literal(m.cells[r.Property.ID]["init"]))+2)
		}
	}
	m.verdict = min(m.verdict, max(p.room()-verdictRoom+1, margin+m.names+2))
	m.head(p)
	groups := []struct {
		title string
		kind  protocol.PropertyKind
	}{
		{"invariants", protocol.Invariant},
		{"lemmas", protocol.Lemma},
		{"theorems", protocol.Theorem},
		{"literal claims of the reference, each refuted by a run", protocol.Literal},
	}
	for _, g := range groups {
		first := true
		for _, r := range m.sys.Properties {
			if r.Property.Kind != g.kind {
				continue
			}
			if first {
				p.text(dim, g.title)
				first = false
			}
			m.property(p, r)
		}
	}
	m.fires(p)
	m.theory(p)
}

// verdictRoom is the width of the verdicts with the blanks around them.
func (m *matrix) verdictRoom() int {
	n := 0
	for _, v := range []proofs.Verdict{proofs.Proved, proofs.Conditional} {
		n = max(n, runes(v.String()))
	}
	for _, r := range m.sys.Properties {
		text, _ := m.propertyVerdict(r)
		n = max(n, runes(text))
	}
	return n + 2
}

// marks is the width of the marks of a row.
func (m *matrix) marks() int { return m.step * (1 + len(m.actions)) }

// titled reports whether the matrix shows a property's title: those of lemmas
// are too many and too long.
func titled(q *protocol.Property) bool {
	return q.Title != "" && (q.Kind == protocol.Invariant || q.Kind == protocol.Literal)
}

// idWidth is the width of the ids that have a title.
func (m *matrix) idWidth() int {
	n := 0
	for _, r := range m.sys.Properties {
		if titled(r.Property) {
			n = max(n, runes(r.Property.ID))
		}
	}
	return n
}

// head writes the stairs.
func (m *matrix) head(p *page) {
	names := []string{"init"}
	for _, a := range m.actions {
		names = append(names, a.Name)
	}
	at := margin + m.names + 2
	for i, n := range names {
		var l line
		l.pad(at)
		l.add(strings.Repeat("│"+strings.Repeat(" ", m.step-1), i), dim)
		if over := l.width() + runes(n) - p.room(); over > 0 { // no room to the right
			r := []rune(n)
			n = string(r[:max(1, len(r)-over-1)]) + "…"
		}
		l.add(n, plain)
		p.write(l)
	}
}

// property writes a row.
func (m *matrix) property(p *page, r *proofs.PropertyResult) {
	l := m.name(r.Property)
	cells := m.cells[r.Property.ID]
	note := ""
	switch {
	case r.Property.Kind == protocol.Literal:
		l.add(m.literal(cells["init"]), dim)
	case r.Property.Implied:
		m.mark(&l, cells["init"])
		note = strings.Repeat(" ", 2-m.step) + "implied"
	default:
		m.mark(&l, cells["init"])
		for _, a := range m.actions {
			m.mark(&l, cells[a.Name])
		}
	}
	l.add(note, dim)
	l.add("  ", plain)
	l.pad(m.verdict)
	l.add(m.propertyVerdict(r))
	p.write(l)
}

func (m *matrix) propertyVerdict(r *proofs.PropertyResult) (string, style) {
	v := r.Verdict
	switch {
	case r.Property.Kind == protocol.Literal && v == proofs.Refuted:
		return v.String(), green
	case v == proofs.Proved && r.Property.Kind != protocol.Literal:
		if r.Mode != proofs.Unbounded {
			return "proved in scope", green
		}
		return v.String(), green
	case v == proofs.Conditional, v == proofs.Unknown:
		return v.String(), yellow
	default:
		return v.String(), red
	}
}

// name is a property's id, and its title as far as there is room.
func (m *matrix) name(q *protocol.Property) line {
	var l line
	l.pad(margin)
	l.add(q.ID, plain)
	if titled(q) {
		l.pad(margin + m.idWidth() + 2)
		room := margin + m.names - l.width()
		title := []rune(q.Title)
		if len(title) > room {
			title = append(title[:max(0, room-1)], '…')
		}
		if room > 3 {
			l.add(string(title), dim)
		}
	}
	l.pad(margin + m.names + 2)
	return l
}

func (m *matrix) literal(r *proofs.Result) string {
	if r == nil || r.Verdict != proofs.Refuted || r.Property.RefutedBy == nil {
		return ""
	}
	return "✓ " + r.Property.RefutedBy.Name + ", " + counted(len(r.Run.Steps), "step")
}

// mark appends the mark of a result: nil is one that was not asked.
func (m *matrix) mark(l *line, r *proofs.Result) {
	switch {
	case r == nil:
		l.add(" ", plain)
	case r.Verdict == proofs.Unknown:
		l.add("?", yellow)
	case r.Verdict == proofs.Refuted:
		l.add("✗", red)
	case r.Verdict == proofs.Proved && r.Answer == proofs.Untouched:
		l.add("·", dim)
	case r.Verdict == proofs.Proved && r.Mode == proofs.Unbounded:
		l.add("∞", green)
	case r.Verdict == proofs.Proved:
		l.add("✓", green)
	default:
		l.add("?", yellow)
	}
	l.add(strings.Repeat(" ", m.step-1), plain)
}

// fires writes the row that shows that the proof is not vacuous.
func (m *matrix) fires(p *page) {
	cells := m.cells["fires"]
	if len(cells) == 0 {
		return
	}
	p.text(dim, "not vacuous")
	var l line
	l.pad(margin)
	l.add("fires", plain)
	l.pad(margin + m.names + 2)
	m.mark(&l, cells["init"])
	for _, a := range m.actions {
		m.mark(&l, cells[a.Name])
	}
	l.pad(m.verdict)
	bad := slices.ContainsFunc(m.sys.Results, func(r *proofs.Result) bool {
		return (r.Kind == proofs.Possible || r.Kind == proofs.Fires) && r.Verdict != proofs.Proved
	})
	if bad {
		l.add("not shown", red)
	} else {
		l.add("shown", green)
	}
	p.write(l)
}

// theory writes the row that says whether majorities are quorums as assumed.
func (m *matrix) theory(p *page) {
	if len(m.quorums) == 0 {
		return
	}
	p.text(dim, "quorums")
	var proved, open []string
	for _, r := range m.quorums {
		name := "any number"
		if r.Members > 0 {
			name = strconv.Itoa(r.Members)
		}
		if r.Verdict == proofs.Proved {
			proved = append(proved, name)
		} else {
			open = append(open, name+" "+r.Verdict.String())
		}
	}
	var l line
	l.pad(margin)
	l.add("majorities meet", plain)
	l.pad(margin + m.names + 2)
	if len(proved) == len(m.quorums) {
		l.add(fmt.Sprintf("∞ 1…%d, any", len(proved)-1), green)
		l.pad(max(m.verdict, l.width()+2)) // there may be few actions
		l.add("proved", green)
	} else {
		l.add("? "+strconv.Itoa(len(open))+" open", yellow)
	}
	p.write(l)
}
