package perturb

var selectKind = Kind{
	Name:     "select",
	Varies:   "Which of several ready cases a select takes.",
	Legal:    `"If one or more of the communications can proceed, a single one that can proceed is chosen via a uniform pseudo-random selection."`,
	Source:   spec + "Select_statements",
	Sites:    "blocks that draw",
	Category: "concurrency",
}
