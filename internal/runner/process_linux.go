package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// dieWithParent has the process killed when this one ends, however it does: a
// test that hangs would otherwise outlive a killed fdebug. It holds for the
// process itself only, not for what that starts.
//
// The system's parent is the thread that started it. Threads of a Go program
// end only with a goroutine that is locked to one, and here there is none.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// programsOf returns the processes of a group that run a program.
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
