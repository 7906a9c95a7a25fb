//go:build unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a process group, so that it can be
// killed together with what it started, and nothing else with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// killGroup kills a process that was started with [ownGroup] and what it
// started. The group may outlive its leader, whose id stays taken until then.
func killGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// movesFiles reports whether the go command puts a binary in its place whole, by renaming it.
const movesFiles = true

// stepBack has the group of a process run when others have nothing to do, more or less.
func stepBack(p *os.Process) { syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, 10) }

// askDump asks a Go process to print its goroutines and exit. If another command has started the
// program, as with -exec, the program is asked itself: that command may pass no signal on, or end
// of it.
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

// signalOf returns the name of the signal that ended a process, "" if none did.
func signalOf(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}

// isBusy reports the error of starting a program that a process somewhere
// still has open for writing, for an instant: see go.dev/issue/22315.
func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }
