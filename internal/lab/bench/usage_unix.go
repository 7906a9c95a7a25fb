//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the peak resident memory of a process.
func peakOf(state *os.ProcessState) int64 {
	u, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
