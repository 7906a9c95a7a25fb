package analyze

import (
	"context"

	"github.com/fdebug/fdebug/internal/crash"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// crashOf says who else had to do with the panic, or fatal error, that the runs of a
// group ended with, or who ended their processes; nil if that is not known.
func (an *Analyzer) crashOf(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet,
	f *finding.Failure) *finding.Crash {
	in := crash.Input{Test: u.Test, Message: f.Message, Frame: f.Frame, Sites: an.Sites, Index: an.loader(ctx)}
	in.Exited = g.Runs[0].Status == runner.Crashed && f.Dump == ""
	add := func(r runner.UnitRun, failed bool) {
		t, err := traces.get(r.Run)
		if err != nil {
			return // failure has said so
		}
		run := crash.Run{Failed: failed, Trace: t}
		if failed {
			run.Dump = runner.ParseDump(r.Outcome.Dump)
		}
		in.Runs = append(in.Runs, run)
	}
	eachRun(u, g, add)
	if g.Runs[0].Status == runner.Timeout {
		return nil // its dump begins with whoever runs
	}
	return crash.Find(in)
}
