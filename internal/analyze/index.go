package analyze

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

// index returns the source of the packages that a failure has to do with.
func (an *Analyzer) index(ctx context.Context, f *finding.Failure) *source.Index {
	return an.Load(ctx, an.packagesOf(f))
}

// loader returns a function that loads packages until a context ends.
func (an *Analyzer) loader(ctx context.Context) func(pkgs []string) *source.Index {
	return func(pkgs []string) *source.Index { return an.Load(ctx, pkgs) }
}

// foresee loads at once what will be asked for one after another: a further package has all loaded anew.
func (an *Analyzer) foresee(ctx context.Context, pkgs []string) {
	if len(pkgs) > 0 { // none would be all of the module
		an.Load(ctx, pkgs)
	}
}

// Load returns the source of packages. It is loaded once for all that need no
// others than were loaded before.
func (an *Analyzer) Load(ctx context.Context, pkgs []string) *source.Index {
	for _, p := range pkgs {
		if !slices.Contains(an.loaded, p) {
			an.source = nil
			an.loaded = append(an.loaded, p)
		}
	}
	if an.source != nil {
		return an.source
	}
	slices.Sort(an.loaded)
	sites := *an.Sites
	sites.Root = an.rootHere()
	dir := sites.Root
	if dir == "" { // on other machines: names tell less than types, and the go command has nothing to look at
		dir, sites.Root = filepath.Join(an.Dir, "no module"), an.Sites.Root
	}
	x := source.Load(ctx, source.Config{
		Dir: dir, Flags: an.Build, Sites: &sites, Packages: an.loaded, Read: an.sources.peek, Arch: an.Meta.arch(),
		Known: an.Known, Exported: an.Exported,
	})
	if ctx.Err() == nil { // else it may be half of it
		an.source = x
	}
	return x
}

// packagesAt returns the import paths of the packages of blocks.
func (an *Analyzer) packagesAt(blocks []int) (list []string) {
	for _, b := range blocks {
		if !an.Sites.Has(b) {
			continue
		}
		if p := path.Dir(an.Sites.Files[an.Sites.FileOf(b)].Name); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// packagesBefore returns the packages of what other tests ran, if experiments have shown that these tests decide.
func (an *Analyzer) packagesBefore(t *finding.Test, f *finding.Failure) []string {
	var blocks []int
	for i := range t.Verdicts {
		for _, name := range t.Verdicts[i].Tests() {
			if f.Analysis != nil {
				blocks = append(blocks, f.Analysis.Before[name]...)
			}
		}
	}
	return an.packagesAt(blocks)
}

// packagesOf returns the import paths of the packages whose code an analysis names.
func (an *Analyzer) packagesOf(f *finding.Failure) []string {
	var blocks []int
	add := func(b int) { blocks = append(blocks, b) }
	if rel, ok := an.Sites.Rel(f.Frame.File); ok {
		for b := range an.Sites.Blocks {
			if b > 0 && an.Sites.Files[an.Sites.FileOf(b)].Path == rel {
				add(b)
				break
			}
		}
	}
	a := f.Analysis
	if a == nil {
		return an.packagesAt(blocks)
	}
	for _, d := range a.Chain {
		for _, c := range d.Common {
			add(c.Block)
		}
		for _, c := range d.Path {
			add(c.Block)
		}
	}
	for _, m := range a.Concurrent {
		for _, b := range m.Blocks {
			add(b)
		}
	}
	if a.Earlier != nil {
		for _, name := range a.Earlier.Tests {
			blocks = append(blocks, a.Before[name]...)
		}
	}
	return an.packagesAt(blocks)
}
