package experiment

import (
	"testing"
	"time"
)

func TestRound(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		99: 99, 101: 110, 2345 * time.Microsecond: 2400 * time.Microsecond, 10 * time.Microsecond: 10 * time.Microsecond, 11900001: 12 * time.Millisecond,
	} {
		if got := round(d); got != want {
			t.Errorf("round(%d) = %d, want %d", d, got, want)
		}
	}
}
