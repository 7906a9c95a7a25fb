// Package diagnose proposes where the cause of a failure lies.
//
// A comparison of runs tells where they diverge, and often that is the assertion itself.
// The cause is elsewhere: where a goroutine is late, where chance enters, where two
// goroutines touch one thing. A [Rule] looks for one such kind of place. It returns
// hypotheses, each with its evidence: the counts of runs, and its link with the
// condition that decided. One function, rank, orders them. There are no scores.
//
// A rule is one file: its documentation, which help and docs print, and what it looks for. A
// table has its kinds of reasons and their words. It has a script in testdata, with real source,
// the hypotheses that are wanted, and what is said of them. It stays if leaving it out makes the
// measured accuracy worse on programs that it was not written for (go run
// ./internal/lab/accuracy -without RULE).
package diagnose
