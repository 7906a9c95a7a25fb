package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// maxStarted is how many processes that a test starts are compared.
const maxStarted = 8

// A started is a process that a test starts from its own binary, as it is found again in other
// runs: the nth that ran a test first.
type started struct {
	test string // "" if it ran none, but only what TestMain does
	nth  int
}

// compareStarted compares the processes that a test starts as its own process is compared. Nothing
// tells which test of a run has started one. Those of other tests differ by chance.
func (an *Analyzer) compareStarted(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet,
	f *finding.Failure) error {
	runs := make(map[started][]divergence.Run)
	eachRun(u, g, func(r runner.UnitRun, failed bool) {
		for p, t := range number(traces.started(r.Run)) {
			runs[p] = append(runs[p], divergence.Run{N: r.Run.N, Failed: failed, Trace: t})
		}
	})
	list := slices.SortedFunc(maps.Keys(runs), func(a, b started) int {
		return cmp.Or(cmp.Compare(a.test, b.test), a.nth-b.nth)
	})
	for _, p := range list[:min(len(list), maxStarted)] {
		a, err := divergence.Analyze(divergence.Input{Test: p.test, Runs: runs[p], Sites: an.Sites, Context: ctx})
		switch {
		case errors.Is(err, divergence.ErrNoFailing), errors.Is(err, divergence.ErrNoPassing):
			continue
		case err != nil:
			return fmt.Errorf("comparing the processes that %s starts: %w", u.Test, err)
		}
		x := &finding.Failure{Signature: f.Signature, Runs: f.Runs, Analysis: a}
		x.Orders = an.ordersOf(ctx, x)
		f.Started = append(f.Started, x)
	}
	return nil
}

// number gives the processes of a run, in the order of their start, names that other runs have too.
func number(list []*trace.Trace) map[started]*trace.Trace {
	named := make(map[started]*trace.Trace)
	for _, t := range list {
		var p started
		if len(t.Tests) > 0 {
			p.test = trace.TopTest(t.Tests[0].Name)
		}
		for named[p] != nil {
			p.nth++
		}
		named[p] = t
	}
	return named
}

// suspectStarted adds to the places of a failure the best one in each process that its test starts.
func (an *Analyzer) suspectStarted(ctx context.Context, f *finding.Failure) {
	for _, x := range f.Started {
		in := an.scene(ctx, x)
		in.Test = &finding.Test{}
		f.Suspects = diagnose.WithStarted(f.Suspects, diagnose.Find(in))
	}
}
