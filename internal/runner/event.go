package runner

import (
	"sync"
	"time"
)

// An EventKind says what an [Event] tells.
type EventKind uint8

const (
	Building    EventKind = iota // a package is about to be built
	RunDone                      // a run was completed
	PackageDone                  // all runs of a package were, or it could not be run: Err
)

// An Event is a step forward.
type Event struct {
	Kind     EventKind
	Package  string // import path
	Index    int    // number of the package, from 1
	Packages int    // number of packages
	Run      *Run   // of RunDone; not to be changed
	Done, Of int    // of RunDone: runs of this package, controls included
	Failed   int    // of RunDone: failing ones so far, controls not included
	Err      error  // of PackageDone: *BuildError, for example
	Elapsed  time.Duration
	// Left is a guess at the time until everything is done, 0 if nothing is
	// known yet. Packages that were not run yet are taken to be like the others.
	Left time.Duration
}

// progress passes events on, one at a time, and guesses the time left.
type progress struct {
	report   func(Event)
	packages int
	parallel int

	mu   sync.Mutex
	took map[int]*took // by index of the package
}

// took is how long a package took.
type took struct {
	started time.Duration // when the first event came
	first   time.Duration // when the first run was done
	build   time.Duration // from the first event to the first run
	runs    time.Duration // all runs, or an estimate of that
}

// tell completes an event and passes it on. budget is what is left of the time
// budget, 0 if there is none.
func (p *progress) tell(e Event, elapsed, budget time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.Packages, e.Elapsed = p.packages, elapsed
	if p.took == nil {
		p.took = make(map[int]*took)
	}
	t := p.took[e.Index]
	if t == nil {
		t = &took{started: elapsed}
		p.took[e.Index] = t
	}
	if e.Kind == RunDone {
		e.Left = t.left(&e, p.parallel)
	}
	if e.Kind == PackageDone && t.first > 0 {
		t.runs = elapsed - t.started - t.build
	}
	if e.Left > 0 || e.Kind == PackageDone {
		e.Left += p.later(e.Index)
	}
	if budget > 0 && e.Left > budget {
		e.Left = budget
	}
	if p.report != nil {
		p.report(e)
	}
}

// left returns how long the remaining runs of a package will take, 0 if that can't
// be known. The first run says little: it finds no page of the binary in memory,
// and what the tests make once, in a cache, is not there yet.
func (t *took) left(e *Event, parallel int) time.Duration {
	if e.Done == 1 || t.first == 0 {
		t.first = e.Elapsed
		t.build = e.Elapsed - t.started
		if e.Run != nil {
			t.build = max(0, t.build-e.Run.Wall)
		}
		t.runs = e.Elapsed - t.started - t.build
		return 0
	}
	rounds := func(n int) time.Duration { return time.Duration((n + parallel - 1) / parallel) }
	each := (e.Elapsed - t.first) / rounds(e.Done-1)
	left := each * rounds(e.Of-e.Done)
	t.runs = e.Elapsed - t.started - t.build + left
	return left
}

// later returns how long the packages after the given one will take. What the first
// build compiles, std above all, the others find compiled.
func (p *progress) later(index int) time.Duration {
	var runs, builds, n, rebuilt time.Duration
	for i, t := range p.took {
		if t.first == 0 {
			continue
		}
		runs += t.runs
		n++
		if i > 1 {
			builds += t.build
			rebuilt++
		}
	}
	if n == 0 {
		return 0
	}
	return (runs/n + builds/max(rebuilt, 1)) * time.Duration(p.packages-index)
}
