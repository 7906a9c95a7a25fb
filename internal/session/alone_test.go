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
		of   string
		want bool
	}{
		{runner.Selection{}, "TestX", true},
		{runner.Selection{}, "", false}, // of TestMain all tests are a part
		{runner.Selection{Shuffle: "off", Count: 1}, "TestX", true},
		{runner.Selection{Run: "Slow|Queue"}, "TestX", false},
		{runner.Selection{Skip: "Slow"}, "TestX", false},
		{runner.Selection{Shuffle: "on"}, "TestX", false},
		{runner.Selection{Shuffle: "7"}, "TestX", false},
		{runner.Selection{Count: 2}, "TestX", false},
	} {
		v := &valueJob{Session: &Session{Sel: c.sel}}
		if got := v.canRunAlone([]string{c.of}); got != c.want {
			t.Errorf("%+v, %q: %v, want %v", c.sel, c.of, got, c.want)
		}
	}
}
