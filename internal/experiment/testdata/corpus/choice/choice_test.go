package choice

import "testing"

func TestDrain(t *testing.T) {
	work, stop := make(chan int, 3), make(chan struct{})
	work <- 1
	close(stop)
	if n := Drain(work, stop); n != 1 {
		t.Errorf("%d of 1 handled", n)
	}
}

func TestFirst(t *testing.T) {
	if k := First(map[string]int{"a": 2, "b": 1, "c": 1}); k != "b" {
		t.Errorf("got %s", k)
	}
}

func TestBackoff(t *testing.T) {
	if d := Backoff(4); d > 225 {
		t.Errorf("%d ms is too long", d)
	}
}

func TestMerge(t *testing.T) {
	got := Merge(map[string]string{"x": "1", "y": "2"}, map[string]string{"y": "3"})
	if got != "x=1,y=3" {
		t.Errorf("got %s", got)
	}
}

func TestJitter(t *testing.T) {
	if n := Jitter(100); n == 95 {
		t.Errorf("got %d", n)
	}
}

func TestStop(t *testing.T) {
	quit, tick := make(chan bool, 1), make(chan bool, 5)
	quit <- true
	for range 5 {
		tick <- true
	}
	if !Stop(quit, tick) {
		t.Error("quit was not seen")
	}
}
