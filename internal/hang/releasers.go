package hang

import (
	"cmp"
	"go/ast"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

const maxReleasers = 3

// releasers finds, where no waker is known since nobody had to wait in passing
// runs, the statements that could have ended a wait: of the right kind, for an
// operand of the same name, run in more passing than failing runs.
func (f *finder) releasers(w *finding.Wait) {
	names := wanted(w.For, w.Reason)
	if len(names) == 0 {
		return
	}
	for _, c := range f.candidates(names, w.Reason) {
		r := finding.Releaser{At: f.src.frame(c.block, c.line), Code: c.code}
		r.Passing, r.Of = f.ranIn(f.passing, c.block)
		r.Failing, r.FailOf = f.ranIn(f.failing, c.block)
		if excess(r) > 0 {
			w.Releasers = append(w.Releasers, r)
		}
	}
	slices.SortStableFunc(w.Releasers, func(a, b finding.Releaser) int { return cmp.Compare(excess(b), excess(a)) })
	w.Releasers = w.Releasers[:min(len(w.Releasers), maxReleasers)]
}

// excess is by how much the shares of passing and failing runs differ.
func excess(r finding.Releaser) float64 {
	return float64(r.Passing)/float64(max(r.Of, 1)) - float64(r.Failing)/float64(max(r.FailOf, 1))
}

var received = regexp.MustCompile(`(?:^|= ?| or )<-\s*([\w.]+)`)

// wanted returns the last names of what a wait is for.
func wanted(operand, reason string) []string {
	switch {
	case strings.HasPrefix(reason, "select"):
		var names []string
		for _, m := range received.FindAllStringSubmatchIndex(operand, -1) {
			if m[3] == len(operand) || operand[m[3]] != '(' { // a call: time.After, ctx.Done
				names = append(names, lastName(operand[m[2]:m[3]]))
			}
		}
		return names
	case strings.HasPrefix(reason, "chan "), reason == condWait, reason == "sync.WaitGroup.Wait":
		if !strings.ContainsAny(operand, "()[] ") && operand != "" {
			return []string{lastName(operand)}
		}
	}
	return nil
}

// A candidate is a statement that may end a wait, and the block it is in.
type candidate struct {
	release
	block int
}

// candidates returns the statements that release something of one of the names.
func (f *finder) candidates(names []string, reason string) []candidate {
	var list []candidate
	for b := 1; b < len(f.Sites.Blocks); b++ {
		span, _, _ := f.src.span(b)
		file := f.src.file(span.File)
		if file == nil {
			continue
		}
		for _, r := range file.releasesOf(reason) {
			if slices.Contains(names, r.name) && f.src.within(b, r.line, r.col) {
				list = append(list, candidate{release{line: r.line, code: r.code}, b})
			}
		}
	}
	return list
}

// A named is a release with the last name of its operand.
type named struct {
	name, code string
	line, col  int
}

// releasesOf returns all statements of a file that release for a reason.
func (f *file) releasesOf(reason string) []named {
	if list, ok := f.released[reason]; ok {
		return list
	}
	var list []named
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n == nil || !f.releasing(n, reason) {
			return true
		}
		if _, receives := n.(*ast.UnaryExpr); receives && !strings.HasPrefix(reason, "chan send") {
			return true // of a select only what it receives is wanted
		}
		if x := operandOf(n); x != nil {
			pos := f.fset.PositionFor(n.Pos(), false)
			list = append(list, named{lastName(f.code(x)), f.code(n), pos.Line, pos.Column})
		}
		return true
	})
	if f.released == nil {
		f.released = make(map[string][]named)
	}
	f.released[reason] = list
	return list
}

// operandOf returns what a statement releases.
func operandOf(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.SendStmt:
		return n.Chan
	case *ast.UnaryExpr:
		return n.X
	case *ast.CallExpr:
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
			return sel.X
		}
		if len(n.Args) == 1 { // close
			return n.Args[0]
		}
	}
	return nil
}

// ranIn counts the runs that ran a block by the time that is looked at, of those of
// which it is known.
func (f *finder) ranIn(runs []*moment, block int) (n, of int) {
	for _, m := range runs {
		ran := f.blocksOf(m)
		if len(ran) == 0 {
			continue // its goroutines could not be read: nothing is known
		}
		if of++; ran[block] {
			n++
		}
	}
	return n, of
}

// blocksOf returns which blocks the goroutines of the test may have run in a run by
// the time that is looked at: what a failing run did after it had failed is not
// what ended a wait.
func (f *finder) blocksOf(m *moment) []bool {
	if m.ran != nil {
		return m.ran
	}
	m.ran = make([]bool, len(f.Sites.Blocks))
	for _, g := range m.Trace.Goroutines {
		if !f.ours(g) || g.Start > m.time {
			continue
		}
		events, ok := eventsOf(g)
		if !ok {
			m.ran = []bool{}
			return m.ran
		}
		n := sort.Search(len(events), func(i int) bool {
			earliest, _ := g.Between(int64(i))
			return earliest > m.time
		})
		for _, e := range events[:n] {
			if b, ok := e.Block(); ok && b < len(m.ran) {
				m.ran[b] = true
			}
		}
	}
	return m.ran
}
