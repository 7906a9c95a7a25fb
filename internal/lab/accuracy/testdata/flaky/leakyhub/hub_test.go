package leakyhub

import (
	"testing"
	"time"
)

type thermometer struct {
	value float64
	took  time.Duration
}

func (t thermometer) Read() float64 {
	time.Sleep(t.took)
	return t.value
}

func TestWatch(t *testing.T) {
	h := NewHub(thermometer{value: 21.5}, 30)
	h.Watch(4 * time.Millisecond)
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if h.Last() == 21.5 {
			return
		}
	}
	t.Error("no reading within a second")
}

func TestReadsAreCounted(t *testing.T) {
	Total.Reset()
	h := NewHub(thermometer{18, 300 * time.Microsecond}, 30)
	for range 3 {
		if got := h.Poll(); got != 18 {
			t.Errorf("Poll() = %v, want 18", got)
		}
	}
	if got := Total.Reads(); got != 3 {
		t.Errorf("%d readings were counted, want 3", got)
	}
}

func TestClose(t *testing.T) {
	h := NewHub(thermometer{value: 1}, 30)
	h.Watch(time.Hour)
	h.Close()
	if got := h.Last(); got != 0 {
		t.Errorf("Last() = %v before the first reading", got)
	}
}
