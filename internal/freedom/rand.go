package freedom

import "github.com/fdebug/fdebug/internal/say"

var randFreedom = Freedom{
	Name:     "rand",
	Varies:   "The numbers of math/rand and math/rand/v2 without a seed or with one from the clock. The seeds of hash/maphash.",
	Legal:    `"If Seed is not called, the generator is seeded randomly at program startup." "MakeSeed returns a new random seed."`,
	Source:   "https://pkg.go.dev/math/rand#Seed; https://pkg.go.dev/hash/maphash#MakeSeed",
	Sites:    "blocks that draw",
	Category: "randomness",
	Where:    ByDraws,
	Propose:  []*Proposer{&seeds},
	Verbs:    seedVerbs(narrowRand),
	Choice:   drawsNumber,
}

// drawsNumber is said where a random number decides.
var drawsNumber = say.Choice{
	Why: say.L("random number differs by outcome"), With: say.BarThis, Cure: say.BarAnother, Mark: say.MarkRand,
	Cause: func(does say.Verb, at say.Chosen) say.Sentence {
		of := Among(at.Of)
		numbers := say.Numbers{Limit: at.Unit, From: at.From, To: at.To, Float: at.Unit == Floats}
		switch {
		case at.Unit == 0:
			return say.Rand.With(does, at.Drawn)
		case of.Twice():
			return say.RandTwice.With(does, at.Drawn)
		case of.Nth() > 0:
			return say.RandNth.With(does, say.Count(of.Nth()), at.Drawn, numbers)
		case of.Any():
			return say.RandAny.With(does, at.Drawn, numbers)
		}
		return say.RandGives.With(does, at.Drawn, numbers)
	},
	Fix: func(at say.Chosen) []say.Sentence {
		return []say.Sentence{say.FixRange.With(at.Drawn), say.FixSeed.With()}
	},
}

// intn is Intn of math/rand.
func intn(x uint64, n int64) int64 {
	v := int64(x << 1 >> 33)
	if n&(n-1) == 0 {
		return v & (n - 1)
	}
	return v % n
}
