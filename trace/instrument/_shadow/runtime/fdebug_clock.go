package runtime

import "internal/runtime/atomic"

// The clock: its readings, and the time at which a test starts. A bubble of testing/synctest
// has its own clock, which is left exact.

//fdebug:lost what the clock says, and when timers fire, cannot be varied
//fdebug:patch runtime/time.go func time_runtimeNow() (sec int64, nsec int32, mono int64) {{+
//	if fdebugClocked { if s, n, m, ok := fdebugNow(); ok { return s, n, m } };+}
//fdebug:patch runtime/time.go func time_runtimeNano() int64 {{+
//	if fdebugGrain != 0 || fdebugStill { if n, ok := fdebugNano(); ok { return n } };+}
//fdebug:patch runtime/time.go func timeSleep(ns int64) {{+ if fdebugGrain != 0 { ns = fdebugCoarse(ns) };+}
//fdebug:patch os/stat_linux.go fs.modTime = time.Unix(fs.sys.Mtim.Unix()){+;
//	if runtime.FdebugClocked() { fs.modTime = time.Unix(0, runtime.FdebugFileTime(fs.modTime.UnixNano())) }+}
//fdebug:patch os/stat_darwin.go fs.modTime = time.Unix(fs.sys.Mtimespec.Unix()){+;
//	if runtime.FdebugClocked() { fs.modTime = time.Unix(0, runtime.FdebugFileTime(fs.modTime.UnixNano())) }+}
//fdebug:patch testing/testing_other.go func highPrecisionTimeNow() highPrecisionTime {{+
//	runtime.FdebugOwnTime(1); defer runtime.FdebugOwnTime(-1);+}
//fdebug:patch os/types_windows.go func (fs *fileStat) ModTime() time.Time {{+
//	if runtime.FdebugClocked() { t := runtime.FdebugFileTime(fs.LastWriteTime.Nanoseconds()); runtime.FdebugFileAge(t);
//	return time.Unix(0, t) };+}

// fdebugClocked reports whether readings of the clock matter.
var fdebugClocked bool

// fdebugGrain is the resolution of both clocks, or 0 for the system's own.
var fdebugGrain int64

// fdebugStill reports whether both clocks stand still while the plan holds a goroutine, so that
// the program cannot see how long the hold was.
var fdebugStill bool

// fdebugHeldTime is how long goroutines were held. Time in which several were held counts once.
var fdebugHeldTime struct {
	lock  mutex
	holds int32 // goroutines held now
	since int64 // when the first of them was held
	taken int64 // nanoseconds of holds that have ended
}

// fdebugClock is how the plan changes the wall clock.
var fdebugClock fdebugClockState

type fdebugClockState struct {
	fdebugClockSetting
	shift atomic.Int64 // added to all readings
	since atomic.Int64 // when shifting began, by the true clock; 0 before
	ahead atomic.Int64 // of the wall clock before the monotonic one, if both may stand still; 0: not known yet
	// how far a tick of the monotonic clock is after one of the wall clock, plus 1; 0: not known yet
	steps   atomic.Int64
	dated   uint32 // the shift for the date is known
	started uint32 // the test has started
}

type fdebugClockSetting struct {
	unit, phase int64 // the test starts at this phase of the unit; unit 0: at any time
	instant     int64 // the reading at that start, or 0
	date        int64 // the first reading, or 0
	blocks      bool  // whether single blocks have shifts
	stillBlocks bool  // whether the clock stands still only for readings of single blocks
}

// set stores a setting.
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

// unset is for a process that the planned one started. It only keeps the date.
func (c *fdebugClockSetting) unset() {
	*c = fdebugClockSetting{date: c.date}
	fdebugStill = false
	fdebugClocked = fdebugClock.shift.Load() != 0 || fdebugGrain != 0 || c.date != 0
}

// fdebugNow replaces the readings of time.Now. It returns false if the clock is unchanged.
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

// standsFor reports whether a reading by a block uses the clocks that stand still during a hold.
func (c *fdebugClockState) standsFor(block uint32) bool {
	if !fdebugStill || !c.stillBlocks {
		return fdebugStill
	}
	_, ok := fdebugFindSetting(fdebugActClock, fdebugClockStill, block)
	return ok && block != 0
}

