package suspect

import (
	"fmt"
	"path"

	"github.com/fdebug/fdebug/divergence"
)

// neighbours takes in other tests that go with the outcome: what they change
// that the failed test reads.
func (f *finder) neighbours() {
	d := f.last()
	if d == nil {
		return
	}
	reads, common := f.reads(d), f.common(d)
	for i, n := range f.Analysis.Neighbours {
		score := 0.96 - 0.03*float64(i)
		best, most := 0, 0
		for _, c := range n.Blocks {
			if !f.src.changes(c.Block, reads) && !f.src.changes(c.Block, common) {
				continue
			}
			if t := 10*f.src.touches(c.Block, reads) + f.src.touches(c.Block, common); t > most {
				best, most = c.Block, t
			}
		}
		f.addBlock(best, score, neighbourWords(n))
		if n.Lingers && n.Goroutine != nil {
			f.addFrame(n.Goroutine.Spawn, score-0.1, fmt.Sprintf("%s starts a goroutine here that is still running when it has ended", n.Test))
		}
	}
}

func neighbourWords(n divergence.Neighbour) string {
	switch {
	case n.Lingers:
		return fmt.Sprintf("%s, another test, still did this in the time of this one, %s", n.Test, ofRuns(n.Table))
	case n.Missing:
		return fmt.Sprintf("%s, another test, does this and had not been run before, %s", n.Test, ofRuns(n.Table))
	}
	return fmt.Sprintf("%s, another test, does this and had been run before, %s", n.Test, ofRuns(n.Table))
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
	f.addBlock(best, score, why)
	if b := f.timedWait(d); b != 0 && f.isAssertion(d) {
		span, _ := f.Sites.Pos(best)
		f.addBlock(b, 0.845, fmt.Sprintf("waits for a time, not for what another goroutine does (%s:%d)", path.Base(span.File), span.Start))
	}
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
