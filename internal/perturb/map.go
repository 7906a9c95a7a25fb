package perturb

var mapKind = Kind{
	Name:     "map",
	Varies:   "The order in which a map is iterated over, and the seed of its hash. A sync.Map too.",
	Legal:    `"The iteration order over maps is not specified and is not guaranteed to be the same from one iteration to the next."`,
	Source:   spec + "For_range",
	Sites:    "blocks that draw",
	Category: "unordered-collections",
}
