package runner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fdebug/fdebug/trace"
)

// rawDir holds raw trace files until they are compacted. Package store has the name too.
const rawDir = "raw"

// rawFiles are the raw trace files of a session. A file that was read is kept for a later run,
// whose process then finds its pages in memory.
type rawFiles struct {
	dir     string // absolute, because processes have other working directories
	recycle func(raw string) error
	most    int // how many spare files are kept

	mu    sync.Mutex
	spare []string
	made  int // spare files so far, for their names
}

func newRawFiles(dir string, recycle func(string) error, most int) (*rawFiles, error) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &rawFiles{dir: dir, recycle: recycle, most: most}, os.MkdirAll(dir, 0o777)
}

// begin returns the path of the raw trace of a run. The name is never used again, because a
// process left behind by an earlier run must not write to it.
func (f *rawFiles) begin(name string) string {
	raw := filepath.Join(f.dir, name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.spare); n > 0 {
		os.Rename(f.spare[n-1], raw) // if it fails, the process creates a file
		f.spare = f.spare[:n-1]
	}
	return raw
}

// of returns the raw trace file of a run, and those of the processes that the test started from
// its own binary, whose names end with a process id.
func (f *rawFiles) of(raw string) []string {
	var files []string
	if _, err := os.Stat(raw); err == nil {
		files = append(files, raw)
	}
	entries, _ := os.ReadDir(f.dir) // sorted, and without patterns
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(raw)+".") {
			files = append(files, filepath.Join(f.dir, e.Name()))
		}
	}
	return files
}

// end removes the files of a run, or keeps one for a later run. The run's processes must have
// ended.
func (f *rawFiles) end(raw string) {
	if raw == "" {
		return
	}
	for _, file := range f.of(raw) {
		if file != raw || !f.keep(raw) {
			os.Remove(file)
		}
	}
}

// keep reports whether the file is kept.
func (f *rawFiles) keep(raw string) bool {
	f.mu.Lock()
	f.made++
	spare := filepath.Join(f.dir, fmt.Sprintf("spare-%d", f.made))
	full := len(f.spare) >= f.most
	f.mu.Unlock()
	if full || f.recycle == nil || f.recycle(raw) != nil || os.Rename(raw, spare) != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spare = append(f.spare, spare)
	return true
}

// noTrace warns about a missing trace, unless there was nothing to trace.
func (r *Run) noTrace() {
	if !r.noTests {
		r.warn("the process left no trace: it ended before one began, or the disk is full")
		r.DiskFull = true
	}
}

// compact replaces the raw trace files of a run with stored ones. If a trace is lost, the outcome
// is still useful.
func (p *packageRun) compact(run *Run, raw string) {
	defer p.s.raw.end(raw)
	files := p.s.raw.of(raw)
	if !slices.Contains(files, raw) {
		run.noTrace()
	} else if began, err := trace.Began(raw); err == nil && !began.IsZero() {
		run.Started = began // the test's readings of the clock follow from this one
	}
	dir := path.Join("traces", slug(p.index, p.pkg.ImportPath))
	if err := os.MkdirAll(filepath.Join(p.s.r.Dir, dir), 0o777); err != nil {
		run.warn("trace lost: %v", err)
		return
	}
	for i, file := range files {
		name := fmt.Sprintf("%04d.trace", run.N)
		if file != raw {
			name = fmt.Sprintf("%04d-%d.trace", run.N, i)
		}
		err := p.s.r.Compact(file, filepath.Join(p.s.r.Dir, dir, name))
		switch {
		case errors.Is(err, trace.ErrEmpty):
			run.noTrace()
		case err != nil:
			run.warn("trace lost: %v", err)
		default:
			run.Traces = append(run.Traces, path.Join(dir, name))
		}
	}
}
