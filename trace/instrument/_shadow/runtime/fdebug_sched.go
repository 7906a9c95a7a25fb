package runtime

import "internal/runtime/atomic"

// Priorities: with one processor, the runnable goroutine with the highest priority runs.
// Priorities are random, and at random events that of the running goroutine is lowered below all
// others (Burckhardt et al., A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs, ASPLOS 2010). Unlike there, a goroutine that becomes runnable does not preempt the
// running one: it is chosen when that one waits, ends, is lowered, or has run for long.

const fdebugPriorities = 1 << 31 // random ones are above, lowered ones below

var fdebugLowest uint32 = fdebugPriorities

// fdebugChosen is how long the thread had worked when the running goroutine was chosen.
var fdebugChosen int64

const fdebugLongSlice = 100e6 // nanoseconds of work

// fdebugLocks is the clock by which a Mutex decides that a goroutine has waited too long and
// switches to handing over in the order of waiting. It advances while all goroutines wait, and at
// the end of time slices. By real time, the machine's load would decide which goroutine gets the
// lock.
var fdebugLocks struct {
	now   int64
	since int64 // since when all goroutines wait; 0: one runs
}

func fdebugByPriority() bool {
	return fdebugPlan.priority && fdebugPlan.acts && gomaxprocs == 1
}

// fdebugChoose is called when the scheduler has chosen gp, and returns the goroutine to run.
func fdebugChoose(gp *g) *g {
	if !fdebugByPriority() || gp.fdebug.id == 0 {
		return gp
	}
	if l := &fdebugLocks; l.since != 0 {
		l.now, l.since = l.now+nanotime()-l.since, 0
	}
	pp := getg().m.p.ptr()
	best, at := gp, uint32(0)
	head, tail := atomic.LoadAcq(&pp.runqhead), pp.runqtail
	for i := head; i != tail; i++ {
		if other := pp.runq[i%uint32(len(pp.runq))].ptr(); other.fdebug.order() > best.fdebug.order() {
			best, at = other, i
		}
	}
	fdebugChosen = fdebugWorked()
	if best != gp { // nobody else takes from the queue: there is one processor
		pp.runq[at%uint32(len(pp.runq))].set(gp)
	}
	return best
}

// fdebugKeepOn is called when the time slice of gp is over, and lets it run on. Otherwise the
// load of the machine would decide what runs. It runs on g0.
func fdebugKeepOn(gp *g) {
	if !fdebugByPriority() || gp.fdebug.id == 0 || sched.gcwaiting.Load() || gp.m.p.ptr().runSafePointFn != 0 {
		return
	}
	if fdebugWorked()-fdebugChosen > fdebugLongSlice {
		fdebugLocks.now += fdebugLongSlice
		return
	}
	gp.preempt = false
	gp.stackguard0 = gp.stack.lo + stackGuard
	gogo(&gp.sched)
}

// fdebugStopsG is called when a goroutine waits or has ended. It runs on g0.
func fdebugStopsG() {
	if pp := getg().m.p.ptr(); fdebugByPriority() && pp != nil && runqempty(pp) {
		fdebugLocks.since = nanotime()
	}
}

// fdebugLockTime is the time that a Mutex uses.
func fdebugLockTime() (int64, bool) {
	return fdebugLocks.now + 1, fdebugByPriority() // 0 would mean: not waited yet
}

// order returns the priority of d. A goroutine that belongs to no test goes first.
func (d *fdebugG) order() uint32 {
	p := &d.perturbed
	if d.id == 0 {
		return 1<<32 - 1
	}
	if p.priority == 0 {
		p.priority = uint32(fdebugMix(fdebugPlan.sched.seed, d.id)>>33) | fdebugPriorities
	}
	return p.priority
}

// lower gives d the lowest priority of all.
func (d *fdebugG) lower(gp *g, at uint64, event uint32) {
	if !fdebugMayHold(gp) || gomaxprocs != 1 {
		return
	}
	rec := d.record(fdebugActSched|fdebugActApplied, 0, at, event)
	start := fdebugTime()
	d.perturbed.priority = max(atomic.Xadd(&fdebugLowest, -1), 1)
	goyield()
	rec.over(start)
}
