package say

// Why another place is named: at most eight words.
const (
	WhyDiffers   Label = "differs by outcome"
	WhyDied      Label = "the process died here"
	WhyPasses    Label = "passes if delayed here"
	WhySignal    Label = "ends the wait too early"
	WhyNoWait    Label = "does not wait for the other goroutine"
	WhySleeps    Label = "sleeps for a fixed time"
	WhyClock     Label = "clock differs by outcome"
	WhyLimit     Label = "time limit"
	WhyOutlives  Label = "nobody waits for this goroutine"
	WhyHolds     Label = "holds the lock"
	WhyEndsWait  Label = "ends the wait in passing runs"
	WhyWaits     Label = "waits without a signal"
	WhyValue     Label = "value differs by outcome"
	WhyMayDepend Label = "differs from run to run"
	WhyLate      Label = "had not run yet"
	WhyWrites    Label = "writes what the check reads"
	WhyChoice    Label = "choice differs by outcome"
	WhySetting   Label = "decided outside the program"
	WhyCounts    Label = "{count} of {count} failing, {count} of {count} passing"
	WhySeen      Label = "{count} of {count} failing"
)
