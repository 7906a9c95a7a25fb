// Package suspect names the places where the cause of a failure probably lies.
//
// A divergence is where a failure surfaces in control flow; often that is the
// assertion itself. The cause is elsewhere: where a test waits for a time
// instead of for an event, where another goroutine does late what the test
// looks at, where chance enters. This package puts what the analysis has found
// together, with a look at the source:
//
//  1. another test that goes with the outcome: what it changed that the failed
//     test reads, or what it left running; or where a test begins with what
//     others left by turns;
//  2. an order that goes with the outcome: the wait that does not wait for it,
//     and the late event that touches what the deciding code reads; or that
//     another goroutine was in the middle of something, or will never do it;
//  3. for a hang, what the goroutine did that should have ended the wait, or the
//     locks that wait for each other;
//  4. the place where chance enters, if a value from there goes with the
//     outcome, and is not just how long something takes;
//  5. a network port that was in use, where it is written in the source;
//  6. what had been done so often in failing runs only;
//  7. a limit of time that was reached, or that runs come near to and failing runs
//     exceed, a select that does not wait, and the lock that goroutines are stuck at;
//  8. the conditions at which runs parted, earliest first, or what another
//     goroutine changes at the same time and they look at, or several had changed;
//  9. the failed check itself, last.
//
// Scores order the suspects and mean no more than that.
package suspect

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
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
	Values []finding.Value
	Data   []finding.DataDivergence
	Hang   *finding.Hang // who waited for what, nil if the failing runs did not hang
	Check  trace.Frame   // where the test failed, zero if unknown
	// Message is the text of the failure.
	Message string
}

// Find returns the suspects, the best first.
func Find(in Input) []finding.Suspect {
	f := newFinder(in)
	f.earlier()
	f.lingering()
	for i := range in.Analysis.Orders {
		f.order(&in.Analysis.Orders[i])
	}
	f.overtaken()
	f.hang()
	f.fixedPort()
	f.halfway()
	f.data()
	f.values()
	f.often()
	f.limits()
	f.tight()
	f.selects()
	for i, d := range in.Analysis.Chain {
		f.divergence(i, d)
	}
	f.meanwhile()
	f.turns()
	f.interleaved()
	f.check()
	slices.SortStableFunc(f.list, func(a, b finding.Suspect) int { return cmp.Compare(b.Score, a.Score) })
	return f.list[:min(len(f.list), Max)]
}

// Relevant returns, of the blocks that the other goroutine of an order had not
// run yet (or had run already), the one that has most to do with what the
// deciding code reads. It is the one to name.
func Relevant(in Input, o *divergence.Order) divergence.Missed {
	m, _ := newFinder(in).relevant(o)
	return m
}

// GivenLess reports whether the other goroutine of an order was not late, but had
// come to its end, as in passing runs, with less to do.
func GivenLess(in Input, o *divergence.Order) bool { return newFinder(in).hadLess(o) }

// A finder collects suspects.
type finder struct {
	Input
	src  *source
	list []finding.Suspect
}

func newFinder(in Input) *finder { return &finder{Input: in, src: newSource(in.Sites, in.Source)} }

// add adds a suspect; of several for one line the best stays, with its reason.
func (f *finder) add(s finding.Suspect) {
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

// file returns the path of the file that a block is in.
func (f *finder) file(b int) string { return f.Sites.Files[f.Sites.FileOf(b)].Path }

// addBlock adds the lines of a block.
func (f *finder) addBlock(b int, score float64, why string) {
	span, ok := f.Sites.Pos(b)
	if !ok {
		return
	}
	f.add(finding.Suspect{File: span.File, Start: span.Start, End: span.End, Score: score, Why: why})
}

// last returns the divergence nearest the failed check, nil if there is none.
func (f *finder) last() *divergence.Divergence {
	if len(f.Analysis.Chain) == 0 {
		return nil
	}
	return f.Analysis.Chain[len(f.Analysis.Chain)-1]
}

// reads returns the names in the code that leads to a divergence.
func (f *finder) reads(d *divergence.Divergence) names {
	var path []int
	for _, c := range d.Path {
		path = append(path, c.Block)
	}
	return f.src.decides(path, d.LastCommon, d.FailNext, d.PassNext)
}

// common returns the names in what was run before a divergence.
func (f *finder) common(d *divergence.Divergence) names {
	out := names{}
	for _, c := range d.Common {
		all, _ := f.src.names(c.Block)
		for name := range all {
			out[name] = true
		}
	}
	return out
}
