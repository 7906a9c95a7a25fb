package analyze

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

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
