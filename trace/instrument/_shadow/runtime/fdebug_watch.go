package runtime

// A run that can never go on is ended, as if its time was up: with a dump of its goroutines, by SIGQUIT. sysmon looks
// for two cases. Nothing goes on: each goroutine waits for another one, and neither a timer nor anything outside, such
// as the end of a system call, can wake one. Then garbage is collected once, because a finalizer may wake one too. Or
// others go on, and the run has taken long: then a collection finds the goroutines that can never go on.

//fdebug:lost a run that hangs is known only by the time it takes
//fdebug:patch runtime/proc.go func sysmon() { ... lock(&sched.sysmonlock){+; fdebugLook()+}
//fdebug:patch runtime/proc.go func sysmon() { ... sleep := forcegcperiod / 2{+; sleep = fdebugNap(sleep)+}
//fdebug:patch runtime/proc.go goparkunlock(&forcegc.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1){+;
//	fdebugAsked()+}
//fdebug:patch runtime/proc.go func checkdead() { ... s := readgstatus(gp){+; s = fdebugWaiting(s)+}
//fdebug:patch testing/testing.go func (m *M) startAlarm() ... {+runtime.FdebugAlarm(m.timer); +}return deadline

const (
	fdebugLookEvery = 10e6 // nanoseconds
	fdebugMostNap   = 50e6 // how long sysmon sleeps while all wait

	fdebugAskCollect = 1
	fdebugAskSearch  = 2
)

// fdebugWatch is the state of the search for waits that never end. sysmon writes it, and the goroutine forcegc.g while
// it carries out a request.
var fdebugWatch struct {
	on        bool
	hangs     bool   // whether the run can never go on
	began     int64  // when the trace was opened
	look      int64  // when sysmon looks next
	search    int64  // when it next asks for the goroutines that can never go on
	settled   int64  // when all timers of the first search have fired, 0 before it
	asked     uint32 // the request to forcegc.g
	collected uint64 // the fdebugDone before the last collection
	alarm     *timer // that of -test.timeout
}

// fdebugForeign says that C was called, except by the standard library: C can have threads that call Go.
var fdebugForeign bool

// fdebugStartWatch begins to watch this process, if FDEBUG_WATCH says after how many nanoseconds to search.
func fdebugStartWatch() {
	if after := fdebugNumber(gogetenv("FDEBUG_WATCH")); after > 0 {
		w := &fdebugWatch
		w.began = nanotime()
		w.search = w.began + int64(after)
		w.on = true
	}
}

// FdebugAlarm tells the timer of -test.timeout, a *time.Timer. No test waits for it.
func FdebugAlarm(t any) {
	fdebugWatch.alarm = &(*timeTimer)(efaceOf(&t).data).timer
}

// fdebugNap returns how long sysmon sleeps, given how long it would.
func fdebugNap(ns int64) int64 {
	if fdebugWatch.on {
		return min(ns, fdebugMostNap)
	}
	return ns
}

// fdebugLook is called in each round of sysmon, which has no processor.
func fdebugLook() {
	w := &fdebugWatch
	if !w.on || fdebugForeign || !forcegc.idle.Load() {
		return
	}
	now := nanotime()
	if now < w.look {
		return
	}
	w.look = now + fdebugLookEvery
	done := fdebugDone()
	switch {
	case w.hangs, done != 0 && done == w.collected:
		fdebugNoteLeaks()
		fdebugSetFlag(fdebugRawHangs)
		fdebugQuit()
	case done != 0:
		w.collected = done
		fdebugAsk(fdebugAskCollect)
	case now >= w.search:
		w.search = now + (now - w.began)
		fdebugAsk(fdebugAskSearch)
	}
}

// fdebugAsk lets forcegc.g run, as sysmon does when there was no collection for long.
func fdebugAsk(what uint32) {
	fdebugWatch.asked = what
	lock(&forcegc.lock)
	forcegc.idle.Store(false)
	var list gList
	list.push(forcegc.g)
	injectglist(&list)
	unlock(&forcegc.lock)
}

// fdebugAsked is called when forcegc.g has begun to run.
func fdebugAsked() {
	w := &fdebugWatch
	switch w.asked {
	case fdebugAskCollect:
		fdebugCollect()
	case fdebugAskSearch:
		fdebugSearch()
	}
	w.asked = 0
}

// fdebugDone returns a hash of all that goroutines have done, if each waits for another one and nothing else can wake
// one; 0 if not. While the lock is held, nothing begins to run.
func fdebugDone() (done uint64) {
	lock(&sched.lock)
	if sched.npidle.Load() == gomaxprocs && !sched.gcwaiting.Load() && sched.runq.empty() &&
		!netpollAnyWaiters() && !fdebugTimersRun() {
		done = fdebugAllWait()
	}
	unlock(&sched.lock)
	return done
}

// fdebugTimersRun reports whether a timer will fire, besides that of -test.timeout.
func fdebugTimersRun() bool {
	for _, pp := range allp {
		for _, tw := range pp.timers.heap {
			if t := tw.timer; t != fdebugWatch.alarm && t.astate.Load()&timerZombie == 0 {
				return true
			}
		}
	}
	return false
}

func fdebugAllWait() uint64 {
	done := uint64(1)
	all, n := atomicAllG()
	for i := range n {
		gp := atomicAllGIndex(all, i)
		switch readgstatus(gp) &^ _Gscan {
		case _Gidle, _Gdead:
			continue
		case _Grunnable, _Grunning, _Gsyscall, _Gcopystack, _Gpreempted:
			return 0
		}
		switch own := gp.fdebug.id == 0; {
		case own && !fdebugOf(funcname(findfunc(gp.startpc)), "runtime.run"): // as those that finalize are called
			continue
		case !own && !fdebugForOthers(gp.waitreason.String()):
			return 0
		}
		done = fdebugMix(fdebugMix(done, gp.goid), gp.fdebug.wait.times)
	}
	return done
}

// fdebugForOthers reports whether only another goroutine can end a wait for this reason.
func fdebugForOthers(reason string) bool {
	for _, begins := range [...]string{"chan ", "selec", "semac", "sync", "corou"} {
		if fdebugOf(reason, begins) {
			return true
		}
	}
	return false
}
