package say

// How runs come to differ.
const (
	Diverge     Template = "Runs diverge at {code}."
	DivergeNth  Template = "Runs diverge at visit {count} of {code}."
	Branch      Template = "Failing runs go to {code}, passing runs to {code}."
	FailingGo   Template = "Failing runs go to {code}."
	PassingEnd  Template = "Failing runs go on to {code}. In passing runs the goroutine goes no further."
	FailingEnd  Template = "Passing runs go on to {code}. In failing runs the goroutine goes no further."
	LoopLess    Template = "Failing runs reach {code} fewer than {count time}."
	LoopMore    Template = "Failing runs reach {code} {count} or more times."
	LoopNever   Template = "Only passing runs get from {code} to {code}."
	SamePath    Template = "Failing runs take the path of a passing run. The values differ."
	InGoroutine Template = "In the goroutine started at {code}:"
	TraceEnds   Template = "The trace ends here. Use -trace-budget."
	NotCompared Template = "These runs are not compared yet. Use fdebug report."
)

// Rates and notes.
const (
	Rate         Template = "{count} of {count run} failed ({percent}, 95% CI {low}–{percent})."
	NoOutcome    Template = "{count more run} did not come to the test, or skipped it."
	WithoutRec   Template = "Without the recorder: {count} of {count}."
	RecorderActs Template = "Recording changes this rate."
	Provoked     Template = "Fails when provoked: {count} of {count}. Otherwise: {count} of {count}."
	Seen         Template = "Failed in {count} of {count run} with something perturbed, and in {count} of {count} without."
	NoneFailed   Template = "None of {count run} failed. Each test fails in less than {percent} of runs (95% confidence)."
	Unrecorded   Template = "Fails in module {name}, which is not recorded. Use -instrument."
	CleanRuns    Template = "If {count run} pass in a row, the fix is probably right."
	CutPage      Template = "Too large: output, paths or code are left out."
	LeftOut      Template = "{count more line} left out."
	MoreFailures Template = "{count more failure} left out."
	NoSource     Template = "The source of this file could not be read."
	PassedAlways Template = "{count test} passed in every run."
	NeverRun     Template = "Never run: {count package}."
)

// Rates, and bubbles in the source of a divergence.
const (
	RateAlone    Label = "{percent}, 95% CI {low}–{percent}"
	Share        Label = "{percent}"
	ValuesOf     Label = "recorded in {count more run}: {count} passed, {count} failed"
	SameRuns     Label = "fails in the same runs"
	SameCause    Label = "same cause"
	OneName      Label = "{name}"
	LastCommon   Label = "last common line"
	LastNth      Label = "last common line, visit {count}"
	NextPassing  Label = "passing runs: {count} of {count}"
	NextFailing  Label = "failing runs: {count} of {count}"
	FailedHere   Label = "test failed here"
	CheckFailed  Label = "failed in {count} of {count} failing runs"
	PassingAlone Label = "passing run {count}"
	FailingAlone Label = "failing run {count}"
)

// What experiments came to.
const (
	TriedAll  Template = "Experiments found no cause: {count run}, {time}."
	TriedNone Template = "There was no time for experiments. Use -budget."
	TriedMade Template = "Shown after {count run}, {time}."
)
