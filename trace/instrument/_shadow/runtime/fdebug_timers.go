package runtime

// Timers: when they fire. Those of a bubble of testing/synctest fire exactly on time.

//fdebug:lost what the clock says, and when timers fire, cannot be varied
//fdebug:patch runtime/netpoll.go func poll_runtime_pollSetDeadline(pd *pollDesc, d int64, mode int) {{+
//	d = fdebugDeadline(d);+}
//fdebug:patch time/sleep.go func when(d Duration) int64 { ... t := runtimeNano() + int64(d){+;
//	t = runtime.FdebugTimer(t)+}

// FdebugTimer returns when a timer fires that was set to t.
func FdebugTimer(t int64) int64 {
	if fdebugSet[fdebugActTimer] || fdebugGrain != 0 || fdebugStill {
		return fdebugTimer(t)
	}
	return t
}

func fdebugTimer(t int64) int64 {
	if fdebugInBubble() {
		return t
	}
	by := fdebugLateness()
	if fdebugStill && fdebugClock.standsFor(fdebugAsker(fdebugActClock)) { // it was set by the clock that stood still
		_, behind := fdebugStillTime()
		by += behind
	}
	if t < maxWhen-by {
		t += by
	}
	return fdebugTick(t)
}

// fdebugDeadline returns in how many nanoseconds a connection's deadline expires that was set to
// ns.
func fdebugDeadline(ns int64) int64 {
	if ns <= 0 || !fdebugSet[fdebugActTimer] && fdebugGrain == 0 {
		return ns
	}
	if by := fdebugLateness(); ns < maxWhen-by {
		ns += by
	}
	return fdebugCoarse(ns)
}

// fdebugLateness returns how late a timer of the calling goroutine fires.
func fdebugLateness() int64 {
	if !fdebugSet[fdebugActTimer] {
		return 0
	}
	block := fdebugAsker(fdebugActTimer)
	if block == 0 {
		return 0
	}
	by, _ := fdebugFindSetting(fdebugActTimer, fdebugTimerLate, block)
	return by
}
