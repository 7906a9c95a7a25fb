package freedom

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/say"
)

// A Period divides time: one of the calendar, from a day on, or one that is always as long.
type Period int64

// into returns how far a time is into a period: of a year as if each had a 29 February.
func (p Period) into(t time.Time) int64 {
	y, m, d := t.Date()
	clock := time.Date(1970, 1, 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).UnixNano()
	switch p {
	case say.Year:
		return time.Date(1972, m, d, 0, 0, 0, 0, time.UTC).UnixNano() - 2*365*say.Day + clock
	case say.MonthEnd:
		return int64(d-1-time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day())*say.Day + clock
	case say.Month:
		return int64(d-1)*say.Day + clock
	case say.Week:
		return int64(t.Weekday())*say.Day + clock
	}
	if say.Day%p == 0 {
		return clock % int64(p)
	}
	return t.UnixNano() % int64(p)
}

const maxTimes = 1000 // that are tried for one that is so far into a period

// at returns a time of some years around now that is so far into a period.
func (p Period) at(into int64, now time.Time, rnd *rand.Rand) (t time.Time) {
	switch {
	case p == say.MonthEnd && into >= 0:
		p = say.Month
	case p != say.MonthEnd:
		into = mod(into, int64(p))
	}
	for range maxTimes {
		t = now.Add(time.Duration(rnd.Int64N(8*say.Year) - 4*say.Year))
		if t = t.Add(time.Duration(into - p.into(t))); p.into(t) == into {
			break
		}
	}
	return t
}

// A clockLaw is being found, of an act on the clock.
type clockLaw struct {
	Act[Site]
	Period
	now time.Time
	rnd *rand.Rand
}

// acts returns some that each set the clock so far into the period, at other times.
func (l *clockLaw) acts(n int, into func() int64) (list [][]Act[Site]) {
	for range n {
		a := l.Act
		if a.What == ClockPhase {
			a.Unit, a.Value = int64(l.Period), mod(into(), int64(l.Period))
		} else {
			a.Value = l.at(into(), l.now, l.rnd).UnixNano()
		}
		list = append(list, []Act[Site]{a})
	}
	return list
}

// narrowClock finds the smallest period for which only that matters how far the clock is into it, and between which times
// the test fails.
func narrowClock(a Act[Site], passes bool, b Bench, fails Fails) *Law {
	if a.What != ClockPhase && !a.Shifted() || a.What == ClockShift {
		return nil
	}
	l := &clockLaw{Act: a, now: b.Now(), rnd: rand.New(rand.NewPCG(b.Seed("law", 0), 1))}
	for _, l.Period = range periods(a, b) {
		into := l.into(time.Unix(0, a.Value))
		switch {
		case a.What == ClockPhase && passes:
			into = mod(a.Value+a.Unit/2, int64(l.Period))
		case a.What == ClockPhase:
			into = a.Value % int64(l.Period)
		case passes:
			into = l.into(l.now)
		}
		if a.Unit == int64(l.Period) || fails(l.acts(inUnit, func() int64 { return into })...) {
			return l.find(into, fails)
		}
	}
	return nil
}

// periods returns those that may decide, the smallest first.
func periods(a Act[Site], b Bench) (list []Period) {
	known := []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second, time.Minute, time.Hour}
	for _, d := range append(known, b.Durations(finest, time.Hour)...) {
		if a.What != ClockPhase || a.Unit%int64(d) == 0 {
			list = append(list, Period(d))
		}
	}
	if a.What == ClockPhase {
		list = append(list, Period(a.Unit))
	} else {
		list = append(list, say.Day, say.Week, say.MonthEnd, say.Month, say.Year)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// find returns the law of a period, so far into which the test fails.
func (l *clockLaw) find(into int64, fails Fails) *Law {
	least := max(int64(l.Period)/10_000, int64(time.Millisecond))
	steps := []int64{say.Day, int64(time.Hour), int64(time.Minute), int64(time.Second), 1e8, 1e7, 1e6}
	steps = slices.DeleteFunc(steps, func(s int64) bool { return 2*s > int64(l.Period) || s < least })
	at := func(v int64) bool { return fails(l.acts(atEdge, func() int64 { return v })...) }
	from, begins := edge(into, into-int64(l.Period), least, steps, at)
	to, ends := edge(into, into+int64(l.Period), least, steps, at)
	if !begins || !ends || to-from >= int64(l.Period) {
		return nil
	}
	if from < 0 && l.Period != say.MonthEnd {
		from, to = from+int64(l.Period), to+int64(l.Period)
	}
	r, others := Range{Unit: int64(l.Period), From: from, To: to}, Range{From: to, To: from + int64(l.Period)}
	return &Law{Range: r, Fails: l.acts(inLaw, func() int64 { return r.within(l.rnd) }),
		Passes: l.acts(inLaw, func() int64 { return others.within(l.rnd) })}
}
