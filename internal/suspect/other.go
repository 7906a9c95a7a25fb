package suspect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
)

// earlier takes in tests that decide by having run before: what they change that
// the failed test reads, or the other way round.
func (f *finder) earlier() {
	e, d := f.Analysis.Earlier, f.last()
	if e == nil || d == nil {
		return
	}
	does := "leaves something behind"
	t := e.Table
	if !e.FailsIf {
		does = "sets something up"
		t = divergence.Table{FailTaken: t.FailNot, FailNot: t.FailTaken, PassTaken: t.PassNot, PassNot: t.PassTaken}
	}
	f.addBlock(f.changed(e.Blocks, d), 0.98, fmt.Sprintf("%s, which had run before %s, %s here that this test reads",
		strings.Join(e.Tests, " or "), ofRuns(t), does))
}

// lingering takes in other tests that had left something running.
func (f *finder) lingering() {
	d := f.last()
	if d == nil {
		return
	}
	for i, l := range f.Analysis.Lingering {
		score := 0.96 - 0.03*float64(i)
		f.addBlock(f.changed(l.Blocks, d), score, fmt.Sprintf("%s, which had ended, still did this in the time of this test, %s", l.Test, ofRuns(l.Table)))
		f.addFrame(l.Goroutine.Spawn, score-0.1, fmt.Sprintf("%s starts a goroutine here that is still running when it has ended", l.Test))
	}
}

// changed returns, of blocks of another test, the one that changes most of what
// the failed test reads, above all where the runs parted; 0 if none does.
func (f *finder) changed(blocks []int, d *divergence.Divergence) int {
	reads, common := f.reads(d), f.common(d)
	best, most := 0, 0
	for _, b := range blocks {
		if !f.src.changes(b, reads) && !f.src.changes(b, common) {
			continue
		}
		if t := 10*f.src.touches(b, reads) + f.src.touches(b, common); t > most {
			best, most = b, t
		}
	}
	return best
}

// meanwhile takes in what other goroutines change that the deciding code reads,
// if no order is known: they are so close that it can't be told. Of several such
// statements of a goroutine the last one completes what is looked at.
func (f *finder) meanwhile() {
	d := f.last()
	if d == nil || f.explained(len(f.Analysis.Chain)-1) {
		return
	}
	b, ok := d.LastCommon.Block()
	if !ok {
		return
	}
	near, _ := f.src.names(b)
	reads, common, looks := f.reads(d), f.common(d), f.looksUp(d)
	const why = "another goroutine changes this at about the same time as it is looked at, and nothing that was seen orders the two"
	best, score := 0, 0.0
	for _, m := range f.Analysis.Meanwhile {
		for _, b := range m.Blocks {
			s := 0.0
			switch {
			case f.src.changes(b, near):
				s = 0.83
			case f.src.changes(b, reads):
				s = 0.82
			case m.Own && f.isAssertion(d) && f.src.changes(b, common):
				s = 0.81
			case m.Own && f.isAssertion(d) && looks && lasting.Match(f.src.block(b)):
				s = 0.805
			}
			if s >= score && s > 0 {
				best, score = b, s
			}
		}
	}
	if best == 0 {
		return
	}
	if f.ordered(len(f.Analysis.Chain) - 1) {
		f.addBlock(best, score-0.12, why) // an order that goes with the outcome says more, even if not in all runs
	} else {
		f.addBlock(best, score, why)
	}
	if b := f.timedWait(d); b != 0 && (f.isAssertion(d) || score >= 0.82) && len(d.Path) > 0 && f.src.sameFunction(b, d.Path[0].Block) {
		span, _ := f.Sites.Pos(best)
		f.addBlock(b, 0.845, fmt.Sprintf("waits for a time, not for what another goroutine does (%s:%d)", path.Base(span.File), span.Start))
	}
}

// ordered reports whether an order goes with which way runs went at divergence i.
func (f *finder) ordered(i int) bool {
	return slices.ContainsFunc(f.Analysis.Orders, func(o divergence.Order) bool { return o.Divergence == i })
}

// timedWait returns the block in which the test's own goroutine waited for a
// time shortly before a divergence, 0 if it did not.
func (f *finder) timedWait(d *divergence.Divergence) int {
	g := d.Goroutine
	if g == nil || !g.Root {
		return 0
	}
	waits := 0
	for i := len(g.Stamps) - 1; i >= 0 && waits < maxWaits; i-- {
		s := g.Stamps[i]
		if s.GoesOn || s.Pos > d.CommonPrefix || s.Pos == 0 {
			continue
		}
		waits++
		if b := blockAt(g, s.Pos-1); b != 0 && f.src.timed(b) {
			return b
		}
	}
	return 0
}

// maxWaits is how many waits before a divergence are looked at: a lock may come
// between the one that counts and the check.
const maxWaits = 4
