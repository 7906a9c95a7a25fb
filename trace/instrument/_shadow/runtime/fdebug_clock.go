package runtime

import "internal/runtime/atomic"

// The clock: what it says, and when by it a test starts. In a bubble of testing/synctest
// there is another one, which nobody can notice to be anything but exact.

// fdebugClocked reports whether readings of the clock are of interest.
var fdebugClocked bool

// fdebugGrain is what both clocks say multiples of, 0 for whatever the system has.
var fdebugGrain int64

// fdebugStill reports whether both clocks stand still while the plan holds a goroutine, so that
// nobody can read for how long.
var fdebugStill bool

// fdebugHeldTime is for how long goroutines were held, several at once counted once.
var fdebugHeldTime struct {
	lock  mutex
	holds int32 // goroutines that are held
	since int64 // when the first of them was
	taken int64 // nanoseconds, by those that are over
}

// fdebugClock is what the plan has the wall clock say.
var fdebugClock fdebugClockState

type fdebugClockState struct {
	fdebugClockSetting
	shift   atomic.Int64 // of all readings
	since   atomic.Int64 // when it was first right to shift, by the right clock; 0 before
	ahead   atomic.Int64 // of the monotonic clock is the wall clock, where both may stand still; 0: not known yet
	steps   atomic.Int64 // by how much a tick of the monotonic clock is after one of the wall clock, plus 1; 0: not known yet
	dated   uint32       // the shift for the date is known
	started uint32       // the test has
}

type fdebugClockSetting struct {
	unit, phase int64 // at which the test starts, unit 0: whenever
	instant     int64 // that the clock says then, 0: none
	date        int64 // that the clock says when it is first read, 0: none
	blocks      bool  // there are shifts of single blocks
	stillBlocks bool  // the clock stands still for the readings of single blocks alone
}

// set takes a setting over.
func (c *fdebugClockSetting) set(s *fdebugSetting) {
	switch s.what {
	case fdebugClockPhase:
		c.unit, c.phase = s.unit, s.value
	case fdebugClockShift:
		if s.block != 0 {
			c.blocks = true
		} else {
			fdebugClock.shift.Store(s.value)
		}
	case fdebugClockInstant:
		c.instant = s.value
	case fdebugClockDate:
		c.date = s.value
	case fdebugClockGrain:
		fdebugGrain = s.value
	case fdebugClockStill:
		fdebugStill = true
		c.stillBlocks = c.stillBlocks || s.block != 0
	}
}

// unset is for a process that another one started: it has the date of that.
func (c *fdebugClockSetting) unset() {
	*c = fdebugClockSetting{date: c.date}
	fdebugStill = false
	fdebugClocked = fdebugClock.shift.Load() != 0 || fdebugGrain != 0 || c.date != 0
}

// fdebugNow is what time.Now reads. It returns false if the clock is right.
func fdebugNow() (sec int64, nsec int32, mono int64, ok bool) {
	if fdebugInBubble() {
		return 0, 0, 0, false
	}
	c := &fdebugClock
	block := fdebugAsker(fdebugActClock)
	sec, nsec, mono = time_now()
	wall := sec*1e9 + int64(nsec)
	c.begin(wall)
	if c.standsFor(block) {
		wall, mono = c.still(wall, mono)
	}
	t := c.step(wall, mono) + c.shift.Load()
	if c.blocks && block != 0 {
		by, _ := fdebugFindSetting(fdebugActClock, fdebugClockShift, block)
		t += by
	}
	if g := fdebugGrain; g != 0 {
		t -= fdebugMod(t, g)
		mono -= fdebugMod(mono, g)
	}
	nsec = int32(fdebugMod(t, 1e9))
	return (t - int64(nsec)) / 1e9, nsec, mono, true
}

// standsFor reports whether a reading of a block is of the clocks that stand still while somebody is held.
func (c *fdebugClockState) standsFor(block uint32) bool {
	if !fdebugStill || !c.stillBlocks {
		return fdebugStill
	}
	_, ok := fdebugFindSetting(fdebugActClock, fdebugClockStill, block)
	return ok && block != 0
}

// still returns what the clocks say that stand still while somebody is held. The two are not read at once, so that
// from the first reading on one is told by the other: neither goes back.
func (c *fdebugClockState) still(wall, mono int64) (int64, int64) {
	if c.ahead.Load() == 0 {
		c.ahead.CompareAndSwap(0, wall-mono)
	}
	mono, _ = fdebugStillTime()
	return mono + c.ahead.Load(), mono
}

// begin is told of readings: the first one decides by how much the date is another.
func (c *fdebugClockState) begin(now int64) {
	if c.since.Load() == 0 {
		c.since.CompareAndSwap(0, now)
	}
	if c.date != 0 && atomic.Cas(&c.dated, 0, 1) {
		c.shift.Store(c.date - now)
	}
}

// FdebugClocked reports whether the clock is of interest.
func FdebugClocked() bool { return fdebugClocked }

// fdebugStale is how much older than itself the system says that a file is which is written
// now: a tick of its own.
const fdebugStale = 20e6

