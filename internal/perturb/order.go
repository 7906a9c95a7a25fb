package perturb

import "time"

var orderKind = Kind{
	Name:   "order",
	Varies: "A goroutine waits at a position until another one reaches its own, up to a limit.",
	Legal:  goIndependent,
	Source: spec + "Go_statements",
	Sites:  "pairs of positions",
}

// An Order holds the goroutines at Hold until some goroutine has come to Until, at
// most for Limit. The position after a statement is the one of the next event, or
// the end of the goroutine ([End]) if there is none.
type Order struct {
	Hold, Until Position
	Limit       time.Duration
}
