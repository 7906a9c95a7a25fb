package runner

import (
	"context"
	"errors"
)

// Layers divides packages into lists that one go command can build, in order: in each their
// binaries have different names. Most modules are one list.
func Layers(all []Target) (list [][]Target) {
	depth := make(map[string]int) // by name: in how many lists it is
	for _, t := range all {
		name := execName(t.ImportPath)
		if depth[name] == len(list) {
			list = append(list, nil)
		}
		list[depth[name]] = append(list[depth[name]], t)
		depth[name]++
	}
	return list
}

// buildAll builds all packages. The tests of each begin as soon as its binary is there.
func (s *session) buildAll(ctx context.Context) {
	var targets []Target
	left := make(map[Target]*packageRun)
	for _, p := range s.packages {
		targets = append(targets, p.pkg.Target)
		left[p.pkg.Target] = p
	}
	for _, list := range Layers(targets) {
		s.buildList(ctx, list, left)
	}
	s.mu.Lock()
	s.built = true
	s.mu.Unlock()
	s.slots.wake()
}

// buildList builds packages with one go command. It builds those without a binary one by one, to
// find out why.
func (s *session) buildList(ctx context.Context, list []Target, left map[Target]*packageRun) {
	if ctx.Err() != nil {
		return
	}
	s.tell(Event{Kind: Building, Package: list[0].ImportPath})
	s.build().Tests(ctx, list, func(bin *Binary) {
		p := left[bin.Target]
		delete(left, bin.Target)
		p.take(bin)
		s.ready(p)
	})
	for _, t := range list {
		p := left[t]
		if p == nil {
			continue
		}
		s.buildOne(ctx, p)
		if ctx.Err() != nil { // it is not the package's fault that there is no binary
			p.pkg.Err, p.pkg.TracedErr = nil, nil
			return
		}
		s.ready(p)
	}
}

// build returns the build that is used for runs. The checks of go test run on the files with
// probes: to compile all dependencies again without the recorder, just for go vet, takes as long
// as a cold go test.
func (s *session) build() *Build {
	if s.r.Traced == nil {
		return s.r.Plain
	}
	traced := *s.r.Traced
	traced.Vet = s.r.Plain.Vet
	return &traced
}

// ready lets a package run, if it can.
func (s *session) ready(p *packageRun) {
	s.store.AddPackage(p.pkg)
	s.mu.Lock()
	p.built = true
	s.mu.Unlock()
	s.tell(Event{Kind: Built, Package: p.pkg.ImportPath}) // its first run may take long
	s.slots.wake()
}

// take takes the binary used for runs.
func (p *packageRun) take(bin *Binary) {
	if p.s.r.Traced == nil {
		p.pkg.Plain = bin
	} else {
		p.pkg.Traced = bin
	}
}

// buildOne builds a package that has no binary, or that go vet objects to. The plain binary shows
// whose fault that is: the user's errors are shown as the user's.
func (s *session) buildOne(ctx context.Context, p *packageRun) {
	pkg, plain := p.pkg, *s.r.Plain
	plain.behind = true
	pkg.Plain, pkg.Err = plain.Test(ctx, pkg.Target)
	if errors.Is(pkg.Err, ErrNoTestFiles) {
		pkg.NoTestFiles, pkg.Err = true, nil
		return
	}
	if pkg.Err != nil || s.r.Traced == nil {
		return
	}
	traced := *s.r.Traced
	traced.behind, traced.Vet = true, "off"
	if pkg.Traced, pkg.TracedErr = traced.Test(ctx, pkg.Target); pkg.TracedErr != nil {
		if fault := (*BuildError)(nil); errors.As(pkg.TracedErr, &fault) {
			fault.Traced = true
		}
	}
}

// buildPlain builds the plain binary of a package with a failed run, for its control runs, in the
// background. It gives up when no control run could begin any more.
func (s *session) buildPlain(ctx context.Context, p *packageRun) {
	cancel := func() {}
	if stop := s.stop(); !stop.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, stop)
	}
	s.controls.Go(func() {
		defer cancel()
		plain := *s.r.Plain
		plain.behind, plain.Vet = true, "off"
		s.building.Lock()
		bin, err := plain.Test(ctx, p.pkg.Target)
		s.building.Unlock()
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
