package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestCategorize has tests with what is known of them, and the category that
// follows: with a proof, without one, and none where nothing speaks for one.
func TestCategorize(t *testing.T) {
	seen := func(texts ...string) (list []finding.Seen) {
		for _, s := range texts {
			list = append(list, finding.Seen{Text: s, Runs: []int{1}})
		}
		return list
	}
	values := func(pass, fail []finding.Seen) []finding.Value {
		return []finding.Value{{Expr: "x", Passing: pass, Failing: fail}}
	}
	suspect := func(class finding.Class, c finding.Claim) []finding.Suspect {
		return []finding.Suspect{{Span: finding.Span{File: "a.go", Start: 3}, Evidence: finding.Evidence{Class: class}, Reason: verdicttest.Reason{Claims: c}}}
	}
	sleeps := suspect(finding.Mechanism, finding.Claim{Category: "async-wait"})
	sums, counts := values(seen("1"), seen("0.9999999999999999")), values(seen("2"), seen("1"))
	large := values(seen("1000000000001"), seen("1000000000002")) // integers: rounding makes no such difference
	for _, tt := range []struct {
		name     string
		failure  finding.Failure
		verdicts []finding.Verdict
		category string // of the first verdict
		looks    string
	}{
		{"a proof says it", finding.Failure{Message: "too many open files"}, []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: verdicttest.Named("stall")}, Category: "concurrency"}.Make()}, "concurrency", ""},
		{"sums in map order", finding.Failure{Values: sums}, []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: verdicttest.Named("map")}, Category: "unordered-collections"}.Make()}, "floating-point", ""},
		{"counts in map order", finding.Failure{Values: counts}, []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: verdicttest.Named("map")}, Category: "unordered-collections"}.Make()}, "unordered-collections", ""},
		{"large integers", finding.Failure{Values: large}, []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: verdicttest.Named("map")}, Category: "unordered-collections"}.Make()}, "unordered-collections", ""},
		{"sums, a stall", finding.Failure{Values: sums}, []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: verdicttest.Named("stall")}, Category: "concurrency"}.Make()}, "concurrency", ""},
		{"sums without proof", finding.Failure{Values: sums}, nil, "", "floating-point"},
		{"reproduced only", finding.Failure{Suspects: suspect(finding.Associated, finding.Claim{Category: "async-wait"})}, []finding.Verdict{verdicttest.Verdict{Class: finding.Reproduced}.Make()}, "", "async-wait"},
		{"the message", finding.Failure{Message: "listen tcp 127.0.0.1:80: bind: address already in use", Suspects: suspect(finding.Associated, finding.Claim{Category: "concurrency"})}, nil, "", "network"},
		{"it sleeps", finding.Failure{Suspects: sleeps}, nil, "", "async-wait"},
		{"held inside a statement", finding.Failure{Suspects: sleeps}, []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Category: "concurrency",
			Proof: proof.Proof{Plan: verdicttest.Named("stall"), At: []proof.Place{{Inside: true}, {Inside: true}}}}.Make()}, "concurrency", ""},
		{"a hint is not enough", finding.Failure{Suspects: suspect(finding.Hint, finding.Claim{Category: "async-wait"})}, nil, "", ""},
		{"a divergence is of no kind", finding.Failure{Suspects: suspect(finding.Associated, finding.Claim{})}, nil, "", ""},
		{"nothing", finding.Failure{Message: "got 1, want 2", Values: counts}, nil, "", ""},
	} {
		test := &finding.Test{Failures: []*finding.Failure{&tt.failure}, Verdicts: tt.verdicts}
		categorize(test)
		got := ""
		if len(test.Verdicts) > 0 {
			got = test.Verdicts[0].Category
		}
		if got != tt.category || test.Looks != tt.looks {
			t.Errorf("%s: category %q, looks like %q; want %q, %q", tt.name, got, test.Looks, tt.category, tt.looks)
		}
	}
}

