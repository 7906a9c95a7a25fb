package say

// Why another place is named: at most eight words.
var (
	WhyDiffers   = L("differs by outcome")
	WhyDied      = L("the process died here")
	WhyPasses    = L("passes if delayed here")
	WhySleeps    = L("sleeps for a fixed time")
	WhyClock     = L("clock differs by outcome")
	WhyLimit     = L("time limit")
	WhyOutlives  = L("nobody waits for this goroutine")
	WhyHolds     = L("holds the lock")
	WhyWaits     = L("waits without a signal")
	WhyValue     = L("value differs by outcome")
	WhyMayDepend = L("differs from run to run")
	WhyWrites    = L("writes what the check reads")
	WhyChoice    = L("choice differs by outcome")
	WhySetting   = L("decided outside the program")
	WhyCounts    = L("{count} of {count} failing, {count} of {count} passing")
	WhySeen      = L("{count} of {count} failing")
)
