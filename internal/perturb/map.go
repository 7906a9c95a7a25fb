package perturb

var mapKind = Kind{
	Name:   "map",
	Varies: "The order in which maps are iterated over, and the seeds of their hashes, those of sync.Map included.",
	Legal:  `"The iteration order over maps is not specified and is not guaranteed to be the same from one iteration to the next."`,
	Source: spec + "For_range",
	Sites:  "blocks that draw",
}