// still returns the two readings of clocks that stand still during a hold. The system does not
// read both clocks at once, so from the first reading on the wall clock is computed from the
// monotonic one, and neither goes back.
func (c *fdebugClockState) still(wall, mono int64) (int64, int64) {
	if c.ahead.Load() == 0 {
		c.ahead.CompareAndSwap(0, wall-mono)
	}
	mono, _ = fdebugStillTime()
	return mono + c.ahead.Load(), mono
}

// begin is called for each reading. The first one determines the shift for a date.
func (c *fdebugClockState) begin(now int64) {
	if c.since.Load() == 0 {
		c.since.CompareAndSwap(0, now)
	}
	if c.date != 0 && atomic.Cas(&c.dated, 0, 1) {
		c.shift.Store(c.date - now)
	}
}

// FdebugClocked reports whether readings of the clock matter.
func FdebugClocked() bool { return fdebugClocked }

// fdebugStale is how far the time of a file may lie before the clock when it is written: one tick
// of the file system's own clock.
const fdebugStale = 20e6

// FdebugFileTime returns the time of a file to show for t, the system's. A file written while the
// program ran gets a time of the program's clock. An older time is from before, and a later one
// was set by the program itself; both are unchanged.
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

// step returns the reading of a coarse wall clock at t. Its ticks are made to coincide with those of
// the monotonic clock, by which timers fire; by themselves the two would never tick together.
func (c *fdebugClockState) step(t, mono int64) int64 {
	g := fdebugGrain
	if g == 0 {
		return t
	}
	t -= fdebugMod(mono, g)
	if c.steps.Load() == 0 {
		c.steps.CompareAndSwap(0, fdebugMod(t, g)+1)
	}
	t += g/2 - (c.steps.Load() - 1) // the two clocks are not read at the same instant
	return t - fdebugMod(t, g)
}

// FdebugOwnTime is called with 1 before package testing reads the clock for its own purposes, and
// with -1 after it.
func FdebugOwnTime(n int8) { getg().fdebug.ownTime += n }

func fdebugMod(t, unit int64) int64 { return (t%unit + unit) % unit }

// fdebugNano replaces the readings of time.Since.
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

// fdebugHoldClock is called with 1 when the plan begins to hold a goroutine, and with -1 when the
// hold ends.
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

// fdebugStillTime returns the reading of a monotonic clock that stands still during holds, and
// how far it is behind. It takes the lock, because a hold may end meanwhile.
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

// fdebugCoarse extends a wait of ns nanoseconds until it is over by a coarse clock.
func fdebugCoarse(ns int64) int64 {
	if ns <= 0 || fdebugGrain == 0 || fdebugInBubble() {
		return ns
	}
	now := nanotime()
	return max(fdebugTick(now+ns)-now, ns)
}

// fdebugTick returns the first tick of a coarse clock at or after t.
func fdebugTick(t int64) int64 {
	if fdebugGrain == 0 || t < 0 || t > maxWhen-fdebugGrain {
		return t
	}
	return t + fdebugMod(-t, fdebugGrain)
}

// fdebugStartClock is called when a test begins. The first one starts at the planned time.
func fdebugStartClock() {
	c := &fdebugClock
	if !fdebugClocked || !atomic.Cas(&c.started, 0, 1) {
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
	fdebugNearly   = 300e3 // nanoseconds to wait without sleeping
	fdebugPunctual = 100e3 // nanoseconds by which a phase may be late
	fdebugAims     = 5     // how many attempts there are
)

// fdebugAwaitPhase holds gp until the wall clock reaches a phase of the unit.
func fdebugAwaitPhase(gp *g, unit, phase int64) {
	for range fdebugAims {
		now := fdebugWall()
		wait := fdebugMod(phase-now, unit)
		if wait > fdebugNearly {
			fdebugHoldG(gp, wait-fdebugNearly, fdebugNoOrder, 0)
		}
		for fdebugWall() < now+wait {
			procyield(10)
		}
		if late := fdebugWall() - (now + wait); late < max(unit/1000, fdebugPunctual) {
			return
		}
	}
}
