// Package suspect names the places where the cause of a failure probably lies.
//
// A divergence is where a failure surfaces in control flow; often that is the
// assertion itself. The cause is elsewhere: where a test waits for a time
// instead of for an event, where another goroutine does late what the test
// looks at, where chance enters. This package puts what the analysis has found
// together, with a look at the source:
//
//  1. an order that goes with the outcome: the wait that does not wait for it,
//     and the late event that touches what the deciding code reads;
//  2. for a hang, what the goroutine did that should have ended the wait, or the
//     locks that wait for each other;
//  3. the place where chance enters, if a value from there goes with the outcome;
//  4. the conditions at which runs parted, earliest first;
//  5. the failed check itself, last.
//
// Scores order the suspects and mean no more than that.
package suspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// Max is the largest number of suspects that Find returns.
const Max = 5

// An Input is what is known about one failure.
type Input struct {
	Analysis *divergence.Analysis
	Sites    *trace.Sites
	// Source returns the content of a file of the module, by the path in Sites.
	Source func(path string) ([]byte, error)
	Values []report.Value
	Data   []report.DataDivergence
	Hang   *report.Hang // who waited for what, nil if the failing runs did not hang
	Check  trace.Frame  // where the test failed, zero if unknown
}

// Find returns the suspects, the best first.
func Find(in Input) []report.Suspect {
	f := &finder{Input: in, src: newSource(in.Source)}
	for i := range in.Analysis.Orders {
		f.order(&in.Analysis.Orders[i])
	}
	f.hang()
	f.data()
	f.values()
	for i, d := range in.Analysis.Chain {
		f.divergence(i, d)
	}
	f.check()
	slices.SortStableFunc(f.list, func(a, b report.Suspect) int { return cmp.Compare(b.Score, a.Score) })
	return f.list[:min(len(f.list), Max)]
}

// Relevant returns, of the blocks that the other goroutine of an order had not
// run yet (or had run already), the one that has most to do with what the
// deciding code reads. It is the one to name.
func Relevant(in Input, o *divergence.Order) divergence.Missed {
	f := &finder{Input: in, src: newSource(in.Source)}
	return f.relevant(o)
}

// A finder collects suspects.
type finder struct {
	Input
	src  *source
	list []report.Suspect
}

// add adds a suspect; of several for one line the best stays, with its reason.
func (f *finder) add(s report.Suspect) {
	if s.File == "" || s.Start == 0 {
		return
	}
	for i, old := range f.list {
		if old.File == s.File && old.Start <= s.End && s.Start <= old.End {
			if s.Score > old.Score {
				f.list[i] = s
			}
			return
		}
	}
	f.list = append(f.list, s)
}

// addBlock adds the lines of a block.
func (f *finder) addBlock(b int, score float64, why string) {
	span, ok := f.Sites.Pos(b)
	if !ok {
		return
	}
	f.add(report.Suspect{File: span.File, Start: span.Start, End: span.End, Score: score, Why: why})
}

// order takes in a goroutine that was late, or early, in failing runs.
func (f *finder) order(o *divergence.Order) {
	late := f.relevant(o)
	word, runs := "not yet", fmt.Sprintf("in %d of %d failing runs and %d of %d passing runs",
		o.Table.FailTaken, o.Table.FailTaken+o.Table.FailNot, o.Table.PassTaken, o.Table.PassTaken+o.Table.PassNot)
	if !o.Late {
		word = "already"
	}
	f.addBlock(late.Block, 0.85, fmt.Sprintf("another goroutine had %s run this when the runs parted, %s; nothing orders the two", word, runs))
	if !o.Late {
		return
	}
	if b, timed := f.wait(o); timed {
		f.addBlock(b, 0.95, fmt.Sprintf("waits for a time, not for what another goroutine does: that had not been done by then %s", runs))
	} else if test := f.caller(o); test != 0 {
		f.addBlock(test, 0.6, "looks at what another goroutine does without waiting for it")
	}
}

