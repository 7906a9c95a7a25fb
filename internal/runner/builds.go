package runner

import (
	"context"
	"errors"
	"sync"
)

// groupSize is how many packages one go command builds. It loads the module once for all of
// them and links side by side; the tests of a group run while the next one is built.
const groupSize = 8

// buildGroups divides packages into groups that one go command can build, in order: in each
// their binaries have different names. The first one is small: what it compiles the others find
// compiled, and its tests can begin.
func buildGroups(all []*packageRun, first int) (list [][]*packageRun) {
	names := make(map[string]bool)
	for _, p := range all {
		name, size := execName(p.pkg.ImportPath), groupSize
		if len(list) == 1 {
			size = first
		}
		if n := len(list); n == 0 || len(list[n-1]) == size || names[name] {
			list = append(list, nil)
			clear(names)
		}
		names[name] = true
		list[len(list)-1] = append(list[len(list)-1], p)
	}
	return list
}

// buildAll builds all packages. While a group is vetted, the next one is built.
func (s *session) buildAll(ctx context.Context) {
	var vetting sync.WaitGroup
	for i, g := range buildGroups(s.packages, max(s.slots.Most, 1)) {
		if ctx.Err() != nil {
			break
		}
		b := s.newGroup(g, i > 0)
		b.build(ctx)
		vetting.Go(func() { b.vet(ctx) })
	}
	vetting.Wait()
	s.mu.Lock()
	s.built = true
	s.mu.Unlock()
	s.slots.wake()
}

// A buildGroup is built with one go command, and then vetted with one.
type buildGroup struct {
	s     *session
	list  []*packageRun
	plain Build
	with  *Build // that the runs are made with: plain, or the traced one
	made  map[string]*Binary
}

// newGroup prepares to build packages. behind is set if tests may run meanwhile.
func (s *session) newGroup(list []*packageRun, behind bool) *buildGroup {
	g := &buildGroup{s: s, list: list, plain: *s.r.Plain}
	g.plain.behind = behind
	g.with = &g.plain
	if s.r.Traced != nil {
		traced := *s.r.Traced
		traced.behind = behind
		g.with = &traced
	}
	return g
}

func (g *buildGroup) targets() (list []Target) {
	for _, p := range g.list {
		list = append(list, p.pkg.Target)
	}
	return list
}

func (g *buildGroup) build(ctx context.Context) {
	g.s.tell(Event{Kind: Building, Package: g.list[0].pkg.ImportPath, Index: g.list[0].index + 1})
	g.made, _ = g.with.Tests(ctx, g.targets())
}

// vet vets the packages, and has those run that are fit for it.
func (g *buildGroup) vet(ctx context.Context) {
	objects := g.objects(ctx)
	for _, p := range g.list {
		p.take(g.made[p.pkg.ImportPath])
		if objects[p.pkg.ImportPath] || g.made[p.pkg.ImportPath] == nil {
			g.buildOne(ctx, p)
		}
		if ctx.Err() != nil { // that none came about is not the package's fault
			p.pkg.Err, p.pkg.TracedErr = nil, nil
			return
		}
		g.s.store.addPackage(p.pkg)
		g.s.mu.Lock()
		p.built = true
		g.s.mu.Unlock()
		g.s.slots.wake()
	}
}

// objects returns the packages that go vet objects to. The go command vets what it builds
// plainly by itself. Else the checks of go test look at the files with probes, whose
// dependencies are compiled already: to compile them once more without the recorder takes as
// long as a cold go test. Checks that the user chose see the user's own files, since probes may
// be what they object to.
func (g *buildGroup) objects(ctx context.Context) map[string]bool {
	if g.with == &g.plain {
		return nil
	}
	b := *g.with
	if b.Vet = g.plain.Vet; b.Vet != "" {
		b = g.plain
	}
	objects, _ := b.Objects(ctx, g.targets())
	return objects
}

// take takes the binary that runs are made with.
func (p *packageRun) take(bin *Binary) {
	if p.s.r.Traced == nil {
		p.pkg.Plain = bin
	} else {
		p.pkg.Traced = bin
	}
}

// buildOne builds a package that go vet objects to, or of which no binary came about. The plain
// binary tells whose fault that is: the user's errors are shown as the user's.
func (g *buildGroup) buildOne(ctx context.Context, p *packageRun) {
	pkg, build, plain := p.pkg, g.with, &g.plain
	var err error
	if build != plain && pkg.Traced == nil {
		if pkg.Traced, err = build.Test(ctx, pkg.Target); err == nil {
			return
		}
	}
	if errors.Is(err, ErrNoTestFiles) {
		pkg.NoTestFiles = true
		return
	}
	if pkg.Plain, pkg.Err = plain.Test(ctx, pkg.Target); pkg.Err != nil {
		pkg.Traced, pkg.NoTestFiles = nil, errors.Is(pkg.Err, ErrNoTestFiles)
		if pkg.NoTestFiles {
			pkg.Err = nil
		}
		return
	}
	if pkg.TracedErr = err; pkg.TracedErr != nil {
		if fault := (*BuildError)(nil); errors.As(err, &fault) {
			fault.Traced = true
		}
	}
}

// buildPlain builds the plain binary of a package of which a run has failed, for its control
// runs, in the background. After the time in which they can begin it is of no use.
func (s *session) buildPlain(ctx context.Context, p *packageRun) {
	cancel := func() {}
	if stop := s.stop(); !stop.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, stop)
	}
	s.controls.Go(func() {
		defer cancel()
		plain := *s.r.Plain
		plain.behind, plain.Vet = true, "off"
		bin, err := plain.Test(ctx, p.pkg.Target)
		s.mu.Lock()
		p.pkg.Plain, p.wantsPlain = bin, false
		if err != nil && ctx.Err() == nil {
			p.pkg.warn("without control runs: %v", err)
			p.controls = nil
		}
		s.mu.Unlock()
		s.slots.wake()
	})
}
