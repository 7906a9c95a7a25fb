package tracker

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// The cost that run -flaky assumes for a run of a test: experiments, and the runs that record
// values, take as long again as the runs, and a package must be built.
const (
	flakyBudget = 10 * time.Minute
	leastRun    = 100 * time.Millisecond
	shareOfRuns = 2
	buildTime   = 15 * time.Second
)

// ChooseFlaky takes the tests to run from the history: the worst first, as many as the budget is
// likely to suffice for, and at least one.
func (k *Keeper) ChooseFlaky(ctx context.Context, j *session.Session) error {
	if j.Budget.Whole == 0 {
		j.Budget.Whole = flakyBudget
	}
	packages, err := packagesHere(ctx, j)
	if err != nil {
		return err
	}
	tally, err := k.readHistory(ctx, k.StoreIn(j.Out), history.Filter{Test: func(pkg, test string) bool {
		return test != "" && packages[pkg]
	}})
	if err != nil {
		return err
	}
	var chosen []history.Ranked
	for _, r := range tally.Rank() {
		if r.State == history.Flaky || r.State == history.Once {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return advice.With(fmt.Errorf("no flaky test of %s in the history", strings.Join(j.Patterns, " ")),
			"fdebug run ./... -n 50 looks for some", "fdebug import takes results of CI into the history")
	}
	all := len(chosen)
	chosen = chosen[:affordable(j, chosen)]
	j.Patterns = nil
	var parts, names []string
	for _, r := range chosen {
		names = append(names, issueTitle(&r))
		if !slices.Contains(j.Patterns, r.Package) {
			j.Patterns = append(j.Patterns, r.Package)
		}
		if p := finding.RunPattern(r.Name); !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	j.Sel.Run, j.Sel.Chosen = strings.Join(parts, "|"), true
	j.Progressf("%d of %s, the worst first: %s", len(chosen), text.Plural(all, "flaky test"), text.FewNames(names))
	return nil
}

// KnownFlaky reports which packages have tests that are flaky according to the history beside the
// runs. It returns nil if there is only one package. It is silent about what can't be read,
// because adding to the history reports that.
func KnownFlaky(ctx context.Context, j *session.Session) func(importPath string) bool {
	if len(j.Plan.Packages) < 2 {
		return nil
	}
	tally, err := history.ReadFile(ctx, filepath.Join(j.Store.Dir, history.Name), history.Filter{})
	if err != nil {
		return nil
	}
	flaky := make(map[string]bool)
	for _, r := range tally.Rank() {
		flaky[r.Package] = flaky[r.Package] || r.State == history.Flaky || r.State == history.Once
	}
	return func(importPath string) bool { return flaky[importPath] }
}

// affordable returns how many of the tests there is time for.
func affordable(j *session.Session, list []history.Ranked) int {
	var cost time.Duration
	seen := make(map[string]bool)
	for i, r := range list {
		cost += shareOfRuns * time.Duration(j.N+j.Plain) * max(leastRun, r.Slowest)
		if !seen[r.Package] {
			seen[r.Package] = true
			cost += buildTime
		}
		if cost > j.Budget.Whole && i > 0 {
			return i
		}
	}
	return len(list)
}

// packagesHere returns the packages that the patterns match, because imported packages may be in
// another module.
func packagesHere(ctx context.Context, j *session.Session) (map[string]bool, error) {
	args := append(append([]string{"list"}, j.UserFlags()...), "--")
	cmd := exec.CommandContext(ctx, "go", append(args, j.Patterns...)...)
	cmd.Dir = j.AbsDir()
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("go list: %s", text.FirstLine(exit.Stderr))
	} else if err != nil {
		return nil, err
	}
	set := make(map[string]bool)
	for _, name := range strings.Fields(string(out)) {
		set[name] = true
	}
	if len(set) == 0 {
		return nil, advice.With(errors.New("no packages"), session.PatternHint)
	}
	return set, nil
}
