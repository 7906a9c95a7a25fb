package session

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// An experimentJob makes experiments with the flaky tests of a run, to find out what makes them
// fail.
type experimentJob struct {
	*valueJob
	an    *analyze.Analyzer
	line  *HuntProgress
	shown *shown
}

// A shown holds the results of a session's experiments, during the rounds and after them.
type shown struct {
	mu    sync.Mutex
	kept  int // how many replay files were written
	found []analyze.TestVerdict
	begun map[string]bool // tests, "PACKAGE TEST"

	// During the rounds: the runs so far, and the packages whose tests are being experimented
	// with.
	running sync.WaitGroup
	runs    map[string]*runner.Package
	early   map[string]bool
}

// shown returns the results of the session's experiments.
func (j *Session) shown() *shown {
	if j.evidence == nil {
		j.evidence = &shown{begun: make(map[string]bool), runs: make(map[string]*runner.Package),
			early: make(map[string]bool)}
	}
	return j.evidence
}

// add adds results.
func (s *shown) add(list ...analyze.TestVerdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, list...)
}

// begin reports whether to make experiments with a test: whether none have begun.
func (s *shown) begin(t *target) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := t.Pkg.ImportPath + " " + t.Name
	was := s.begun[key]
	s.begun[key] = true
	return !was
}

// makeExperiments perturbs the flaky tests, beginning with what the comparison suggests, and
// keeps the results, with those of earlier experiments. It only adds to the result: if it fails,
// it just says so.
func (j *Session) makeExperiments(ctx context.Context, an *analyze.Analyzer, result *finding.Result,
	runs *runner.Results) {
	if !j.canExperiment() {
		return
	}
	if ctx.Err() != nil {
		j.shown().add(j.notBegun(ctx, runs)...)
	} else {
		j.experiments(an, result, runs).all(ctx)
	}
	j.shown().running.Wait()
	j.Clear()
	os.RemoveAll(filepath.Join(j.Dir, experimentsDir)) // traces of single runs
	j.keepVerdicts(an, j.shown().found)
}

const experimentsDir = "experiments"

// canExperiment reports whether the runtime with probes can be perturbed, and the user wants
// that.
func (j *Session) canExperiment() bool {
	return j.Plan.Shadow != nil && j.Plan.Std == "" && j.Experiments != 0
}

func (j *Session) experiments(an *analyze.Analyzer, result *finding.Result, runs *runner.Results) *experimentJob {
	v := &valueJob{Session: j, result: result, runs: runs, dir: filepath.Join(j.Dir, experimentsDir)}
	return &experimentJob{valueJob: v, an: an, line: &HuntProgress{Console: j.Console}, shown: j.shown()}
}

// keepVerdicts keeps what experiments have shown, if anything.
func (j *Session) keepVerdicts(an *analyze.Analyzer, list []analyze.TestVerdict) {
	if len(list) == 0 {
		return
	}
	if err := an.Keep(list); err != nil {
		j.Warnf("what experiments have shown is not kept: %v", err)
	}
}

// notBegun notes for the flaky tests without experiments that ctx ended before any began.
func (j *Session) notBegun(ctx context.Context, runs *runner.Results) (list []analyze.TestVerdict) {
	interrupted := exit.IsInterrupted(ctx)
	for _, t := range FlakyTests(runs) {
		if !j.shown().begin(t) {
			continue
		}
		list = append(list, analyze.TestVerdict{Package: t.Pkg.ImportPath, Test: t.Name,
			Tried: &finding.Tried{Test: t.Name, Interrupted: interrupted, CutOff: !interrupted, Budget: !interrupted}})
	}
	return list
}

// all makes experiments with all tests, in parallel for different packages, because tests of one
// package share what is outside their processes.
func (x *experimentJob) all(ctx context.Context) {
	lanes := x.lanes(ctx)
	var running sync.WaitGroup
	for _, l := range lanes {
		running.Go(func() {
			if err := l.find(ctx); err != nil && ctx.Err() == nil {
				x.Warnf("experiments: %v", err)
			}
		})
	}
	running.Wait()
}

// A lane is a list of tests whose experiments follow one another. Each has its share of the time;
// what one does not need is left for the next.
type lane struct {
	*experimentJob
	tests  []*target
	until  time.Time
	extra  time.Duration // beyond that, for a test close to a verdict
	budget bool          // whether the budget determines the end
}

// lanes divides the tests, by package, among as many lanes as there are slots.
func (x *experimentJob) lanes(ctx context.Context) []*lane {
	var list []*lane
	of := make(map[string]*lane)
	for _, t := range x.targets() {
		if !x.shown.begin(t) {
			continue
		}
		if err := x.prepare(ctx, t); err != nil {
			x.Warnf("experiments with %s: %v", t.Name, err)
			continue
		}
		l := of[t.Pkg.ImportPath]
		switch {
		case l != nil:
		case len(list) < max(x.Beside, 1):
			l = &lane{experimentJob: x}
			list = append(list, l)
		default:
			l = slices.MinFunc(list, func(a, b *lane) int { return len(a.tests) - len(b.tests) })
		}
		of[t.Pkg.ImportPath] = l
		l.tests = append(l.tests, t)
	}
	for _, l := range list {
		l.until, l.extra, l.budget = x.laneEnd(l.tests)
	}
	return list
}

