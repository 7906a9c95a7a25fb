package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Hint is a guess at what decides, which comes from somewhere else. It says what is
// tried first, and nothing more: what it leads to is confirmed like anything else.
type Hint struct {
	// Lines at which a goroutine may be late or early, or where chance enters. File
	// is relative to the module's root.
	File       string
	Start, End int
	Draw       bool     // chance enters there
	Class      uint64   // of the goroutine that matters, 0 if that is not known
	Hit        int      // its visit of the lines at which runs part, 0 if that is not known
	Pair       *Pair    // what came in another order in failing runs, nil if nothing is known to
	Meeting    *Meeting // where runs part, nil if that is not what it is about
	Tests      []string // tests that decide by having run before, in place of lines
	// Fails and Passes are settings with which the next run fails, and passes, if the hint is right; nil if
	// none are known.
	Fails, Passes [][]perturb.Act
}

// A Recorded is a run that was made before the experiments, of this test or of the whole
// package.
type Recorded struct {
	Seed      uint64 // that all its random choices followed, 0 if they were free
	Shuffle   int64  // seed of -shuffle, 0 for the order of the source
	Failed    bool
	Signature runner.Signature
	Elapsed   time.Duration // of the test
}

const (
	maxHints     = 12 // hints that are followed
	maxSuggested = 30 // positions that are tried for them
)

// touches reports whether a hint is of a block's lines.
func (h *Hint) touches(sites *trace.Sites, block int) bool {
	if h.File == "" || !sites.Has(block) {
		return false
	}
	span, ok := sites.Pos(block)
	return ok && span.File == h.File && span.Start <= h.End && h.Start <= span.End
}

// inFunction reports whether a block comes after a hint's lines in their function.
func (h *Hint) inFunction(sites *trace.Sites, block int) bool {
	span, ok := sites.Pos(block)
	if !ok || h.File == "" || span.File != h.File || span.Start <= h.Start {
		return false
	}
	f := sites.Funcs[sites.Blocks[block].Func]
	return f.Line <= h.Start && h.Start <= f.End
}

// hints returns those that are followed.
func (e *Experimenter) hints() []Hint { return e.Hints[:min(len(e.Hints), maxHints)] }

// suggestedSites returns the positions that the hints are about, in their order, first
// those at the visit that a hint names; then the ones that follow these in the same goroutines, since what lies between two accesses is
// held at the second; then all that comes after them in the same functions, where a step
// that should not be apart from the one before has its place. Of several goroutines that
// do the same the first to arrive is held: which one that is may differ from run to run.
func (s *search) suggestedSites() []Site {
	if s.suggested != nil || len(s.Hints) == 0 {
		return s.suggested
	}
	var list, next, rest []Site
	for _, h := range s.hints() {
		at, after := s.hintedVisits(&h)
		list, next = append(list, at...), append(next, after...)
		for _, site := range s.p.Sites() {
			switch {
			case slices.ContainsFunc(s.p.standsFor(site), func(b int) bool { return h.touches(s.Sites, b) }):
				list = append(list, site)
				if after, ok := s.p.following(site); ok {
					next = append(next, after)
				}
			case h.inFunction(s.Sites, site.Block):
				rest = append(rest, site)
			}
		}
	}
	list = unique(slices.Concat(list, next, rest))
	several := s.p.severalOf()
	for i, site := range list {
		if site.Class != 0 && several[site.Class] {
			list[i].G = perturb.Goroutine{Class: site.Class}
		}
	}
	s.suggested = list[:min(len(list), maxSuggested)]
	return s.suggested
}

// hintedVisits returns the position at the visit that a hint names, if that is not the
// first, and the one after it.
func (s *search) hintedVisits(h *Hint) (at, after []Site) {
	if h.Hit < 2 {
		return nil, nil
	}
	for _, g := range s.p.Goroutines {
		if g.Class != h.Class || g.Nth > 0 {
			continue
		}
		all, err := s.visitedBy(Visit{ID: g.ID, Class: g.Class, Test: g.Test})
		if err != nil {
			return nil, nil // it is only a hint
		}
		for i, site := range all {
			if site.Hit != h.Hit || !h.touches(s.Sites, site.Block) {
				continue
			}
			at = append(at, site)
			if i+1 < len(all) {
				after = append(after, all[i+1])
			}
		}
	}
	return at, after
}

func unique(list []Site) []Site {
	var once []Site
	for _, site := range list {
		if !slices.Contains(once, site) {
			once = append(once, site)
		}
	}
	return once
}

// tryFacts sets what recorded runs had when they failed, and when they passed.
func (s *search) tryFacts() error {
	for _, h := range s.hints() {
		var trials []Trial
		for _, acts := range slices.Concat(h.Fails, h.Passes) {
			trials = append(trials, do(acts...))
		}
		if len(trials) == 0 {
			continue
		}
		if err := s.survey(); err != nil {
			return err
		}
		if err := s.family("facts", s.oneClock(trials), s.clockFound); err != nil || s.explained() {
			return err
		}
	}
	return nil
}

