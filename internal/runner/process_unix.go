//go:build unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a process group, so that it can be killed together
// with the processes it started, and nothing else.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// killGroup kills a process that was started with [ownGroup] and those it started. The group may
// outlive its leader; the id stays in use until then.
func killGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// movesFiles reports whether the go command renames a finished binary to its place.
const movesFiles = true

// stepBack lowers the priority of a process's group, so that it mostly runs when others are idle.
func stepBack(p *os.Process) { syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, 10) }

// askDump asks a Go process to print its goroutines and exit. If another command started the
// program, as with -exec, the signal goes straight to the program: the other command may not
// forward it, or may die from it.
func askDump(p *os.Process, program string) error {
	asked := false
	for _, pid := range programsOf(program, p.Pid) {
		asked = syscall.Kill(pid, syscall.SIGQUIT) == nil || asked
	}
	if asked {
		return nil
	}
	return p.Signal(syscall.SIGQUIT)
}

// signalOf returns the name of the signal that ended a process, or "" if none did.
func signalOf(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}

// isBusy reports whether starting a program failed because a process briefly still has it open
// for writing: see go.dev/issue/22315.
func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }
