package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

// What is said of the curve of probabilities: where it jumps, whose goroutine it
// is if there are several, and no decision where half of the runs still pass.
func TestJump(t *testing.T) {
	at := func(prefix int64, failing, passing int) point {
		return point{divergence.CurvePoint{Prefix: prefix, Failing: failing, Passing: passing}}
	}
	for _, c := range []struct {
		points  []point
		several bool
		want    string
	}{
		{[]point{at(1, 5, 45), at(9, 5, 0)}, false, "Of the 50 runs that share step 1 with the failing run, 10 % failed; of the 5 that also share step 9, 100 %. That is where the failure was decided."},
		{[]point{at(1, 5, 245), at(9, 5, 16)}, true, "Along the goroutine of divergence 1, of the 250 runs that share step 1 with the failing run, 2 % failed; of the 21 that also share step 9, 24 %. There the risk grows most, but it is decided later, or elsewhere."},
		{[]point{at(1, 5, 45), at(9, 5, 44)}, false, "Along this goroutine nothing changes"},
		{[]point{at(1, 5, 45), at(9, 5, 44)}, true, "Along the goroutine of divergence 1 nothing changes"},
	} {
		v := newViewer(&Result{})
		if got := v.jump(c.points, c.several).Plain(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: got %s", c.points, got)
		}
	}
}