// trySuggested holds goroutines where the hints say.
func (s *search) trySuggested() error {
	s.done = s.suggestedSites()
	return s.sweepOver("stalls", s.done, sweepDose)
}

// maxReplayed is how many seeds of recorded runs that failed in one way are tried.
const maxReplayed = 3

// replaySeeds makes the random choices of recorded runs that failed once more. If that
// fails each time, the failure depends on choices alone, and these are looked for. If it
// does not, something else decides.
func (s *search) replaySeeds() error {
	s.passSeeds = s.recordedPasses()
	tried, again := 0, 0
	for _, r := range s.failingSeeds() {
		if s.known(r.Signature) {
			continue
		}
		o, tells, err := s.once(s.ctx, "seeds", do(perturb.Pins(r.Seed)...), &r.Signature)
		if err != nil {
			return err
		}
		s.p.addDraws(o.Draws)
		if tells == tellsNothing {
			continue
		}
		tried++
		if tells == tellsPass || len(o.Draws) == 0 {
			continue
		}
		is, err := s.isolateRecorded(r.Seed, o)
		if err != nil || s.explained() {
			return err
		}
		if is {
			again++
		}
	}
	s.notDraws = tried > 1 && again == 0
	return nil
}

// failingSeeds returns recorded runs that failed, of the most frequent failures first,
// at most maxReplayed of each.
func (s *search) failingSeeds() []Recorded {
	count := make(map[runner.Signature]int)
	var list []Recorded
	for _, r := range s.Recorded {
		if !r.Failed {
			continue
		}
		if count[r.Signature]++; r.Seed != 0 && count[r.Signature] <= maxReplayed {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b Recorded) int { return count[b.Signature] - count[a.Signature] })
	return list
}

// isolateRecorded looks for the choices that decide, of a recorded seed that failed
// again, and reports whether it fails each time.
func (s *search) isolateRecorded(seed uint64, o *Outcome) (bool, error) {
	f, err := s.failsEachTime(seed, o)
	if f == nil || err != nil {
		return false, err
	}
	pass, err := s.passingSeed(&f.Sig)
	if err != nil || pass == 0 {
		return false, err
	}
	return true, s.isolateIn(f, seed, pass, o)
}

// recordedPasses returns the seeds of some recorded runs that passed.
func (s *search) recordedPasses() (list []uint64) {
	for _, r := range s.Recorded {
		if !r.Failed && r.Seed != 0 && len(list) < maxReplayed {
			list = append(list, r.Seed)
		}
	}
	return list
}

// orderFirst finds out whether other tests decide, where a hint says so or the recorded
// runs were shuffled and this test alone does always what it did in some of them.
func (s *search) orderFirst() error {
	var seen []*Recorded // of each failure the first
	for i := range s.Recorded {
		r := &s.Recorded[i]
		known := func(o *Recorded) bool { return same(o.Signature, r.Signature) }
		if !r.Failed || len(s.Tests) < 2 || len(seen) == maxOrdered || slices.ContainsFunc(seen, known) {
			continue
		}
		seen = append(seen, r)
		if !namesTests(s.hints()) && !s.differsAlone(&r.Signature) {
			continue
		}
		f, err := s.testOrder(s.Tests, Trial{Shuffle: r.Shuffle}, &r.Signature)
		if err != nil {
			return err
		}
		if f != nil {
			return s.keepFinding(f)
		}
	}
	return nil
}

// maxOrdered is how many ways to fail are tried with other tests.
const maxOrdered = 3

// AsksForOrder reports whether other tests may decide, so that Tests are needed: a hint names
// some, or the recorded runs had other tests before this one.
func (e *Experimenter) AsksForOrder() bool {
	return e.OfSuite || namesTests(e.Hints) || slices.ContainsFunc(e.Recorded, func(r Recorded) bool { return r.Shuffle != 0 })
}

func namesTests(hints []Hint) bool {
	return slices.ContainsFunc(hints, func(h Hint) bool { return len(h.Tests) > 0 })
}

// differsAlone reports whether the recorded runs had orders of their own, and this test
// alone always fails so though it passed in one of them, or never does.
func (s *search) differsAlone(sig *runner.Signature) bool {
	shuffled := slices.ContainsFunc(s.Recorded, func(r Recorded) bool { return r.Shuffle != 0 })
	alone, before := s.plainCount(sig), s.recorded(sig)
	return shuffled && (alone.Failed == 0 || alone.Failed == alone.Of && before.Failed < before.Of)
}

// hintedTests returns those of the tests that hints name.
func (s *search) hintedTests(others []string) []string {
	var list []string
	for _, t := range others {
		if slices.ContainsFunc(s.hints(), func(h Hint) bool { return slices.Contains(h.Tests, t) }) {
			list = append(list, t)
		}
	}
	return list
}
