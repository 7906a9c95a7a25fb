package time

import "runtime"

//fdebug:lost goroutines started by timers have no known parent
//fdebug:patch time/sleep.go func AfterFunc(d Duration, f func()) *Timer {{+ f = fdebugAfterFunc(f);+}

// fdebugAfterFunc makes the goroutine that a timer will start a child of the goroutine that set
// the timer. Timers fire from the scheduler, where no parent is known.
func fdebugAfterFunc(f func()) func() {
	if f == nil {
		return f
	}
	var c runtime.FdebugChild
	c.Spawn(2, f)
	return func() {
		c.Adopt(true)
		f()
	}
}
