package runner

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// A command is a process to start.
type command struct {
	Path   string
	Args   []string // without the path
	Dir    string
	Env    []string
	Output *os.File // for stdout and stderr
	// Program is the program that Path starts, as with -exec; "" if Path is the program.
	Program string
	CPUs    float64 // processors' worth of time that it may use, as a quota; 0: all
}

// A process is a started command.
type process interface {
	// Wait waits until the process itself has ended, not for the processes it started. It is
	// called once.
	Wait() (Exit, time.Duration, error) // how it ended, and its CPU time
	// Quit asks for a goroutine dump, which also ends a Go process.
	Quit() error
	// Kill kills the process and the processes it started, even after it has ended itself.
	Kill() error
}

// A starter starts processes. Tests use their own.
type starter func(command) (process, error)

// startProcess is the default starter. Each process leads a process group, and only such groups
// are ever killed.
func startProcess(c command) (process, error) {
	for try := 0; ; try++ {
		cmd := exec.Command(c.Path, c.Args...)
		cmd.Dir, cmd.Env = c.Dir, c.Env
		// One pipe for both keeps their order.
		cmd.Stdout, cmd.Stderr = c.Output, c.Output
		ownGroup(cmd)
		err := cmd.Start()
		if err == nil {
			p := &osProcess{cmd: cmd, program: c.Program, ended: make(chan struct{})}
			if c.CPUs > 0 {
				go limitTime(cmd.Process, c.CPUs, p.ended)
			}
			return p, nil
		}
		if !isBusy(err) || try == 20 {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond << min(try, 4))
	}
}

type osProcess struct {
	cmd     *exec.Cmd
	program string // the program that cmd starts, "" if cmd is the program
	ended   chan struct{}
}

func (p *osProcess) Wait() (Exit, time.Duration, error) {
	err := p.cmd.Wait()
	close(p.ended)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	state := p.cmd.ProcessState
	if state == nil {
		return Exit{Code: -1}, 0, err
	}
	exit := Exit{Code: state.ExitCode(), Signal: signalOf(state)}
	return exit, state.UserTime() + state.SystemTime(), err
}

func (p *osProcess) Quit() error { return askDump(p.cmd.Process, p.program) }

func (p *osProcess) Kill() error { return killGroup(p.cmd.Process) }
