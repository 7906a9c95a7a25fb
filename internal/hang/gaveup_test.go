package hang

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// TestGivesUp tells a wait for something with a limit from one that is for time to pass, for
// a bubble, or fdebug's own.
func TestGivesUp(t *testing.T) {
	for reason, want := range map[string]bool{
		"chan receive": true, "select": true, "select (durable)": true,
		"sleep": false, "sleep (durable)": false, "synctest.Run": false, "held by fdebug": false,
	} {
		tr := &trace.Trace{Reasons: []string{"", reason}}
		if got := givesUp(tr, trace.Stamp{Reason: 1}); got != want {
			t.Errorf("%s: given up %v, want %v", reason, got, want)
		}
	}
}
