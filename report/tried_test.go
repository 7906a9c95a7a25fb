package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
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
