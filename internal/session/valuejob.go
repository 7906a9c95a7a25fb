package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/values"
	"github.com/fdebug/fdebug/trace/instrument"
)

const (
	// enoughFailing and enoughPassing are how many runs of each outcome are aimed at. With fewer,
	// nothing could be distinguished from chance. Because the share of failures varies, there may
	// be only a third of them.
	enoughFailing = 15
	enoughPassing = 15

	maxValued = 3 // in how many ways a test fails for which values are recorded
)

// A valueJob is the second, targeted build and its runs.
type valueJob struct {
	*Session
	result *finding.Result
	runs   *runner.Results // of the first build
	dir    string
	// without reports tests that are left out; nil for none.
	without func(*finding.Test) bool
}

// RecordValues runs the tests of a result, which were run alone, n more times with a build that records values, up to a
// time.
func (j *Session) RecordValues(ctx context.Context, an *analyze.Analyzer, result *finding.Result, runs *runner.Results,
	n int, until time.Time) {
	if len(j.inside) > 0 { // that build has its positions inside of statements
		return
	}
	own := *j
	own.N, own.Budget = n, Budget{Began: j.Budget.Began, Whole: until.Sub(j.Budget.Began)}
	v := &valueJob{Session: &own, result: result, runs: runs}
	if names := v.flaky(); own.Sel.Run == "" && !slices.Contains(names, "") {
		own.Sel.Run = PatternOf(names)
	}
	own.recordValues(ctx, an, result, runs)
}

// recordValues runs the flaky tests some more times, with a build that records values. It only
// adds to the result: if it fails, it just says so.
func (j *Session) recordValues(ctx context.Context, an *analyze.Analyzer, result *finding.Result,
	runs *runner.Results) {
	v := &valueJob{Session: j, result: result, runs: runs, dir: filepath.Join(j.Dir, analyze.ValuesDir)}
	if !j.Values || ctx.Err() != nil || j.Plan.Std != "" {
		return
	}
	if err := v.record(ctx, an); err != nil && !exit.IsInterrupted(ctx) {
		j.Warnf("values are not recorded: %v", err)
		result.Warnings = append(result.Warnings, fmt.Sprintf("values are not recorded: %v", err))
		result.NoTimeForValues = errors.Is(err, exit.ErrSpent)
		os.RemoveAll(v.dir)
	}
}

func (v *valueJob) record(ctx context.Context, an *analyze.Analyzer) error {
	building, cancel := v.building(ctx)
	defer cancel()
	in := v.input(building, an)
	if len(in.Failures) == 0 {
		return nil
	}
	if !v.Builds() {
		return errors.New("a bundle can't contain the build for this, which depends on the runs")
	}
	r, err := v.build(building, in)
	if building.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("the tests that record them were still being built: %w", v.Budget.spent())
	}
	if r == nil || err != nil {
		return err
	}
	defer v.Clear()
	r.Report = v.tell
	if err = v.runFlaky(ctx, r); err != nil && !r.Deadline.IsZero() && time.Now().After(r.Deadline) {
		return v.Budget.spent()
	}
	return err
}

// building returns the context for the steps before the runs.
func (v *valueJob) building(ctx context.Context) (context.Context, context.CancelFunc) {
	if end := v.Budget.Late(); !end.IsZero() {
		return context.WithDeadline(ctx, end)
	}
	return context.WithCancel(ctx)
}

// build chooses the values to record, and returns the runner of a build that does so, or nil if
// there are none.
func (v *valueJob) build(ctx context.Context, in values.Input) (*runner.Runner, error) {
	v.Phasef("choosing what to record")
	choice, err := values.Choose(in)
	if err != nil || len(choice.Probes) == 0 {
		return nil, err
	}
	plan, err := v.prepare(choice)
	if err != nil {
		return nil, err
	}
	return v.newValueRunner(ctx, plan)
}

