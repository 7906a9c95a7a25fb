package freedom

var raceFreedom = Freedom{
	Name:   "race",
	Varies: "The test is built with the race detector, which reports data races and changes what runs when.",
	Legal:  `"An implementation may always react to a data race by reporting the race and terminating the program."`,
	Source: "https://go.dev/ref/mem#restrictions",
	Sites:  "the whole run",
	Where:  ByBuild,
}
