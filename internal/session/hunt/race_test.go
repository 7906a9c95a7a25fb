package hunt

import (
	"bytes"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/session"

	"github.com/fdebug/fdebug/internal/runner"
)

// The race detector gets a sixth of the budget, or up to a third of what is left if the packages
// took long to build, but never more than what is left.
func TestRacePart(t *testing.T) {
	const s = time.Second
	now := time.Unix(1e9, 0)
	for _, c := range []struct{ budget, left, took, want time.Duration }{
		{300 * s, 240 * s, 3 * s, 50 * s},
		{300 * s, 240 * s, 30 * s, 60 * s},
		{300 * s, 240 * s, 60 * s, 80 * s},
		{60 * s, 24 * s, 20 * s, 10 * s},
		{60 * s, 4 * s, 20 * s, 4 * s},
	} {
		j := &Hunt{Session: &session.Session{Budget: session.Budget{Whole: c.budget}}, Deadline: now.Add(c.left)}
		half := &session.Lab{Traced: &runner.Binary{Took: c.took / 2}}
		if got := j.racePart([]*session.Lab{half, half}, now).Sub(now); got != c.want {
			t.Errorf("%v left of %v, %v to build: %v, want %v", c.left, c.budget, c.took, got, c.want)
		}
	}
}

// A budget too small for building with the race detector is not spent on that, and a message says
// so.
func TestNoTimeForRace(t *testing.T) {
	var out bytes.Buffer
	j := &Hunt{Session: &session.Session{Console: &session.Console{Stdout: &out, Stderr: &out}}, Deadline: time.Now().Add(time.Minute)}
	j.lateRaces(t.Context(), []*session.Lab{{Target: runner.Target{ImportPath: "example.com/m"}, Traced: &runner.Binary{Took: time.Hour}}})
	want := "fdebug: warning: example.com/m is not tried with the race detector: the budget leaves no time for building it: -budget gives more\n"
	if out.String() != want || len(j.raceRuns) > 0 {
		t.Errorf("got  %s\nwant %s", out.String(), want)
	}
}
