package history

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/score"
)

// A Filter chooses what is looked at. The zero value is all.
type Filter struct {
	Branch string                      // sessions of this branch alone
	Test   func(pkg, test string) bool // nil for all
}

// A Tally is the history of the tests that have failed, in order.
type Tally struct {
	Commits  []Commit  // the oldest first; their index is that of points
	Oldest   time.Time // run
	Newest   time.Time
	Sessions int
	Runs     int // of test binaries
	Results  int // executions of tests
	Known    int // tests with a result, failed or not
	Tests    []*Test
}

// A Test is what became of one test.
type Test struct {
	Package, Name string
	Slowest       time.Duration // execution that passed
	Points        []score.Point // all natural runs, in the order of commits, then of time
	Signatures    []*Signature  // the most frequent first
	// Weekly is how often it runs in a week without anybody asking: in imported
	// results of the last four weeks, or in all if nothing is imported.
	Weekly   float64
	Verdicts []Verdict // the newest last
	Notes    []Note    // Test is ""

	lastImported int32 // minute of the last failure in imported results
	recent       int
	session      *place // of the last run
	passed       bool   // in that session
	failed       bool   // in that session
	mixed        bool   // there was a session in which it did both
}

// A Signature is one way in which a test fails.
type Signature struct {
	Text, Message string
	Failures      int
	failed        map[int]int32 // by index of the point
}

// PointsOf returns the points of a test with the failures of one signature alone.
func (t *Test) PointsOf(s *Signature) []score.Point {
	list := slices.Clone(t.Points)
	for i := range list {
		list[i].Failed = s.failed[i]
	}
	return list
}

// ScoreOf scores one way in which a test of the tally fails.
func (t *Tally) ScoreOf(x *Test, s *Signature) score.Score {
	return score.Of(x.PointsOf(s), minuteOf(t.Newest))
}

// LastImported is the minute of its last failure in imported results, or of the last
// at all if none is imported.
func (t *Test) LastImported() int32 {
	if t.lastImported > 0 {
		return t.lastImported
	}
	last := int32(0)
	for _, p := range t.Points {
		if p.Failed > 0 {
			last = max(last, p.Minute)
		}
	}
	return last
}
