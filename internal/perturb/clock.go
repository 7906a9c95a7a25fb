package perturb

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

var clockKind = Kind{
	Name:     "clock",
	Varies:   "When the test starts: the phase within a unit of time, the date, the zone. How coarse the clock is.",
	Legal:    `A test may be started at any time and in any place, and the wall clock "is subject to changes for clock synchronization". "On Unix, the resolution is ~1ms. [...] On older Windows versions, the default resolution is ~16ms".`,
	Source:   "https://pkg.go.dev/time#hdr-Monotonic_Clocks; https://pkg.go.dev/time#hdr-Timer_Resolution",
	Sites:    "readings",
	Dose:     "phase, shift, resolution",
	Category: "time",
	Asked:    true,
	aspects: []aspect{
		{what: ClockPhase, name: "phase", opposites: func(a Act, _ Guess) (list []Act) {
			for _, part := range []int64{2, 4, -4} {
				list = append(list, Phase(time.Duration(a.Unit), time.Duration((a.Value+a.Unit+a.Unit/part)%a.Unit)))
			}
			return list
		}},
		{what: ClockShift, name: "shift"},
		{what: ClockInstant, name: "instant"},
		{what: ClockGrain, name: "grain"},
		{what: ClockDate, name: "date"},
		{what: ClockStill, name: "still"},
		{what: ClockZone, name: "zone", env: func(a Act, _ string) []string { return []string{"TZ=" + a.Text} }},
	},
}

// Aspects of the clock.
const (
	ClockPhase   Aspect = iota + 1 // when the test starts, the wall clock modulo Unit is Value: the test waits for that
	ClockShift                     // Value is added to the wall clock
	ClockInstant                   // the wall clock is Value, nanoseconds since 1970, when the test starts
	ClockGrain                     // both clocks show multiples of Value, and no timer fires before its time by them
	ClockZone                      // Text is the local zone
	ClockDate                      // the wall clock is Value, nanoseconds since 1970, when it is first read
	ClockStill                     // both clocks stand still while a goroutine is held: a control for failures that depend on the clock
)

// Phase makes the test start at a phase of the wall clock.
func Phase(unit, phase time.Duration) Act {
	return Act{Kind: trace.ActClock, What: ClockPhase, Value: int64(phase), Unit: int64(unit)}
}

// Shift shifts the wall clock: all of its readings, or those by one block.
func Shift(by time.Duration, block uint32) Act {
	return Act{Kind: trace.ActClock, What: ClockShift, Value: int64(by), At: Position{Block: block}}
}

// Instant sets the wall clock to t when the test starts.
func Instant(t time.Time) Act {
	return Act{Kind: trace.ActClock, What: ClockInstant, Value: t.UnixNano()}
}

// Date sets the wall clock to t when the process starts.
func Date(t time.Time) Act {
	return Act{Kind: trace.ActClock, What: ClockDate, Value: t.UnixNano()}
}

// Grain makes the clocks coarse.
func Grain(d time.Duration) Act {
	return Act{Kind: trace.ActClock, What: ClockGrain, Value: int64(d)}
}

// Still makes both clocks stand still while a goroutine is held. Timers go on.
func Still() Act { return Act{Kind: trace.ActClock, What: ClockStill} }

// Zone sets the local zone.
func Zone(name string) Act { return Act{Kind: trace.ActClock, What: ClockZone, Text: name} }

// Shifted reports whether a setting makes the wall clock wrong. Then files written before are
// older, or younger, than they seem.
func (a Act) Shifted() bool {
	return a.What == ClockShift || a.What == ClockInstant || a.What == ClockDate
}

// Differs reports whether a setting makes the program's clock differ from the clock of the kernel
// and of other processes, which is one for the whole machine.
func (a Act) Differs() bool { return a.Shifted() || a.What == ClockGrain || a.What == ClockStill }
