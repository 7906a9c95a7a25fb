package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
)

// A Recorded is a run that was made before the experiments, of this test or of the whole package.
type Recorded struct {
	Seed      uint64 // that all its random choices followed, 0 if they were free
	Shuffle   int64  // seed of -shuffle, 0 for the order of the source
	Failed    bool
	Signature runner.Signature
	Elapsed   time.Duration // of the test
}

// outcome is the outcome of the test: a run that did not come to it is not recorded.
func (r *Recorded) outcome() *Outcome {
	return &Outcome{Ran: true, Failed: r.Failed, Signature: r.Signature}
}

const (
	maxHints     = 12 // hints that are followed
	maxSuggested = 30 // positions that are tried for them
)

// hints returns those that are followed.
func (e *Experimenter) hints() []freedom.Hint { return e.Hints[:min(len(e.Hints), maxHints)] }

// suggestedSites returns the positions to try for the hints; of several goroutines that do the same, for the first to
// arrive, which may be another one in each run. In this order:
//  1. those on a hint's lines;
//  2. the next one of the same goroutine, since a gap between two accesses shows when the second is held;
//  3. the rest of the function, which may have a step that should not be apart from the one before.
func (b *bench) suggestedSites() []Site {
	if b.suggested != nil || len(b.Hints) == 0 {
		return b.suggested
	}
	var list, next, rest []Site
	for _, h := range b.hints() {
		for _, site := range b.p.Sites() {
			switch {
			case slices.ContainsFunc(b.p.standsFor(site), func(block int) bool { return h.Touches(b.Sites, block) }):
				list = append(list, site)
				if after, ok := b.p.following(site); ok {
					next = append(next, after)
				}
			case h.InFunction(b.Sites, site.Block):
				rest = append(rest, site)
			}
		}
	}
	list = unique(slices.Concat(list, next, rest))
	several := b.p.severalOf()
	for i, site := range list {
		if site.Class != 0 && several[site.Class] {
			list[i].G = freedom.Goroutine{Class: site.Class}
		}
	}
	b.suggested = list[:min(len(list), maxSuggested)]
	return b.suggested
}

func unique(list []Site) []Site {
	seen := make(map[Site]bool)
	return slices.DeleteFunc(list, func(site Site) bool {
		was := seen[site]
		seen[site] = true
		return was
	})
}

// maxReplayed is how many seeds of recorded runs that failed in one way are tried.
const maxReplayed = 3

// FailingSeeds returns the seeds of recorded runs that failed, of the most frequent failures first, at most maxReplayed of each.
func (b *bench) FailingSeeds() (seeds []uint64) {
	count := make(map[runner.Signature]int)
	var list []Recorded
	for _, r := range b.Recorded {
		if !r.Failed {
			continue
		}
		if count[r.Signature]++; r.Seed != 0 && count[r.Signature] <= maxReplayed {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(x, y Recorded) int { return count[y.Signature] - count[x.Signature] })
	for _, r := range list {
		seeds = append(seeds, r.Seed)
	}
	return seeds
}

// AsksForOrder reports whether other tests may decide, so that Tests are needed: a hint names
// some, or the recorded runs had other tests before this one.
func (e *Experimenter) AsksForOrder() bool {
	return e.OfSuite || namesTests(e.Hints) || slices.ContainsFunc(e.Recorded, func(r Recorded) bool {
		return r.Shuffle != 0
	})
}

func namesTests(hints []freedom.Hint) bool {
	return slices.ContainsFunc(hints, func(h freedom.Hint) bool { return len(h.Tests) > 0 })
}

// hintedTests returns those of the tests that hints name.
func (b *bench) hintedTests(others []string) []string {
	var list []string
	for _, t := range others {
		if slices.ContainsFunc(b.hints(), func(h freedom.Hint) bool { return slices.Contains(h.Tests, t) }) {
			list = append(list, t)
		}
	}
	return list
}
