package analyze

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A traceSet opens the traces of one package's runs, each once.
type traceSet struct {
	dir    string
	open   map[int]*opened // by number of the run
	opener trace.Opener
}

// An opened is a trace, or why it could not be read.
type opened struct {
	*trace.Trace
	path string
	err  error
	told bool // somebody was told of err
}

// newTraceSet returns the traces in a run directory. They can't be read any more once
// the context is done.
func newTraceSet(ctx context.Context, dir string) *traceSet {
	return &traceSet{dir: dir, open: make(map[int]*opened), opener: trace.Opener{Context: ctx}}
}

var errNoTrace = errors.New("no trace was recorded")

// get returns the trace of a run's test process.
func (s *traceSet) get(r *runner.Run) (*trace.Trace, error) {
	if err := context.Cause(s.opener.Context); err != nil {
		return nil, err
	}
	x := s.open[r.N]
	if x == nil {
		x = &opened{err: errNoTrace}
		if len(r.Traces) > 0 {
			x.path = filepath.Join(s.dir, r.Traces[0])
			x.Trace, x.err = s.opener.Open(x.path)
		}
		s.open[r.N] = x
	}
	return x.Trace, x.err
}

// tell reports whether nobody was told yet that the trace of a run could not be read.
func (s *traceSet) tell(r *runner.Run) bool {
	x := s.open[r.N]
	told := x.told
	x.told = true
	return !told
}

// leaveOut reports whether an error is of a damaged trace. Events are checked as they are read, so it comes while
// traces are compared. From then on the trace is one that could not be read.
func (s *traceSet) leaveOut(err error) bool {
	var in *fs.PathError
	if !errors.Is(err, trace.ErrDamaged) || !errors.As(err, &in) {
		return false
	}
	for _, x := range s.open {
		if x.path == in.Path && x.Trace != nil {
			x.Close()
			x.Trace, x.err = nil, in
			return true
		}
	}
	return false
}

// close gives back the traces, and the memory that they take: findings keep single goroutines, which keep the set.
func (s *traceSet) close() {
	for _, x := range s.open {
		if x.Trace != nil {
			x.Close()
		}
	}
	s.open = nil
}
