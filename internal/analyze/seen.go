package analyze

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// SeenDir is where, in the run directory, the runs of experiments are that failed as no recorded run did, with those
// that passed beside them. The names of their traces begin with it.
const SeenDir = "seen"

// addSeen adds the tests that failed in experiments in a way in which they failed in no recorded run. Each is a test of
// its own beside the one of the recorded runs. Its runs were kept by the experiments in a directory of their own; they
// are compared as those of a hunt are, with the verdicts that are about no test of r.
func (an *Analyzer) addSeen(ctx context.Context, r *finding.Result) {
	runs, err := runner.Load(filepath.Join(an.Dir, SeenDir))
	if err != nil {
		return // there are none
	}
	own := *an
	own.Meta.Hunt, own.shown = true, []TestVerdict{} // not nil, or own would read all verdicts of the run
	for _, v := range an.verdicts() {
		v.Verdicts = slices.DeleteFunc(slices.Clone(v.Verdicts), func(x finding.Verdict) bool {
			return slices.ContainsFunc(r.Tests, func(t *finding.Test) bool {
				return v.Of(t) && about(t, &x)
			})
		})
		own.shown = append(own.shown, v)
	}
	seen, err := own.Result(ctx, runs)
	if err != nil {
		an.Warnf("what was seen in experiments is left out: %v", err)
		return
	}
	own.conclude(ctx, seen)
	r.Tests = append(r.Tests, slices.DeleteFunc(seen.Tests, func(t *finding.Test) bool {
		return len(t.Verdicts) == 0 && t.Seen() == finding.SeenIn{}
	})...)
}
