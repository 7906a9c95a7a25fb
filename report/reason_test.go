package report

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestWhyEarly words what has to do with a goroutine that was held.
func TestWhyEarly(t *testing.T) {
	d := &finding.Verdict{
		Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: 2 * time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 1, Of: 20}, Cure: finding.Count{Of: 20}}}, At: finding.Span{File: "a/w.go", Start: 7, End: 8},
	}
	begins := *d
	begins.Proof.FromStart = true
	tests := finding.Verdict{Proof: proof.Proof{Before: []string{"TestB"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}}
	polluted := tests
	polluted.Pollution = &finding.Pollution{Vars: []finding.PackageVar{{Name: "all"}}, Of: 3, Back: finding.Count{Of: 20}, Without: finding.Count{Failed: 20, Of: 20}}
	twice := tests
	twice.Pollution = &finding.Pollution{Vars: []finding.PackageVar{{Name: "all"}, {Name: "some"}}, Of: 2, Back: finding.Count{Of: 20}, Left: finding.Count{Failed: 20, Of: 20}}
	needs := finding.Verdict{Proof: proof.Proof{Before: []string{"TestB"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 19, Of: 20}, Cure: finding.Count{Of: 20}}}}
	other, write := trace.Frame{File: "a/w_test.go", Line: 12}, trace.Frame{File: "a/w.go", Line: 9}
	every := *d
	every.Every, every.Started = true, trace.Frame{File: "/m/a/w_test.go", Line: 12}
	ordered := finding.Verdict{Window: make([]finding.Span, 2), Proof: proof.Proof{Plan: proof.Named("order"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 1, Of: 20}, Cure: finding.Count{Of: 20}}}}
	for _, c := range []struct {
		start  int // of the place, which the sentence follows
		reason finding.Reason
		want   string
	}{
		{7, finding.Reason{Kind: finding.ReasonSignal, Verdict: d, Other: other}, "ends the wait at w_test.go:12 too early: with the goroutine held after this for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonLook, Verdict: d, Other: other}, "comes here without having waited for the goroutine that is started at w_test.go:12, as far as the source shows: with that held for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonLook, Verdict: d, Other: other, Then: trace.Frame{File: "a/w_test.go", Line: 5}}, "comes here, having waited at w_test.go:5 for the goroutine that is started at w_test.go:12, but, as far as the source shows, not for what that does afterwards: with that held for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonSleepHeld, Verdict: d, Other: other}, "sleeps for a time, and does not wait for the goroutine that is started at w_test.go:12, as far as the source shows: with that held for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}, "with a goroutine held here for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonExperiment, Verdict: &every}, "with each goroutine that is started at w_test.go:12 held here for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonHeldStart, Verdict: &every}, "starts goroutines; with each of them held at w.go:7 for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonLook, Verdict: d, Other: other, Waited: trace.Frame{File: "a/w.go", Line: 5}}, "comes here, having waited last at w.go:5, by the source not directly for the goroutine that is started at w_test.go:12: with that held for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonLook, Verdict: &every, Other: other}, "comes here without having waited for the goroutines that are started at w_test.go:12, as far as the source shows: with each of them held for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{5, finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}, "with a goroutine held at w.go:7 for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{3, finding.Reason{Kind: finding.ReasonExperiment, Verdict: d, Since: 5}, "with a goroutine held after this, at w.go:7, for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonCure, Verdict: d}, "with a goroutine held here instead the test failed in 0 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonCure, Verdict: d, Called: true}, "with a goroutine held here, or in what is called here, instead the test failed in 0 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonHeldStart, Verdict: d}, "starts a goroutine; with that held at w.go:7 for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonHeldStart, Verdict: &begins}, "starts a goroutine; with that held from its beginning for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonTestBefore, Verdict: &tests}, "with just TestB before it in the same process the test failed in 20 of 20 runs, alone in 0 of 20"},
		{7, finding.Reason{Kind: finding.ReasonTestBefore, Verdict: &needs}, "with just TestB before it in the same process the test failed in 0 of 20 runs, alone in 19 of 20"},
		{7, finding.Reason{Kind: finding.ReasonRaceSignal, Other: other, Then: write, Access: finding.Write, Seen: 3, Of: 20}, "ends the wait at w_test.go:12 before the write at w.go:9, which is one side of a data race (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonRaceAdd, Code: "wg", Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Seen: 3, Of: 20}, "adds to wg in a goroutine, and, as far as the source shows, nothing has added for that before it is started: the wait at w_test.go:12 may end before this is run; nothing orders the write at w.go:9 and a read after the wait, a data race (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonAddInside, Code: "wg", Other: other, Verdict: d}, "adds to wg in a goroutine, and, as far as the source shows, nothing has added for that before it is started: the wait at w_test.go:12 may end before this is run; with the goroutine held before this for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonRaceUnlock, Code: "b.mu", Held: "b.mu", Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Seen: 3, Of: 20}, "gives back the lock b.mu before the write at w.go:9, which is one side of a data race; the other side, the read at w_test.go:12, is made under it (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonRaceUnlock, Code: "b.mu", Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Verdict: d}, "gives back the lock b.mu before the write at w.go:9, which is one side of a data race; the other side, the read at w_test.go:12, comes after it is given back too; with a goroutine held after this, at w.go:7, for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonRaceNoLock, Held: "b.mu", Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Seen: 3, Of: 20}, "goes on from here, under no lock, to the write at w.go:9, which is one side of a data race; the other side, the read at w_test.go:12, is made under the lock b.mu (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonRaceShared, Var: "all", Held: "b.mu", Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Seen: 3, Of: 20}, "gives the package's variable all to what is made here; by that, perhaps, two instances have come to the same memory: the sides of a data race, the write at w.go:9 and the read at w_test.go:12, are both made under b.mu by the source, which is two locks then (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonCommon, Var: "all", Code: "TestB", Tests: []string{"TestB"}, Verdict: &tests}, "TestB reads the package's variable all here; of those that can hold anything it is the only one that this test, by then, reads too, as far as the source shows; with just TestB before it in the same process the test failed in 20 of 20 runs, alone in 0 of 20"},
		{7, finding.Reason{Kind: finding.ReasonPolluted, Var: "all", Code: "TestB", Of: 3, Verdict: &polluted}, "TestB leaves the package's variable all, which it reads here and on 2 other lines, otherwise than it was: with it put back before this test that failed in 0 of 20 runs, with the 2 other package variables put back instead in 20 of 20"},
		{7, finding.Reason{Kind: finding.ReasonPolluted, Var: "all", Code: "TestB", Read: true, Verdict: &polluted}, "TestB leaves the package's variable all, which it reads here, as this test does, otherwise than it was: with it put back before this test that failed in 0 of 20 runs, with the 2 other package variables put back instead in 20 of 20"},
		{7, finding.Reason{Kind: finding.ReasonPutBack, Var: "all", Code: "TestB", Verdict: &twice}, "this test begins with what TestB has left in the package's variable all: with all and some put back before this test that failed in 0 of 20 runs, with nothing put back in 20 of 20"},
		{7, finding.Reason{Kind: finding.ReasonSelectOnce, Other: other}, "this select does not wait: it looks once at what is ready by then. Where the runs diverge it took the case at w_test.go:12 in 0 of 0 failing and 0 of 0 passing runs"},
		{7, finding.Reason{Kind: finding.ReasonRaceUnguarded, Held: "c.mu", Other: other, Then: write, Started: other, Access: finding.Write, OtherAccess: finding.Read, Seen: 3, Of: 20}, "goes on from here, under no lock, to the write at w.go:9, which is one side of a data race; the other side is the read at w_test.go:12, and what both are about is used under the lock c.mu at w_test.go:12 (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonRaceBranch, Code: "m.data", Other: other, Then: write, Started: other, Access: finding.Write, OtherAccess: finding.Read, Called: true, Seen: 3, Of: 20}, "comes here without the wait for m.data that another branch of this function has, at w.go:9, and that the goroutine started at w_test.go:12 ends after its write at w_test.go:12: nothing orders that and the read here, or in what is called here, a data race (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonRaceLook, Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Called: true, Seen: 3, Of: 20}, "comes here without having waited for the goroutine started at w.go:9, as far as the source shows: nothing orders its write at w_test.go:12 and the read here, or in what is called here, a data race (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonRaceSleep, Other: other, Then: write, Access: finding.Write, OtherAccess: finding.Read, Seen: 3, Of: 20}, "sleeps for a time, and does not wait for the goroutine started at w.go:9, as far as the source shows: nothing orders its write at w_test.go:12 and a read after this, a data race (seen in 3 of 20 runs with the race detector)"},
		{7, finding.Reason{Kind: finding.ReasonLimitHeld, Limit: 12 * time.Millisecond, Verdict: d, Other: other}, "gives the limit of 12ms after which the test gives up at w_test.go:12: with a goroutine held at w.go:7 for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20; the shortest hold with which it failed several times in a row was 2ms"},
		{7, finding.Reason{Kind: finding.ReasonLimitHeld, Checked: true, Limit: 12 * time.Millisecond, Verdict: d, Other: other}, "gives the limit of 12ms for the time that is measured at w_test.go:12: with a goroutine held at w.go:7 for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonMeasuredLate, Verdict: d, Other: other}, "the measured time begins here, after the deadline at w_test.go:12 is set: with the goroutine held at w.go:7 for 10ms the test failed in 20 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonSleepBefore, Verdict: d}, "sleeps for a time: with a goroutine held here instead, as if it slept longer, the test failed in 0 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonSleepBefore, Then: write, Verdict: d}, "sleeps for a time before w.go:9: with a goroutine held there instead, as if it slept longer, the test failed in 0 of 20 runs, with nothing changed in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonSleepBefore, Then: write, Verdict: &ordered}, "sleeps for a time before w.go:9, one of two events whose order decides: with one order the test failed in 20 of 20 runs, with nothing changed in 1 of 20, with the other order in 0 of 20"},
	} {
		if got := Why(&finding.Suspect{Start: c.start, Reason: c.reason}); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.reason.Kind, got, c.want)
		}
	}
}
