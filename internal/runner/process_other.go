//go:build !unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
)

func ownGroup(*exec.Cmd) {}

// killGroup kills a process and, as far as they can be found, the ones it started.
func killGroup(p *os.Process) error {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	return p.Kill()
}

const movesFiles = false // they are copied, so a binary may be incomplete

// stepBack does nothing: a go command gets normal priority here.
func stepBack(*os.Process) {}

// askDump always fails: this system has no SIGQUIT.
func askDump(*os.Process, string) error { return errors.ErrUnsupported }

func signalOf(*os.ProcessState) string { return "" }

func isBusy(error) bool { return false }
