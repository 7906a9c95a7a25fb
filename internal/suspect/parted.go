package suspect

import (
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// divergence takes in the condition at which runs parted.
func (f *finder) divergence(i int, d *divergence.Divergence) {
	b, ok := d.LastCommon.Block()
	if !ok || d.SamePath {
		return
	}
	span, ok := f.Sites.Pos(f.returnedTo(d, b))
	if !ok {
		return
	}
	score := 0.8 - 0.05*float64(i)
	switch {
	case f.explained(i):
		score -= 0.3
	case f.stuckAtLock(d):
		score = 0.88 - 0.01*float64(i)
	case f.stuck(d):
		score = 0.84 - 0.01*float64(i)
	case f.wentRoundLess(i, d):
		score -= 0.1
	}
	f.add(finding.Suspect{File: span.File, Start: span.End, End: span.End, Score: score,
		Why: "here failing runs left the path of passing runs: " + wentThatWay(d.Table)})
	if next, ok := d.FailNext.Block(); ok && next != 0 {
		why := "only failing runs went on here"
		if d.Table.PassTaken > 0 {
			why = "most failing and few passing runs went on here"
		}
		f.addBlock(next, score-0.4, why)
	}
}

// wentRoundLess reports whether another goroutine than the one that failed just
// ended where those of passing runs went round a loop again: it was given less to
// do, and who gives it is found at a later divergence.
func (f *finder) wentRoundLess(i int, d *divergence.Divergence) bool {
	next, ok := d.PassNext.Block()
	g := d.Goroutine
	return ok && i < len(f.Analysis.Chain)-1 && d.FailNext == 0 && g != nil && g.End != 0 &&
		f.Sites.Has(next) && f.Sites.Blocks[next].Kind == trace.BlockLoop
}

// returnedTo returns the block at whose end the runs parted: the last common
// one, or the one from which its function was called, if that had returned.
func (f *finder) returnedTo(d *divergence.Divergence, last int) int {
	for _, e := range []trace.Event{d.FailNext, d.PassNext} {
		next, ok := e.Block()
		if !ok || !f.Sites.Has(next) || f.Sites.Blocks[next].Kind == trace.BlockEntry || f.src.sameFunction(next, last) {
			continue
		}
		for i := len(d.Path) - 1; i >= 0; i-- {
			if f.src.sameFunction(d.Path[i].Block, next) {
				return d.Path[i].Block
			}
		}
	}
	return last
}

func wentThatWay(t divergence.Table) string {
	return fmt.Sprintf("%d of %d failing and %d of %d passing runs went that way", t.FailTaken, t.FailTaken+t.FailNot, t.PassTaken, t.PassTaken+t.PassNot)
}

// stuckAtLock reports whether failing runs did not come further than a lock.
// Who waits for goroutines that are stuck there is stuck as well, but not why.
func (f *finder) stuckAtLock(d *divergence.Divergence) bool {
	b, ok := d.LastCommon.Block()
	return ok && d.FailNext == 0 && d.PassNext != 0 && locking.Match(f.src.block(b))
}

// stuck reports whether a goroutine of failing runs waits for others to the end,
// where those of passing runs went on. What others do at the same time as someone
// then looks in vain is of no account.
func (f *finder) stuck(d *divergence.Divergence) bool {
	b, ok := d.LastCommon.Block()
	g := d.Goroutine
	return ok && d.FailNext == 0 && d.PassNext != 0 && g != nil && g.End == 0 && joining.Match(f.src.block(b))
}

// limits takes in a limit of time that was reached: a select went on with the
// case for it. The limit itself is the suspect, if it is set on the way there.
func (f *finder) limits() {
	for i, d := range f.Analysis.Chain {
		next, ok := d.FailNext.Block()
		if !ok || next == 0 || !expired.Match(f.caseText(next)) || f.explained(i) {
			continue
		}
		why := "the limit of time was reached first: " + wentThatWay(d.Table)
		f.addBlock(next, 0.83, why)
		for _, c := range d.Common {
			if deadline.Match(f.src.block(c.Block)) && f.src.sameFunction(c.Block, next) {
				f.addBlock(c.Block, 0.86, "sets the limit of time that was reached first: "+wentThatWay(d.Table))
			}
		}
		f.limitGiven(d, next, "gives the limit of time that was reached first: "+wentThatWay(d.Table))
	}
}

// caseText returns the text of a case of a select with its head.
func (f *finder) caseText(b int) []byte {
	span, ok := f.Sites.Pos(b)
	if !ok {
		return nil
	}
	return f.src.text(span.File, span.Start-1, span.Start)
}

// explained reports whether an order explains divergence i.
func (f *finder) explained(i int) bool {
	return slices.ContainsFunc(f.Analysis.Orders, func(o divergence.Order) bool {
		return o.Divergence == i && decides(o.Table) && !f.hadLess(&o)
	})
}

// isAssertion reports whether a divergence leads straight to the failed check.
func (f *finder) isAssertion(d *divergence.Divergence) bool {
	b, ok := d.FailNext.Block()
	if !ok {
		return true
	}
	span, known := f.Sites.Pos(b)
	path, ours := f.Sites.Rel(f.Check.File)
	return known && ours && span.File == path && span.Start <= f.Check.Line && f.Check.Line <= span.End
}

// check adds the place where the test failed.
func (f *finder) check() {
	if path, ok := f.Sites.Rel(f.Check.File); ok {
		f.add(finding.Suspect{File: path, Start: f.Check.Line, End: f.Check.Line, Score: 0.1, Why: "the check that failed"})
	}
}
