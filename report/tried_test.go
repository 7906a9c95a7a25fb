package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// TestTried: what experiments have not shown is said, with how far they came and what
// ended them; nothing is said where they have shown something, of another subtest too.
func TestTried(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	r := f.result(test)
	sibling := &finding.Test{Package: test.Package, Name: test.Name + "/b"}
	for _, c := range []struct {
		name  string
		tried *finding.Tried
		want  string
	}{
		{"all tried", &finding.Tried{Runs: 41, Took: 12 * time.Second, Limit: time.Minute, Complete: true},
			"Experiments did not show what makes it fail (41 runs in 12s), and had come to their end."},
		{"shown of another", &finding.Tried{Runs: 41, Took: 12 * time.Second, Limit: time.Minute, Complete: true, Beside: "TestX/b"},
			"Experiments did not show what makes it fail (41 runs in 12s), but what makes TestX/b fail, which has no page of its own."},
		{"cut off", &finding.Tried{Runs: 41, Took: 12 * time.Second, Limit: 20 * time.Second, CutOff: true},
			"Experiments had not shown what makes it fail (41 runs in 12s) when they were cut off by the end of their time, 20s for all tests (-experiments sets it)."},
		{"cut off by the budget", &finding.Tried{Runs: 1, Took: 800 * time.Millisecond, Limit: time.Second, CutOff: true, Budget: true},
			"Experiments had not shown what makes it fail (1 run in 800ms) when they were cut off by the end of the time budget, which had left 1s for them (-budget sets it)."},
		{"not its turn", &finding.Tried{Limit: 20 * time.Second, CutOff: true},
			"No experiments were made with it before the end of their time, 20s for all tests (-experiments sets it)."},
		{"no time", &finding.Tried{CutOff: true, Budget: true}, "No experiments were made: the time budget left no time for them (-budget sets it)."},
		{"interrupted before", &finding.Tried{Interrupted: true}, "No experiments were made with it: fdebug was interrupted before."},
		{"interrupted", &finding.Tried{Runs: 7, Took: time.Second, Limit: time.Minute, Interrupted: true}, "Experiments had not shown what makes it fail (7 runs in 1s) when fdebug was interrupted."},
		{"nothing more to run", &finding.Tried{Runs: 3, Took: time.Second, Limit: time.Minute}, "Experiments did not show what makes it fail (3 runs in 1s)."},
		{"not known", nil, ""},
	} {
		test.Tried = c.tried
		var b strings.Builder
		if err := Markdown(&b, r, test); err != nil || !strings.Contains(b.String(), c.want) || c.want == "" && newViewer(r).tried(test) != "" {
			t.Errorf("%s: no %q in\n%.900s", c.name, c.want, b.String())
		}
		sibling.Verdicts = []finding.Verdict{{Class: finding.Proved}}
		r.Tests = []*finding.Test{test, sibling}
		if got := newViewer(r).tried(test); got != "" {
			t.Errorf("%s: a subtest beside it was explained, and %q", c.name, got)
		}
		r.Tests = r.Tests[:1]
	}
}

// The runs until a verdict are not all that were made with the test: what came after them, and
// whether its time was up, is said too.
func TestCost(t *testing.T) {
	f := newFixture(t)
	d := finding.Verdict{Class: finding.Reproduced, Proof: proof.Proof{Plan: proof.Named("map"), Runs: 193, Took: 9900 * time.Millisecond, Confirmed: proof.Confirmation{With: finding.Count{Failed: 17, Of: 20}, Sham: finding.Count{Of: 20}, Plain: finding.Count{Failed: 4, Of: 20}}}}
	for _, c := range []struct {
		tried *finding.Tried
		want  string
	}{
		{nil, "193 experiment runs in 9.9s until this was shown."},
		{&finding.Tried{Test: "TestX", Runs: 193, Took: 10 * time.Second, Complete: true}, "193 experiment runs in 9.9s."},
		{&finding.Tried{Test: "TestX", Runs: 467, Took: 36 * time.Second, Limit: 41 * time.Second, CutOff: true},
			"193 experiment runs in 9.9s until this was shown; 467 runs in 36s were made with TestX in all, and were cut off by the end of their time, 41s for all tests (-experiments sets it)."},
		{&finding.Tried{Test: "TestX", Runs: 467, Took: 36 * time.Second, Limit: 41 * time.Second, Complete: true},
			"193 experiment runs in 9.9s until this was shown; 467 runs in 36s were made with TestX in all."},
	} {
		test := f.queue()
		test.Verdicts, test.Tried = []finding.Verdict{d}, c.tried
		var b strings.Builder
		if err := testHTML(&b, f.result(test), test); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("no %q on the page, %v", c.want, err)
		}
	}
	d.Proof.Kept = 100
	if got, want := (&viewer{}).cost(&d), "193 experiment runs, of which an earlier session had made 100 (the others took 9.9s), until this was shown."; got != want {
		t.Errorf("of a hunt that went on: %q, want %q", got, want)
	}
}
