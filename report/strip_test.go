package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A period has a dot for each recorded run where in it the test began, failing ones apart, and where experiments have
// let it begin: 5 ms and 65 ms of 70 ms lie at 9.3% and 90.7% between the margins of 2.5%.
func TestPeriod(t *testing.T) {
	at := func(ms int64) time.Time { return time.Unix(0, 70e6*1000+ms*1e6) }
	v := newViewer(&finding.Result{})
	v.f = &finding.Failure{Begun: []finding.Begun{{At: at(5)}, {At: at(35)}, {At: at(65), Failed: true}, {At: at(66 + 70), Failed: true}}}
	d := &finding.Verdict{Proof: proof.Proof{
		Plan:     proof.Acts{{Kind: trace.ActClock, What: freedom.ClockPhase, Value: 65e6, Unit: 70e6}},
		Opposite: proof.Acts{{Kind: trace.ActClock, What: freedom.ClockPhase, Value: 5e6, Unit: 70e6}},
	}}
	x := v.proofOf(d)
	w := v.phase(x)
	if got, want := fmt.Sprint(w.Set), "[{9.3%  5 ms} {90.7%  65 ms}]"; got != want {
		t.Errorf("set %s, want %s", got, want)
	}
	for i, want := range []string{"[{9.3% 3.7 5 ms in 1 run} {50.0% 3.7 35 ms in 1 run}]", "[{90.7% 3.7 65 ms in 1 run} {92.1% 3.7 66 ms in 1 run}]"} {
		if got := fmt.Sprint(w.Sides[i].Dots); got != want {
			t.Errorf("%s: %s, want %s", w.Sides[i].Word, got, want)
		}
	}
	if d.Proof.Always = true; v.phase(x).Set[0].Title != "65 ms" {
		t.Error("what fails and what passes are not told apart")
	}
	if v.period(0) != nil {
		t.Error("a period of nothing")
	}
}
