package hunt

import (
	"context"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

// confirm examines failures of earlier runs.
func (j *Hunt) confirm(ctx context.Context) error {
	for _, p := range j.Plan.Packages {
		mine := j.Items(p.ImportPath)
		if len(mine) == 0 {
			continue
		}
		target := runner.Target{ImportPath: p.ImportPath, Dir: p.Dir}
		if err := j.confirmIn(ctx, target, mine); err != nil {
			if ctx.Err() != nil {
				return err
			}
			j.notTested(target, err)
		}
	}
	return j.find(ctx, j.Deadline)
}

// confirmIn prepares failures of one package for examination.
func (j *Hunt) confirmIn(ctx context.Context, target runner.Target, items []*experiment.Item) error {
	j.Buildingf("building %s", target.ImportPath)
	l, err := j.NewLab(ctx, target, filepath.Join(j.Known, text.DirName(target.ImportPath)))
	if err != nil {
		return err
	}
	if l == nil {
		return runner.ErrNoTestFiles
	}
	for _, x := range items {
		p := &Test{SuiteTest: session.SuiteTest{Name: x.Test}, Lab: l}
		p.Search = j.experimenter(l, x.Test, j.Seed)
		p.Search.Candidates, p.Search.Natural, p.Search.Hints, p.Search.Recorded = x.Candidates,
			x.Natural, x.Hints, x.Recorded
		if p.Search.AsksForOrder() {
			p.Search.Tests = l.TestNames(ctx, "^Test")
		}
		j.Tests = append(j.Tests, p)
	}
	return nil
}
