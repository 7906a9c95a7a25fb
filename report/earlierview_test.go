package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/finding"
)

func TestEarlierView(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 23, 30, 0, 0, time.FixedZone("", -7200)) }
	session := func(n, failed, passed int) finding.Session {
		return finding.Session{Outcomes: finding.Outcomes{Failed: failed, Passed: passed}, Started: day(n)}
	}
	sum := func(failed, passed, sessions int) finding.Earlier {
		return finding.Earlier{Outcomes: finding.Outcomes{Failed: failed, Passed: passed}, Sessions: sessions, Since: day(2)}
	}
	provoked := runs(20, finding.Failed, 1)
	provoked[0].Provoked = "stall"
	const others = "Runs of other commits, with other flags, and on other machines may be among them; provoked ones are not."
	for name, c := range map[string]struct {
		earlier    finding.Earlier
		runs       []finding.Run
		said, note string
	}{
		"nothing":  {runs: runs(20, finding.Failed, 1)},
		"never":    {sum(0, 1150, 2), runs(20, finding.Failed, 1), "It had not failed before: 0 of 1,150 earlier runs failed, since 2026-11-03; now 1 of 20.", "2 older ones left out: fdebug history has all. " + others},
		"some":     {sum(27, 123, 0), runs(20, finding.Failed, 1, 2), "Earlier 27 of 150 runs failed (18 %, 95 % CI 13–25 %), since 2026-11-03; now 2 of 20.", others},
		"provoked": {sum(0, 1, 0), provoked, "It had not failed before: 0 of 1 earlier run failed, since 2026-11-03.", others},
	} {
		f := newFixture(t)
		test := &finding.Test{Package: "example.com/m", Name: "TestX", Runs: c.runs, Earlier: c.earlier}
		v := newViewer(f.result(test))
		v.t = test
		w := v.earlier(count(c.runs))
		if w == nil {
			w = &earlierView{}
		}
		if got := w.Said.Plain(); got != c.said || w.Note != c.note {
			t.Errorf("%s:\n%s\n%s, want\n%s\n%s", name, got, w.Note, c.said, c.note)
		}
	}
	imported := session(4, 3, 47)
	imported.Commit, imported.Modified, imported.Imported = "0123456789abcdef", true, true
	f := newFixture(t)
	test := &finding.Test{Earlier: finding.Earlier{Outcomes: finding.Outcomes{Failed: 3, Passed: 52}, Sessions: 2, Newest: []finding.Session{imported, session(2, 0, 5)}}}
	v := newViewer(f.result(test))
	v.t = test
	want := []earlierRow{{"2026-11-05 01:30 UTC", "3 of 50", "0123456789ab and changes, imported"}, {"2026-11-03 01:30 UTC", "0 of 5", "unknown"}}
	if diff := cmp.Diff(want, v.earlier(counts{}).Rows); diff != "" {
		t.Error(diff)
	}
}
