package listing

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A lineMark is what is to be shown at a line.
type lineMark struct {
	Common, Pass, Fail bool
	again              bool // the very code of pass or fail is common too: earlier both had run it
	check              bool // both came here, and a check failed in failing runs
	Times              int64
	timesOf            int // the function whose code times counts
	Spans              []markSpan
	callouts           []callout
	cause              *CauseMark // of an excerpt: what the line has to do with the cause
	Focus              bool       // shown even in a long function
}

// A Marker collects the marks of one divergence, by file and line.
type Marker struct {
	Src   *Sources
	Files map[string]map[int]*lineMark
	seen  map[int]bool // blocks of the common part
}

// NewMarker returns a marker without marks.
func NewMarker(src *Sources) *Marker {
	return &Marker{Src: src, Files: map[string]map[int]*lineMark{}, seen: map[int]bool{}}
}

// At returns the mark of a line.
func (m *Marker) At(file string, line int) *lineMark {
	f := m.Files[file]
	if f == nil {
		f = map[int]*lineMark{}
		m.Files[file] = f
	}
	if f[line] == nil {
		f[line] = &lineMark{}
	}
	return f[line]
}

// Common marks the blocks that both sides ran, the last of them, if it is known, as far as both did.
func (m *Marker) Common(counts []divergence.Count, last *Place) {
	for _, c := range counts {
		p, ok := m.Src.Block(c.Block)
		if !ok {
			continue
		}
		m.seen[c.Block] = true
		for _, n := range p.Lines {
			switch {
			case last == nil || last.Block != c.Block || n <= last.End:
				m.ran(p, n, c.N)
			case c.N > 1:
				m.ran(p, n, c.N-1)
			}
		}
		sites := m.Src.r.Sites
		if sites.Blocks[c.Block].Kind == trace.BlockEntry { // whoever is in a function came by its head
			m.ran(p, sites.Funcs[p.Func].Line, c.N)
		}
	}
}

// ran marks line n as one that both sides ran, that many times. Of a statement with a function
// literal on its line it is the statement that is counted, not the calls of the literal.
func (m *Marker) ran(p Place, n int, times int64) {
	l := m.At(p.File, n)
	switch {
	case !l.Common || l.timesOf != p.Func && m.Src.holds(p.Func, l.timesOf):
		l.Times, l.timesOf = times, p.Func
	case !m.Src.holds(l.timesOf, p.Func):
		l.Times = max(l.Times, times)
	}
	l.Common = true
}

// Side marks the first place that one side alone came to.
func (m *Marker) Side(p Place, side string, text say.Sentence) {
	for _, n := range p.Lines {
		l := m.At(p.File, n)
		l.Pass = l.Pass || side == "pass"
		l.Fail = l.Fail || side == "fail"
		l.Focus = true
		l.again = l.again || m.seen[p.Block]
		l.check = l.check || p.Block == 0
		l.Spans = append(l.Spans, m.Span(p, n, side))
	}
	m.Callout(p, side, text)
}

// Span returns the columns of line n that belong to p.
func (m *Marker) Span(p Place, n int, side string) markSpan {
	line := m.Src.Line(p.File, n)
	from := len(line) - len(strings.TrimLeft(line, " \t"))
	to := len(line)
	if n == p.Start && p.StartCol > 0 {
		from = max(from, p.StartCol-1)
	}
	if n == p.End && p.EndCol > 0 {
		to = min(to, p.EndCol-1)
	}
	return markSpan{from, max(from, to), side}
}

// Callout puts a word bubble below the last line of p, once.
func (m *Marker) Callout(p Place, side string, text say.Sentence) {
	if len(p.Lines) == 0 {
		return
	}
	c := callout{side, text.String()}
	l := m.At(p.File, p.Lines[len(p.Lines)-1])
	l.Focus = true
	if !slices.Contains(l.callouts, c) {
		l.callouts = append(l.callouts, c)
	}
}

// CheckWords are those of the line of a check that passed in passing runs.
const CheckWords = "reached by both, failed in failing runs:"

// look returns class, gutter mark and words of a line. Marks and words say the
// same as colours do.
func (m *lineMark) look() (class, mark, words string) {
	switch {
	case m.cause != nil:
		return m.cause.class, m.cause.mark, m.cause.words
	case m.Pass && m.Fail:
		return "both", "+-", "diverges here:"
	case m.check && m.Common:
		return "fail", "=-", CheckWords
	case m.again && m.Pass:
		return "pass", "+", "next in passing runs:"
	case m.again && m.Fail:
		return "fail", "-", "next in failing runs:"
	case m.Common && m.Pass:
		return "common", "=+", "common, and in part next in passing runs:"
	case m.Common && m.Fail:
		return "common", "=-", "common, and in part next in failing runs:"
	case m.Pass:
		return "pass", "+", "next in passing runs:"
	case m.Fail:
		return "fail", "-", "next in failing runs:"
	case m.Common:
		return "common", "=", "common:"
	}
	return "", "", ""
}