// wait returns the block in which the goroutine that parted last waited before
// it did, and whether the source says that it waited for a time.
func (f *finder) wait(o *divergence.Order) (block int, timed bool) {
	g, pos := o.Fail.Anchor, o.Fail.AnchorPos
	for i := len(g.Stamps) - 1; i >= 0; i-- {
		s := g.Stamps[i]
		if s.GoesOn || s.Pos > pos || s.Pos == 0 {
			continue
		}
		b := blockAt(g, s.Pos-1)
		if b != 0 && f.src.timed(f.Sites, b) {
			return b, true
		}
		return b, false
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
// that has most to do with what the deciding code reads.
func (f *finder) relevant(o *divergence.Order) divergence.Missed {
	d := f.Analysis.Chain[o.Divergence]
	reads := make(map[string]bool)
	for _, c := range d.Path {
		for name := range f.src.selectors(f.Sites, c.Block) {
			reads[name] = true
		}
	}
	for _, e := range []trace.Event{d.LastCommon, d.FailNext, d.PassNext} {
		if b, ok := e.Block(); ok {
			for name := range f.src.funcSelectors(f.Sites, b) {
				reads[name] = true
			}
		}
	}
	best, bestScore := divergence.Missed{Block: o.Block, First: o.Event}, 0
	for _, m := range o.Missing {
		score := f.src.touches(f.Sites, m.Block, reads)
		if score > bestScore {
			best, bestScore = m, score
		}
	}
	return best
}

// data takes in the places where chance enters.
func (f *finder) data() {
	for i, d := range f.Data {
		path, ok := f.Sites.Rel(d.At.File)
		if !ok {
			path = d.At.File
		}
		score := 0.6
		switch {
		case d.Sure:
			score = 0.97
		case f.decidesFirst():
			score = 0.82
		}
		f.add(report.Suspect{File: path, Start: d.At.Line, End: d.At.Line, Score: score - 0.01*float64(i),
			Why: fmt.Sprintf("%s enters here: %s", d.Source, d.Why)})
	}
}

// decidesFirst reports whether a value that came from chance is in the
// condition at which runs parted first. In a later one it may just follow.
func (f *finder) decidesFirst() bool {
	if len(f.Analysis.Chain) == 0 {
		return true
	}
	b, ok := f.Analysis.Chain[0].LastCommon.Block()
	span, known := f.Sites.Pos(b)
	if !ok || !known || f.Analysis.Chain[0].SamePath {
		return true
	}
	return slices.ContainsFunc(f.Values, func(v report.Value) bool {
		path, ok := f.Sites.Rel(v.At.File)
		return ok && v.Source != "" && path == span.File && span.Start <= v.At.Line && v.At.Line <= span.End
	})
}

// values takes in values that came from chance.
func (f *finder) values() {
	for _, v := range f.Values {
		path, ok := f.Sites.Rel(v.At.File)
		if !ok {
			path = v.At.File
		}
		if v.Source != "" && f.decidesFirst() {
			f.add(report.Suspect{File: path, Start: v.At.Line, End: v.At.Line, Score: 0.81,
				Why: fmt.Sprintf("%s comes from %s here, and goes with the outcome", v.Expr, v.Source)})
		}
	}
}

// divergence takes in the condition at which runs parted.
func (f *finder) divergence(i int, d *divergence.Divergence) {
	b, ok := d.LastCommon.Block()
	if !ok || d.SamePath {
		return
	}
	score := 0.8 - 0.05*float64(i)
	if f.explained(i) {
		score -= 0.3
	}
	span, ok := f.Sites.Pos(b)
	if !ok {
		return
	}
	f.add(report.Suspect{File: span.File, Start: span.End, End: span.End, Score: score,
		Why: fmt.Sprintf("here failing runs left the path of passing runs: %d of %d failing and %d of %d passing runs went that way",
			d.Table.FailTaken, d.Table.FailTaken+d.Table.FailNot, d.Table.PassTaken, d.Table.PassTaken+d.Table.PassNot)})
	if next, ok := d.FailNext.Block(); ok && next != 0 {
		why := "only failing runs went on here"
		if d.Table.PassTaken > 0 {
			why = "most failing and few passing runs went on here"
		}
		f.addBlock(next, score-0.4, why)
	}
}

// explained reports whether an order explains divergence i.
func (f *finder) explained(i int) bool {
	return slices.ContainsFunc(f.Analysis.Orders, func(o divergence.Order) bool { return o.Divergence == i })
}

// check adds the place where the test failed.
func (f *finder) check() {
	if path, ok := f.Sites.Rel(f.Check.File); ok {
		f.add(report.Suspect{File: path, Start: f.Check.Line, End: f.Check.Line, Score: 0.1, Why: "the check that failed"})
	}
}

// blockAt returns the block that event i of a stream is, 0 if it is none or is
// not known.
func blockAt(g *trace.Goroutine, i int64) int {
	off := int64(0)
	for c, chunk := range g.Chunks {
		if i >= off+int64(chunk.Len) {
			off += int64(chunk.Len)
			continue
		}
		events, err := g.Load(c, nil)
		if err != nil || i-off >= int64(len(events)) {
			return 0
		}
		if b, ok := events[i-off].Block(); ok {
			return b
		}
		return 0
	}
	return 0
}
