package runner

import (
	"context"
	"slices"
	"time"
)

// The schedule is breadth first: each package is run once before any is run a second time, and
// then the one that has begun the fewest runs is next. Packages with a failed run go ahead of the
// others, for at most half of the time that runs take, because a comparison needs many of their
// runs. The title of a report counts only the rounds that all packages had, which do not depend
// on failures: see [Results.Rounds].

// step makes the next run, and reports whether there may be more.
func (s *session) step(ctx context.Context) bool {
	for ctx.Err() == nil {
		changed := s.slots.change()
		s.buildControls(ctx)
		p, j, release := s.pick()
		if p != nil {
			s.execute(ctx, p, j)
			release()
			return true
		}
		if s.over() {
			s.slots.wake()
			return false
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return false
}

// execute makes a run in its slot. The rest of its work comes when it is no longer counted as one that runs: with the
// news of the last one comes that no time is left.
func (s *session) execute(ctx context.Context, p *packageRun, j job) {
	began := s.now()
	limited, cancel := s.until(ctx, p, j)
	finish := p.run(limited, j)
	cancel()
	s.ended(p, s.now().Sub(began))
	if finish != nil {
		s.finishing <- finish
	}
}

// ended counts a run that took some time.
func (s *session) ended(p *packageRun, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.live--
	p.moreControls()
	if s.took += took; s.isAhead(p) {
		s.ahead += took
	}
}

// maxMore is how many control runs are added.
const maxMore = 20

// moreControls adds a control run where it is open yet whether a test fails only with the recorder.
func (p *packageRun) moreControls() {
	done := p.live == 0 && len(p.runs)+len(p.controls) == 0 && p.controlled > 0
	if done && p.failed > 0 && p.more < maxMore && p.s.r.Has == nil && p.pkg.open() {
		p.more++
		p.controls = append(p.controls, p.controlled+1)
	}
}

// inFirstRound reports whether a package was not run yet, and will be.
func (s *session) inFirstRound() bool {
	return !s.built || slices.ContainsFunc(s.packages, func(p *packageRun) bool { return p.begun == 0 && p.wants() })
}

// buildControls has the binaries built that control runs are made with. They compile all without
// the recorder, for which nothing of the first round waits.
func (s *session) buildControls(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFirstRound() || s.timeIsUp() {
		return
	}
	for _, p := range s.packages {
		if p.wantsControls() && p.pkg.Plain == nil && !p.wantsPlain {
			p.wantsPlain = true
			s.buildPlain(ctx, p)
		}
	}
}

// until returns the context of a run. The first run of a package has longer than the others.
func (s *session) until(ctx context.Context, p *packageRun, j job) (context.Context, context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.begun == 1 && !j.control || s.r.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, s.r.Deadline, ErrBudget)
}

// pick takes the next job, and a slot for it. It returns nil if there is none now.
func (s *session) pick() (*packageRun, job, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.candidates() {
		if release, ok := s.slots.try(p.pkg.ImportPath, false); ok {
			return p, p.begin(), release
		}
	}
	return nil, job{}, nil
}

// over reports whether no more runs will be made.
func (s *session) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packages {
		if p.live > 0 || p.wantsPlain {
			return false
		}
	}
	return s.built && len(s.candidates()) == 0
}

// candidates returns the packages that may be run now, the next one first.
func (s *session) candidates() (list []*packageRun) {
	rounds := !s.inFirstRound() && !s.timeIsUp()
	for _, p := range s.packages {
		if p.wants() && (p.begun == 0 || rounds) {
			list = append(list, p)
		}
	}
	first := 2*s.ahead <= s.took
	slices.SortStableFunc(list, func(a, b *packageRun) int {
		if x, y := first && s.likely(a), first && s.likely(b); x != y {
			if x {
				return -1
			}
			return 1
		}
		return a.begun - b.begun
	})
	return list
}

func (s *session) timeIsUp() bool {
	stop := s.stop()
	return !stop.IsZero() && s.now().After(stop)
}

// stop is when no run begins any more, except the first of a package; zero for never.
func (s *session) stop() time.Time { return earliest(s.r.Stop, s.r.Deadline) }

// likely reports whether a test of a package has failed, now or before.
func (s *session) likely(p *packageRun) bool {
	return p.failed > 0 || s.r.Likely != nil && s.r.Likely(p.pkg.ImportPath)
}

// isAhead reports whether a package has begun more runs than its turn.
func (s *session) isAhead(p *packageRun) bool {
	for _, q := range s.packages {
		if q != p && q.wants() && q.begun < p.begun-1 {
			return s.likely(p)
		}
	}
	return false
}

// wants reports whether runs of a package are still to be made. The first one goes alone: if it
// finds no tests, the others would not find any either.
func (p *packageRun) wants() bool {
	switch {
	case !p.built || p.stopped != nil || p.pkg.Err != nil || p.pkg.NoTests || p.pkg.NoTestFiles:
		return false
	case p.begun > 0 && p.done == 0:
		return false
	}
	return len(p.runs) > 0 || p.controlIsDue()
}

// begin takes the next job of a package.
func (p *packageRun) begin() job {
	p.live, p.last = p.live+1, p.s.now()
	if p.controlIsDue() {
		n := p.controls[0]
		p.controls, p.controlled = p.controls[1:], p.controlled+1
		return job{control: true, n: n, plain: p.pkg.Plain}
	}
	n := p.runs[0]
	p.runs, p.begun = p.runs[1:], p.begun+1
	j := job{first: p.begun == 1, whole: p.wholeIsDue(), n: n, plain: p.pkg.Plain}
	if j.whole {
		p.wholes++
	}
	return j
}

// controlIsDue spreads control runs evenly over the others, so that a machine that becomes slower
// or busier affects both alike. The first one comes as soon as a run has failed.
func (p *packageRun) controlIsDue() bool {
	if !p.wantsControls() || p.pkg.Plain == nil {
		return false
	}
	n, k := p.begun+len(p.runs), p.controlled+len(p.controls)
	return p.controlled == 0 || len(p.runs) == 0 || (2*p.controlled+1)*n <= 2*p.begun*k
}

// wantsControls reports whether control runs are still to be made. If runs are divided, a run may
// have failed elsewhere.
func (p *packageRun) wantsControls() bool {
	return len(p.controls) > 0 && p.pkg.Traced != nil && !p.pkg.NoTests && (p.failed > 0 || p.s.r.Has != nil)
}
