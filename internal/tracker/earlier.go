package tracker

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// maxEarlier is how many earlier sessions a page lists.
const maxEarlier = 8

// AddEarlier adds to each test its outcomes before the run, from the history in the store of the
// run directory. It never asks a server. It is silent about what can't be read, because adding to
// the history reports that.
func AddEarlier(ctx context.Context, an *analyze.Analyzer, r *finding.Result) {
	if len(r.Tests) == 0 {
		return
	}
	tests := make(map[[2]string]*finding.Test)
	for _, t := range r.Tests {
		tests[[2]string{t.Package, t.Name}] = t
	}
	store := filepath.Dir(filepath.Dir(an.Dir))
	tally, err := history.ReadFile(ctx, filepath.Join(store, history.Name), history.Filter{
		Test:      func(pkg, test string) bool { return tests[[2]string{pkg, test}] != nil },
		BySession: true, Before: r.Started, NotKey: sessionOf(&an.Meta, an.Dir).Key,
	})
	if err != nil {
		return
	}
	for _, t := range tally.Tests {
		tests[[2]string{t.Package, t.Name}].Earlier = earlierOf(t.Sessions)
	}
}

// earlierOf sums up sessions.
func earlierOf(list []history.SessionCount) finding.Earlier {
	var e finding.Earlier
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b history.SessionCount) int { return b.Started.Compare(a.Started) })
	for _, s := range list {
		o := finding.Outcomes{Failed: s.Failed, Passed: s.Runs - s.Failed}
		e.Failed, e.Passed = e.Failed+o.Failed, e.Passed+o.Passed
		if len(e.Newest) < maxEarlier {
			e.Newest = append(e.Newest, finding.Session{
				Outcomes: o, Started: s.Started, Commit: s.Commit.Hash, Modified: s.Commit.Modified,
				Imported: s.Source == history.FromImport,
			})
		}
	}
	return e
}
