package hang

import (
	"maps"
	"path"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// packages returns the import paths of the packages whose code goroutines of the
// test ran in the run shown or in passing ones, or that the dump shows them in.
func (f *finder) packages() []string {
	files := make(map[int]bool)
	for _, m := range append([]*moment{f.shown}, f.passing...) {
		for _, g := range m.Trace.Goroutines {
			if f.ours(g) {
				f.filesOf(g, files)
			}
		}
	}
	shown := make(map[string]bool)
	for _, d := range f.shown.Dump {
		if _, rel, ok := f.inUserCode(d.Frames); ok {
			shown[rel] = true
		}
	}
	pkgs := make(map[string]bool)
	for i, file := range f.Sites.Files {
		if files[i] || shown[file.Path] {
			pkgs[path.Dir(file.Name)] = true
		}
	}
	return slices.Sorted(maps.Keys(pkgs))
}

// filesOf adds the files whose code a goroutine ran, as far as it can be read.
func (f *finder) filesOf(g *trace.Goroutine, files map[int]bool) {
	var buf []trace.Event
	for i := range g.Chunks {
		var err error
		if buf, err = g.Load(i, buf); err != nil {
			return
		}
		for _, e := range buf {
			if b, ok := e.Block(); ok && f.Sites.Has(b) {
				files[f.Sites.FileOf(b)] = true
			}
		}
	}
}
