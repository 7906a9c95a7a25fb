package say

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Periods of the calendar, in nanoseconds. Their numbers are names: a month is not always as long.
const (
	Day      = 24 * 3600 * 1_000_000_000
	Week     = 7 * Day
	MonthEnd = 28 * Day // what comes before the end of a month is less than 0
	Month    = 31 * Day
	Year     = 366 * Day
)

// Times are from one time into a period of the calendar to another one.
type Times struct{ Unit, From, To int64 }

func (Times) slot() string { return "date" }

func (t Times) spans(string) []Span {
	last := t.To - Day
	switch {
	case t.Unit == Day:
		return []Span{{Text: clock(t.From) + " to " + clock((t.To-1)%Day+1)}}
	case t.Unit == MonthEnd && t.From == -Day && t.To == 0:
		return []Span{{Text: "the last day of a month"}}
	case t.From%Day != 0 || t.To%Day != 0:
		return []Span{{Text: t.day(t.From) + " " + clock(t.From) + " to " + t.day(t.To) + " " + clock(t.To)}}
	case t.From == last:
		return []Span{{Text: t.day(t.From)}}
	}
	return []Span{{Text: t.day(t.From) + " to " + t.day(last)}}
}

// day names the day of a time.
func (t Times) day(v int64) string {
	switch v = (v%t.Unit + t.Unit) % t.Unit; t.Unit {
	case Week:
		return time.Weekday(v / Day).String()
	case Year: // 1972 had a 29 February
		return time.Date(1972, 1, 1+int(v/Day), 0, 0, 0, 0, time.UTC).Format("2 January")
	case MonthEnd:
		return fmt.Sprintf("day %d before the end of a month", MonthEnd/Day-v/Day)
	}
	return fmt.Sprintf("day %d of a month", v/Day+1)
}

// clock returns the text that a clock shows, 24:00 at the end of a day.
func clock(v int64) string {
	m := (v - v/Day*Day + Day) % Day / int64(time.Minute)
	if v == Day {
		m = 24 * 60
	}
	s := fmt.Sprintf("%02d:%02d", m/60, m%60)
	if sec := v % int64(time.Minute) / int64(time.Second); sec > 0 {
		s += fmt.Sprintf(":%02d", sec)
	}
	return s
}

// An Interval is from one part of a period to another one, which are one if no more is known.
type Interval struct{ From, To time.Duration }

func (Interval) slot() string { return "time" }

func (i Interval) spans(string) []Span {
	switch {
	case i.From == i.To:
		return Duration(i.From).spans("")
	case i.From == 0:
		return []Span{{Text: "less than " + units(i.To.String())}}
	}
	return []Span{{Text: units(i.From.String()) + " to " + units(i.To.String())}}
}

// ClockWhen says what the clock shows: in a short period from its end where that is nearer.
func ClockWhen(does Verb, s Set) Sentence {
	from, to := time.Duration(s.From), time.Duration(s.To)
	unit := time.Duration(s.Unit)
	switch {
	case s.Unit == 0:
		return ClockDate.With(does, Date(time.Unix(0, s.Value)))
	case s.Unit >= Day:
		return ClockDate.With(does, Times{s.Unit, s.From, s.To})
	case to == unit || from == to && unit-to < unit/2:
		return ClockBefore.With(does, Interval{unit - to, unit - from}, Limit(unit))
	}
	return ClockInto.With(does, Interval{from, to}, Limit(unit))
}

// Numbers are random ones from one up to another one, of all below a limit.
type Numbers struct {
	From, To, Limit int64
	Float           bool // they are parts of the limit
}

func (Numbers) slot() string { return "number" }

func (n Numbers) spans(string) []Span {
	show := Thousands
	if n.Float {
		show = func(v int64) string {
			return strconv.FormatFloat(math.Round(100*float64(v)/float64(n.Limit))/100, 'f', -1, 64)
		}
	}
	switch {
	case n.From+1 == n.To:
		return []Span{{Text: show(n.From)}}
	case n.From == 0:
		return []Span{{Text: "less than " + show(n.To)}}
	case n.To == n.Limit:
		return []Span{{Text: show(n.From) + " or more"}}
	case n.Float:
		return []Span{{Text: show(n.From) + " to " + show(n.To)}}
	}
	return []Span{{Text: show(n.From) + " to " + show(n.To-1)}}
}
