package report

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A lineMark is what is to be shown at a line.
type lineMark struct {
	common, pass, fail bool
	again              bool // the very code of pass or fail is common too: earlier both had run it
	unordered          bool // of coverage, which knows no "next"
	check              bool // both came here, and a check failed in failing runs
	times              int64
	timesOf            int // the function whose code times counts
	spans              []markSpan
	callouts           []callout
	cause              *causeMark // of an excerpt: what the line has to do with the cause
	focus              bool       // shown even in a long function
}

// A marker collects the marks of one divergence, by file and line.
type marker struct {
	src   *sources
	files map[string]map[int]*lineMark
	funcs []int        // outermost functions that the common part reached, in that order
	seen  map[int]bool // blocks of the common part
}

func newMarker(src *sources) *marker {
	return &marker{src: src, files: map[string]map[int]*lineMark{}, seen: map[int]bool{}}
}

// at returns the mark of a line.
func (m *marker) at(file string, line int) *lineMark {
	f := m.files[file]
	if f == nil {
		f = map[int]*lineMark{}
		m.files[file] = f
	}
	if f[line] == nil {
		f[line] = &lineMark{}
	}
	return f[line]
}

// common marks the blocks that both sides ran, the last of them, if it is known, as far as both did.
func (m *marker) common(counts []divergence.Count, last *place) {
	seen := map[int]bool{}
	for _, c := range counts {
		p, ok := m.src.block(c.Block)
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
		sites := m.src.r.Sites
		if sites.Blocks[c.Block].Kind == trace.BlockEntry { // whoever is in a function came by its head
			m.ran(p, sites.Funcs[p.Func].Line, c.N)
		}
		if o := m.src.outermost(p.Func); !seen[o] {
			seen[o] = true
			m.funcs = append(m.funcs, o)
		}
	}
}

// ran marks line n as one that both sides ran, that many times. Of a statement with a function
// literal on its line it is the statement that is counted, not the calls of the literal.
func (m *marker) ran(p place, n int, times int64) {
	l := m.at(p.File, n)
	switch {
	case !l.common || l.timesOf != p.Func && m.src.holds(p.Func, l.timesOf):
		l.times, l.timesOf = times, p.Func
	case !m.src.holds(l.timesOf, p.Func):
		l.times = max(l.times, times)
	}
	l.common = true
}

// side marks the first place that one side alone came to.
func (m *marker) side(p place, side string, text say.Sentence) {
	for _, n := range p.Lines {
		l := m.at(p.File, n)
		l.pass = l.pass || side == "pass"
		l.fail = l.fail || side == "fail"
		l.focus = true
		l.again = l.again || m.seen[p.Block]
		l.check = l.check || p.Block == 0
		l.spans = append(l.spans, m.span(p, n, side))
	}
	m.callout(p, side, text)
}

// span returns the columns of line n that belong to p.
func (m *marker) span(p place, n int, side string) markSpan {
	line := m.src.line(p.File, n)
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

// callout puts a word bubble below the last line of p, once.
func (m *marker) callout(p place, side string, text say.Sentence) {
	if len(p.Lines) == 0 {
		return
	}
	c := callout{side, text.String()}
	l := m.at(p.File, p.Lines[len(p.Lines)-1])
	l.focus = true
	if !slices.Contains(l.callouts, c) {
		l.callouts = append(l.callouts, c)
	}
}

// checkWords are those of the line of a check that passed in passing runs.
const checkWords = "reached by both, failed in failing runs:"

// look returns class, gutter mark and words of a line. Marks and words say the
// same as colours do.
func (m *lineMark) look() (class, mark, words string) {
	switch {
	case m.cause != nil:
		return m.cause.class, m.cause.mark, m.cause.words
	case m.unordered && m.pass:
		return "pass", "+", "only passing runs:"
	case m.unordered && m.fail:
		return "fail", "-", "only failing runs:"
	case m.pass && m.fail:
		return "both", "+-", "diverges here:"
	case m.check && m.common:
		return "fail", "=-", checkWords
	case m.again && m.pass:
		return "pass", "+", "next in passing runs:"
	case m.again && m.fail:
		return "fail", "-", "next in failing runs:"
	case m.common && m.pass:
		return "common", "=+", "common, and in part next in passing runs:"
	case m.common && m.fail:
		return "common", "=-", "common, and in part next in failing runs:"
	case m.pass:
		return "pass", "+", "next in passing runs:"
	case m.fail:
		return "fail", "-", "next in failing runs:"
	case m.common:
		return "common", "=", "common:"
	}
	return "", "", ""
}
