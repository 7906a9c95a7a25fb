package freedom

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

var timerFreedom = Freedom{
	Name:     "timer",
	Varies:   "When timers, tickers and deadlines fire. Not in bubbles of testing/synctest, whose fake clock is exact.",
	Legal:    `"NewTimer creates a new Timer that will send the current time on its channel after at least duration d."`,
	Source:   "https://pkg.go.dev/time#NewTimer",
	Sites:    "calls that set",
	Dose:     "lateness",
	Category: "timeout",
	Asked:    true,
	Tries:    func(block uint32, g Guess) []Act { return []Act{Late(block, g.Dose), Late(block, 4*g.Dose)} },
	aspects: []aspect{
		{what: TimerLate, name: "late", opposites: func(a Act, _ Guess) []Act {
			return []Act{a.Dosed(time.Duration(a.Value / 10))}
		}},
	},
}

// TimerLate makes timers that were set at Block fire Value nanoseconds later.
const TimerLate Aspect = trace.TimerLate

// Late makes the timers that a block sets fire later.
func Late(block uint32, by time.Duration) Act {
	return Act{Kind: trace.ActTimer, What: TimerLate, At: Position{Block: block}, Value: int64(by)}
}
