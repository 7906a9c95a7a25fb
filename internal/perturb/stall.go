package perturb

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

var stallKind = Kind{
	Name:     "stall",
	Varies:   "One goroutine, or each one of its class, is held at a position.",
	Legal:    goIndependent,
	Source:   spec + "Go_statements",
	Sites:    "positions",
	Dose:     "time held",
	Category: "concurrency",
}

// Stall holds every goroutine that a position selects when it comes there, or for a class only
// the first if first is set. With a dose of 0 the goroutine gives up the processor once. Each
// goroutine of a class has its own act.
func Stall(at Position, dose time.Duration, first bool) Act {
	return Act{Kind: trace.ActStall, At: at, Dose: dose, First: first}
}
