package perturb

var randKind = Kind{
	Name:     "rand",
	Varies:   "The numbers of math/rand and math/rand/v2 without a seed or with one from the clock. The seeds of hash/maphash.",
	Legal:    `"If Seed is not called, the generator is seeded randomly at program startup." "MakeSeed returns a new random seed."`,
	Source:   "https://pkg.go.dev/math/rand#Seed; https://pkg.go.dev/hash/maphash#MakeSeed",
	Sites:    "blocks that draw",
	Category: "randomness",
}
