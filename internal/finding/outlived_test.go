package finding

import (
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// A goroutine that dies after its test is the failure whatever made the process live that long, a hold or a clock; not
// if it is what the goroutine chooses.
func TestOutlived(t *testing.T) {
	for _, c := range []struct {
		plan string
		late bool
		want bool
	}{
		{"stall", true, true}, {"order", true, true}, {"clock phase", true, true}, {"", true, true},
		{"map", true, false}, {"stall+select", true, false}, {"stall", false, false},
	} {
		v := &Verdict{Proof: proof.Proof{Plan: proof.Named(c.plan)}}
		if got := v.Outlived(&Failure{Late: c.late}); got != c.want {
			t.Errorf("%q, late %t: %t", c.plan, c.late, got)
		}
	}
}
