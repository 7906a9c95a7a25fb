package inject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A result is how a run of a test binary ended.
type result string

const (
	passed result = "passed"
	failed result = "failed"
	hung   result = "did not end"
)

// A binary is a test binary and how it is run.
type binary struct {
	path  string
	dir   string // of the package
	args  []string
	limit time.Duration // when a run is ended
	tmp   string        // for what the tests leave in TMPDIR
}

// run runs it once, in its own process group.
func (b *binary) run(ctx context.Context) result {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.path, b.args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+b.tmp, "PWD="+b.dir)
	group(cmd)
	err := cmd.Run()
	switch {
	case err == nil:
		return passed
	case ctx.Err() != nil:
		return hung
	}
	return failed
}

// command runs a command in a module and returns its output.
func (l *lab) command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = l.environ(dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	group(cmd)
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out := append(bytes.TrimSpace(stderr.Bytes()), bytes.TrimSpace(stdout.Bytes())...)
		err = fmt.Errorf("%s %s: %w: %s", name, args[0], err, out[:min(len(out), 400)])
	}
	return stdout.String(), err
}

// environ is the environment of go commands: a module's own go.mod is used, and may be completed.
func (l *lab) environ(dir string) []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "GOTOOLCHAIN=local", "PWD="+dir)
}

func median(list []time.Duration) time.Duration {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}
