package suspect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
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
		t = t.Inverse()
	}
	f.addChange(f.changed(e.Blocks, d), d, 0.98, fmt.Sprintf("%s, which had run before %s, %s here that this test reads",
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
		f.addChange(f.changed(l.Blocks, d), d, score, fmt.Sprintf("%s, which had ended, still did this in the time of this test, %s", l.Test, ofRuns(l.Table)))
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
// if no order is known: they are so close that it can't be told.
func (f *finder) meanwhile() {
	last := len(f.Analysis.Chain) - 1
	for i, d := range f.Analysis.Chain {
		if f.explainedByChange(i) || i < last && (f.stuck(d) || f.stuckAtLock(d)) {
			continue // who waits in vain looks at nothing
		}
		b, score := f.changedMeanwhile(i)
		less := 0.0
		if f.ordered(i) {
			less = 0.12 // an order that goes with the outcome says more, even if not in all runs
		}
		switch {
		case f.explained(i) && score >= changesLooked && d.Table.Perfect() && !f.isAssertion(d):
			score, less = 0.855, 0 // but not if that goroutine changes nothing that decides
		case f.explained(i), b == 0:
			continue
		case i < last && (score < changesLooked || !d.Table.Perfect()):
			continue // what leads up to a failure must be sure
		case i < last:
			score += 0.015
		}
		f.addChange(b, d, score-less, f.meanwhileWords(d, score))
		if i == last {
			f.waitsInstead(d, b, score)
		}
	}
}

// explainedByChange reports whether an order explains divergence i, of a goroutine
// that changes what the deciding code reads.
func (f *finder) explainedByChange(i int) bool {
	for j := range f.Analysis.Orders {
		o := &f.Analysis.Orders[j]
		if o.Divergence != i || !decides(o.Table) || f.hadLess(o) {
			continue
		}
		if _, relevance := f.relevant(o); relevance >= 4 {
			return true
		}
	}
	return false
}

// addChange adds the line of a block that changes what a divergence has to do
// with, or the whole block if none is known to.
func (f *finder) addChange(b int, d *divergence.Divergence, score float64, why string) {
	span, ok := f.Sites.Pos(b)
	if !ok {
		return
	}
	for _, with := range []func(*divergence.Divergence) names{f.near, f.looked, f.reads, f.common} {
		if line := f.src.changedAt(b, with(d)); line != 0 {
			span.Start, span.End = line, line
			break
		}
	}
	f.add(finding.Suspect{File: span.File, Start: span.Start, End: span.End, Score: score, Why: why})
}

// meanwhileWords says what another goroutine does at the time of a divergence, and
// no more than what its score stands for.
func (f *finder) meanwhileWords(d *divergence.Divergence, score float64) string {
	if score >= changesLooked {
		return fmt.Sprintf("another goroutine changes this at about the same time as it is looked at (%s), and nothing that was seen orders the two", f.lookedAt(d))
	}
	return fmt.Sprintf("another goroutine did this at about the same time as runs parted (%s), and nothing that was seen orders the two; by its names it may change what decides there", f.lookedAt(d))
}

// lookedAt names the line at whose end runs part.
func (f *finder) lookedAt(d *divergence.Divergence) string {
	b, _ := d.LastCommon.Block()
	span, ok := f.Sites.Pos(b)
	if !ok {
		return "something"
	}
	return fmt.Sprintf("%s:%d", path.Base(span.File), span.End)
}

const (
	changesNear   = 0.83  // the score of what changes that which the deciding block itself reads
	changesLooked = 0.825 // likewise, of what it reads by way of variables and calls
)

// changedMeanwhile returns what other goroutines ran at about the time of
// divergence i that has most to do with it, 0 if nothing has. Of several such
// statements of a goroutine the last one completes what is looked at.
func (f *finder) changedMeanwhile(i int) (block int, score float64) {
	d := f.Analysis.Chain[i]
	if _, ok := d.LastCommon.Block(); !ok {
		return 0, 0
	}
	near, looked, reads, common, looks := f.near(d), f.looked(d), f.reads(d), f.common(d), f.looksUp(d)
	for _, m := range f.Analysis.Meanwhile {
		if m.Divergence != i {
			continue
		}
		for _, b := range m.Blocks {
			s := 0.0
			switch {
			case f.src.changes(b, near):
				s = changesNear
			case f.src.changes(b, looked):
				s = changesLooked
			case f.src.changes(b, reads):
				s = 0.82
			case m.Own && f.isAssertion(d) && f.src.changes(b, common):
				s = 0.81
			case m.Own && f.isAssertion(d) && looks && lasting.Match(f.src.block(b)):
				s = 0.805
			}
			if s >= score && s > 0 {
				block, score = b, s
			}
		}
	}
	return block, score
}

// waitsInstead takes in a wait for a time before the last divergence, in the
// function of the test, where it should have waited for a block to be run.
func (f *finder) waitsInstead(d *divergence.Divergence, block int, score float64) {
	b := f.timedWait(d)
	if b != 0 && (f.isAssertion(d) || score >= 0.82) && len(d.Path) > 0 && f.src.sameFunction(b, d.Path[0].Block) {
		f.addBlock(b, 0.845, fmt.Sprintf("%s, not for what another goroutine does (%s)", f.src.waitsFor(b), f.place(block)))
	}
}

// ordered reports whether an order goes with which way runs went at divergence
// i. One that many passing runs have as well does not decide, nor does a goroutine
// that was given less to do.
func (f *finder) ordered(i int) bool {
	return slices.ContainsFunc(f.Analysis.Orders, func(o divergence.Order) bool {
		return o.Divergence == i && o.Table.FailTaken >= o.Table.PassTaken && !f.hadLess(&o)
	})
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
