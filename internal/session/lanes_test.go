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
		name                      string
		experiments, budget, gone time.Duration // as given; used up
		until, extra              time.Duration // from now
		says                      bool
	}{
		{"no budget", -1, 0, 0, 45 * s, 30 * s, false},
		{"no budget, as asked for", 20 * s, 0, 0, 15 * s, 5 * s, false},
		{"much is left", -1, 320 * s, 60 * s, 171 * s, 57 * s, true},
		{"more than they need", -1, 3600 * s, 60 * s, 225 * s, 75 * s, false},
		{"much is left, as asked for", 20 * s, 300 * s, 60 * s, 15 * s, 5 * s, false},
		{"little is left", -1, 60 * s, 50 * s, 10 * s, 0, true},
	} {
		now := time.Now()
		j := &Session{Config: Config{Experiments: c.experiments, Budget: Budget{Whole: c.budget, Began: now.Add(-c.gone)}}}
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
	until, extra, _ := (&Session{Config: Config{Experiments: -1}}).laneEnd([]*target{{Pkg: p}, {Pkg: p}, {Pkg: p}})
	if got := until.Add(extra).Sub(now).Round(time.Second); got != 195*time.Second {
		t.Errorf("three tests have %v, want 195 s", got)
	}
}

// In TestLaneEndsEarly two thirds of the time of a test are kept where goroutines may be held inside statements, and
// what is left of all is for that.
func TestLaneEndsEarly(t *testing.T) {
	x := &experimentJob{valueJob: &valueJob{Session: &Session{Config: Config{Experiments: 80 * time.Second}}}}
	now := time.Now()
	left := func(met ...string) time.Duration {
		l := &lane{experimentJob: x, tests: []*target{{Pkg: &runner.Package{}}, {Pkg: &runner.Package{}, met: met}}}
		l.ends()
		return l.until.Sub(now).Round(time.Second)
	}
	if got := left(); got != 140*time.Second {
		t.Errorf("%v without such statements, want 140 s", got)
	}
	if got := left("m"); got != 93*time.Second {
		t.Errorf("%v with them, want 70 s and a third of the other 70 s", got)
	}
	x.split = make(map[string]*Lab)
	if got := left("m"); got != 140*time.Second {
		t.Errorf("then until %v, want 140 s", got)
	}
}

// In TestRunsEnd runs have two thirds of the budget if others follow, else nine tenths.
func TestRunsEnd(t *testing.T) {
	all := func(int) bool { return true }
	for _, c := range []struct {
		name string
		j    Session
		want time.Duration
	}{
		{"values and experiments", Session{Config: Config{Values: true, Experiments: -1}}, 60 * time.Second},
		{"values", Session{Config: Config{Values: true}}, 60 * time.Second},
		{"experiments", Session{Config: Config{Experiments: time.Second}}, 60 * time.Second},
		{"neither", Session{}, 81 * time.Second},
		{"a shard", Session{Config: Config{Values: true, Experiments: -1}, Hooks: Hooks{Has: all}}, 81 * time.Second},
	} {
		c.j.Budget = Budget{Whole: 90 * time.Second, Began: time.Now()}
		if got := c.j.runsEnd().Sub(c.j.Budget.Began); got != c.want {
			t.Errorf("%s: runs end after %v, want %v", c.name, got, c.want)
		}
	}
	if end := (&Session{}).runsEnd(); !end.IsZero() {
		t.Errorf("without a budget they end at %v", end)
	}
}
