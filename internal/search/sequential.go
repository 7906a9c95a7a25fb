package search

import (
	"math"

	"github.com/fdebug/fdebug/internal/stats"
)

// Levels of the sequential test of one hypothesis.
const (
	// WronglyKept is the probability at most with which a wrong hypothesis is looked into.
	WronglyKept = 0.01
	// WronglyDropped is the probability at most with which a right one is given up.
	WronglyDropped = 0.05
	// quickly is that of a guess at a plan that lets the test pass: there are many, and a right one does so each time.
	quickly = 0.15

	sureRate  = 0.97 // of runs, with a plan that decides
	partWeigh = 0.25 // probability that it only makes the outcome more likely
	patience  = 40   // runs after which neither is said
)

// A score counts runs by whether they had the wanted outcome.
type score struct{ yes, no int }

func (s score) of() int { return s.yes + s.no }

// rate is the share of the outcome, by Jeffreys' prior.
func (s score) rate() float64 { return (float64(s.yes) + 0.5) / (float64(s.of()) + 1) }

// odds returns how much more probable runs are if a plan decides than if they are like
// plain ones. part is the probability that it decides in a part of the runs only: halfway between the rate of plain
// runs and always. Where plain runs often have the outcome, that would take many runs to tell, and is left out.
func (s score) odds(plain score, part float64) float64 {
	half := (1 + plain.rate()) / 2
	if plain.rate() >= seldom {
		part = 0
	}
	decides := (1-part)*s.given(sureRate) + part*s.given(half)
	return decides / s.like(plain)
}

// given is how probable the runs are at a rate.
func (s score) given(rate float64) float64 {
	return math.Pow(rate, float64(s.yes)) * math.Pow(1-rate, float64(s.no))
}

// like is how probable the runs are if their rate is that of the plain runs, which is known as well as these tell it.
func (s score) like(plain score) float64 {
	a, b := float64(plain.yes)+0.5, float64(plain.no)+0.5
	return math.Exp(stats.LogBeta(a+float64(s.yes), b+float64(s.no)) - stats.LogBeta(a, b))
}

// A decision of a sequential test.
type decision uint8

const (
	goOn decision = iota
	dropped
	kept
)

// decide returns the decision after some runs. A plan is given up at the odds drop.
func (s score) decide(plain score, part, drop float64) decision {
	odds := s.odds(plain, part)
	switch {
	case odds >= 1/WronglyKept:
		return kept
	case odds <= drop, s.of() >= patience:
		return dropped
	}
	return goOn
}