// find makes the experiments of a lane.
func (l *lane) find(ctx context.Context) error {
	var list []*experiment.Experimenter
	for _, t := range l.tests {
		list = append(list, t.exp)
	}
	limit := max(0, time.Until(l.until.Add(l.extra))) / time.Duration(max(len(list), 1))
	share := &experiment.Share{Until: l.until, Extra: l.extra,
		Begin: func(e *experiment.Experimenter, atMost time.Duration) {
			l.Progressf("experimenting with %s for %s", e.Test, sliceWords(atMost, e.Grace))
		}}
	results, err := share.Find(ctx, list)
	for i, t := range l.tests {
		l.note(ctx, t, results[i], limit)
		if results[i] == nil {
			continue
		}
		l.shown.add(otherwise(t, results[i].Findings)...)
		for _, f := range results[i].Findings {
			if err := l.keep(ctx, t, f); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
	}
	return err
}

// otherwise returns how perturbed runs of a test failed in other ways than those that were
// recorded or explained, by the test or subtest that failed.
func otherwise(t *target, found []*experiment.Finding) (list []analyze.TestVerdict) {
	for _, x := range t.exp.Log.Failures(t.Name) {
		shown := slices.ContainsFunc(found, func(f *experiment.Finding) bool { return x.Is(f.Sig) })
		if shown || x.Plain.Failed > 0 || slices.ContainsFunc(t.Fail, x.Is) {
			continue
		}
		c, sig := x.Made(), x.Signature
		sig.Message = cmp.Or(text.FirstLine([]byte(x.Message)), sig.Message) // with the numbers that it had
		list = append(list, analyze.TestVerdict{
			Package: t.Pkg.ImportPath, Test: cmp.Or(x.Signature.Test, t.Name),
			Otherwise: []analyze.Otherwise{{Signature: sig.String(), Failed: c.Failed}},
		})
	}
	return list
}

// sliceWords says how long the experiments with a test may take: longer if something was provoked
// that is still to be confirmed.
func sliceWords(slice, grace time.Duration) string {
	text := "about " + slice.Round(time.Second).String()
	if grace = grace.Round(time.Second); grace > 0 {
		text += fmt.Sprintf(", or %v more if it fails in them", grace)
	}
	return text
}

// note keeps how far the experiments with a test came; res is nil if they never began.
func (l *lane) note(ctx context.Context, t *target, res *experiment.Result, limit time.Duration) {
	interrupted := exit.IsInterrupted(ctx)
	if res != nil && res.NotRun || res == nil && time.Now().Before(l.until) && !interrupted {
		return
	}
	tried := finding.Tried{Limit: limit, Budget: l.budget, Interrupted: interrupted}
	tried.Test, tried.Runs, tried.Took = t.Name, t.exp.Runs(), t.exp.Took()
	tried.Complete = res != nil && res.Complete
	tried.CutOff = !tried.Complete && !interrupted && !time.Now().Before(l.until)
	l.shown.add(analyze.TestVerdict{Package: t.Pkg.ImportPath, Test: t.Name, Tried: &tried})
}

// A target is a top-level test to experiment with.
type target struct {
	Name string
	Pkg  *runner.Package
	Fail []runner.Signature // how it failed in the runs
	lab  *Lab
	exp  *experiment.Experimenter
}

// targets returns the top-level tests that can be experimented with.
func (x *experimentJob) targets() []*target {
	return slices.DeleteFunc(FlakyTests(x.runs), func(t *target) bool { return t.Pkg.Traced == nil })
}

// FlakyTests returns the top-level tests that both passed and failed.
func FlakyTests(runs *runner.Results) []*target {
	var list []*target
	byName := make(map[string]*target)
	for _, p := range runs.Packages {
		for _, u := range p.Units() {
			if u.Test == "" || !u.Flaky() {
				continue
			}
			key := p.ImportPath + " " + trace.TopTest(u.Test)
			t := byName[key]
			if t == nil {
				t = &target{Name: trace.TopTest(u.Test), Pkg: p}
				byName[key] = t
				list = append(list, t)
			}
			for _, g := range u.Groups {
				t.Fail = append(t.Fail, g.Signature)
			}
		}
	}
	return list
}

// prepare makes a target ready for experiments.
func (x *experimentJob) prepare(ctx context.Context, t *target) (err error) {
	if t.lab, err = x.LabOf(t.Pkg, x.dir); err != nil {
		return err
	}
	t.exp = t.lab.Experimenter(t.Name, rand.Uint64(), x.line)
	t.exp.Natural, t.exp.Recorded = t.Fail, analyze.Recorded(t.Pkg, t.Name)
	t.exp.Hints = append(t.exp.Hints, x.an.Hints(x.result, t.Pkg.ImportPath, t.Name)...)
	t.exp.Confirming, t.exp.OfSuite = t.lab.Confirming, x.Sel.Run == "" && x.Sel.Skip == "" || t.Pkg.Wholes() > 0
	if t.exp.AsksForOrder() {
		t.exp.Tests = t.lab.TestNames(ctx, "^Test")
	}
	return x.narrow(ctx, t)
}

// keep writes the replay file of a finding and notes its verdict.
func (x *experimentJob) keep(ctx context.Context, t *target, f *experiment.Finding) error {
	r := t.lab.Proof(t.exp, f)
	left := x.pollution(ctx, t, f)
	x.shown.mu.Lock()
	defer x.shown.mu.Unlock()
	x.shown.kept++
	name := text.DirName(path.Base(t.Pkg.ImportPath)+"."+cmp.Or(f.Sig.Test, f.Test)) + "-" +
		fmt.Sprint(x.shown.kept) + proof.Suffix
	x.an.Explain(ctx, r)
	if err := r.WriteFile(filepath.Join(x.Session.Dir, name)); err != nil {
		return err
	}
	v := finding.Verdict{Proof: *r, Pollution: left}
	v.Proof.Replay = x.Session.Show(filepath.Join(x.Store.Dir, "latest", name))
	x.shown.found = append(x.shown.found, analyze.TestVerdict{
		Package: t.Pkg.ImportPath, Test: cmp.Or(f.Sig.Test, f.Test),
		Verdicts: []finding.Verdict{v},
	})
	return nil
}
