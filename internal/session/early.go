package session

import (
	"context"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
)

// If the rounds of many packages go on for minutes, experiments with a test that has failed and
// passed often enough begin beside them. What few runs suggest would be tried in vain, so
// experiments wait for as many runs as recording values aims at, or for all runs of the package,
// which goes ahead of the others meanwhile.

// worthwhile is how long runs must still take for experiments to begin beside them.
const worthwhile = 30 * time.Second

// observe notes a run, and begins experiments if they waited only for this run.
func (j *Session) observe(ctx context.Context, r *runner.Runner, e *runner.Event) {
	if e.Kind != runner.RunDone || e.Packages < 2 || !j.canExperiment() {
		return
	}
	x := j.shown()
	p := x.runs[e.Package]
	if p == nil {
		p = &runner.Package{Target: r.Packages[e.Index-1]}
		x.runs[e.Package] = p
	}
	p.Traced, p.Plain = e.Traced, e.Plain
	if e.Run.Control {
		p.Controls = append(p.Controls, e.Run)
	} else {
		p.Runs = append(p.Runs, e.Run)
	}
	if e.Left > worthwhile && !x.early[e.Package] && j.ripe(p) {
		x.early[e.Package] = true
		runs := &runner.Results{Started: p.Runs[0].Started, N: j.N, Elapsed: ranFor(p), Packages: []*runner.Package{{
			Target: p.Target, Traced: p.Traced, Plain: p.Plain, Runs: clones(p.Runs), Controls: clones(p.Controls),
		}}}
		x.running.Go(func() { j.experimentEarly(ctx, runs) })
	}
}

// clones copies runs, because their failures are explained again when all are made.
func clones(list []*runner.Run) (out []*runner.Run) {
	for _, run := range list {
		out = append(out, run.Clone())
	}
	return out
}

// ripe reports whether a test of a package has passed and failed often enough.
func (j *Session) ripe(p *runner.Package) bool {
	return slices.ContainsFunc(p.Runs, (*runner.Run).Failed) &&
		slices.ContainsFunc(p.Units(), func(u *runner.Unit) bool {
			return u.Test != "" && u.Flaky() &&
				(u.Failed >= enoughFailing && u.Passed >= enoughPassing || len(p.Runs) == j.N)
		})
}

// experimentEarly compares the runs of a package so far, and experiments with its flaky tests.
func (j *Session) experimentEarly(ctx context.Context, runs *runner.Results) {
	an := j.Analyzer("")
	comparing, cancel := j.Budget.Comparing(ctx)
	defer cancel()
	if result, err := an.Result(comparing, runs); err == nil {
		x := j.experiments(an, result, runs)
		x.line.FoundOnly = true
		x.all(ctx)
	}
}
