package replay

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
)

// debugger is the program that [Job.Debug] starts.
const debugger = "dlv"

// have returns an error if there is no such program, with how to get it.
func have(program, install string) error {
	if _, err := exec.LookPath(program); err != nil {
		return advice.With(fmt.Errorf("%s: no such command", program), install)
	}
	return nil
}

// debug starts one more run in the debugger, on the user's terminal, until the user ends it. It
// stops where the proof says, and at the failed check.
func (j *Job) debug(ctx context.Context, re *experiment.Retrial) (int, error) {
	script := filepath.Join(j.Work, "debug.dlv")
	if err := os.WriteFile(script, []byte(j.stops(re)), 0o600); err != nil {
		return exit.Trouble, err
	}
	cmd, err := j.lab.Command(ctx, j.r.Test, &re.Trials[0], debugger, "exec",
		"--allow-non-terminal-interactive=true", "--init", script)
	if err != nil {
		return exit.Trouble, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return exit.Trouble, fmt.Errorf("starting %s: %w", debugger, err)
	}
	signal.Ignore(os.Interrupt) // it is the debugger's: it stops the test
	defer signal.Reset(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		return exit.Trouble, fmt.Errorf("%s: %w", debugger, err)
	}
	return exit.OK, nil
}

// stops returns the commands that the debugger begins with. In code that has changed it stops where
// something is done: the other lines of the proof have moved.
func (j *Job) stops(re *experiment.Retrial) string {
	var at []string
	stop := func(file string, line int) {
		text := fmt.Sprintf("break %s:%d", filepath.Join(j.Plan.Sites.Root, filepath.FromSlash(file)), line)
		if file != "" && !slices.Contains(at, text) {
			at = append(at, text)
		}
	}
	if re.Same {
		for _, span := range j.r.Where() {
			stop(span.File, span.Start)
		}
		stop(j.r.Signature.File, j.r.Signature.Line)
	} else {
		for _, a := range re.Trials[0].Plan.Acts {
			if span, ok := j.Plan.Sites.Pos(int(a.At.Block)); ok && !a.Everywhere() {
				stop(span.File, span.Start)
			}
		}
	}
	return strings.Join(append(at, "continue"), "\n") + "\n"
}
