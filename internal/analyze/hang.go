package analyze

import (
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/hang"
	"github.com/fdebug/fdebug/internal/runner"
)

// hangOf says who waited for what in the failing runs of a group, nil if they
// did not hang.
func (an *Analyzer) hangOf(u *runner.Unit, g *runner.Group, traces *traceSet) *finding.Hang {
	in := hang.Input{Test: u.Test, Sites: an.Sites, Index: an.load}
	add := func(r runner.UnitRun, failed bool) {
		t, err := traces.get(r.Run)
		if err != nil {
			return // failure has said so
		}
		run := hang.Run{N: r.Run.N, Failed: failed, Trace: t, Wall: r.Run.Wall}
		if failed {
			run.Kind, run.Dump = hangKind(r), runner.ParseDump(r.Outcome.Dump)
		}
		in.Runs = append(in.Runs, run)
	}
	for _, r := range g.Runs {
		add(r, true)
	}
	for _, r := range u.Runs {
		if r.Status == runner.Passed {
			add(r, false)
		}
	}
	return hang.Find(in)
}

// hangKind says whether the process of a failing run ended by hanging.
func hangKind(r runner.UnitRun) finding.HangKind {
	switch {
	case r.Status == runner.Timeout:
		return finding.HangTimeout
	case strings.HasPrefix(r.Outcome.Dump, "fatal error: all goroutines are asleep"):
		return finding.HangDeadlock
	}
	return ""
}
