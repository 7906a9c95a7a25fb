//go:build !unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
)

func ownGroup(*exec.Cmd) {}

// killGroup kills a process and, as far as they can be found, the ones it
// started.
func killGroup(p *os.Process) error {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	return p.Kill()
}

const movesFiles = false // they are copied: a binary may be there in part

// stepBack does nothing: a go command has all it can get here.
func stepBack(*os.Process) {}

// askDump would ask for a goroutine dump, but there is no SIGQUIT here.
func askDump(*os.Process, string) error { return errors.ErrUnsupported }

func signalOf(*os.ProcessState) string { return "" }

func isBusy(error) bool { return false }
