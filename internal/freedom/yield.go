package freedom

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

var yieldFreedom = Freedom{
	Name:   "yield",
	Varies: "Goroutines give up the processor, or are held for a random time, at random events.",
	Legal:  `"A goroutine can be preempted at any safe-point", and from Go 1.14 on these are nearly everywhere.`,
	Source: "runtime/preempt.go; https://go.dev/doc/go1.14#runtime",
	Sites:  "the whole run",
	Dose:   "density: events in 1024",
}

// Yield makes goroutines give up the processor at random events, per1024 in 1024. If longest is
// above 0, they are held instead, each time for a random time up to that.
func Yield(seed uint64, per1024 uint32, longest time.Duration) Act {
	return Act{Kind: trace.ActYield, Seed: seed, Per1024: per1024, Dose: longest}
}
