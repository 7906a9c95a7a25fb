package hunt

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

// A sight is a failure that was seen, and the test in which it was.
type sight struct {
	*session.Sight
	test *Test
}

func (p *Test) sight(x *experiment.Failure) *sight {
	return &sight{&session.Sight{Failure: x, Lab: p.Lab, Test: p.Name}, p}
}

// seen returns the failures seen that have runs to compare, first those that came with nothing perturbed. A test that
// needs others has none of its own.
func (j *Hunt) seen() (list []*sight) {
	for _, p := range j.Tests {
		if j.needsOthers(p) {
			continue
		}
		for _, x := range p.seen() {
			if len(x.Kept) > 0 {
				list = append(list, p.sight(x))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *sight) int { return session.TrueFirst(a.ByItself(), b.ByItself()) })
	return list
}

// seen returns the unexplained failures of the test, but not the one after other tests if that has a verdict. If a test
// always fails, only failures with nothing perturbed count.
func (p *Test) seen() []*experiment.Failure {
	if !p.alone() {
		return nil
	}
	always := p.Result != nil && p.Result.Plain.Failed > 0 && p.Result.Plain.Failed == p.Result.Plain.Of
	return slices.DeleteFunc(session.Unexplained(p.Search, p.Result), func(x *experiment.Failure) bool {
		return p.order != nil && p.order.Verdict != proof.None && x.Is(p.order.Sig) || always && x.Plain.Failed == 0
	})
}

// mostValued is how many runs record values of rare failures.
const mostValued = 500

// enoughFor is how many runs it takes for each failure that came by itself to come some times again; 0 if none did.
func enoughFor(seen []*sight) (n int) {
	for _, x := range seen {
		if s := x.In(); x.ByItself() {
			n = max(n, 5*s.All().Of/s.All().Failed)
		}
	}
	return min(n, mostValued)
}

// seenOn returns the verdicts for the pages of failures that were seen: how often, and the experiments tried.
func (j *Hunt) seenOn(seen []*sight) (list []analyze.TestVerdict) {
	for _, x := range seen {
		list = append(list, x.Told(), analyze.TestVerdict{Package: x.Lab.Target.ImportPath, Test: x.test.Name,
			Tried: x.test.tried(j)})
	}
	return list
}

// tried is how far the experiments with a test came.
func (p *Test) tried(j *Hunt) *finding.Tried {
	return &finding.Tried{Test: p.Name, Runs: p.Search.Runs(), Took: p.Search.Took(), Limit: j.Budget.Whole, Budget: true,
		Complete: p.Result.Done(), CutOff: !p.Result.Done()}
}

// comesAgain is in how many runs a failure comes for these to be compared at once.
const comesAgain = 2

// compareSeen compares the runs of failures of a test that have come again without a verdict. Its hints are
// tried before anything new.
func (j *Hunt) compareSeen(ctx context.Context, tests []*Test, e *experiment.Experimenter) {
	p := tests[slices.IndexFunc(tests, func(p *Test) bool { return p.Search == e })]
	var seen []*sight
	for _, x := range p.seen() {
		if len(x.Kept) >= comesAgain {
			seen = append(seen, p.sight(x))
		}
	}
	if len(seen) == p.compared {
		return
	}
	p.compared = len(seen)
	hints, err := j.hintsOf(ctx, p, seen)
	if err != nil {
		j.Warnf("what was seen of %s is not compared: %v", p.Name, err)
	}
	e.Hints = append(hints, e.Hints...)
}

// hintsOf returns the hints from comparing the runs of failures.
func (j *Hunt) hintsOf(ctx context.Context, p *Test, seen []*sight) ([]freedom.Hint, error) {
	an := j.Analyzer("")
	var err error
	if an.Dir, err = os.MkdirTemp(j.Work, "seen-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(an.Dir)
	runs, err := j.Results(an.Dir, nil, seen)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithDeadline(ctx, j.Deadline)
	defer cancel()
	result, err := an.Result(ctx, runs)
	if err != nil {
		return nil, err
	}
	an.Conclude(ctx, result)
	return an.Hints(result, p.Lab.Target.ImportPath, p.Name), nil
}

// sightLines says of a test that was seen to fail without a verdict in how many runs that was, and adds it to shown.
func (j *Hunt) sightLines(t *finding.Test, seen []*sight, shown map[*Test]bool) (lines []string) {
	for _, x := range seen {
		if v := x.Told(); len(t.Verdicts) > 0 || !v.Of(t) {
			continue
		}
		if shown[x.test] = true; t.State() != finding.Failing { // one that always fails needs no act
			lines = append(lines, j.sightOf(x.test, x.Failure)...)
		}
	}
	return lines
}

// sightOf says how often a failure was seen, and where goroutines were held then.
func (j *Hunt) sightOf(p *Test, x *experiment.Failure) []string {
	lines := []string{fmt.Sprintf("  seen       %s\n", p.sightWords(x))}
	at := p.heldAt(x)
	if src, err := j.Source(at.File); err == nil && at.Start > 0 {
		lines = append(lines, fmt.Sprintf("  held at    %s:%d: %s\n", at.File, at.Start, text.Line(at.Text(src), 100)))
	}
	return lines
}
