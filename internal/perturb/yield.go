package perturb

import "time"

var yieldKind = Kind{
	Name:   "yield",
	Varies: "Goroutines give up the processor, or are held for a random time, at random events.",
	Legal:  `"A goroutine can be preempted at any safe-point", and from Go 1.14 on these are nearly everywhere.`,
	Source: "runtime/preempt.go; https://go.dev/doc/go1.14#runtime",
	Sites:  "the whole run",
	Dose:   "density: events in 1024",
}

// Yield makes goroutines give up the processor at random events, of which Per1024
// in 1024 are taken. With Stalls above 0 they are held instead, each time for a
// random time up to Stalls.
type Yield struct {
	Seed    uint64
	Per1024 uint32
	Stalls  time.Duration
}
