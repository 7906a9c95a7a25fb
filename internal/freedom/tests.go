package freedom

var testsFreedom = Freedom{
	Name:     "tests",
	Varies:   "Which tests run in the process, and in which order: alone, all, or all shuffled.",
	Legal:    `"Randomize the execution order of tests and benchmarks" is a flag of go test, as is -run.`,
	Source:   "go help testflag, -shuffle and -run",
	Sites:    "tests",
	Category: "test-order",
	Where:    ByTests,
}
