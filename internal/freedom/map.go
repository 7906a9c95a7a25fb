package freedom

import (
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
)

var mapFreedom = Freedom{
	Name:     "map",
	Varies:   "The order in which a map is iterated over. A sync.Map too.",
	Legal:    `"The iteration order over maps is not specified and is not guaranteed to be the same from one iteration to the next."`,
	Source:   spec + "For_range",
	Sites:    "blocks that draw",
	Category: "unordered-collections",
	Where:    ByDraws,
	Propose:  []*Proposer{&seeds},
	Verbs:    seedVerbs,
	Choice: say.Choice{
		Why: say.L("map order differs by outcome"), With: say.BarFirst, Cure: say.BarOther, Mark: say.MarkMap,
		Cause: func(does say.Verb, at say.Chosen) say.Sentence {
			if at.Ranged.Text == "" {
				return say.MapCalled.With(does, at.At)
			}
			return say.MapOrder.With(does, at.Ranged)
		},
		Fix: func(at say.Chosen) []say.Sentence {
			if at.Ranged.Text == "" {
				return []say.Sentence{say.FixSortCalled.With(at.At), say.FixCompare.With()}
			}
			return []say.Sentence{say.FixSort.With(at.Ranged), say.FixCompare.With()}
		},
	},
}

const (
	smallMap = 8  // entries of a map that has no directory: a walk begins at one of them
	maxWalks = 24 // draws that are looked at one by one
)

// mapOrders returns with which entry walks begin. A walk draws two numbers; the first one
// modulo 8 is the entry of a small map. What follows in a large one can't be told from them.
func (q *sequence) mapOrders(r *Runs) (list []fact.Observation) {
	entry := func(x uint64) float64 { return float64(x % smallMap) }
	for n := range min(maxWalks, q.longest()) {
		list = append(list, q.observe(r, Seen{Measure: Draw}, fact.Circle, float64(n), one(entry, n)))
	}
	for e := range smallMap {
		for parity := range 3 { // the first draws of walks, the second ones, all
			list = append(list, q.observe(r, Seen{Measure: HowMany}, fact.Line, 30, func(numbers []uint64) float64 {
				n := 0
				for i, x := range numbers {
					if x%smallMap == uint64(e) && (parity == 2 || i%2 == parity) {
						n++
					}
				}
				return float64(n)
			}))
		}
	}
	return list
}

func (q *sequence) longest() (n int) {
	for _, x := range q.numbers {
		n = max(n, len(x))
	}
	return n
}
