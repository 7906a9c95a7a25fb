package report

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// What is said of the curve: where runs of either outcome leave each other most,
// whose goroutine it is if there are several, and nothing where they hardly do.
// That 77 of 80 runs fail does not keep the three that pass from leaving.
func TestJump(t *testing.T) {
	at := func(prefix int64, failing, passing int) point {
		return point{divergence.CurvePoint{Prefix: prefix, Failing: failing, Passing: passing}}
	}
	for _, c := range []struct {
		points  []point
		several bool
		want    string
	}{
		{[]point{at(1, 5, 45), at(9, 5, 0)}, false, "Of the 50 runs that behave the same up to step 1, 5 failed; of the 5 that also take step 9, 5."},
		{[]point{at(1, 5, 245), at(9, 5, 16)}, true, "Along the goroutine of divergence 1, of the 250 runs that behave the same up to step 1, 5 failed; of the 21 that also take step 9, 5."},
		{[]point{at(1, 77, 3), at(9, 77, 0)}, false, "Of the 80 runs that behave the same up to step 1, 77 failed; of the 77 that also take step 9, 77."},
		{[]point{at(1, 5, 45), at(9, 5, 44)}, false, ""},
		{[]point{at(1, 5, 45), at(9, 0, 45)}, true, ""},
	} {
		v, got := newViewer(&finding.Result{}), ""
		if best := steepest(c.points); best > 0 {
			got = v.jump(c.points, best, c.several).Plain()
		}
		if got != c.want {
			t.Errorf("%v: got %s", c.points, got)
		}
	}
}
