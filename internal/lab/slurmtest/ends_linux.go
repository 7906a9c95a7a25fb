package slurmtest

import (
	"os"
	"syscall"
)

// endsWithUs makes a process end with this one, in a session of its own, because Slurm signals
// process groups, and none of them may be ours.
func endsWithUs(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Pdeathsig, attr.Setsid = syscall.SIGKILL, true
	return attr
}

// alone makes a process end with everything that it has started, in a namespace of its own. Only
// root can do that.
func alone() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
}
