package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace"
)

const (
	traceBudget = 256 << 20 // the same as in fdebug run
	linesBudget = 2 << 30   // for comparing lines, which needs all events
)

// A side is a package's test binary with or without probes.
type side struct {
	suite  *suite
	build  *runner.Build
	dir    string
	traced bool
	budget int64 // of a trace, in bytes

	bin    *runner.Binary
	runs   int
	first  time.Duration // wall time of the first run
	events int64         // in the trace of the first run
}

func (o *side) make(ctx context.Context, target runner.Target) (err error) {
	o.bin, err = o.build.Test(ctx, target)
	return err
}

// run executes the binary once, with only the named tests if there are any. If something is wrong
// with the trace, that is an outcome of the package itself.
func (o *side) run(ctx context.Context, alone []string) (*runner.Run, error) {
	run, hit, err := o.execute(ctx, alone)
	if err != nil {
		return nil, err
	}
	if o.runs++; o.runs == 1 {
		o.first, o.events = run.Wall, hit.events
	}
	if hit.err != nil {
		run.Outcomes = append(run.Outcomes,
			&runner.Outcome{Test: "(trace)", Status: runner.Failed, Message: hit.err.Error()})
	}
	return run, nil
}

// execute executes the binary and reads the trace, if it makes one.
func (o *side) execute(ctx context.Context, alone []string) (*runner.Run, hits, error) {
	x := o.suite.exec(o.bin)
	if len(alone) > 0 {
		x.Select.Run = "^(" + strings.Join(alone, "|") + ")$"
	}
	if o.traced {
		x.Trace, x.TraceBudget = filepath.Join(o.dir, "trace"), o.budget
	}
	run, err := x.Run(ctx)
	if err != nil || !o.traced {
		return run, hits{}, err
	}
	defer removeTraces(x.Trace)
	return run, readHits(o.suite.plan.Sites, x.Trace), nil
}

// removeTraces removes a trace file, those of processes that the test started from its own
// binary, and the files of a plan.
func removeTraces(name string) {
	for _, f := range store.Glob(filepath.Dir(name), filepath.Base(name)+"*") {
		removeAll(f)
	}
}

// removeAll removes a file, or a directory that may contain write-protected ones.
func removeAll(name string) {
	if os.RemoveAll(name) == nil {
		return
	}
	filepath.WalkDir(name, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(name)
}

// hits has what a traced run reached.
type hits struct {
	blocks []bool // by block number
	events int64
	cut    bool  // the budget was too small to know all blocks
	err    error // the trace is invalid
}

func readHits(sites *trace.Sites, name string) (h hits) {
	t, err := trace.ReadRaw(name)
	if errors.Is(err, fs.ErrNotExist) {
		return hits{blocks: make([]bool, len(sites.Blocks))} // no probe was reached
	} else if err != nil {
		return hits{err: err}
	}
	defer t.Close()
	if strings.Contains(t.Truncated, "damaged") {
		return hits{err: errors.New(t.Truncated)}
	}
	counts, lost, err := sites.Counts(t.Goroutines)
	if err != nil {
		return hits{err: err}
	}
	h.blocks, h.cut, h.events = make([]bool, len(counts)), lost > 0, lost
	for i, n := range counts {
		h.blocks[i] = n > 0
		h.events += n
	}
	return h
}

func firstLine(err error) string {
	line, rest, _ := strings.Cut(err.Error(), "\n")
	if next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n"); next != "" {
		line = fmt.Sprintf("%s %s", line, next)
	}
	return line
}
