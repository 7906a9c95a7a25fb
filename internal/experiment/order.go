package experiment

import "time"

// An Ordered is the order of two events that makes a test fail: First comes before Then.
type Ordered struct{ First, Then Site }

// Bounds of how long an order is waited for.
const (
	leastOrderLimit = 100 * time.Millisecond
	mostOrderLimit  = 2 * time.Second
)

// orderLimit is how long an order is waited for.
func (b *bench) orderLimit() time.Duration {
	return min(max(leastOrderLimit, 2*b.p.Elapsed), mostOrderLimit)
}
