//go:build go1.26

package runtime

// fdebugLeaks notes which goroutines can never go on, unless it would take more than some 0.3 s of processor time to
// find them.
func fdebugLeaks() {
	if fdebugTooMuch() || !fdebugKeepGarbage() {
		return
	}
	goroutineLeakGC()
	fdebugNoteLeaks()
}

// fdebugNoteLeaks notes which goroutines were found.
func fdebugNoteLeaks() {
	forEachGRace(func(gp *g) {
		if readgstatus(gp)&^_Gscan == _Gleaked {
			gp.fdebug.note(fdebugActStuck, int64(gp.goid))
		}
	})
}

// fdebugWaiting is the status that checkdead is to see. It takes a process in which each goroutine was found to wait
// for ever for one without goroutines, and the deadlock for another failure.
func fdebugWaiting(status uint32) uint32 {
	if status&^_Gscan == _Gleaked {
		return _Gwaiting
	}
	return status
}

// fdebugCollect collects garbage, and finds which goroutines can never go on unless that takes long.
func fdebugCollect() {
	if raceenabled || fdebugTooMuch() {
		GC()
	} else {
		goroutineLeakGC()
	}
}

func fdebugTooMuch() bool {
	return gcount(false) > 1000 || gcController.heapLive.Load() > 256<<20
}

// fdebugKeepGarbage makes the goroutines that run finalizers and cleanups look busy for ever, so that none wakes: to
// close a connection that was lost would end the wait of a test. It reports false if one of them is at work.
func fdebugKeepGarbage() bool {
	if fingStatus.Load()&fingRunningFinalizer != 0 || gcCleanups.running.Load() > 0 {
		return false
	}
	fingStatus.And(^uint32(fingWait))
	gcCleanups.asleep.Store(0)
	gcCleanups.ng.Store(maxCleanupGs())
	return true
}

// fdebugSearch finds whether the tests under way can never go on, though others do. What waits for a timer now may
// end the process then, so that comes first.
func fdebugSearch() {
	w := &fdebugWatch
	if w.settled == 0 {
		w.settled = max(fdebugLastTimer(), 1)
	}
	switch {
	case raceenabled || fdebugTooMuch() || !fdebugTestsWait():
		return
	case nanotime() < w.settled:
		w.search = w.settled + fdebugLookEvery
		return
	}
	goroutineLeakGC()
	stw := stopTheWorld(stwAllGoroutinesStack)
	systemstack(func() { w.hangs = fdebugTestsHang() })
	startTheWorld(stw)
}

// fdebugTestsWait reports whether each test waits for other goroutines, and none for anything outside: the
// finalizers that the search runs could end such a wait.
func fdebugTestsWait() bool {
	wait := !netpollAnyWaiters()
	forEachGRace(func(gp *g) {
		switch s := readgstatus(gp) &^ _Gscan; {
		case s == _Gsyscall:
			wait = false
		case s != _Gidle && s != _Gdead && fdebugTests(gp):
			wait = wait && (s == _Gwaiting || s == _Gleaked) && fdebugForOthers(gp.waitreason.String())
		}
	})
	return wait
}

// fdebugTests reports whether gp is the main goroutine, or runs a test.
func fdebugTests(gp *g) bool {
	return gp.goid == 1 || fdebugOf(funcname(findfunc(gp.startpc)), "testing.")
}

// fdebugLastTimer returns when the last of the timers fires that run now, besides that of -test.timeout.
func fdebugLastTimer() (last int64) {
	lock(&allpLock)
	for _, pp := range allp {
		pp.timers.lock()
		for _, tw := range pp.timers.heap {
			if t := tw.timer; t != fdebugWatch.alarm && t.astate.Load()&timerZombie == 0 {
				last = max(last, tw.when)
			}
		}
		pp.timers.unlock()
	}
	unlock(&allpLock)
	return last
}

// fdebugTestsHang reports whether a test can never go on, and each other one waits for one that is under way. The
// world is stopped, after a search.
func fdebugTestsHang() (hangs bool) {
	others := false
	forEachGRace(func(gp *g) {
		if !fdebugTests(gp) {
			return
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Gidle, _Gdead:
		case _Gleaked:
			hangs = true
		case _Gwaiting:
			others = others || !fdebugWaitsInTesting(gp)
		default:
			others = true
		}
	})
	return hangs && !others
}

// fdebugWaitsInTesting reports whether package testing itself waits in gp: for a test, or for its turn.
func fdebugWaitsInTesting(gp *g) bool {
	var u unwinder
	for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
		iu, uf := newInlineUnwinder(u.frame.fn, u.symPC())
		for ; uf.valid(); uf = iu.next(uf) {
			if name := iu.srcFunc(uf).name(); !fdebugOf(name, "runtime.") {
				return fdebugOf(name, "testing.")
			}
		}
	}
	return false
}
