package report

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// reasons say why a place is named, in at most eight words. Those of tests and draws are said
// by [viewer.reason].
var reasons = map[finding.ReasonKind]say.Label{
	finding.ReasonExperiment: say.WhyShown, finding.ReasonWindow: say.WhyEnd, finding.ReasonHeldStart: say.WhyStarts, finding.ReasonCure: say.WhyPasses,
	finding.ReasonHeldToo: say.WhyTooEarly, finding.ReasonSignal: say.WhySignal, finding.ReasonLook: say.WhyNoWait, finding.ReasonSleepHeld: say.WhySleeps,
	finding.ReasonAsserted: say.WhyCompared, finding.ReasonAddInside: say.WhyAdds, finding.ReasonRaceAdd: say.WhyAdds, finding.ReasonSleepBefore: say.WhySleeps,
	finding.ReasonReading: say.WhyClock, finding.ReasonLimitHeld: say.WhyLimit, finding.ReasonMeasuredLate: say.WhyMeasures,
	finding.ReasonRaceSignal: say.WhySignal, finding.ReasonRaceUnlock: say.WhyUnlocks, finding.ReasonRaceNoLock: say.WhyNoLock, finding.ReasonRaceUnguarded: say.WhyNoLock,
	finding.ReasonRaceShared: say.WhyShared, finding.ReasonRaceLook: say.WhyNoWait, finding.ReasonRaceBranch: say.WhyNoWait, finding.ReasonRaceOutlives: say.WhyOutlives,
	finding.ReasonRaceSleep: say.WhySleeps, finding.ReasonRace: say.WhyRace, finding.ReasonRaceGo: say.WhyRaceStart, finding.ReasonRaceLost: say.WhyRaceStart,
	finding.ReasonLockOrder: say.WhyHolds, finding.ReasonSelfLock: say.WhySelfLock, finding.ReasonLeakedLock: say.WhyLeaked,
	finding.ReasonNeverEnds: say.WhyEnded, finding.ReasonTooEarly: say.WhyLost, finding.ReasonTurned: say.WhyTurned, finding.ReasonEndsWait: say.WhyEndsWait,
	finding.ReasonUnwaited: say.WhyOutlives, finding.ReasonUnwaitedSleep: say.WhySleeps,
	finding.ReasonOutlives: say.WhyOutlives, finding.ReasonOutlivesEnd: say.WhyOutlives, finding.ReasonOutlivesSleep: say.WhySleeps, finding.ReasonOutlivesSignal: say.WhySignal,
	finding.ReasonWaits: say.WhyWaitsHung, finding.ReasonGaveUp: say.WhyGaveUp, finding.ReasonWaited: say.WhyWaits,
	finding.ReasonCrash: say.WhyCloses, finding.ReasonCrashCall: say.WhyCalls,
	finding.ReasonLate: say.WhyLate, finding.ReasonEarly: say.WhyAlready, finding.ReasonGo: say.WhyOutlives, finding.ReasonTimedWait: say.WhySleeps,
	finding.ReasonTurns: say.WhyWriters, finding.ReasonSleep: say.WhySleeps, finding.ReasonConcurrent: say.WhyWrites,
	finding.ReasonSelect: say.WhyChoice, finding.ReasonSelectOnce: say.WhyChoice, finding.ReasonLimit: say.WhyLimit, finding.ReasonLimitNear: say.WhyLimit,
	finding.ReasonDivergence: say.WhyDiffers, finding.ReasonCheck: say.WhyCheck, finding.ReasonDied: say.WhyDied,
}

// testReasons have the name of a test.
var testReasons = map[finding.ReasonKind]say.Label{
	finding.ReasonTest: say.WhyLeft, finding.ReasonTestCall: say.WhyLeft, finding.ReasonPolluted: say.WhyReadBy, finding.ReasonPutBack: say.WhyLeft,
	finding.ReasonUnset: say.WhyNeeds, finding.ReasonShared: say.WhyReadBy, finding.ReasonCommon: say.WhyReadBy, finding.ReasonTestBefore: say.WhyRanBefore,
}

// crashReasons say what another statement does to what a panic is about.
var crashReasons = map[finding.CrashKind]say.Label{
	finding.CrashMap: say.WhyConcurrent, finding.CrashValue: say.WhySetLate, finding.CrashExit: say.WhyExit, finding.CrashNegative: say.WhyAdds, finding.CrashWaitGroup: say.WhyConcurrent,
}

// reason says why a place is named.
func (v *viewer) reason(s *finding.Suspect) say.Sentence {
	r := &s.Reason
	if l, ok := testReasons[r.Kind]; ok {
		return l.With(say.Name(v.clean.line(nameOf(r), 100)))
	}
	switch r.Kind {
	case finding.ReasonDraw, finding.ReasonDrawVaries:
		return drawReason(s).With()
	case finding.ReasonExperiment:
		return shownReason(r.Verdict).With()
	case finding.ReasonCrash:
		if l, ok := crashReasons[r.Crash]; ok {
			return l.With()
		}
	}
	return reasons[r.Kind].With()
}

// nameOf names the test that a place is about.
func nameOf(r *finding.Reason) string {
	if r.Code != "" || len(r.Tests) == 0 {
		return r.Code
	}
	return r.Tests[0]
}

// shownReason says what was done at a place.
func shownReason(d *finding.Verdict) say.Label {
	switch {
	case d == nil || d.Held() && !d.Ordered():
		return say.WhyShown
	case d.Ordered():
		return say.WhyOrder
	case len(d.Settings()) > 0:
		return say.WhySetting
	}
	return say.WhyFixedChoice
}

// drawReason names the kind of a value that enters by chance.
func drawReason(s *finding.Suspect) say.Label {
	if s.Reason.Kind == finding.ReasonDrawVaries {
		return say.WhyMayDepend
	}
	switch s.Reason.Source {
	case "map order":
		return say.WhyMap
	case "the clock":
		return say.WhyClock
	}
	if randomSource(s.Reason.Source) {
		return say.WhyRandom
	}
	return say.WhyValue
}

// Why says why a place is named.
func Why(s *finding.Suspect) string {
	v := &viewer{clean: newCleaner("", nil)}
	return v.reason(s).String()
}
