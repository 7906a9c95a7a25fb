package listing

import (
	"maps"
	"slices"

	"github.com/fdebug/fdebug/internal/say"
)

// A CauseMark says what a line has to do with a cause.
type CauseMark struct{ class, mark, words string }

var (
	MarkHeld  = CauseMark{"held", "▐", "cause:"}
	MarkOther = CauseMark{"cure", "○", "the other goroutine:"}
	MarkStart = CauseMark{"start", "▸", "part of the cause:"}
)

// Cause marks the lines of a place, with a word bubble below the last.
func (m *Marker) Cause(p Place, mark CauseMark, text say.Sentence) {
	for _, n := range p.Lines {
		if at := m.At(p.File, n); at.cause == nil {
			at.cause = &mark
		}
	}
	m.Callout(p, "here", text)
}

// MaxExcerpt is how many lines of a function are shown in one piece of an excerpt; of a
// longer one its ends are.
const MaxExcerpt = 10

// Pieces lists what m has marks in, function by function: from the first marked line to the
// last, with a line before and after if there is just one piece.
func (c *Coder) Pieces(m *Marker) []Listing {
	var out []Listing
	around := 1
	if len(m.Files) > 1 {
		around = 0
	}
	for _, file := range slices.Sorted(maps.Keys(m.Files)) {
		byFunc := map[int][]int{}
		for n := range m.Files[file] {
			f := c.src.FuncAt(file, n)
			byFunc[f] = append(byFunc[f], n)
		}
		if len(byFunc) > 1 {
			around = 0
		}
		for _, f := range slices.Sorted(maps.Keys(byFunc)) {
			if l := c.piece(m, file, f, byFunc[f], around); len(l.Rows) > 0 {
				out = append(out, l)
			}
		}
	}
	return out
}

// piece lists the marked lines of one function, -1 for none.
func (c *Coder) piece(m *Marker, file string, f int, lines []int, around int) Listing {
	l := Listing{File: c.name(file), Path: file}
	start, end := max(slices.Min(lines)-around, 1), min(slices.Max(lines)+around, len(c.src.Lines(file)))
	if f >= 0 {
		fn := c.src.r.Sites.Funcs[f]
		l.Func = c.clean.Line(fn.Name, 200)
		start, end = max(start, fn.Line), min(end, fn.End)
	}
	if start > end {
		return l
	}
	tokens := c.tokens(file, nil, start, end)
	for n := start; n <= end; n++ {
		if far(lines, n) && end-start >= MaxExcerpt {
			stop := n
			for stop < end && far(lines, stop+1) {
				stop++
			}
			l.Rows = append(l.Rows, c.fold(file, m.Files[file], tokens, n, stop))
			n = stop
			continue
		}
		l.Rows = append(l.Rows, c.row(file, n, m.Files[file][n], tokens[n]))
	}
	return l
}

// One lists a single line, without marks.
func (c *Coder) One(file string, n int) Listing {
	return c.piece(NewMarker(c.src), file, c.src.FuncAt(file, n), []int{n}, 0)
}

// far reports whether no marked line is near line n.
func far(lines []int, n int) bool {
	return !slices.ContainsFunc(lines, func(x int) bool { return x-1 <= n && n <= x+1 })
}
