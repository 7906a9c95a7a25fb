package freedom

import "github.com/fdebug/fdebug/trace"

// A drawer is a goroutine and a place at which it draws.
type drawer struct {
	kind  trace.ActKind
	id    trace.GoroutineID
	block int
}

const drawSlots = 32 // as the probe runtime has them: blocks that share one share a count

// SameSlot reports whether the runtime counts the draws of two blocks together.
func SameSlot(a, b trace.Draw) bool {
	slot := func(d trace.Draw) int { return (int(d.Block) + 11*int(d.Kind)) % drawSlots }
	return slot(a) == slot(b)
}

// number is a draw of the probe runtime.
func (d drawer) number(seed uint64, ordinal uint32) uint64 {
	mix := trace.Mix
	return mix(mix(mix(seed+uint64(d.kind), uint64(d.id)), uint64(d.block)), uint64(ordinal))
}
