package divergence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// An Input has the runs of one test, for one failure signature.
type Input struct {
	Test  string // the smallest flaky test, "TestX/case_3"; "" for what is outside any test
	Runs  []Run  // all runs that failed with the signature, and all that passed
	Sites *trace.Sites
	// Check is where failing runs report their failure, if known. If a run has several failed
	// checks, for example of a test and its subtests, the one made there counts.
	Check trace.Frame
	// Values describes the places at which the traces have values, if any.
	Values []ValueSite
	// Context, if not nil, ends the analysis: once it is done, Analyze returns only its cause. It is checked between
	// steps. Traces of a [trace.Opener] with the same context end a step that reads them.
	Context context.Context
}

// Errors of Analyze.
var (
	ErrNoFailing = errors.New("divergence: no failing run to compare")
	ErrNoPassing = errors.New("divergence: no passing run to compare with")
	ErrNoSites   = errors.New("divergence: no sites table")
)

const (
	maxChain = 5 // divergences of the chain
)

// An analysis is the state of one call of Analyze.
type analysis struct {
	in            Input
	cohort        cohort
	code          *code
	classes       []class
	lanes         []*lane
	evidenceTable *evidenceTable
	checks        []failedCheck // by run
	shown         []*finding    // those in out.Chain
	lost          bool          // content that was needed was not kept
	out           *Analysis
}

// Analyze compares the failing with the passing runs of a test.
func Analyze(in Input) (*Analysis, error) {
	out, err := analyze(in)
	if ended := in.ended(); ended != nil { // unreadable parts may have been skipped
		return nil, fmt.Errorf("divergence: %s: %w", in.Test, ended)
	}
	return out, err
}

// ended returns why the analysis must not go on.
func (in *Input) ended() error {
	if in.Context == nil || in.Context.Err() == nil {
		return nil
	}
	return context.Cause(in.Context)
}

func analyze(in Input) (*Analysis, error) {
	a, err := newAnalysis(in)
	if err != nil {
		return nil, err
	}
	for _, l := range a.lanes {
		err := in.ended()
		if err == nil {
			err = a.compare(l)
		}
		if err != nil {
			return nil, fmt.Errorf("divergence: %s: %w", in.Test, err)
		}
	}
	if err := a.buildChain(a.findings()); err != nil {
		return nil, fmt.Errorf("divergence: %s: %w", in.Test, err)
	}
	a.concurrent()
	a.finished()
	a.values()
	a.out.Earlier, a.out.Before, a.out.Left = a.earlier(), a.blocksBefore(), a.left()
	a.warn()
	return a.out, nil
}

func newAnalysis(in Input) (*analysis, error) {
	if in.Sites == nil {
		return nil, ErrNoSites
	}
	// Ties are resolved by run numbers, not by the order of the argument.
	in.Runs = slices.Clone(in.Runs)
	slices.SortStableFunc(in.Runs, func(a, b Run) int { return a.N - b.N })
	a := &analysis{in: in, cohort: newCohort(in.Runs), code: newCode(in.Sites), out: &Analysis{}}
	switch {
	case a.cohort.nFail == 0:
		return nil, ErrNoFailing
	case a.cohort.nPass == 0:
		return nil, ErrNoPassing
	}
	a.evidenceTable = newEvidenceTable(&a.cohort)
	a.checks = make([]failedCheck, len(in.Runs))
	m := newMatcher(in.Test, len(in.Runs))
	for i, r := range in.Runs {
		if r.Failed {
			a.out.Failing = append(a.out.Failing, r.N)
		} else {
			a.out.Passing = append(a.out.Passing, r.N)
		}
		if r.Trace == nil {
			return nil, fmt.Errorf("divergence: run %d has no trace", r.N)
		}
		m.add(i, r.Trace)
	}
	a.lanes, a.classes = m.order(), m.classes
	return a, nil
}

// compare enters the differences between failing and passing runs on one lane into the evidence table.
func (a *analysis) compare(l *lane) error {
	fails, failRuns := l.in(a.cohort.fail)
	passes, passRuns := l.in(a.cohort.pass)
	if len(fails) == 0 {
		return nil
	}
	t := newTrie(passes, passRuns)
	points := make([]point, len(fails))
	for i, g := range fails {
		points[i] = t.leave(g, -1)
		if points[i].err != nil {
			return a.inRun(failRuns[i], points[i].err)
		}
		if l.background {
			continue
		}
		if err := a.findCheck(l, failRuns[i], points[i].pos); err != nil {
			return a.inRun(failRuns[i], err)
		}
	}
	if len(passes) == 0 {
		return nil
	}
	loo, err := a.leaveOneOut(l, t)
	if err != nil {
		return err
	}
	if a.settled(l, len(passes), failRuns, points, loo) {
		return nil
	}
	return a.walk(l)
}

// inRun adds to err which run it is about.
func (a *analysis) inRun(run int, err error) error {
	return fmt.Errorf("run %d: %w", a.in.Runs[run].N, err)
}

// walk compares all streams of a lane at once, skipping noise.
func (a *analysis) walk(l *lane) error {
	w := &walker{lane: l, code: a.code, evidenceTable: a.evidenceTable, members: make([]*member, len(l.streams))}
	a.evidenceTable.recent = a.evidenceTable.recent[:0]
	var ms []*member
	for i, g := range l.streams {
		if g == nil {
			continue
		}
		m := &member{cursor: newCursor(g), run: i, failed: a.in.Runs[i].Failed}
		if c := a.checks[i]; c.cuts(l) {
			m.end, m.cut = c.cut[l], true
		}
		m.limit = m.end
		w.members[i] = m
		ms = append(ms, m)
	}
	w.walk(ms, &callStack{code: a.code})
	a.lost = a.lost || w.lost
	return w.err
}
