package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// A kind is one of reasons.
type kind uint8

const (
	// What experiments have shown: the act at a place.
	whyHeld kind = iota
	whyOrder
	whySetting
	whyChosen
	// Two times are set: the other one ends first.
	whyTimers
	// Where the edge is missing that would order the steps of a law, and where the test comes to the step that is too early.
	whyApart
	whySignals
	whyAtOnce
	whyHalfWritten
	whyHalfRead
	whyUnawaited
	whyAlike
	whyBetween
	whyAwaits
	// Two accesses that nothing orders.
	whyRace
	// A wait of a hang, and a goroutine that FailNow has ended.
	whyLockOrder
	whyFailNow
	whyStuck
	whyWaits
	whyWaited
	// A goroutine that was still running when its test had completed, and that test.
	whyOutlives
	whyOutlivesTest
	// A test that ran before, or did not: what it changes, where both come to that, the test itself, and this one, which
	// does not set what it reads.
	whyLeft
	whyReads
	whyBefore
	whyUnset
	// A value that enters from outside.
	whyDraw
	// A step that another goroutine had not done, or had, when the run came to the other place; what starts a goroutine; or
	// a wait for a time, and not for the step.
	whyLate
	whyEarly
	whyStarts
	whySleeps
	// A time that a wait exceeds, and what else was otherwise in failing runs.
	whyLimit
	whyFact
	// Several goroutines, or another one, change a variable that the other place reads.
	whyWriters
	whyWrites
	// Where failing runs leave all passing ones, by how often a loop went round before, or because a goroutine does not come
	// on from a wait: for anything, or for a condition, whose signal may have come before.
	whyDiverges
	whyLoops
	whyStays
	whyMisses
	// Where a failure shows.
	whyCheck
	whyDied
)

// words are all that is said of reasons of one kind, and what follows for others than their rule.
type words struct {
	name  string
	why   say.Label // why a place is named
	claim finding.Claim
	cause []said
	mark  say.Label // of the place
	other say.Label // of the other place, none if it is not shown
	fix   []said
}

// Words that several kinds share.
var (
	testEnded = says(say.T("Panics because the test has ended."))
	waitForIt = says(say.T("Wait for this goroutine before the test ends."))
	noWait    = say.L("the test does not wait")
	mustEnd   = says(say.FixWaitEnds)
	differs   = finding.Claim{Differs: true}
	ofOrder   = finding.Claim{Category: "test-order", Try: finding.TryTests}
)

