package runner

import "time"

// An EventKind is the kind of an [Event].
type EventKind uint8

const (
	Building EventKind = iota // a package is about to be built, perhaps with some after it
	Built                     // a package can run
	RunDone                   // a run was completed
	// all runs of a package are completed, or it could not be run: Err; not reported if it never ran
	PackageDone
)

// An Event reports progress.
type Event struct {
	Kind    EventKind
	Package string // import path
	Run     *Run   // for RunDone; do not change it
	Err     error  // for PackageDone: *BuildError, for example
	Progress
}

// A Progress says how far all packages have come.
type Progress struct {
	Packages int // number of packages
	Built    int // packages that are built
	Begun    int // packages with a completed run, without tests, or that can't be run
	Rounds   int // runs that all packages have had
	Done, Of int // runs of all packages, without control runs
	Failed   int // how many of these failed
	Elapsed  time.Duration
	// Left is an estimate of the time until all runs are made. It is 0 if unknown, until each
	// package has run once, and one of them twice.
	Left time.Duration
}

// tell reports an event with the overall progress, one at a time.
func (s *session) tell(e Event) {
	if s.r.Report == nil {
		return
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	e.Progress = s.sofar()
	s.r.Report(e)
}

// sofar returns how far all packages have come.
func (s *session) sofar() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	p := Progress{Packages: len(s.packages), Elapsed: now.Sub(s.results.Started)}
	p.Rounds = s.r.N
	for _, x := range s.packages {
		if x.built {
			p.Built++
		}
		idle := x.built && x.begun == 0 && !x.wants()
		if x.done > 0 || idle {
			p.Begun++
		}
		if runs := len(x.pkg.Runs); !idle && !x.pkg.NoTests {
			p.Rounds = min(p.Rounds, runs)
			p.Done += runs
			p.Of += x.total
		}
		p.Failed += x.failed
	}
	if p.Begun == p.Packages {
		p.Left = s.left(now)
	}
	return p
}

// left estimates how long the remaining runs will take. It takes the time that runs of each
// package took so far, shared among the slots, but no less than the runs of one package one after
// the other. For a package with a single run, the time is corrected by how much longer first runs
// take than later ones: they find cold caches, and builds run beside them.
func (s *session) left(now time.Time) time.Duration {
	var first, later time.Duration
	for _, p := range s.packages {
		if p.done > 1 {
			first, later = first+p.first, later+p.wall/time.Duration(p.done-1)
		}
	}
	if first == 0 {
		return 0
	}
	var all, longest time.Duration
	for _, p := range s.packages {
		each := time.Duration(float64(p.first) * float64(later) / float64(first))
		if p.done > 1 {
			each = p.wall / time.Duration(p.done-1)
		}
		if !p.wants() && p.live == 0 {
			continue
		}
		runs := time.Duration(len(p.runs)) * each
		if p.live > 0 {
			runs += max(each-now.Sub(p.last), 0)
		}
		all, longest = all+runs, max(longest, runs/time.Duration(max(s.slots.Each, 1)))
	}
	left := max(all/time.Duration(max(s.slots.Most, 1)), longest)
	if stop := s.stop(); !stop.IsZero() {
		left = min(left, max(stop.Sub(now), 0))
	}
	return left
}
