//go:build unix

package kernels

import (
	"syscall"
	"time"
)

// cpuTime returns the time that all threads of the process have used.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
