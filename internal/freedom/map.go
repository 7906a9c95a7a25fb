package freedom

import (
	"strings"

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
	Verbs:    seedVerbs(narrowMap),
	aspects:  []aspect{{what: MapKeys, name: "keys"}},
	Choice: say.Choice{
		Why: say.L("map order differs by outcome"), With: say.BarSo, Cure: say.BarOtherwise, Mark: say.MarkMap,
		Cause: func(does say.Verb, at say.Chosen) say.Sentence {
			if at.Key != "" {
				return keysDecide(does, at)
			}
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

// keysDecide says which keys do.
func keysDecide(does say.Verb, at say.Chosen) say.Sentence {
	of, list, in := Among(at.Of), at.Key+", "+at.Before, at.At
	if at.Before == "" && at.Ranged.Text != "" {
		in = at.Ranged
	}
	if of == InOrder && !strings.Contains(string(at.Before), ", ") {
		return say.MapPair.With(does, at.Key, at.Before, in)
	}
	return [...]say.Sentence{
		say.MapIn.With(does, in, list), say.MapOut.With(does, in, list),
		say.MapFirst.With(does, in, at.Key), say.MapOther.With(does, in, at.Key),
		say.MapLast.With(does, in, at.Key), say.MapNotLast.With(does, in, at.Key),
	}[InOrder-of]
}
