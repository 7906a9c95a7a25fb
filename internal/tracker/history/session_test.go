package history_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/fdebug/fdebug/internal/tracker/history"
)

// testBySession asks for the sessions before one, of tests that have failed and of one that
// has not.
func testBySession(t *testing.T, open maker) {
	db := open(t)()
	for i, s := range []*Session{job("a", "c1", 0), job("b", "c2", 1), job("own", "c2", 2), job("later", "c3", 3)} {
		hours := i
		own := runOf(s.Key+"1", hours, "TestGood", "fail:TestBad", "fail:TestOther")
		again := runOf(s.Key+"2", hours, "TestGood", "TestGood", "TestBad")
		forced := runOf(s.Key+"3", hours, "fail:TestGood")
		forced.Kind = Provoked
		add(t, db, s, 3, own, again, forced)
	}
	tally, err := Read(context.Background(), db, Filter{
		Test: func(_, test string) bool { return test == "TestGood" || test == "TestBad" }, BySession: true, Before: job("", "", 3).Started, NotKey: "own",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]SessionCount)
	for _, x := range tally.Tests {
		got[x.Name] = x.Sessions
	}
	at := func(hours int, commit string, runs, failed int) SessionCount {
		return SessionCount{Started: job("", "", hours).Started, Commit: Commit{Hash: commit}, Source: FromImport, Runs: runs, Failed: failed}
	}
	want := map[string][]SessionCount{
		"TestGood": {at(0, "c1", 3, 0), at(1, "c2", 3, 0)},
		"TestBad":  {at(0, "c1", 2, 1), at(1, "c2", 2, 1)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