var kinds = [...]words{
	whyHeld:    {name: "held", why: say.L("fails if delayed here")},
	whyOrder:   {name: "ordered", why: say.L("its order with another event decides")},
	whySetting: {name: "set", why: say.WhySetting},
	whyChosen:  {name: "chosen", why: say.L("fixed choice fails")},
	whyTimers:  {name: "timers", why: say.MarkLimit},
	whyApart: {name: "apart", why: say.L("another goroutine comes between"),
		fix: says(say.FixLock, here, other)},
	whySignals: {name: "signals", why: say.L("lets others go on too early"), fix: says(say.FixSignal, here, other)},
	whyAtOnce:  {name: "at-once", why: say.L("two goroutines run it at once"), fix: says(say.FixGuard)},
	whyHalfWritten: {name: "half-written", why: say.L("read before all of it is written"), claim: finding.Claim{Category: "io"},
		fix: says(say.T("Write to a temporary file from {code} to {code}, then rename it over the old one."), here, other)},
	whyHalfRead: {name: "half-read", why: say.L("reads only what has come so far"), claim: finding.Claim{Category: "network"},
		fix: says(say.FixReadFull)},
	whyUnawaited: {name: "unawaited", why: say.WhyOutlives, fix: says(say.FixWaitStart, here, other)},
	whyAlike:     {name: "alike", why: say.WhyOutlives, fix: says(say.FixStep)},
	whyBetween:   {name: "between", why: say.MarkEarly},
	whyAwaits:    {name: "awaits", why: say.MarkEarly, fix: says(say.FixWaitStart, other, here)},
	whyRace: {name: "race", why: say.L("data race"), claim: finding.Claim{Category: "concurrency"}, cause: says(say.Race),
		fix: says(say.FixGuard)},
	whyLockOrder: {name: "lock-order", why: say.WhyHolds, claim: finding.Claim{Category: "timeout", Deadlock: true},
		cause: says(say.Locks), mark: say.MarkWaits, fix: says(say.FixLockOrder, theLock, theName)},
	// That it is made to end keeps others waiting, for any reason.
	whyFailNow: {name: "fail-now", why: say.L("ended without signalling"), claim: finding.Claim{Category: "timeout"},
		cause: []said{of(say.Hang), of(say.T("The goroutine that should end it has ended."))},
		mark:  say.L("ended here"), other: say.MarkWaits,
		fix: []said{of(say.T("Signal with defer, so that every way out of the goroutine does.")),
			of(say.T("Use t.Error in this goroutine: FailNow ends it."))}},
	whyStuck:    {name: "stuck", why: say.MarkStuck, cause: says(say.Hang), mark: say.MarkStuck, fix: mustEnd},
	whyWaits:    {name: "waits", why: say.MarkWaits, cause: says(say.Hang), mark: say.MarkWaits, fix: mustEnd},
	whyWaited:   {name: "waited", why: say.WhyWaits, cause: says(say.Hang), mark: say.MarkWaits, fix: mustEnd},
	whyOutlives: {name: "outlives", why: say.WhyOutlives, cause: testEnded, mark: noWait, fix: waitForIt},
	whyOutlivesTest: {name: "outlives-test", why: noWait, cause: testEnded, mark: noWait, other: say.MarkStartsGo,
		fix: waitForIt},
	whyLeft:   {name: "left", why: say.L("left changed by {name}"), claim: ofOrder, mark: say.MarkReadHere},
	whyReads:  {name: "reads", why: say.L("read by {name} too"), claim: ofOrder, mark: say.MarkReadHere},
	whyBefore: {name: "before", why: say.L("{name} ran before"), claim: ofOrder, mark: say.MarkReadHere},
	whyUnset:  {name: "unset", why: say.L("set by {name}"), claim: ofOrder, mark: say.MarkReadHere},
	whyDraw: {name: "draw", why: say.WhyMayDepend, claim: finding.Claim{Try: finding.TryChoices, Surfaces: true},
		mark: say.WhyMayDepend},
	whyLate: {name: "late", why: say.BarLate, cause: says(say.Order, fails, other, here), mark: say.MarkFirst,
		other: say.MarkEarly, fix: says(say.FixWait, here, other)},
	whyEarly: {name: "early", why: say.MarkEarly, cause: says(say.Order, fails, here, other), mark: say.MarkEarly,
		other: say.MarkFirst, fix: says(say.FixWait, other, here)},
	whyStarts: {name: "starts", why: say.MarkStartsGo},
	whySleeps: {name: "sleeps", why: say.WhySleeps, claim: finding.Claim{Category: "async-wait"},
		cause: says(say.T("{Fails} when {code} ends before {code} runs."), fails, here, other),
		mark:  say.MarkEarly, other: say.MarkFirst,
		fix: says(say.T("Wait for the condition instead of sleeping at {code}. A longer sleep is no fix."), here)},
	whyLimit: {name: "limit", why: say.WhyLimit, claim: finding.Claim{Category: "timeout"},
		cause: says(say.HoldLimit, fails, theLimit, here), mark: say.MarkLimit, fix: says(say.FixLimit, theLimit, here)},
	// Experiments know the fact itself, so they need no hint.
	whyFact:     {name: "fact", why: say.WhyDiffers, claim: finding.Claim{Try: finding.TryNothing}},
	whyWriters:  {name: "writers", why: say.L("several goroutines write this"), claim: finding.Claim{Category: "concurrency"}},
	whyWrites:   {name: "writes", why: say.WhyWrites, fix: says(say.FixWait, here, other)},
	whyDiverges: {name: "divergence", why: say.WhyDiffers, claim: finding.Claim{Differs: true, Surfaces: true}},
	whyLoops:    {name: "divergence", why: say.WhyDiffers, claim: differs},
	whyStays:    {name: "stays", why: say.WhyWaits, claim: differs, fix: mustEnd},
	whyMisses: {name: "misses", why: say.WhyWaits, claim: differs,
		fix: says(say.T("Before this wait, check under the same lock whether it has already happened."))},
	whyCheck: {name: "check", why: say.L("failed check"), claim: finding.Claim{Try: finding.TryNothing, Surfaces: true}},
	whyDied:  {name: "died", why: say.WhyDied, claim: finding.Claim{Surfaces: true}},
}
