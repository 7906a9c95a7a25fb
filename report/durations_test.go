package report

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// TestDurations says the limit of a duration with its unit, and that of a number
// without one.
func TestDurations(t *testing.T) {
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
		if got := dataWords(&finding.DataDivergence{Kind: finding.DataValue, Expr: "d", Found: &c.d}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
