package report

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

func TestEarlierWords(t *testing.T) {
	for want, e := range map[string]divergence.Earlier{
		"it had run before in 5 of 5 failing runs and in 1 of 10 passing runs, so it seems that it leaves something behind that fails this test": {
			Tests: []string{"TestA"}, FailsIf: true, Table: divergence.Table{FailTaken: 5, PassTaken: 1, PassNot: 9}},
		"at least one of TestA, TestB and TestC had run before in 0 of 5 failing runs and in 10 of 10 passing runs, so it seems that it sets something up that this test needs": {
			Tests: []string{"TestA", "TestB", "TestC"}, Table: divergence.Table{FailTaken: 5, PassNot: 10}},
	} {
		if got := earlierWords(&e); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What a test changes is named, and that it does so elsewhere as well; of several tests
// it is not said that each had run.
func TestChangedBefore(t *testing.T) {
	for want, r := range map[string]finding.Reason{
		"TestA changes shared.port here; this test reads it; TestA had run before in 5 of 5 failing and 1 of 10 passing runs": {
			Kind: finding.ReasonTest, Code: "TestA", Var: "shared.port", Of: 1, Tests: []string{"TestA"}, FailsIf: true, Read: true},
		"TestA changes shared.port here, and in 2 other lines; this test reads it; at least one of TestA and TestB had run before in 5 of 5 failing and 1 of 10 passing runs": {
			Kind: finding.ReasonTest, Code: "TestA", Var: "shared.port", Of: 3, Tests: []string{"TestA", "TestB"}, FailsIf: true, Read: true},
	} {
		s := &finding.Suspect{Reason: r, Evidence: finding.Evidence{Table: divergence.Table{FailTaken: 5, PassTaken: 1, PassNot: 9}}}
		if got := Why(s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