// A test that sleeps where it should wait is an async wait, whatever else is shown. Not so a sleep of the program. What
// goroutines meet through outside of the program says it, too.
func TestSleeps(t *testing.T) {
	sleeps := finding.Claim{Category: "async-wait"}
	for _, tt := range []struct {
		file  string
		claim finding.Claim
		want  string
	}{
		{"a_test.go", sleeps, "async-wait"},
		{"a_test.go", finding.Claim{}, "concurrency"},
		{"a.go", sleeps, "concurrency"},
		{"a.go", finding.Claim{Category: "io"}, "io"},
		{"a.go", finding.Claim{Category: "network"}, "network"},
	} {
		v := verdicttest.Verdict{Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: verdicttest.Named("stall")}}.Make()
		test := &finding.Test{Verdicts: []finding.Verdict{v}}
		test.Failures = []*finding.Failure{{Suspects: []finding.Suspect{
			{Span: finding.Span{File: tt.file, Start: 9}, Reason: verdicttest.Reason{Claims: tt.claim}, Verdict: &test.Verdicts[0]}}}}
		if categorize(test); test.Verdicts[0].Category != tt.want {
			t.Errorf("%+v: %q", tt, test.Verdicts[0].Category)
		}
	}
}

// A goroutine that is made to end before it has signalled is a matter of the hang, whatever brought it about.
func TestMadeToEnd(t *testing.T) {
	for claimed, want := range map[string]string{"timeout": "timeout", "": "environment"} {
		test := &finding.Test{Verdicts: []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: verdicttest.Named("limits")}}.Make()}}
		test.Failures = []*finding.Failure{{Suspects: []finding.Suspect{{Span: finding.Span{File: "a_test.go", Start: 3}, Reason: verdicttest.Reason{Claims: finding.Claim{Category: claimed}}, Verdict: &test.Verdicts[0]}}}}
		if categorize(test); test.Verdicts[0].Category != want {
			t.Errorf("%q: %q, want %q", claimed, test.Verdicts[0].Category, want)
		}
	}
}

// A hold that ends in goroutines that wait for each other's locks is a matter of these.
func TestHeldIntoDeadlock(t *testing.T) {
	for deadlock, want := range map[bool]string{true: "timeout", false: "concurrency"} {
		held := proof.Proof{Plan: verdicttest.Named("stall"), Signature: proof.Signature{Test: "TestA", File: "a_test.go", Line: 9}}
		test := &finding.Test{Verdicts: []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Proof: held, Category: "concurrency"}.Make()}}
		locks := finding.Suspect{Span: finding.Span{File: "a.go", Start: 3}, Evidence: finding.Evidence{Class: finding.Mechanism, Link: finding.Decides}, Reason: verdicttest.Reason{Claims: finding.Claim{Deadlock: deadlock}}}
		test.Failures = []*finding.Failure{{Frame: trace.Frame{File: "a_test.go", Line: 9}, Suspects: []finding.Suspect{locks}}}
		if categorize(test); test.Verdicts[0].Category != want {
			t.Errorf("deadlock %v: %q, want %q", deadlock, test.Verdicts[0].Category, want)
		}
	}
}

// What only makes it fail more often has no category, but other tests, after which it does.
func TestCategoryOfReproduced(t *testing.T) {
	for want, p := range map[string]*proof.Proof{"test-order": {Before: []string{"TestA"}}, "": {Plan: verdicttest.Named("stall")}} {
		p.Verdict = proof.Reproduced
		if got := categoryOf(p); got != want {
			t.Errorf("%s: %q, want %q", p.Kind(), got, want)
		}
	}
}

// Where several kinds decide together one of them says what the flake is about: nothing has no kind.
func TestCategoryOfSeveral(t *testing.T) {
	for kinds, want := range map[string]string{
		"map+rand": "randomness", "map+select": "concurrency", "map": "unordered-collections", "stall+select": "concurrency",
		"stall+rand": "concurrency", "order+map": "concurrency", "clock+map": "unordered-collections", "timer": "timeout", "dir": "io",
	} {
		if got := categoryOf(&proof.Proof{Verdict: proof.Proved, Plan: verdicttest.Named(kinds)}); got != want {
			t.Errorf("%s: %q, want %q", kinds, got, want)
		}
	}
}
