package freedom

import "github.com/fdebug/fdebug/internal/say"

var mapFreedom = Freedom{
	Name:     "map",
	Varies:   "The order in which a map is iterated over. A sync.Map too.",
	Legal:    `"The iteration order over maps is not specified and is not guaranteed to be the same from one iteration to the next."`,
	Source:   spec + "For_range",
	Sites:    "blocks that draw",
	Category: "unordered-collections",
	Where:    ByDraws,
	Propose:  []*Proposer{&seeds},
	Verbs:    seedVerbs(nil),
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
