package session

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
)

// In TestLaneEnd, a run that took 40 s is followed by a minute of experiments, since 600 such runs
// take longer. A fourth of that is for what is close to a verdict, and without limits as much
// again. With a budget, and no -experiments, they get what is left of it, at most
// five minutes. If less is left than they would have without a budget, they get all of it.
func TestLaneEnd(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name                         string
		experiments, budget, gone, c time.Duration // as given; used up; to compare
		until, extra                 time.Duration // from now
		says                         bool
	}{
		{"no budget", -1, 0, 0, 0, 45 * s, 30 * s, false},
		{"no budget, as asked for", 20 * s, 0, 0, 0, 15 * s, 5 * s, false},
		{"much is left", -1, 300 * s, 60 * s, 0, 180 * s, 60 * s, true},
		{"time for comparing", -1, 300 * s, 60 * s, 40 * s, 150 * s, 50 * s, true},
		{"more than they need", -1, 3600 * s, 60 * s, 0, 225 * s, 75 * s, false},
		{"much is left, as asked for", 20 * s, 300 * s, 60 * s, 0, 15 * s, 5 * s, false},
		{"little is left", -1, 60 * s, 50 * s, 0, 10 * s, 0, true},
	} {
		now := time.Now()
		j := &Session{Experiments: c.experiments, Budget: Budget{Whole: c.budget, Began: now.Add(-c.gone), Compared: c.c}}
		until, extra, says := j.laneEnd([]*target{{Pkg: &runner.Package{Runs: []*runner.Run{{Wall: 40 * s}}}}})
		if got := until.Sub(now).Round(s); got != c.until || extra.Round(s) != c.extra || says != c.says {
			t.Errorf("%s: until %v, %v more, budget %v; want %v, %v, %v", c.name, got, extra, says, c.until, c.extra, c.says)
		}
	}
}

// In TestLaneEndOfSeveral each of three tests has its own minute, and what one does not need is
// left for the next. One that is close to a verdict when all is over has a fourth of its minute more.
func TestLaneEndOfSeveral(t *testing.T) {
	p := &runner.Package{Runs: []*runner.Run{{Wall: time.Millisecond}}}
	now := time.Now()
	until, extra, _ := (&Session{Experiments: -1}).laneEnd([]*target{{Pkg: p}, {Pkg: p}, {Pkg: p}})
	if got := until.Add(extra).Sub(now).Round(time.Second); got != 195*time.Second {
		t.Errorf("three tests have %v, want 195 s", got)
	}
}
