package freedom

import "github.com/fdebug/fdebug/internal/say"

var selectFreedom = Freedom{
	Name:     "select",
	Varies:   "Which of several ready cases a select takes.",
	Legal:    `"If one or more of the communications can proceed, a single one that can proceed is chosen via a uniform pseudo-random selection."`,
	Source:   spec + "Select_statements",
	Sites:    "blocks that draw",
	Category: "concurrency",
	Where:    ByDraws,
	Propose:  []*Proposer{&seeds},
	Verbs:    seedVerbs(narrowSelect),
	Choice: say.Choice{
		Why: say.WhyChoice, With: say.BarThis, Cure: say.BarAnother, Mark: say.MarkChoice,
		Cause: func(does say.Verb, at say.Chosen) say.Sentence {
			if at.Taken.Place == "" {
				return say.SelectSome.With(does, at.At)
			}
			if at.Of > 0 && at.Unit > 0 {
				return say.SelectNth.With(does, at.Taken, say.Count(at.Unit))
			}
			return say.Select.With(does, at.Taken)
		},
		Fix: func(at say.Chosen) []say.Sentence { return []say.Sentence{say.FixSelect.With(at.At)} },
	},
}
