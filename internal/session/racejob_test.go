package session

import (
	"slices"
	"testing"
)

func TestLeavesSooner(t *testing.T) {
	for _, c := range []struct{ env, want []string }{
		{nil, []string{"GORACE=atexit_sleep_ms=100"}},
		{[]string{"A=1"}, []string{"A=1", "GORACE=atexit_sleep_ms=100"}},
		{[]string{"GORACE=halt_on_error=1", "A=1"}, []string{"GORACE=halt_on_error=1 atexit_sleep_ms=100", "A=1"}},
		{[]string{"GORACE=atexit_sleep_ms=2000"}, []string{"GORACE=atexit_sleep_ms=2000"}},
	} {
		if got := leavesSooner(c.env); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
