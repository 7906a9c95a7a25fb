//go:build go1.26

package runtime

// fdebugLeaks notes which goroutines can never go on, unless it would take more than some 0.3 s of processor time to
// find them.
func fdebugLeaks() {
	if gcount(false) > 1000 || gcController.heapLive.Load() > 256<<20 || !fdebugKeepGarbage() {
		return
	}
	goroutineLeakGC()
	forEachGRace(func(gp *g) {
		if readgstatus(gp)&^_Gscan == _Gleaked {
			gp.fdebug.note(fdebugActLeak, int64(gp.goid))
		}
	})
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
