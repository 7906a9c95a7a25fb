package freedom

import (
	"github.com/fdebug/fdebug/trace"
)

var schedFreedom = Freedom{
	Name:   "sched",
	Varies: "On one processor, the goroutine with the highest random priority runs. Priorities drop at random events.",
	Legal:  `"If the GOMAXPROCS environment variable is set to a positive whole number, GOMAXPROCS defaults to that value"; which goroutine runs next is the scheduler's choice.`,
	Source: "https://pkg.go.dev/runtime#GOMAXPROCS",
	Sites:  "the whole run",
	Dose:   "density: events in 1024",
}

// Sched runs one goroutine at a time, always the runnable one with the highest priority.
// Priorities are random. At random events, per1024 in 1024, that of the running goroutine is
// lowered below all others.
func Sched(seed uint64, per1024 uint32) Act {
	return Act{Kind: trace.ActSched, Seed: seed, Per1024: per1024}
}
