package trace

import "fmt"

// An ActKind is the kind of a perturbation, as package perturb has them, or of a
// draw.
type ActKind uint8

const (
	ActStall ActKind = iota + 1
	ActOrder
	ActYield // random yields, and random stalls
	ActSched
	ActSelect
	ActMap
	ActRand
)

var actNames = [...]string{
	ActStall: "stall", ActOrder: "order", ActYield: "yield", ActSched: "sched",
	ActSelect: "select", ActMap: "map", ActRand: "rand",
}

func (k ActKind) String() string {
	if k == 0 || int(k) >= len(actNames) {
		return fmt.Sprintf("act %d", uint8(k))
	}
	return actNames[k]
}

// An Act is one time that a perturbation acted, or that a goroutine went past the
// place where it should have, or ended before it.
type Act struct {
	Kind      ActKind
	Index     int    // in the plan's list of the kind
	Goroutine int32  // number in Trace.Goroutines, counted from 1
	Event     int64  // how many events the goroutine had written
	Block     uint32 // the event that it was about to write, 0 if it ended
	Start     int64  // nanoseconds since the process started
	Held      int64  // nanoseconds, 0 if it did not come to an end
	Applied   bool   // false: it was missed
	Met       bool   // of an order: what it waited for came before its limit
}

// A Draw says where random choices of the runtime were made, by the goroutines of
// one class: by which block, the last one that they had written.
type Draw struct {
	Kind  ActKind
	Block uint32 // 0 if the goroutine had written none
	Class uint64
	Count int64 // how many there were, about
}
