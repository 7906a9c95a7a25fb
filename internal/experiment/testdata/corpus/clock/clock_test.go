package clock

import (
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	q := &Quota{window: 100 * time.Millisecond, most: 1}
	if !q.Take() {
		t.Fatal("the first request was refused")
	}
	time.Sleep(4 * time.Millisecond)
	if q.Take() {
		t.Error("the second request was not refused")
	}
}

func TestSecond(t *testing.T) {
	token := NewToken(time.Second)
	time.Sleep(5 * time.Millisecond)
	if !token.Good() {
		t.Error("a fresh token is not good")
	}
}

func TestNames(t *testing.T) {
	if a, b := Name(), Name(); a == b {
		t.Errorf("two jobs are called %s", a)
	}
}

func TestMonth(t *testing.T) {
	now := time.Now().Month() // cause month
	if want := now%12 + 1; NextMonth() != want {
		t.Errorf("the next month is not %v", want)
	}
}

// It is sound: time that is measured is never shorter than what was slept, however
// coarse the clock.
func TestMeasured(t *testing.T) {
	var s Stopwatch
	s.Start()
	time.Sleep(10 * time.Millisecond)
	if d := s.Elapsed(); d < 10*time.Millisecond {
		t.Errorf("10 ms took %v", d)
	}
	timer := time.NewTimer(3 * time.Millisecond)
	s.Start()
	timer.Reset(5 * time.Millisecond)
	<-timer.C
	if d := s.Elapsed(); d < 5*time.Millisecond {
		t.Errorf("5 ms took %v", d)
	}
}

// It is sound: what it says of the date holds on each.
func TestDate(t *testing.T) {
	now := time.Now()
	y, m, d := now.Date()
	if start := time.Date(y, m, d, 0, 0, 0, 0, now.Location()); start.After(now) {
		t.Errorf("today begins at %v, which is after %v", start, now)
	}
	if got := now.AddDate(1, 0, 0); !got.After(now) {
		t.Errorf("a year after %v is %v", now, got)
	}
}
