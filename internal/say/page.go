package say

// How runs come to differ.
var (
	Diverge     = T("Runs diverge at {code}.")
	DivergeNth  = T("Runs diverge at visit {count} of {code}.")
	Branch      = T("Failing runs go to {code}, passing runs to {code}.")
	FailingGo   = T("Failing runs go to {code}.")
	PassingEnd  = T("Failing runs go on to {code}. In passing runs the goroutine goes no further.")
	FailingEnd  = T("Passing runs go on to {code}. In failing runs the goroutine goes no further.")
	LoopLess    = T("Failing runs reach {code} fewer than {count time}.")
	LoopMore    = T("Failing runs reach {code} {count} or more times.")
	LoopNever   = T("Only passing runs get from {code} to {code}.")
	InGoroutine = T("In the goroutine started at {code}:")
	TraceEnds   = T("The trace ends here. Use -trace-budget.")
	NotCompared = T("These runs are not compared yet. Use fdebug report.")
)

// Rates and notes.
var (
	Rate         = T("{count} of {count run} failed ({percent}, 95% CI {low}–{percent}).")
	NoOutcome    = T("{count more run} did not come to the test, or skipped it.")
	WithoutRec   = T("Without the recorder: {count} of {count}.")
	RecorderActs = T("Recording changes this rate.")
	Provoked     = T("Fails when provoked: {count} of {count fresh run}. Otherwise: {count} of {count}.")
	Seen         = T("Failed in {count} of {count run} with something perturbed, and in {count} of {count} without.")
	NoneFailed   = T("None of {count run} failed. Each test fails in less than {percent} of runs (95% confidence).")
	CleanRuns    = T("If {count run} pass in a row, the fix is probably right.")
	CutPage      = T("Too large: output, paths or code are left out.")
	LeftOut      = T("{count more line} left out.")
	MoreFailures = T("{count more failure} left out.")
	NoSource     = T("The source of this file could not be read.")
	PassedAlways = T("{count test} passed in every run.")
	NeverRun     = T("Never run: {count package}.")
)

// Rates, and bubbles in the source of a divergence.
var (
	RateAlone    = L("{percent}, 95% CI {low}–{percent}")
	Share        = L("{percent}")
	ValuesOf     = L("recorded in {count more run}: {count} passed, {count} failed")
	SameRuns     = L("fails in the same runs")
	SameCause    = L("same cause")
	OneName      = L("{name}")
	LastCommon   = L("last common line")
	LastNth      = L("last common line, visit {count}")
	NextPassing  = L("passing runs: {count} of {count}")
	NextFailing  = L("failing runs: {count} of {count}")
	FailedHere   = L("test failed here")
	CheckFailed  = L("failed in {count} of {count} failing runs")
	PassingAlone = L("passing run {count}")
)

// What experiments came to.
var (
	TriedAll  = T("Experiments found no cause: {count run}, {time}.")
	TriedNone = T("There was no time for experiments. Use -budget.")
	TriedMade = T("Shown after {count run}, {time}.")
)
