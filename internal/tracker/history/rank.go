package history

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/tracker/score"
)

// A State is what a test that has failed is like now.
type State string

const (
	Flaky  State = "flaky"
	Once   State = "failed" // it failed, but did not also pass in one session or of one commit, and did not come back
	Broken State = "broken" // its last runs all failed, for longer than a flake does
	Gone   State = "gone"   // it was flaky, and is no more
	Mended State = "mended" // it was broken, and never flaky
)

// States are all of them, those first that matter most: what is broken everybody sees.
var States = []State{Flaky, Once, Broken, Gone, Mended}

// A Ranked test is one with its score.
type Ranked struct {
	*Test
	Score  score.Score
	State  State
	Impact float64 // failures a week: the rate times the runs a week; 0 if it is gone
}

// Rank scores the tests of a history, those first that cost most.
func (t *Tally) Rank() []Ranked {
	list := make([]Ranked, 0, len(t.Tests))
	for _, x := range t.Tests {
		r := Ranked{Test: x, Score: score.Of(x.Points, minuteOf(t.Newest))}
		r.State = stateOf(&r.Score, x.mixed)
		if r.State != Gone && r.State != Mended {
			r.Impact = r.Score.Rate * x.Weekly
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b Ranked) int {
		return cmp.Or(a.State.order()-b.State.order(), cmp.Compare(b.Impact, a.Impact),
			cmp.Compare(b.Score.Rate, a.Score.Rate),
			strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
	return list
}

func stateOf(s *score.Score, mixed bool) State {
	switch {
	case s.BrokenNow:
		return Broken
	case s.NoFlake:
		return Mended
	case s.Gone.Yes:
		return Gone
	case mixed || s.Mixed > 0 || s.Flips > 2:
		return Flaky
	}
	return Once
}

func (s State) order() int {
	return slices.Index(States, s)
}
