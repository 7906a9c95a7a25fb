package report

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestPartyWords has what is said of who else had to do with a panic.
func TestPartyWords(t *testing.T) {
	table := divergence.Table{FailTaken: 5, FailNot: 1, PassNot: 20}
	for want, r := range map[string]finding.Reason{
		"closes b.c, which b.go:7 uses; it ran before in 5 of 6 failing and 0 of 20 passing runs": {
			Crash: finding.CrashSend, Party: &finding.Party{Kind: finding.PartyBefore, Same: true, Table: table}},
		"closes what may be the b.c that b.go:7 uses; it ran before, or it can't be told which came first, in 5 of 6 failing and 0 of 20 passing runs": {
			Crash: finding.CrashClose, Party: &finding.Party{Kind: finding.PartyBefore, Perhaps: true, Table: table}},
		"counts up b.c, which b.go:7 uses; it had not run before in 5 of 6 failing and 0 of 20 passing runs": {
			Crash: finding.CrashNegative, Party: &finding.Party{Kind: finding.PartyLate, Same: true, Table: table}},
		"writes b.c, which b.go:7 uses; it ran in another goroutine around the time at which the process died, in 3 of 4 failing runs": {
			Crash: finding.CrashMap, Party: &finding.Party{Kind: finding.PartyConcurrent, Same: true}, Seen: 3, Of: 4},
		"sets b.c, which b.go:7 uses; another goroutine had run it before in 2 of 2 failing runs": { // there are no passing runs
			Crash: finding.CrashValue, Party: &finding.Party{Kind: finding.PartyBefore, Same: true, Table: divergence.Table{FailTaken: 2}}},
		"sets b.c, which b.go:7 uses; no other goroutine had run it before in 5 of 6 failing and 0 of 20 passing runs": { // its own had
			Crash: finding.CrashValue, Party: &finding.Party{Kind: finding.PartyLate, Same: true, Table: table}},
		"the call of os.Exit(3) in TestB ended the process in 3 of 4 failing runs": {
			Crash: finding.CrashExit, Party: &finding.Party{Code: "os.Exit(3)", Test: "TestB", Only: true}, Seen: 3, Of: 4},
		"a panic in TestB ended the process in 4 of 4 failing runs": {
			Crash: finding.CrashExit, Party: &finding.Party{Test: "TestB", Only: true}, Seen: 4, Of: 4},
	} {
		r.Kind, r.Code, r.Other = finding.ReasonCrash, "b.c", trace.Frame{File: "a/b.go", Line: 7}
		if got := Why(&finding.Suspect{Evidence: finding.Evidence{Table: r.Party.Table}, Reason: r}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Of a call it is said that the runs are counted by the statement where it may be about another object.
func TestCrashCallWords(t *testing.T) {
	r := finding.Reason{Kind: finding.ReasonCrashCall, Crash: finding.CrashClose, Code: "s.done", Other: trace.Frame{File: "a/b.go", Line: 7}}
	for same, want := range map[bool]string{
		true:  "calls the function with close(s.done) at b.go:7, which ran before in 5 of 5 failing and 0 of 20 passing runs",
		false: "calls the function with close(s.done) at b.go:7, which, on the same s.done or on another, ran before in 5 of 5 failing and 0 of 20 passing runs",
	} {
		r.Party = &finding.Party{Kind: finding.PartyBefore, Code: "close(s.done)", Same: same, Table: divergence.Table{FailTaken: 5, PassNot: 20}}
		if got := Why(&finding.Suspect{Reason: r}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
