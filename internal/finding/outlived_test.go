package finding

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A goroutine that dies after its test is the failure whatever made the process live that long, a hold or a clock; not
// if it is what the goroutine chooses.
func TestOutlived(t *testing.T) {
	for _, c := range []struct {
		plan string
		late bool
		want bool
	}{
		{"stall", true, true}, {"order", true, true}, {"clock", true, true}, {"", true, true},
		{"map", true, false}, {"stall+select", true, false}, {"stall", false, false},
	} {
		v := &Verdict{}
		for kind := range strings.SplitSeq(c.plan, "+") {
			v.Proof.Plan = append(v.Proof.Plan, proof.Act{Kind: trace.KindOf(kind)})
		}
		if got := v.Outlived(&Failure{Late: c.late}); got != c.want {
			t.Errorf("%q, late %t: %t", c.plan, c.late, got)
		}
	}
}
