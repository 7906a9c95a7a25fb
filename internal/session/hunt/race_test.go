package hunt

import (
	"bytes"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
)

// Nothing is built with the race detector in the first two thirds of the time, or while something new may be tried.
func TestRaceFrom(t *testing.T) {
	const s = time.Second
	began := time.Unix(1e9, 0)
	for whole, want := range map[time.Duration]time.Duration{300 * s: 200 * s, 180 * s: 120 * s, 60 * s: 40 * s, 30 * s: 15 * s} {
		b := session.Budget{Whole: whole, Began: began}
		j := &Hunt{Session: &session.Session{Config: session.Config{Budget: b}}, Deadline: b.At(whole - grace(whole))}
		if got := j.raceFrom().Sub(began); got != want {
			t.Errorf("of %v: from %v on, want %v", whole, got, want)
		}
	}
}

// A budget too small for building with the race detector is not spent on that, and a message says
// so.
func TestNoTimeForRace(t *testing.T) {
	var out bytes.Buffer
	j := &Hunt{Session: &session.Session{Console: &session.Console{Stdout: &out, Stderr: &out}}, Deadline: time.Now().Add(time.Minute)}
	j.races(t.Context(), []*session.Lab{{Target: runner.Target{ImportPath: "example.com/m"}, Traced: &runner.Binary{Took: time.Hour}}})
	want := "fdebug: warning: example.com/m is not tried with the race detector: the budget leaves no time for building it: -budget gives more\n"
	if out.String() != want || len(j.raceRuns) > 0 {
		t.Errorf("got  %s\nwant %s", out.String(), want)
	}
}
