package report

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestWhyEarly words what has to do with a goroutine that was held.
func TestWhyEarly(t *testing.T) {
	d := &finding.Verdict{
		Kind: "stall", Smallest: 2 * time.Millisecond, Lasted: 10 * time.Millisecond, At: finding.Span{File: "a/w.go", Start: 7, End: 8},
		With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 1, Of: 20}, Cured: finding.Count{Of: 20},
	}
	begins := *d
	begins.FromBeginning = true
	tests := finding.Verdict{Kind: "tests", Tests: []string{"TestB"}, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}
	needs := finding.Verdict{Kind: "tests", Tests: []string{"TestB"}, With: finding.Count{Failed: 19, Of: 20}, Cured: finding.Count{Of: 20}}
	other := trace.Frame{File: "a/w_test.go", Line: 12}
	for _, c := range []struct {
		start  int // of the place, which the sentence follows
		reason finding.Reason
		want   string
	}{
		{7, finding.Reason{Kind: finding.ReasonSignal, Verdict: d, Other: other}, "ends the wait at w_test.go:12 too early: with the goroutine held after this for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonLook, Verdict: d, Other: other}, "comes here without having waited for the goroutine that is started at w_test.go:12, as far as the source shows: with that held for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonLook, Verdict: d, Other: other, Then: trace.Frame{File: "a/w_test.go", Line: 5}}, "comes here, having waited at w_test.go:5 for the goroutine that is started at w_test.go:12, but, as far as the source shows, not for what that does afterwards: with that held for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonSleepHeld, Verdict: d, Other: other}, "sleeps for a fixed time, and does not wait for the goroutine that is started at w_test.go:12, as far as the source shows: with that held for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}, "with a goroutine held here for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{5, finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}, "with a goroutine held at w.go:7 for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{3, finding.Reason{Kind: finding.ReasonExperiment, Verdict: d, Since: 5}, "with a goroutine held after this, at w.go:7, for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonCure, Verdict: d}, "with a goroutine held here instead the test failed in 0 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonCure, Verdict: d, Called: true}, "with a goroutine held here, or in what is called here, instead the test failed in 0 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonHeldStart, Verdict: d}, "starts a goroutine; with that held at w.go:7 for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonHeldStart, Verdict: &begins}, "starts a goroutine; with that held from its beginning for 10ms the test failed in 20 of 20 runs, without it in 1 of 20"},
		{7, finding.Reason{Kind: finding.ReasonTestBefore, Verdict: &tests}, "after TestB in the same process the test failed in 20 of 20 runs, without in 0 of 20"},
		{7, finding.Reason{Kind: finding.ReasonTestBefore, Verdict: &needs}, "after TestB in the same process the test failed in 0 of 20 runs, without in 19 of 20"},
		{7, finding.Reason{Kind: finding.ReasonRaceSignal, Other: other, Then: trace.Frame{File: "a/w.go", Line: 9}, Access: finding.Write, Seen: 3, Of: 20}, "ends the wait at w_test.go:12 before the write at w.go:9, which is one side of a data race (seen in 3 of 20 runs with the race detector)"},
	} {
		if got := Why(&finding.Suspect{Start: c.start, Reason: c.reason}); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.reason.Kind, got, c.want)
		}
	}
}
