package hang

import (
	"cmp"
	"go/ast"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

const maxReleasers = 3

// releasers finds, where no waker is known since nobody had to wait in passing
// runs, the statements that could have ended a wait: of the right kind, for an
// operand of the same name, run in more passing than failing runs: in those before the
// goroutine came past, since a release behind the wait did not end it. When that was is
// not known of a goroutine that only a dump has.
func (f *finder) releasers(w *finding.Wait, k known) {
	passed := func(m *moment) int64 { return m.time }
	if k.state != nil {
		at := f.passedAt(k.state)
		passed = func(m *moment) int64 { return at[m] }
	}
	for _, wait := range wanted(k.on, w.Reason) {
		for _, op := range f.candidates(wait, w.Reason) {
			r := finding.Releaser{At: f.code.frame(op.Block, f.code.Line(op.Node)), Code: f.code.Text(op.Node)}
			r.Passing, r.Of = f.ranIn(f.passing, op.Block, passed)
			r.Failing, r.FailOf = f.ranIn(f.failing, op.Block, func(m *moment) int64 { return m.time })
			if excess(r) > 0 {
				r.By, r.Ended = f.unreached(op.Block)
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

// wanted returns the operands of a wait whose releases are looked for: variables, and
// not locks, which every passing run releases.
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
			if !plain { // of a select only its receives are wanted
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
// the order of the blocks: those that may be on the same variable, if there are any.
func (f *finder) candidates(w *source.Op, reason string) []*source.Op {
	var named, same []*source.Op
	for b := range f.Sites.Blocks {
		for _, op := range f.code.Block(b, source.Release) {
			_, receives := op.Node.(*ast.UnaryExpr)
			switch {
			case op.Obj() == nil || op.Obj().Name() != w.Obj().Name() || !releasing(op, reason) || f.code.Apart(w, op):
			case receives && !strings.HasPrefix(reason, "chan send"): // of a select only its receives are wanted
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

// passedAt returns when passing runs came past a wait, at the latest; those that did
// not are missing.
func (f *finder) passedAt(s *state) map[*moment]int64 {
	at := make(map[*moment]int64)
	for _, m := range f.passing {
		if g, v, o := f.same(m, s); o == past {
			_, latest := g.Between(v.pos)
			if v.until != 0 {
				latest = min(latest, v.until)
			}
			at[m] = min(latest, m.time)
		}
	}
	return at
}

// ranIn counts the runs that ran a block by a time, 0 for a run that does not count, among
// the runs where that is known.
func (f *finder) ranIn(runs []*moment, block int, by func(*moment) int64) (n, of int) {
	for _, m := range runs {
		at, ran := by(m), f.firstRun(m)
		if at == 0 || len(ran) == 0 {
			continue // its goroutines could not be read: nothing is known
		}
		if of++; ran[block] != 0 && ran[block] <= at {
			n++
		}
	}
	return n, of
}

// firstRun returns when the goroutines of the test may have run each block for the
// first time in a run, 0 for never.
func (f *finder) firstRun(m *moment) []int64 {
	if m.ran != nil {
		return m.ran
	}
	m.ran = make([]int64, len(f.Sites.Blocks))
	by := make([]int, len(f.Sites.Blocks)) // the goroutine that ran it last, from 1
	for k, g := range m.Trace.Goroutines {
		if !f.ours(g) {
			continue
		}
		events, ok := eventsOf(g)
		if !ok {
			m.ran = []int64{}
			return m.ran
		}
		for i, e := range events {
			b, ok := e.Block()
			if !ok || b >= len(m.ran) || by[b] == k+1 {
				continue
			}
			by[b] = k + 1
			if earliest, _ := g.Between(int64(i)); m.ran[b] == 0 || earliest < m.ran[b] {
				m.ran[b] = max(earliest, 1)
			}
		}
	}
	return m.ran
}
