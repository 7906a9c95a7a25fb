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

// buildAll builds all packages.
func (s *session) buildAll(ctx context.Context) {
	for i, g := range buildGroups(s.packages, max(s.slots.Most, 1)) {
		if ctx.Err() != nil {
			break
		}
		s.buildGroup(ctx, g, i > 0)
		s.slots.wake()
	}
	s.mu.Lock()
	s.built = true
	s.mu.Unlock()
	s.slots.wake()
}

// buildGroup builds packages with one go command, while another one vets them. behind is set
// if tests may run meanwhile.
func (s *session) buildGroup(ctx context.Context, list []*packageRun, behind bool) {
	s.tell(Event{Kind: Building, Package: list[0].pkg.ImportPath, Index: list[0].index + 1})
	plain := *s.r.Plain
	build := &plain
	if s.r.Traced != nil {
		traced := *s.r.Traced
		build = &traced
	}
	plain.behind, build.behind = behind, behind
	made, objects := s.buildAndVet(ctx, build, &plain, list)
	for _, p := range list {
		p.take(made[p.pkg.ImportPath])
		if objects[p.pkg.ImportPath] || made[p.pkg.ImportPath] == nil {
			s.buildOne(ctx, build, &plain, p)
		}
		if ctx.Err() != nil { // that none came about is not the package's fault
			p.pkg.Err, p.pkg.TracedErr = nil, nil
			return
		}
		s.store.addPackage(p.pkg)
		s.mu.Lock()
		p.built = true
		s.mu.Unlock()
	}
}

// take takes the binary that runs are made with.
func (p *packageRun) take(bin *Binary) {
	if p.s.r.Traced == nil {
		p.pkg.Plain = bin
	} else {
		p.pkg.Traced = bin
	}
}

// buildAndVet builds and vets side by side: the go command vets what it builds plainly by itself.
func (s *session) buildAndVet(ctx context.Context, build, plain *Build, list []*packageRun) (made map[string]*Binary, objects map[string]bool) {
	var targets []Target
	for _, p := range list {
		targets = append(targets, p.pkg.Target)
	}
	var vetting sync.WaitGroup
	if s.r.Traced != nil {
		vetting.Go(func() { objects, _ = plain.Objects(ctx, targets) })
	}
	made, _ = build.Tests(ctx, targets)
	vetting.Wait()
	return made, objects
}

// buildOne builds a package that go vet objects to, or of which no binary came about. The plain
// binary tells whose fault that is: the user's errors are shown as the user's.
func (s *session) buildOne(ctx context.Context, build, plain *Build, p *packageRun) {
	pkg := p.pkg
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
