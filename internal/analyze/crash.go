package analyze

import (
	"context"

	"github.com/fdebug/fdebug/internal/crash"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// crashOf says who else had to do with the panic, or fatal error, that the runs of a
// group ended with, or who ended their processes; nil if that is not known.
func (an *Analyzer) crashOf(ctx context.Context, g *runner.Group, traces *traceSet, f *finding.Failure) *finding.Crash {
	if g.Runs[0].Status == runner.Timeout {
		return nil // its dump begins with whoever runs
	}
	in := crash.Input{Message: f.Message, Frame: f.Frame, Sites: an.Sites, Index: an.loader(ctx)}
	in.Exited = g.Runs[0].Status == runner.Crashed && f.Dump == ""
	for _, r := range g.Runs {
		if t, err := traces.get(r.Run); err == nil { // failure says so otherwise
			in.Runs = append(in.Runs, crash.Run{Trace: t, Dump: runner.ParseDump(r.Outcome.Dump)})
		}
	}
	return crash.Find(in)
}
