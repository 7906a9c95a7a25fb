package hang

import (
	"cmp"
	"go/ast"
	"slices"
	"sort"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

const maxReleasers = 3

// releasers finds, where no waker is known since nobody had to wait in passing
// runs, the statements that could have ended a wait: of the right kind, for an
// operand of the same name, run in more passing than failing runs.
func (f *finder) releasers(w *finding.Wait, on operand) {
	for _, wait := range wanted(on, w.Reason) {
		for _, op := range f.candidates(wait, w.Reason) {
			r := finding.Releaser{At: f.code.frame(op.Block, f.code.Line(op.Node)), Code: f.code.Text(op.Node)}
			r.Passing, r.Of = f.ranIn(f.passing, op.Block)
			r.Failing, r.FailOf = f.ranIn(f.failing, op.Block)
			if excess(r) > 0 {
				w.Releasers = append(w.Releasers, r)
			}
		}
	}
	slices.SortStableFunc(w.Releasers, func(a, b finding.Releaser) int { return cmp.Compare(excess(b), excess(a)) })
	w.Releasers = w.Releasers[:min(len(w.Releasers), maxReleasers)]
}

// excess is by how much the shares of passing and failing runs differ.
func excess(r finding.Releaser) float64 {
	return float64(r.Passing)/float64(max(r.Of, 1)) - float64(r.Failing)/float64(max(r.FailOf, 1))
}

// wanted returns of what a wait is for that whose releases are looked for: variables,
// and not locks, which every passing run releases.
func wanted(on operand, reason string) []*source.Op {
	plain := strings.HasPrefix(reason, "chan ") || reason == condWait || reason == "sync.WaitGroup.Wait"
	var list []*source.Op
	for _, op := range on.ops {
		switch n := op.Node.(type) {
		case *ast.UnaryExpr: // a call: time.After, ctx.Done
			if _, call := ast.Unparen(n.X).(*ast.CallExpr); call {
				continue
			}
		case *ast.SendStmt:
			if !plain { // of a select only what it receives is wanted
				continue
			}
		}
		if op.Obj() != nil && !op.Elem && (plain || strings.HasPrefix(reason, "select")) {
			list = append(list, op)
		}
	}
	return list
}

// candidates returns the operations that can end a wait by their kind and name, in
// the order of the blocks: those on what may be the same variable, if there are any.
func (f *finder) candidates(w *source.Op, reason string) []*source.Op {
	var named, same []*source.Op
	for b := range f.Sites.Blocks {
		for _, op := range f.code.Block(b, source.Release) {
			_, receives := op.Node.(*ast.UnaryExpr)
			switch {
			case op.Obj() == nil || op.Obj().Name() != w.Obj().Name() || !releasing(op, reason) || f.code.Apart(w, op):
			case receives && !strings.HasPrefix(reason, "chan send"): // of a select only what it receives is wanted
			case f.code.Same(w, op):
				same = append(same, op)
			default:
				named = append(named, op)
			}
		}
	}
	if len(same) > 0 {
		return same
	}
	return named
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
