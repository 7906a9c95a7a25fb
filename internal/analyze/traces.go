package analyze

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A traceSet opens the traces of one package's runs, each once.
type traceSet struct {
	dir    string
	open   map[int]*trace.Trace // by number of the run; nil if it could not be read
	opener trace.Opener
}

// newTraceSet returns the traces in a run directory. They can't be read any more once
// the context is done.
func newTraceSet(ctx context.Context, dir string) *traceSet {
	return &traceSet{dir: dir, open: make(map[int]*trace.Trace), opener: trace.Opener{Context: ctx}}
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

func (s *traceSet) close() {
	for _, t := range s.open {
		if t != nil {
			t.Close()
		}
	}
}
