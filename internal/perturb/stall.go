package perturb

import "time"

var stallKind = Kind{
	Name:   "stall",
	Varies: "One goroutine, or each one of its class, is held at a position.",
	Legal:  goIndependent,
	Source: spec + "Go_statements",
	Sites:  "positions",
	Dose:   "time held",
}

// A Stall holds every goroutine that At selects for the Dose when it comes to its
// position, or of a class only the First that does. With a Dose of 0 the goroutine
// gives up the processor once. Of a class, each goroutine has an act of its own.
type Stall struct {
	At    Position
	Dose  time.Duration
	First bool
}
