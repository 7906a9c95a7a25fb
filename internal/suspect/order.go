package suspect

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// strong is how far the shares of failing and passing runs must be apart for an
// order to explain a divergence.
const strong = 0.9

// separated is how far they must be apart for a block to be named as what was late
// or early.
const separated = 0.7

// ofRuns says in how many runs something was so.
func ofRuns(t divergence.Table) string {
	return fmt.Sprintf("in %d of %d failing runs and %d of %d passing runs",
		t.FailTaken, t.FailTaken+t.FailNot, t.PassTaken, t.PassTaken+t.PassNot)
}

// ofKnown is ofRuns of a table that leaves runs in doubt out, and says so.
func (f *finder) ofKnown(t divergence.Table) string {
	s := ofRuns(t)
	if t.FailTaken+t.FailNot < len(f.Analysis.Failing) || t.PassTaken+t.PassNot < len(f.Analysis.Passing) {
		s += " in which the order can be told"
	}
	return s
}

// decides reports whether an order may be what decided: those that failed had it,
// and those that passed did not. If more runs passed with it than failed, it takes
// something else to fail.
func decides(t divergence.Table) bool {
	return excess(t) >= strong && t.FailTaken >= t.PassTaken
}

// excess is the difference between the shares of failing and of passing runs.
func excess(t divergence.Table) float64 {
	share := func(k, n int) float64 { return float64(k) / float64(max(k+n, 1)) }
	return share(t.FailTaken, t.FailNot) - share(t.PassTaken, t.PassNot)
}

// order takes in a goroutine that was late, or early, in failing runs.
func (f *finder) order(o *divergence.Order) {
	if f.hadLess(o) {
		return
	}
	late, relevance := f.relevant(o)
	score := 0.85
	switch {
	case relevance >= 4:
		score += 0.02 // it changes what the deciding code reads
	case relevance == 0:
		score -= 0.03
	}
	if !decides(o.Table) {
		score -= 0.07
	}
	score -= 0.005 * float64(o.Divergence) // an earlier divergence leads to later ones
	runs := f.ofKnown(late.Table)
	if !o.Late {
		f.addBlock(late.Block, score-0.02, fmt.Sprintf("another goroutine had already run this%s when the runs parted, %s; nothing orders the two", nth(late), runs))
		return
	}
	if last := f.gone(o); last != 0 {
		f.addBlock(last, score+0.01, fmt.Sprintf("another goroutine ended here, so that it never did what it had done %s",
			fmt.Sprintf("in %d of %d passing runs", o.Table.PassNot, o.Table.PassTaken+o.Table.PassNot)))
		score -= 0.02
	}
	f.addBlock(late.Block, score, fmt.Sprintf("another goroutine had not yet run this%s when the runs parted, %s; nothing orders the two", nth(late), runs))
	if b, timed := f.wait(o); timed {
		f.addBlock(b, score+0.1, fmt.Sprintf("%s, not for what another goroutine does: that had not been done by then %s", f.src.waitsFor(b), runs))
	} else if test := f.caller(o); test != 0 {
		f.addBlock(test, score-0.25, "looks at what another goroutine does without waiting for it")
	}
}

// gone returns the last block of the other goroutine if it had ended by then in
// the failing run: it was not late, but went another way.
func (f *finder) gone(o *divergence.Order) int {
	other := o.Fail.Other
	if other == nil || other.End == 0 || o.Fail.Done != other.Len() {
		return 0
	}
	b, ok := o.Fail.Last.Block()
	if !ok {
		return 0
	}
	return b
}

// hadLess reports whether the other goroutine had come to its end by then, in the
// failing run as in the passing one: it was not late, but was given less to do.
// One that a select ended may have chosen that, though there was more.
func (f *finder) hadLess(o *divergence.Order) bool {
	last, pass := f.gone(o), o.Pass.Other
	if !f.Sites.Has(last) || f.Sites.Blocks[last].Kind == trace.BlockComm {
		return false
	}
	return o.Late && pass != nil && pass.End != 0 && pass.Len() > 0 && blockAt(pass, pass.Len()-1) == last
}

