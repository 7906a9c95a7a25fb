package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// dieWithParent makes the kernel kill the process when this one ends, however it ends: otherwise
// a test that hangs would outlive a killed fdebug. It applies only to the process itself, not to
// those it starts.
//
// For the kernel, the parent is the thread that started the process. A thread of a Go program
// ends only if a goroutine is locked to it, and none is here.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// programsOf returns the processes in a process group that run the given program.
func programsOf(program string, group int) (pids []int) {
	want, err := os.Stat(program)
	if err != nil {
		return nil
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if g, err := syscall.Getpgid(pid); err != nil || g != group {
			continue
		}
		if exe, err := os.Stat(filepath.Join(dir, "exe")); err == nil && os.SameFile(exe, want) {
			pids = append(pids, pid)
		}
	}
	return pids
}
