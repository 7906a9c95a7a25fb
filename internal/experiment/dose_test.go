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

// Where the source has no durations, they are not looked for again at each hold.
func TestDurationsOnce(t *testing.T) {
	b := &bench{Experimenter: (&sim{streams: twoGoroutines(), rule: func(*simRun) string { return "" }}).experimenter()}
	reads := 0
	b.Source = func(string) ([]byte, error) {
		reads++
		return []byte("package m\n"), nil
	}
	b.p = &profile{Goroutines: []*goroutine{{Sites: []Site{{Block: 1}}}}}
	for range 9 {
		b.Durations(0, time.Hour)
	}
	if reads != 1 {
		t.Errorf("the source was read %d times", reads)
	}
}
