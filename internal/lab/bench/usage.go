package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// A usage is what a process used, including the processes it waited for.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // resident memory, in bytes; 0 if unknown
}

// A process is a command to measure.
type process struct {
	args []string
	dir  string
	env  []string // added to this process's environment
	// failing accepts exit status 1, the status of failing tests.
	failing bool
}

// run runs the process and returns its usage and output.
//
// On Linux a process begins with the peak memory of its parent, whose memory it shares until it
// executes another program. So measurements of memory must come from a small process: each table
// has its own.
func (p process) run(ctx context.Context) (usage, []byte, error) {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	u := usage{wall: time.Since(start)}
	if exit := (*exec.ExitError)(nil); p.failing && errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return u, out, fmt.Errorf("%v: %w\n%s", p.args, err, out)
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.peak = peakOf(cmd.ProcessState)
	return u, out, nil
}

// took returns the measured time, in seconds.
func (b *bench) took(u usage) float64 {
	if b.cpu {
		return u.cpu.Seconds()
	}
	return u.wall.Seconds()
}
