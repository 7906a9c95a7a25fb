package session

import (
	"testing"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
)

// TestNeedsNoRace leaves out tests for which everything found is proved and unrelated to when
// goroutines run.
func TestNeedsNoRace(t *testing.T) {
	verdict := func(class finding.Class, kind string) finding.Verdict {
		return verdicttest.Verdict{Class: class, Proof: proof.Proof{Plan: verdicttest.Named(kind)}}.Make()
	}
	for _, c := range []struct {
		name string
		test string
		list []finding.Verdict
		want bool
	}{
		{"a choice", "TestX", []finding.Verdict{verdict(finding.Proved, "map")}, true},
		{"of a subtest", "TestX/a", []finding.Verdict{verdict(finding.Proved, "map")}, true},
		{"a hold", "TestX", []finding.Verdict{verdict(finding.Proved, "stall")}, false},
		{"one of two", "TestX", []finding.Verdict{verdict(finding.Proved, "map"), verdict(finding.Proved, "order")}, false},
		{"not proved", "TestX", []finding.Verdict{verdict(finding.Reproduced, "map")}, false},
		{"another test", "TestY", []finding.Verdict{verdict(finding.Proved, "map")}, false},
		{"nothing found", "TestX", nil, false},
	} {
		found := []analyze.TestVerdict{{Package: "p", Test: c.test, Verdicts: c.list}}
		if got := needsNoRace(&finding.Test{Package: "p", Name: "TestX"}, found); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
