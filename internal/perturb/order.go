package perturb

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

var orderKind = Kind{
	Name:     "order",
	Varies:   "A goroutine waits at a position until another one reaches its own, up to a limit.",
	Legal:    goIndependent,
	Source:   spec + "Go_statements",
	Sites:    "pairs of positions",
	Category: "concurrency",
}

// Order holds the goroutines at a position until some goroutine has come to another one, at most
// for the limit. The position after a statement is that of the next event, or the end of the
// goroutine ([End]) if there is none.
func Order(hold, until Position, limit time.Duration) Act {
	return Act{Kind: trace.ActOrder, At: hold, Until: until, Dose: limit}
}
