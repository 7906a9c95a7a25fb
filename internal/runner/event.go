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

	mean time.Duration // of RunDone: wall time of a run of this package
}

// progress passes events on, one at a time, and guesses the time left.
type progress struct {
	report   func(Event)
	packages int
	parallel int

	mu      sync.Mutex
	started map[int]time.Duration // when the first event of a package came
	taken   time.Duration         // by the packages that are done
	done    int                   // how many those are
}

// tell completes an event and passes it on. budget is what is left of the time
// budget, 0 if there is none.
func (p *progress) tell(e Event, elapsed, budget time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.Packages, e.Elapsed = p.packages, elapsed
	if p.started == nil {
		p.started = make(map[int]time.Duration)
	}
	if _, ok := p.started[e.Index]; !ok {
		p.started[e.Index] = elapsed
	}
	switch e.Kind {
	case RunDone:
		here := e.mean * time.Duration(e.Of-e.Done) / time.Duration(p.parallel)
		each := elapsed - p.started[e.Index] + here // this package, from first to last
		if p.done > 0 {
			each = p.taken / time.Duration(p.done)
		}
		e.Left = here + each*time.Duration(p.packages-e.Index)
	case PackageDone:
		p.taken += elapsed - p.started[e.Index]
		p.done++
		e.Left = p.taken / time.Duration(p.done) * time.Duration(p.packages-e.Index)
	}
	if budget > 0 && e.Left > budget {
		e.Left = budget
	}
	if p.report != nil {
		p.report(e)
	}
}
