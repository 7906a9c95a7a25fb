package analyze

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A traceSet opens the traces of one package's runs, each once.
type traceSet struct {
	dir    string
	open   map[int]*trace.Trace   // by number of the run; nil if it could not be read
	more   map[int][]*trace.Trace // of the processes that tests of the run have started
	opener trace.Opener
}

// newTraceSet returns the traces in a run directory. They can't be read any more once
// the context is done.
func newTraceSet(ctx context.Context, dir string) *traceSet {
	return &traceSet{dir: dir, open: make(map[int]*trace.Trace), more: make(map[int][]*trace.Trace),
		opener: trace.Opener{Context: ctx}}
}

var errNoTrace = errors.New("no trace was recorded")

// get returns the trace of a run's test process.
func (s *traceSet) get(r *runner.Run) (*trace.Trace, error) {
	if t, ok := s.open[r.N]; ok {
		if t == nil {
			return nil, errNoTrace
		}
		return t, nil
	}
	s.open[r.N] = nil
	if len(r.Traces) == 0 {
		return nil, errNoTrace
	}
	t, err := s.opener.Open(filepath.Join(s.dir, r.Traces[0]))
	if err != nil {
		return nil, err
	}
	s.open[r.N] = t
	return t, nil
}

// started returns the traces of the processes that tests of a run have started from their own
// binary, in the order of their start. Those that can't be read are left out.
func (s *traceSet) started(r *runner.Run) []*trace.Trace {
	if list, ok := s.more[r.N]; ok || len(r.Traces) < 2 {
		return list
	}
	var list []*trace.Trace
	for _, name := range r.Traces[1:] {
		if t, err := s.opener.Open(filepath.Join(s.dir, name)); err == nil {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *trace.Trace) int { return a.PID - b.PID })
	s.more[r.N] = list
	return list
}

// events returns the length of a test's part of a run's trace.
func (s *traceSet) events(r *runner.Run, test string) int64 {
	t, err := s.get(r)
	if err != nil {
		return 0
	}
	var n int64
	for _, g := range t.GoroutinesOf(test) {
		n += g.Len()
	}
	return n
}

// close gives back the traces, and the memory that they take: findings keep single goroutines, which keep the set.
func (s *traceSet) close() {
	for _, t := range s.open {
		if t != nil {
			t.Close()
		}
	}
	for _, list := range s.more {
		for _, t := range list {
			t.Close()
		}
	}
	s.open, s.more = nil, nil
}
