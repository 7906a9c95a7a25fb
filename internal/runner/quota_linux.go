package runner

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// CanLimit reports whether [limitTime] works here.
const CanLimit = true

// processTime returns the processor time that a process has used. The clock's number is made from
// the process's, as clock_getcpuclockid(3) does.
func processTime(p *os.Process) (time.Duration, error) {
	var ts unix.Timespec
	const cpuClockSched = 2
	err := unix.ClockGettime(int32(^p.Pid)<<3|cpuClockSched, &ts)
	return time.Duration(ts.Nano()), err
}

// stopGroup stops a process started with [ownGroup] and those it started, or lets them go on.
func stopGroup(p *os.Process, stopped bool) {
	sig := syscall.SIGCONT
	if stopped {
		sig = syscall.SIGSTOP
	}
	syscall.Kill(-p.Pid, sig)
}
