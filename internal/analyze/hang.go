package analyze

import (
	"context"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/hang"
	"github.com/fdebug/fdebug/internal/runner"
)

// hangOf says who waited for what in the failing runs of a group, nil if they
// did not hang.
func (an *Analyzer) hangOf(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet) *finding.Hang {
	in := hang.Input{Test: u.Test, Sites: an.Sites, Index: an.loader(ctx)}
	add := func(r runner.UnitRun, failed bool) {
		t, err := traces.get(r.Run)
		if err != nil {
			return // failure has said so
		}
		run := hang.Run{N: r.Run.N, Failed: failed, Trace: t, Wall: r.Run.Wall}
		if failed {
			run.Kind, run.Dump = hangKind(r)
		}
		in.Runs = append(in.Runs, run)
	}
	eachRun(u, g, add)
	return hang.Find(in)
}

// hangKind says whether the process of a failing run ended by hanging, or whether goroutines were left, and which
// goroutines there were then.
func hangKind(r runner.UnitRun) (finding.HangKind, []runner.Dumped) {
	dump, leaks := runner.ParseDump(r.Outcome.Dump), runner.ParseLeaks(r.Outcome.Output)
	switch {
	case r.Status == runner.Timeout:
		return finding.HangTimeout, dump
	case strings.HasPrefix(r.Outcome.Dump, "fatal error: all goroutines are asleep"):
		return finding.HangDeadlock, dump
	case len(dump) == 0 && len(leaks) > 0:
		return finding.HangLeak, leaks
	}
	return "", dump
}
