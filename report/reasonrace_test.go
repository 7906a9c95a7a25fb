package report

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestRaceWords says of a race whether the test failed in the runs that it was seen in.
func TestRaceWords(t *testing.T) {
	const race = "a data race: nothing orders this write and the read of the same memory at b.go:7 (seen in 5 of 20 runs with the race detector"
	for want, runs := range map[string]divergence.Table{
		race + ")": {FailTaken: 1, FailNot: 2, PassTaken: 4, PassNot: 13},
		race + ", in all of which this test passed; it failed in 3 of the others)": {FailNot: 3, PassTaken: 5, PassNot: 12},
	} {
		r := finding.Reason{Kind: finding.ReasonRace, Access: finding.Write, OtherAccess: finding.Read, Other: trace.Frame{File: "b.go", Line: 7}, Seen: 5, Of: 20, Runs: runs}
		if got := Why(&finding.Suspect{Reason: r}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