// input gathers the input of the choice of places: the most frequent failures of each flaky test
// that was compared.
func (v *valueJob) input(ctx context.Context, an *analyze.Analyzer) values.Input {
	in := values.Input{Source: func(pkgs []string) *source.Index { return an.Load(ctx, pkgs) }, Sites: v.Plan.Sites}
	for _, t := range v.result.Tests {
		n := 0
		for _, f := range t.Failures {
			if !wasCompared(f) {
				continue
			}
			if n++; n > maxValued {
				break
			}
			in.Failures = append(in.Failures, values.Failure{
				Chain: f.Analysis.Chain, Stacks: f.Stacks, Frame: f.Frame, Died: f.Died(),
				Run: analyze.Functions(v.Plan.Sites, analyze.Blocks(ctx, v.Session.Dir, v.Plan.Sites, v.runs, t, f)),
			})
		}
	}
	return in
}

// prepare instruments the packages again, with the places chosen.
func (v *valueJob) prepare(choice *values.Choice) (*instrument.Plan, error) {
	plan, err := v.Plan.WithValues(filepath.Join(v.Work, "values"), choice.Probes)
	if err != nil {
		return nil, err
	}
	if len(plan.Sites.Blocks) != len(v.Plan.Sites.Blocks) {
		return nil, instrument.ErrChanged
	}
	if err := os.MkdirAll(v.dir, 0o777); err != nil {
		return nil, err
	}
	data, err := json.Marshal(choice.Sites)
	if err != nil {
		return nil, err
	}
	return plan, os.WriteFile(filepath.Join(v.dir, analyze.ValuesName), data, 0o666)
}

// newValueRunner returns a runner for the packages with flaky tests, or nil if none of them can
// be built.
func (v *valueJob) newValueRunner(ctx context.Context, plan *instrument.Plan) (*runner.Runner, error) {
	first := v.Plan
	v.Plan = plan
	defer func() { v.Plan = first }()
	r, err := v.newRunner(filepath.Join(v.Work, "values-bin"))
	if err != nil {
		return nil, err
	}
	r.Plain.Vet = "off"
	r.Dir, r.Controls, r.N, r.Deadline = v.dir, 0, v.enough(), v.Budget.Late()
	r.Packages = r.Packages[:0]
	for _, p := range v.runs.Packages {
		if p.Plain != nil {
			r.Plain.Built = append(r.Plain.Built, p.Plain)
		}
	}
	for _, p := range v.packages() {
		// Without a traced binary the runner would run the plain one instead.
		built, err := r.Traced.Test(ctx, p)
		if err != nil {
			if ctx.Err() == nil {
				v.Warnf("values of %s are not recorded: %v", p.ImportPath, err)
			}
			continue
		}
		r.Traced.Built = append(r.Traced.Built, built)
		r.Packages = append(r.Packages, p)
	}
	if len(r.Packages) == 0 || ctx.Err() != nil {
		return nil, nil
	}
	return r, nil
}

// packages returns the packages with tests that were compared.
func (v *valueJob) packages() []runner.Target {
	var list []runner.Target
	for _, p := range v.runs.Packages {
		if slices.ContainsFunc(v.result.Tests, func(t *finding.Test) bool {
			return t.Package == p.ImportPath && v.takes(t)
		}) {
			list = append(list, p.Target)
		}
	}
	return list
}

// takes reports whether a test was compared and is not left out.
func (v *valueJob) takes(t *finding.Test) bool {
	return compared(t) && (v.without == nil || !v.without(t))
}

func wasCompared(f *finding.Failure) bool { return f.Analysis != nil && len(f.Analysis.Chain) > 0 }

func compared(t *finding.Test) bool {
	return slices.ContainsFunc(t.Failures, wasCompared)
}

// enough returns how many runs to make: as many as it took to see enough runs of each outcome,
// for the test that took longest.
func (v *valueJob) enough() int {
	n := 1
	for _, t := range v.result.Tests {
		if !compared(t) {
			continue
		}
		failing, passing, need := 0, 0, v.N
		for i, r := range t.Runs {
			if r.Status.Failing() {
				failing++
			} else if r.Status == finding.Passed {
				passing++
			}
			if failing >= enoughFailing && passing >= enoughPassing {
				need = i + 1
				break
			}
		}
		n = max(n, need)
	}
	return min(n, v.N)
}
