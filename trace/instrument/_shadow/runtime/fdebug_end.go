package runtime

import "internal/runtime/atomic"

// The end of a process that fails. Once its tests are over, or time is up, it finds the goroutines that nothing can
// wake. That takes a moment. Others that try to end the process meanwhile wait, so it cannot change the outcome.

//fdebug:lost goroutines that can never go on are not found when a run ends
//fdebug:patch runtime/proc.go func os_beforeExit(exitCode int) {{+ fdebugExit(exitCode);+}
//fdebug:patch runtime/panic.go func fatalpanic(msgs *_panic) {{+ fdebugDie();+}
//fdebug:patch runtime/panic.go func maps_fatal(s string) {{+ fdebugDie();+}
//fdebug:patch testing/testing.go m.stopAlarm(){+; runtime.FdebugTested()+}
//fdebug:patch testing/testing.go debug.SetTraceback("all"){+; runtime.FdebugTimeUp()+}

var fdebugEnd struct {
	tested bool          // whether all tests are over
	by     atomic.Uint64 // number of the goroutine that ends the process, 0 if none does
}

// FdebugTested is called when all tests are over.
func FdebugTested() { fdebugEnd.tested = true }

// FdebugTimeUp is called when the tests took too long.
func FdebugTimeUp() { fdebugLast() }

// fdebugExit is called by os.Exit.
func fdebugExit(code int) {
	fdebugDie()
	switch {
	case code == 0:
		fdebugLinger()
	case fdebugEnd.tested:
		fdebugLast()
	}
}

// fdebugDie is called by a goroutine that is about to end the process.
func fdebugDie() {
	gp := getg()
	if by := fdebugEnd.by.Load(); by != 0 && by != gp.goid && gp.m.curg == gp {
		block()
	}
}

// fdebugLast looks for goroutines that can never go on. A process that another one of the same run started does not:
// its parent may wait for it.
func fdebugLast() {
	f := &fdebugFile
	if f.first && f.state.Load() == fdebugOn && !raceenabled && fdebugEnd.by.CompareAndSwap(0, getg().goid) {
		fdebugLeaks()
	}
}
