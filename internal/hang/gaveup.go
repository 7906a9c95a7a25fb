package hang

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

const (
	// shortWait is the longest wait between the one that was given up and the
	// failed check that is passed over: one for a lock, say.
	shortWait = int64(1e6)
	sleeps    = "sleep"
)

// gaveUp returns the wait that the test gave up before it failed, and when it
// failed: a select or a receive that a timer ended. nil if there is none, or if it is
// the last wait of a loop that polls, which is like those before it.
func (f *finder) gaveUp(m *moment) (*state, int64) {
	if !slices.ContainsFunc(m.Trace.Goroutines, func(g *trace.Goroutine) bool {
		return f.ours(g) && timedWait(m.Trace, g)
	}) {
		return nil, 0 // most failures end here, and their streams are not read
	}
	g, pos, check := f.failedCheck(m)
	m.failed, m.failedAt = g, pos
	if g == nil {
		return nil, 0
	}
	for i := stampsBy(g, check) - 1; i > 0; i-- {
		resume, park := g.Stamps[i], g.Stamps[i-1]
		if !resume.GoesOn || park.GoesOn || park.Pos != resume.Pos {
			continue
		}
		switch first := firstPark(g, i-1); {
		case resume.Waker == trace.WakerTimer && givesUp(m.Trace, park):
			s := newState(m.Trace, g, park, first, resume.Time)
			if f.polled(s) > 0 {
				return nil, 0
			}
			return s, check
		case resume.Time-first > shortWait:
			return nil, 0
		}
	}
	return nil, 0
}

// timedWait reports whether a timer ended a wait of a goroutine that was for more
// than time to pass.
func timedWait(t *trace.Trace, g *trace.Goroutine) bool {
	for i := 1; i < len(g.Stamps); i++ {
		if g.Stamps[i].Waker == trace.WakerTimer && givesUp(t, g.Stamps[i-1]) {
			return true
		}
	}
	return false
}

// givesUp reports whether a wait that a timer ends has been given up: it was for more
// than time to pass, and neither that of a test for its bubble nor an experiment's.
func givesUp(t *trace.Trace, park trace.Stamp) bool {
	r := strings.TrimSuffix(t.Reason(park), durable)
	return r != sleeps && r != inBubble && r != held
}

// failedCheck returns the goroutine of the test that failed first, with which of its
// events, and when.
func (f *finder) failedCheck(m *moment) (by *trace.Goroutine, pos, when int64) {
	for _, g := range m.Trace.Goroutines {
		if g.Test == "" || trace.TopTest(g.Test) != f.family {
			continue
		}
		events, ok := eventsOf(g)
		if !ok {
			continue
		}
		for i, e := range events {
			kind, _, ok := e.Check()
			if !ok || kind != trace.CheckFail && kind != trace.CheckFailNow {
				continue
			}
			// The stamp of a check comes just before it: it bounds the event.
			if at, _ := g.Between(int64(i)); by == nil || at < when {
				by, pos, when = g, int64(i), at
			}
			break
		}
	}
	return by, pos, when
}
