package freedom

import (
	"go/constant"
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
)

var randFreedom = Freedom{
	Name:     "rand",
	Varies:   "The numbers of math/rand and math/rand/v2 without a seed or with one from the clock. The seeds of hash/maphash.",
	Legal:    `"If Seed is not called, the generator is seeded randomly at program startup." "MakeSeed returns a new random seed."`,
	Source:   "https://pkg.go.dev/math/rand#Seed; https://pkg.go.dev/hash/maphash#MakeSeed",
	Sites:    "blocks that draw",
	Category: "randomness",
	Where:    ByDraws,
	Propose:  []*Proposer{&seeds},
	Verbs:    seedVerbs,
	Choice:   drawsNumber,
}

// drawsNumber is said where a random number decides.
var drawsNumber = say.Choice{
	Why: say.L("random number differs by outcome"), With: say.BarThis, Cure: say.BarAnother, Mark: say.MarkRand,
	Cause: func(does say.Verb, at say.Chosen) say.Sentence { return say.Rand.With(does, at.Drawn) },
	Fix: func(at say.Chosen) []say.Sentence {
		return []say.Sentence{say.FixRange.With(at.Drawn), say.FixSeed.With()}
	},
}

const (
	maxRandoms = 12 // numbers that are looked at one by one
	maxLimits  = 6  // constants of the code that they are compared with
)

// A family is how a function of math/rand makes a result of a number, up to its scale: results
// that are greater come from numbers that are.
type family func(x uint64) float64

// families returns how functions make results: of the highest bits, of the lower 63 (version 1), of
// the lowest 53 (Float64), and of the remainder by a constant that the code has.
func (q *sequence) families(r *Runs) []family {
	list := []family{
		func(x uint64) float64 { return float64(x >> 11) },
		func(x uint64) float64 { return float64(x << 1 >> 11) },
		func(x uint64) float64 { return float64(x << 11 >> 11) },
	}
	for _, n := range q.limits(r) {
		list = append(list, func(x uint64) float64 { return float64(intn(x, n)) })
		if n&(n-1) == 0 {
			list = append(list, func(x uint64) float64 { return float64(x & uint64(n-1)) })
		}
	}
	return list
}

// intn is Intn of math/rand.
func intn(x uint64, n int64) int64 {
	v := int64(x << 1 >> 33)
	if n&(n-1) == 0 {
		return v & (n - 1)
	}
	return v % n
}

// intN is IntN of math/rand/v2.
func intN(x uint64, n int64) int64 {
	if n&(n-1) == 0 {
		return int64(uint32(x)) & (n - 1)
	}
	return int64(x >> 32 * uint64(n) >> 32)
}

// limits returns the constants that the calls of a block are given.
func (q *sequence) limits(r *Runs) (list []int64) {
	if r.Source == nil {
		return nil
	}
	span, _ := r.Sites.Pos(q.block)
	f := r.Source.File(span.File)
	if f == nil || f.Info == nil {
		return nil
	}
	for _, o := range r.Source.Drawn(q.block, func(o *source.Op) bool { return o.Kind == source.Draw }) {
		for _, e := range o.From {
			n, ok := constant.Int64Val(constant.ToInt(f.Info.Types[e].Value))
			if ok && 1 < n && n < 1<<31 && !slices.Contains(list, n) && len(list) < maxLimits {
				list = append(list, n)
			}
		}
	}
	return list
}

func (q *sequence) randoms(r *Runs) (list []fact.Observation) {
	for i, f := range q.families(r) {
		for n := range min(maxRandoms, q.longest()) {
			list = append(list, q.observe(r, Seen{Measure: Draw}, fact.Line, float64(n)+float64(i)/100, one(f, n)))
		}
		if q.longest() > 1 {
			list = append(list, q.observe(r, Seen{Measure: Extreme}, fact.Line, 20+float64(i)/100, extreme(f, 1)))
			list = append(list, q.observe(r, Seen{Measure: Extreme}, fact.Line, 20+float64(i)/100, extreme(f, -1)))
		}
	}
	for _, n := range q.limits(r) {
		for _, f := range []func(uint64, int64) int64{intn, intN} {
			for size := 1; size <= 3; size++ {
				list = append(list, q.observe(r, Seen{Measure: Twice}, fact.Bit, 30, func(numbers []uint64) float64 {
					seen := make(map[int64]bool)
					for i := 0; i+size <= len(numbers); i += size {
						v := int64(0)
						for _, x := range numbers[i : i+size] {
							v = v*n + f(x, n)
						}
						if seen[v] {
							return 1
						}
						seen[v] = true
					}
					return 0
				}))
			}
		}
	}
	return list
}
