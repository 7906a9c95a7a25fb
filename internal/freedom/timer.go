package freedom

import (
	"time"

	"github.com/fdebug/fdebug/internal/say"
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
	Where:    ByAnswers,
	Verbs:    settingVerbs,
	Prior:    0.005, // 4 of the 35
	Asked:    true,
	Tries:    func(block uint32, _ Bench) []Step { return []Step{Late(block, usualDose), Late(block, 4*usualDose)} },
	Propose:  []*Proposer{{Guesses: (*Freedom).atAskers}},
	aspects: []aspect{
		{what: TimerLate, name: "late",
			says: say.Setting{Cause: say.Decides(say.Timer, say.SetTime), With: say.BarLate, Cure: say.BarLessLate, Mark: say.MarkTimer,
				Fix: []say.Template{say.FixTimer, say.FixClock}}, opposites: func(a Step, _ Bench) []Step {
				return []Step{a.Dosed(time.Duration(a.Value / 10))}
			}},
	},
}

// TimerLate makes timers that were set at Block fire Value nanoseconds later.
const TimerLate Aspect = trace.TimerLate

// Late makes the timers that a block sets fire later.
func Late(block uint32, by time.Duration) Step {
	return Step{Kind: trace.ActTimer, What: TimerLate, At: Position{Block: block}, Value: int64(by)}
}
