//go:build go1.26

package runtime

// fdebugLeaks notes which goroutines can never go on, unless it would take more than some 0.3 s of processor time to
// find them.
func fdebugLeaks() {
	if gcount(false) > 1000 || gcController.heapLive.Load() > 256<<20 {
		return
	}
	goroutineLeakGC()
	forEachGRace(func(gp *g) {
		if readgstatus(gp)&^_Gscan == _Gleaked {
			gp.fdebug.note(fdebugActLeak, int64(gp.goid))
		}
	})
}
