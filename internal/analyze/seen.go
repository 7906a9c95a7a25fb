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

// addSeen adds the tests that failed in experiments as they did in no recorded run, each with a page of its own: what is
// shown of these failures is no matter of a test that failed by itself.
func (an *Analyzer) addSeen(ctx context.Context, r *finding.Result) {
	runs, err := runner.Load(filepath.Join(an.Dir, SeenDir))
	if err != nil {
		return // there are none
	}
	own := *an
	own.Meta.Hunt, own.shown = true, []TestVerdict{}
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
