package session

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/values"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A goroutine is held between blocks. Between the read and the write of x.n++ there is no block that begins, so a lost
// update can't be provoked. If goroutines of a test meet in code that has such statements, a hunt therefore builds once
// more, with a position inside each, and experiments after runs do when they come to nothing. Runs that nothing perturbs
// never pay for it.

// SplitStatements builds the lab's binary anew, with positions inside the statements that read before they write, in
// packages where goroutines meet. Where there are none it leaves the lab as it is.
func (l *Lab) SplitStatements(ctx context.Context) error {
	j := l.Job
	switch {
	case !j.Takes("stall") || j.Plan.Std != "" || len(l.Seen.Met) == 0:
		return nil
	case !j.Builds():
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
	if some, err := j.Split(ctx, l.Seen.Met...); !some || err != nil {
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

// met returns the packages in which a goroutine of a test ran code while another one was there: one that it has started,
// or a subtest beside it.
func met(t *trace.Trace, sites *trace.Sites) (list []string) {
	type visit struct{ test, pkg string }
	last := make(map[visit]*trace.Goroutine)
	var buf []trace.Event
	for _, g := range t.Goroutines {
		file := -1
		for i, c := range g.Chunks {
			var err error
			if buf, err = g.Load(i, buf); err != nil || !c.Kept || g.Test == "" {
				break
			}
			for _, e := range buf {
				b, ok := e.Block()
				if !ok || !sites.Has(b) || sites.FileOf(b) == file {
					continue
				}
				file = sites.FileOf(b)
				v := visit{trace.TopTest(g.Test), path.Dir(sites.Files[file].Name)}
				if o := last[v]; o != nil && beside(o, g) && !slices.Contains(list, v.pkg) {
					list = append(list, v.pkg)
				}
				last[v] = g
			}
		}
	}
	slices.Sort(list)
	return list
}

// beside reports whether two goroutines of a test may run at the same time. Tests wait for their subtests.
func beside(a, b *trace.Goroutine) bool {
	if !a.Root || !b.Root {
		return a != b
	}
	return a != b && a.Parent == b.Parent && (b.End == 0 || a.Start < b.End) && (a.End == 0 || b.Start < a.End)
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
