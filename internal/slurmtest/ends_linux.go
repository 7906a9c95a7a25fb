package slurmtest

import (
	"os"
	"syscall"
)

// endsWithUs has a process end with this one, and in a session of its own: what Slurm
// signals is groups of processes, and none of them may be ours.
func endsWithUs(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Pdeathsig, attr.Setsid = syscall.SIGKILL, true
	return attr
}

// alone has a process end with all that it has started, which is in a space of its own
// then; only root may have that.
func alone() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
}