// wait returns the block in which the goroutine that parted last waited before
// it did, and whether the source says that it waited for a time. That counts
// for the test's own goroutine: what sleeps in another one stands for work.
func (f *finder) wait(o *divergence.Order) (block int, timed bool) {
	g, pos := o.Fail.Anchor, o.Fail.AnchorPos
	if !g.Root {
		return 0, false
	}
	for i := len(g.Stamps) - 1; i >= 0; i-- {
		s := g.Stamps[i]
		if s.GoesOn || s.Pos > pos || s.Pos == 0 {
			continue
		}
		b := blockAt(g, s.Pos-1)
		return b, b != 0 && f.src.timed(b)
	}
	return 0, false
}

// caller returns the block of the outermost function on the path to the
// divergence: the place in the test that looks.
func (f *finder) caller(o *divergence.Order) int {
	d := f.Analysis.Chain[o.Divergence]
	if len(d.Path) == 0 {
		return 0
	}
	return d.Path[0].Block
}

// relevant returns, of the blocks that the other goroutine had not run, the one
// that has most to do with what the deciding code reads, and how much.
func (f *finder) relevant(o *divergence.Order) (divergence.Missed, int) {
	d := f.Analysis.Chain[o.Divergence]
	reads := f.reads(d)
	best, bestScore := divergence.Missed{Block: o.Block, First: o.Event}, 0
	if len(o.Missing) > 0 && o.Missing[0].Block == o.Block {
		best = o.Missing[0]
	}
	for _, m := range o.Missing {
		if m.Table.Total() > 0 && excess(m.Table) < separated {
			continue // that it had been run so often by then says less of the outcome
		}
		if score := f.src.touches(m.Block, reads); score > bestScore {
			best, bestScore = m, score
		}
	}
	if best.Table.Total() == 0 {
		best.Table = o.Table // nobody has counted it for this block
	}
	return best, bestScore
}

// nth says which time of several a block was run.
func nth(m divergence.Missed) string {
	if m.Nth < 2 {
		return ""
	}
	return fmt.Sprintf(" for the %s time", ordinal(m.Nth))
}

func ordinal(n int64) string {
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			return fmt.Sprintf("%dst", n)
		case 2:
			return fmt.Sprintf("%dnd", n)
		case 3:
			return fmt.Sprintf("%drd", n)
		}
	}
	return fmt.Sprintf("%dth", n)
}

// lasting is what source looks like that changes something outside of the
// program, step by step.
var lasting = regexp.MustCompile(`\bos\.(Create|OpenFile|WriteFile|Rename|Remove\w*|Truncate|Mkdir\w*)\(|\.(Write\w*|Truncate|Flush|Sync)\(|\bFprint\w*\(`)

// lookingUp is what source looks like that looks at what lasts.
var lookingUp = regexp.MustCompile(`\bos\.(Open|OpenFile|ReadFile|ReadDir|Stat|Lstat)\(|\bReadAll\(|\.Read\w*\(|\.Scan\(|\bexec\.`)

// looksUp reports whether what was run before a divergence looks at what lasts.
func (f *finder) looksUp(d *divergence.Divergence) bool {
	return slices.ContainsFunc(d.Common, func(c divergence.Count) bool { return lookingUp.Match(f.src.block(c.Block)) })
}

// halfway takes in a goroutine that was in the middle of a function: where it
// began to change what was then seen half done.
func (f *finder) halfway() {
	for _, h := range f.Analysis.Halfway {
		d := f.Analysis.Chain[h.Divergence]
		reads, looks := f.reads(d), f.looksUp(d)
		for _, b := range h.Blocks {
			if !(looks && lasting.Match(f.src.block(b))) && !f.src.changes(b, reads) {
				continue
			}
			f.addBlock(b, 0.86, fmt.Sprintf("another goroutine had begun here, and was still in the middle of %s, when the runs parted, %s",
				f.Sites.Funcs[h.Func].Name, ofRuns(h.Table)))
			break
		}
	}
}

// blockAt returns the block that event i of a stream is, 0 if it is none or is
// not known.
func blockAt(g *trace.Goroutine, i int64) int {
	events, first, err := g.LoadAt(i)
	if err != nil || i-first >= int64(len(events)) {
		return 0
	}
	if b, ok := events[i-first].Block(); ok {
		return b
	}
	return 0
}