// FdebugFileTime returns the time of a file at which the system says that it was written: one
// that was written by the clock of the program has its time. What is older was written before,
// and what is younger was dated by the program itself.
func FdebugFileTime(t int64) int64 {
	if fdebugInBubble() {
		return t
	}
	c, now := &fdebugClock, fdebugWall()
	c.begin(now)
	if t < c.since.Load()-fdebugStale || t > now {
		return t
	}
	t = c.step(t, nanotime()-(now-t)) + c.shift.Load()
	if g := fdebugGrain; g != 0 {
		t -= fdebugMod(t, g)
	}
	return t
}

// step returns what a coarse wall clock says at t: it goes on at the moments at which the
// monotonic one does, and timers fire, with which it has no moment in common by itself.
func (c *fdebugClockState) step(t, mono int64) int64 {
	g := fdebugGrain
	if g == 0 {
		return t
	}
	t -= fdebugMod(mono, g)
	if c.steps.Load() == 0 {
		c.steps.CompareAndSwap(0, fdebugMod(t, g)+1)
	}
	t += g/2 - (c.steps.Load() - 1) // the two clocks are not read at once
	return t - fdebugMod(t, g)
}

// FdebugOwnTime is told before and after package testing reads the clock for its own ends,
// with 1 and -1.
func FdebugOwnTime(n int8) { getg().fdebug.ownTime += n }

func fdebugMod(t, unit int64) int64 { return (t%unit + unit) % unit }

// fdebugNano is what time.Since reads.
func fdebugNano() (int64, bool) {
	if fdebugInBubble() {
		return 0, false
	}
	n := nanotime()
	if fdebugStill && fdebugClock.standsFor(fdebugAsker(fdebugActClock)) {
		n, _ = fdebugStillTime()
	}
	if fdebugGrain != 0 {
		n -= fdebugMod(n, fdebugGrain)
	}
	return n, true
}

// fdebugHoldClock is called with 1 when the plan begins to hold a goroutine, and with -1 when that goes on.
func fdebugHoldClock(n int32) {
	if !fdebugStill {
		return
	}
	h := &fdebugHeldTime
	lock(&h.lock)
	now := nanotime()
	if h.holds == 0 {
		h.since = now
	}
	if h.holds += n; h.holds == 0 {
		h.taken += now - h.since
	}
	unlock(&h.lock)
}

// fdebugStillTime returns what the monotonic clock says that stands still while somebody is held, and by how much that
// is behind. It is read with the lock, since a hold may end meanwhile.
func fdebugStillTime() (t, behind int64) {
	h := &fdebugHeldTime
	lock(&h.lock)
	t, behind = nanotime(), h.taken
	if h.holds > 0 {
		behind += t - h.since
	}
	unlock(&h.lock)
	return t - behind, behind
}

// fdebugCoarse makes a wait of ns nanoseconds so long that it is over by a coarse clock.
func fdebugCoarse(ns int64) int64 {
	if ns <= 0 || fdebugGrain == 0 || fdebugInBubble() {
		return ns
	}
	now := nanotime()
	return max(fdebugTick(now+ns)-now, ns)
}

// fdebugTick returns the first tick of a coarse clock that is not before t.
func fdebugTick(t int64) int64 {
	if fdebugGrain == 0 || t < 0 || t > maxWhen-fdebugGrain {
		return t
	}
	return t + fdebugMod(-t, fdebugGrain)
}

// fdebugStartClock is called where a test begins: the first of those that are meant
// starts when the plan says.
func fdebugStartClock(name string) {
	c := &fdebugClock
	if !fdebugClocked || fdebugPlan.test != "" && !fdebugInTest(name) || !atomic.Cas(&c.started, 0, 1) {
		return
	}
	if gp := getg(); c.unit > 0 && fdebugMayHold(gp) {
		fdebugAwaitPhase(gp, c.unit, c.phase)
	}
	if c.instant != 0 {
		now := fdebugWall()
		c.since.Store(now)
		c.shift.Store(c.instant - c.step(now, nanotime()))
	}
}

func fdebugWall() int64 {
	sec, nsec, _ := time_now()
	return sec*1e9 + int64(nsec)
}

const (
	fdebugNearly   = 300e3 // nanoseconds that are waited for without sleeping
	fdebugPunctual = 100e3 // nanoseconds by which a phase is not missed
	fdebugAims     = 5     // how often a phase may be missed
)

// fdebugAwaitPhase holds gp until the wall clock comes to a phase of the unit.
func fdebugAwaitPhase(gp *g, unit, phase int64) {
	for range fdebugAims {
		now := fdebugWall()
		wait := fdebugMod(phase-now, unit)
		if wait > fdebugNearly {
			fdebugHoldG(gp, wait-fdebugNearly, -1)
		}
		for fdebugWall() < now+wait {
			procyield(10)
		}
		if late := fdebugWall() - (now + wait); late < max(unit/1000, fdebugPunctual) {
			return
		}
	}
}
