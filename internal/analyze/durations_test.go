package analyze

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// TestDurations says the limit of a duration with its unit, and that of a number
// without one.
func TestDurations(t *testing.T) {
	an := &Analyzer{valueSites: []divergence.ValueSite{{Expr: "d", File: "m/a.go", Line: 3}}}
	table := divergence.Table{FailTaken: 3, PassNot: 5}
	for _, c := range []struct {
		d    divergence.DataDivergence
		want string
	}{
		{divergence.DataDivergence{Rule: divergence.RuleAbove, Limit: 0.0512, Passing: []divergence.Seen{{Text: "48ms"}}},
			"its value was at least 51.2ms in 3 of 3 failing runs and in 0 of 5 passing runs"},
		{divergence.DataDivergence{Rule: divergence.RuleBelow, Least: 0.000045, Most: 1.5, Failing: []divergence.Seen{{Text: "45µs"}}},
			"its value was at most 45µs in 3 of 3 failing runs and in 0 of 5 passing runs; the next value seen was 1.5s"},
		{divergence.DataDivergence{Rule: divergence.RuleAbove, Limit: 51.2, Passing: []divergence.Seen{{Text: "48"}}},
			"its value was at least 51.2 in 3 of 3 failing runs and in 0 of 5 passing runs"},
	} {
		c.d.Table, c.d.FailsIf = table, true
		if got := an.dataWords(&c.d); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestTook takes the time of a test from its trace: of the second execution here.
func TestTook(t *testing.T) {
	traces := newTraceSet(t.Context(), "")
	traces.open[7] = &trace.Trace{Tests: []trace.TestRun{
		{Name: "TestX", Start: 1000, End: 2000}, {Name: "TestX", Nth: 1, Start: 5000, End: 50_000}, {Name: "TestY", Start: 9000},
	}}
	for _, c := range []struct {
		test string
		nth  int
		want time.Duration
	}{{"TestX", 1, 45 * time.Microsecond}, {"TestY", 0, 0}, {"TestZ", 0, 0}} {
		if got := traces.took(&runner.Run{N: 7}, c.test, c.nth); got != c.want {
			t.Errorf("%s took %v, want %v", c.test, got, c.want)
		}
	}
}
