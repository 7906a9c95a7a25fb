package report

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

func TestEarlierWords(t *testing.T) {
	for want, e := range map[string]divergence.Earlier{
		"it had run before in 5 of 5 failing runs and in 1 of 10 passing runs, so it seems that it leaves something behind that fails this test": {
			Tests: []string{"TestA"}, FailsIf: true, Table: divergence.Table{FailTaken: 5, PassTaken: 1, PassNot: 9}},
		"one of TestA, TestB and TestC had run before in 0 of 5 failing runs and in 10 of 10 passing runs, so it seems that it sets something up that this test needs": {
			Tests: []string{"TestA", "TestB", "TestC"}, Table: divergence.Table{FailTaken: 5, PassNot: 10}},
	} {
		if got := earlierWords(&e); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
