package experiment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// A simClock is time that passes by runs only.
type simClock struct {
	now   time.Time
	order []string // of the tests whose runs were made, each time that it changes
}

// experimenter returns one with a test whose runs take that long.
func (c *simClock) experimenter(test string, s *sim, wall time.Duration) *Experimenter {
	e := s.experimenter()
	e.Test, e.clock = test, func() time.Time { return c.now }
	e.Run = func(ctx context.Context, t Trial, keep bool, limit time.Duration) (Outcome, error) {
		c.now = c.now.Add(wall)
		if n := len(c.order); n == 0 || c.order[n-1] != test {
			c.order = append(c.order, test)
		}
		o, err := s.run(ctx, t, keep, limit)
		o.Wall = wall
		return o, err
	}
	e.Recorded = []Recorded{{Elapsed: wall}}
	return e
}

// never is a test that nothing makes fail, however long it is tried.
func never() *sim {
	return &sim{streams: [][]trace.Event{stream(1, 6), stream(21, 600)}, rule: func(*simRun) string { return "" }}
}

func (c *simClock) share(t *testing.T, d time.Duration, list ...*Experimenter) []*Result {
	t.Helper()
	s := &Share{Until: c.now.Add(d), clock: func() time.Time { return c.now }}
	results, err := s.Find(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func provedIn(results []*Result) []bool {
	var list []bool
	for _, r := range results {
		list = append(list, r != nil && r.explained)
	}
	return list
}

// Four tests share 20 s. Two take some 120 runs of 50 ms each until the verdict, more
// than a fourth of the time; the others nothing makes fail.
func TestShare(t *testing.T) {
	c := &simClock{now: time.Unix(1000, 0)}
	wall := 50 * time.Millisecond
	list := []*Experimenter{
		c.experimenter("TestNever", never(), wall),
		c.experimenter("TestLate", lateAt50(), wall),
		c.experimenter("TestNever2", never(), wall),
		c.experimenter("TestLate2", lateAt50(), wall),
	}
	list[1].Hints, list[3].Hints = []freedom.Hint{at(71)}, []freedom.Hint{at(71)}
	began := c.now
	results := c.share(t, 20*time.Second, list...)
	if got, want := provedIn(results), []bool{false, true, false, true}; !slices.Equal(got, want) {
		t.Errorf("proved %v, want %v", got, want)
	}
	for _, i := range []int{1, 3} {
		if f := results[i].Findings[0]; f.window == nil || f.Runs < 80 || f.Runs > 150 || f.Took < time.Second || f.Took > 10*time.Second {
			t.Errorf("%s: window %+v, %d runs, %v", list[i].Test, f.window, f.Runs, f.Took)
		}
	}
	if took := c.now.Sub(began); took < 19*time.Second || took > 21*time.Second {
		t.Errorf("took %v of 20s: tests with nothing to find have the rest", took)
	}
	// All in turn at first; then those without a verdict.
	want := []string{"TestNever", "TestLate", "TestNever2", "TestLate2", "TestNever"}
	if n := min(len(want), len(c.order)); !slices.Equal(c.order[:n], want) {
		t.Errorf("order %q, want %q first", c.order, want)
	}
}

// Quick tests come first.
func TestShareQuickFirst(t *testing.T) {
	c := &simClock{now: time.Unix(1000, 0)}
	list := []*Experimenter{
		c.experimenter("TestSlow", never(), time.Second),
		c.experimenter("TestQuick", lateAt50(), 10*time.Millisecond),
	}
	list[1].Hints = []freedom.Hint{at(71)}
	results := c.share(t, 8*time.Second, list...)
	if c.order[0] != "TestQuick" || !results[1].explained {
		t.Errorf("order %q, proved %v", c.order, provedIn(results))
	}
}

// What a test does not need of its time is for the others, and everything ends when
// nothing is left to be tried.
func TestShareEnds(t *testing.T) {
	c := &simClock{now: time.Unix(1000, 0)}
	list := []*Experimenter{
		c.experimenter("TestLate", lateAt50(), time.Millisecond),
		c.experimenter("TestLate2", lateAt50(), time.Millisecond),
	}
	began := c.now
	results := c.share(t, time.Hour, list...)
	if took := c.now.Sub(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
	for i, r := range results {
		if !r.Complete || !r.explained {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// A test whose runs can't be made has no result; the others go on, with all of the time.
func TestShareFails(t *testing.T) {
	c := &simClock{now: time.Unix(1000, 0)}
	list := []*Experimenter{
		c.experimenter("TestGone", never(), time.Millisecond),
		c.experimenter("TestLate", lateAt50(), 10*time.Millisecond),
	}
	gone := errors.New("no such file")
	list[0].Run = func(context.Context, Trial, bool, time.Duration) (Outcome, error) { return Outcome{}, gone }
	s := &Share{Until: c.now.Add(time.Minute), clock: func() time.Time { return c.now }}
	results, err := s.Find(t.Context(), list)
	if !errors.Is(err, gone) || !strings.HasPrefix(err.Error(), "TestGone: ") {
		t.Errorf("error %v", err)
	}
	if !results[1].explained {
		t.Error("TestLate has no verdict")
	}
}

// When the spare time is over, the search ends once a goroutine was held at each place that it has, and the rest is left
// untried. With more time all is tried.
func TestShareSpare(t *testing.T) {
	for _, c := range []struct {
		spare time.Duration
		whole bool
	}{{0, false}, {time.Hour, true}} {
		clock := &simClock{now: time.Unix(1000, 0)}
		began := clock.now
		e := clock.experimenter("TestNever", never(), 20*time.Millisecond)
		held, again := make(map[int]bool), 0
		run := e.Run
		e.Run = func(ctx context.Context, x Trial, keep bool, limit time.Duration) (Outcome, error) {
			acts := x.Plan.Acts
			if len(acts) == 1 && acts[0].Kind == trace.ActStall && acts[0].Dose <= sweepDose {
				if held[int(acts[0].At.Event)] {
					again++
				}
				held[int(acts[0].At.Event)] = true
			}
			return run(ctx, x, keep, limit)
		}
		s := &Share{Until: began.Add(time.Hour), Spare: began.Add(c.spare), clock: func() time.Time { return clock.now }}
		results, err := s.Find(t.Context(), []*Experimenter{e})
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.Complete != c.whole || r.Spared == c.whole || again > 10 != c.whole || len(held) < 600 {
			t.Errorf("%v to spare: complete %v, held at %d places, %d times again", c.spare, r.Complete, len(held), again)
		}
	}
}
