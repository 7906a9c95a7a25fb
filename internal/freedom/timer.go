package freedom

import (
	"slices"
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
	Verbs:    Verbs{Opposites: setOpposites, Elsewhere: setElsewhere, Narrower: heldAfter, Narrow: narrowTimers},
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

// Timers is the kind of the law of two timers.
const Timers = "timers"

// lateEnough is by how much a timer is late that may fire after another one which is set to about as long.
const lateEnough = 10 * time.Millisecond

// narrowTimers finds two timers whose order decides: the test fails if one of them is late, and passes if the other one is
// later still. A sleep is late if it begins so.
func narrowTimers(a Act[Site], _ bool, b Bench, fails Fails) *Law {
	var timers []Act[Site]
	for _, block := range b.Askers(trace.ActTimer) {
		timers = append(timers, Lift(Late(block, max(time.Duration(a.Value), lateEnough)))...)
	}
	for _, site := range b.Waits(false) {
		timers = append(timers, Hold(site, lateEnough))
	}
	timers = timers[:min(len(timers), maxAskers)]
	for _, first := range timers {
		plan := []Act[Site]{first}
		if len(timers) < 2 || !fails(slices.Repeat([][]Act[Site]{plan}, inUnit)...) {
			continue
		}
		for _, second := range timers {
			both := append(plan, second.Dosed(2*first.Takes()))
			if second != first && !fails(both, both) {
				return &Law{Kind: Timers, Fails: [][]Act[Site]{plan}, Passes: [][]Act[Site]{both}}
			}
		}
	}
	return nil
}

// Late makes the timers that a block sets fire later.
func Late(block uint32, by time.Duration) Step {
	return Step{Kind: trace.ActTimer, What: TimerLate, At: Position{Block: block}, Value: int64(by)}
}
