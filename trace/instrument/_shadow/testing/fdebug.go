package testing

import (
	"runtime"
	"syscall"
)

// fdebugLimits limits the process when the first test begins, if there is a limit.
func fdebugLimits() {
	n := runtime.FdebugFiles()
	if n == 0 {
		return
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		limit.Cur = min(limit.Max, uint64(n))
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	}
}
