package listing

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/say"
)

// A Listing is the source of one function, marked.
type Listing struct {
	File  string // as it is shown
	Path  string // of an excerpt: the same, relative to the module root
	Func  string
	Lead  say.Sentence // where it was called from: "queue_test.go:27"
	Rows  []Row
	Count bool         // whether any line ran more than once: there is a column for it
	Note  say.Sentence // what was left out
}

// A Row is a line of source, with the callouts below it, or a folded piece.
type Row struct {
	N        int
	ID       string // "" if another row has it: on a page a line is linked to once
	Class    string // "common", "pass", "fail", "both" or ""
	Mark     string // "=", "+", "-", "+-" or ""
	Words    string // what Mark means
	Times    string // "×5": how often the common part ran it
	Code     template.HTML
	Source   string // the same as plain text, for Markdown
	Callouts []callout
	Fold     []Row // if not nil, lines that are folded; N is the first
	FoldEnd  int
	Plain    bool // the folded lines were left out
}

// A callout is a word bubble that stands in the code, below its line.
type callout struct {
	Side string // "common", "pass", "fail" or "here"
	Text string
}

// A Coder makes listings. It knows how much room is left on the page, and which
// lines can be linked to.
type Coder struct {
	src   *Sources
	clean *Cleaner
	IDs   map[string]string        // id by "file:line"
	used  map[string]bool          // ids
	Room  int                      // bytes of HTML left for code
	name  func(file string) string // how a file is shown in an excerpt
}

// NewCoder returns a coder of one page, with all its room.
func NewCoder(src *Sources, clean *Cleaner, name func(string) string) Coder {
	return Coder{src: src, clean: clean, IDs: map[string]string{}, used: map[string]bool{}, Room: Room, name: name}
}

const (
	Room       = 3 << 20 // of a page of at most 5 MB
	rowRoom    = 240     // bytes of HTML of a row without its code
	longLine   = 2000    // bytes of a line that are shown
	wholeFunc  = 60      // lines up to which a function is shown whole
	focusLines = 8       // lines shown on either side of a line that matters, in a longer one
	foldLines  = 1500    // lines up to which the rest of a function is folded, not left out
)

// Listing returns function f with the given marks.
func (c *Coder) Listing(m *Marker, f int) Listing {
	fn := c.src.r.Sites.Funcs[f]
	file := c.src.r.Sites.Files[fn.File].Path
	l := Listing{File: c.clean.Line(file, 200), Func: c.clean.Line(fn.Name, 200)}
	marks := m.Files[file]
	if c.src.Lines(file) == nil {
		l.Note = say.NoSource.With()
		c.Bare(&l, file, marks, fn.Line, fn.End)
		return l
	}
	end := min(fn.End, len(c.src.Lines(file)))
	start := min(max(fn.Line, 1), end)
	c.Rows(&l, file, marks, start, end)
	for _, r := range l.Rows {
		l.Count = l.Count || r.Times != ""
		for _, r := range r.Fold {
			l.Count = l.Count || r.Times != ""
		}
	}
	return l
}

// Rows fills l with the lines from start to end, folding what is far from any
// line that matters, and all that there is no room for.
func (c *Coder) Rows(l *Listing, file string, marks map[int]*lineMark, start, end int) {
	show := shown(marks, start, end)
	tokens := c.tokens(file, show, start, end)
	for n := start; n <= end; {
		if show[n] && c.Room >= 0 {
			l.Rows = append(l.Rows, c.row(file, n, marks[n], tokens[n]))
			n++
			continue
		}
		stop := n
		for stop <= end && (!show[stop] || c.Room < 0) {
			stop++
		}
		l.Rows = append(l.Rows, c.fold(file, marks, tokens, n, stop-1))
		n = stop
	}
}

// tokens highlights the lines of a function. It starts at the function's first
// line, as the highlighter must.
func (c *Coder) tokens(file string, show map[int]bool, start, end int) map[int][]codeToken {
	lines := make([]string, 0, end-start+1)
	for _, line := range c.src.Lines(file)[start-1 : end] {
		if len(line) > longLine {
			line = Clip(line, longLine) + " …"
		}
		lines = append(lines, line)
	}
	out := make(map[int][]codeToken, len(lines))
	for i, t := range highlight(lines) {
		out[start+i] = t
	}
	return out
}

// shown returns the lines to show openly: all of a short function, else the
// head and what is near a line that matters.
func shown(marks map[int]*lineMark, start, end int) map[int]bool {
	show := map[int]bool{}
	near := func(n, d int) {
		for i := max(start, n-d); i <= min(end, n+d); i++ {
			show[i] = true
		}
	}
	if end-start < wholeFunc {
		near(start, wholeFunc)
		return show
	}
	near(start, 1)
	near(end, 0)
	for n, m := range marks {
		if m.Focus && n >= start && n <= end {
			near(n, focusLines)
		}
	}
	for n := start + 1; n < end; n++ { // a fold of two lines saves nothing
		if !show[n] && show[n-1] && (show[n+1] || n+2 <= end && show[n+2]) {
			show[n] = true
		}
	}
	return show
}

// fold returns a row that holds the lines from start to end.
func (c *Coder) fold(file string, marks map[int]*lineMark, tokens map[int][]codeToken, start, end int) Row {
	r := Row{N: start, FoldEnd: end, Fold: []Row{}}
	if end-start >= foldLines || c.Room < 0 {
		r.Plain = true
		return r
	}
	for n := start; n <= end; n++ {
		r.Fold = append(r.Fold, c.row(file, n, marks[n], tokens[n]))
	}
	return r
}

// Bare lists lines without their text.
func (c *Coder) Bare(l *Listing, file string, marks map[int]*lineMark, start, end int) {
	var ns []int
	for n, m := range marks {
		if n >= start && n <= end && m.Focus {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	for i, n := range ns {
		if c.Room < 0 {
			l.Note = say.LeftOut.With(say.Count(len(ns) - i))
			break
		}
		l.Rows = append(l.Rows, c.row(file, n, marks[n], nil))
	}
}

// row returns line n.
func (c *Coder) row(file string, n int, m *lineMark, tokens []codeToken) Row {
	r := Row{N: n, ID: c.id(file, n)}
	for _, t := range tokens {
		r.Source += t.text
	}
	r.Source = c.clean.Code(r.Source)
	if m == nil {
		m = &lineMark{}
	}
	r.Code = lineHTML(tokens, m.Spans, c.clean)
	r.Class, r.Mark, r.Words = m.look()
	if m.Times > 1 {
		r.Times = "×" + say.Thousands(m.Times)
	}
	r.Callouts = m.callouts
	c.Room -= rowRoom + len(r.Code) + 120*len(m.callouts) + 2*len(r.ID)
	return r
}

// id returns an id for a line the first time it is shown.
func (c *Coder) id(file string, n int) string {
	key := fmt.Sprintf("%s:%d", file, n)
	if c.IDs[key] != "" {
		return ""
	}
	id := fmt.Sprintf("%s-L%d", safeID(file), n)
	if c.used[id] { // of another file whose name differs in a character that ids can't have
		id = fmt.Sprintf("%s-%d-L%d", safeID(file), len(c.IDs), n)
	}
	c.IDs[key], c.used[id] = id, true
	return id
}

// safeID replaces what can't be in an id or a fragment.
func safeID(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, s)
}
