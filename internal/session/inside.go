package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/values"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A goroutine is held between blocks. Between the read and the write of x.n++ there is no block that begins, so a lost
// update can't be provoked. A hunt therefore builds a package whose tests start goroutines once more if it has such
// statements, with a position inside each, and makes all of its experiments with that build: what is found in one build
// can't be looked for in another, since goroutines are told by addresses in the code. Other packages are built once,
// and runs that nothing perturbs never pay for it.

// SplitStatements builds the lab's binary anew, with positions inside the statements of its package that write what
// they have read. Where there are none it leaves the lab as it is.
func (l *Lab) SplitStatements(ctx context.Context) error {
	j := l.Job
	switch {
	case !j.Takes("stall") || j.Plan.Std != "":
		return nil
	case j.Bundle != nil:
		j.Progressf("%s: in a bundle no goroutine is held inside a statement", l.Target.ImportPath)
		return nil
	case !j.Values:
		j.Progressf("%s: with -values=false no goroutine is held inside a statement", l.Target.ImportPath)
		return nil
	}
	_, bin, err := j.emptyLab(l.Target, l.Dir)
	if err != nil {
		return err
	}
	was := j.Built
	if some, err := j.Split(ctx, l.Target.ImportPath); !some || err != nil {
		return err
	}
	built, err := j.TracedBuild(bin).Test(ctx, l.Target)
	if err != nil {
		j.Built = was
		return err
	}
	l.Traced, l.inside = built, slices.Clone(j.inside)
	return l.begin()
}

// Split rewrites the packages anew, with positions inside statements of some of them. It reports whether there are any.
func (j *Session) Split(ctx context.Context, pkgs ...string) (bool, error) {
	x := source.Load(ctx, source.Config{
		Dir: j.Plan.Sites.Root, Flags: j.UserFlags(), Sites: j.Plan.Sites, Packages: pkgs, Read: j.Source,
		Arch: j.Plan.Toolchain.GOARCH, Exported: j.TracedBuild(j.Work).Exported,
	})
	var list []instrument.Inside
	for _, p := range pkgs {
		list = append(list, values.Inside(x, j.Plan.Sites, p)...)
	}
	if len(list) == 0 || ctx.Err() != nil {
		return false, ctx.Err()
	}
	plan, err := j.Plan.Inside(filepath.Join(j.Work, fmt.Sprintf("inside-%d", len(j.inside))), list)
	if err != nil {
		return false, err
	}
	j.Plan, j.inside = plan, append(j.inside, pkgs...)
	return true, nil
}
