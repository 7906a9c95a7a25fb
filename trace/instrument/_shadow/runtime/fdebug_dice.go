package runtime

// Random events: each event of a goroutine is taken with the same probability. Only the number of
// the next one is drawn, instead of one number for each event.

// A fdebugDice says how many events are taken.
type fdebugDice struct {
	seed    uint64
	density uint32 // in 1024
}

// A fdebugRoll is a goroutine's sequence of random events.
type fdebugRoll struct {
	next    uint64 // number of the event
	state   uint64
	density uint32
}

// start begins the sequence of the goroutine id, if the plan has one.
func (r *fdebugRoll) start(d *fdebugDice, id uint64) {
	if d.density == 0 {
		return
	}
	r.density = d.density
	r.state = fdebugMix(d.seed, id) | 1
	r.next = r.gap() - 1
}

// random returns the next random number: xorshift64*.
func (r *fdebugRoll) random() uint64 {
	r.state ^= r.state >> 12
	r.state ^= r.state << 25
	r.state ^= r.state >> 27
	return r.state * 0x2545F4914F6CDD1D
}

// gap returns the distance to the next event that is taken.
func (r *fdebugRoll) gap() uint64 {
	n := uint64(1)
	for uint32(r.random()>>54) >= r.density {
		n++
	}
	return n
}

// roll yields or stalls if d has reached one of its random events.
func (d *fdebugG) roll(gp *g, at uint64, event uint32) {
	p := &d.perturbed
	if at >= p.yield.next {
		p.yield.next = at + p.yield.gap()
		d.yield(gp, at, event)
	}
	if at >= p.lower.next {
		p.lower.next = at + p.lower.gap()
		d.lower(gp, at, event)
	}
}

func (d *fdebugG) yield(gp *g, at uint64, event uint32) {
	if !fdebugMayHold(gp) {
		return
	}
	rec := d.record(fdebugActYield|fdebugActApplied, 0, at, event)
	start := fdebugTime()
	if fdebugPlan.stalls > 0 {
		fdebugHoldG(gp, int64(d.perturbed.yield.random()%uint64(fdebugPlan.stalls))+1, fdebugNoOrder, 0)
	} else {
		Gosched()
	}
	rec.over(start)
}
