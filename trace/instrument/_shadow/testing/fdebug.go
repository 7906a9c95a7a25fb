//go:build unix

package testing

import (
	"runtime"
	"syscall"
)

// fdebugLimits limits the process when the first test begins, if the plan has a limit.
func fdebugLimits() {
	n := runtime.FdebugFiles()
	if n == 0 {
		return
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		limit.Max = min(limit.Max, uint64(n)) // package syscall raises only the soft limit at its start
		limit.Cur = limit.Max
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	}
}
