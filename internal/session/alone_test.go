package session

import (
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// TestCanRunAlone leaves no test out if the user has chosen, or if what one test leaves to the
// next may matter.
func TestCanRunAlone(t *testing.T) {
	for _, c := range []struct {
		sel  runner.Selection
		want bool
	}{
		{runner.Selection{}, true},
		{runner.Selection{Shuffle: "off", Count: 1}, true},
		{runner.Selection{Run: "Slow|Queue"}, false},
		{runner.Selection{Skip: "Slow"}, false},
		{runner.Selection{Shuffle: "on"}, false},
		{runner.Selection{Shuffle: "7"}, false},
		{runner.Selection{Count: 2}, false},
	} {
		v := &valueJob{Session: &Session{Sel: c.sel}}
		if got := v.canRunAlone(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.sel, got, c.want)
		}
	}
}
