package sync

import "runtime"

//fdebug:try goroutines are started where WaitGroup.Go is called, from Go 1.25 on
//fdebug:patch sync/waitgroup.go func (wg *WaitGroup) Go(f func()) {{+ f = fdebugGo(f);+}

// fdebugGo makes the goroutine that a WaitGroup starts a child of the statement that calls its method Go: all that it
// starts would be of one place otherwise.
func fdebugGo(f func()) func() {
	if f == nil {
		return f
	}
	var c runtime.FdebugChild
	c.Spawn(2, f)
	return func() {
		c.Adopt(false)
		f()
	}
}
