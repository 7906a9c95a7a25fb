package runtime

// What outlives a test: variables of the environment, files, the working directory and ports. Who changes one notes what
// was there, and so does who looks at one that another test has changed. Names do not leave the process, and states
// as hashes with a salt that does not.

// fdebugLeft has what tests have changed, and which one did so last. The lock of the trace file guards it.
var fdebugLeft struct {
	salt    uint64
	n       int
	changed [1024]struct{ id, by uint64 }
}

const (
	FdebugLooks, FdebugChanges                   = fdebugTouchLooks, fdebugTouchChanges
	FdebugEnv, FdebugFile, FdebugDir, FdebugPort = fdebugTouchEnv, fdebugTouchFile, fdebugTouchDir, fdebugTouchPort
)

// FdebugTouches reports whether it may matter that the calling goroutine touches something.
func FdebugTouches(use int) bool {
	return (use&FdebugChanges != 0 || fdebugLeft.n > 0) && fdebugNoter(fdebugActLeft) != nil
}

// FdebugTouch notes that the calling goroutine is about to touch a thing in some state.
func FdebugTouch(use, thing int, name, state uint64) {
	d, l := fdebugNoter(fdebugActLeft), &fdebugLeft
	if d == nil {
		return
	}
	salt, stack := bootstrapRand(), fdebugStack(1)
	fdebugLock()
	if l.salt == 0 {
		l.salt = salt
	}
	i, id := 0, fdebugMix(name, uint64(thing))
	for i < l.n && l.changed[i].id != id {
		i++
	}
	if i < len(l.changed) && (use&FdebugChanges != 0 || i < l.n && l.changed[i].by != d.testKey) {
		was := fdebugMix(state, l.salt) >> 42
		d.noteLocked(fdebugActLeft, int64(was<<42|uint64(i)<<32|uint64(stack)<<4|uint64(thing)<<2|uint64(use)))
	}
	if i < len(l.changed) && use&FdebugChanges != 0 {
		l.changed[i].id, l.changed[i].by, l.n = id, d.testKey, max(l.n, i+1)
	}
	fdebugUnlock()
}
