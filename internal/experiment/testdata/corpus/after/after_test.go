package after

import (
	"sync/atomic"
	"testing"
)

// limit is what values may be.
var limit atomic.Int64

func TestLog(t *testing.T) {
	p := &Pool{logf: t.Logf}
	sum := make(chan int, 1)
	p.Go(func() { sum <- 2 + 2 })
	if got := <-sum; got != 4 {
		t.Errorf("the sum is %d", got)
	}
}

func TestCheck(t *testing.T) {
	limit.Store(10)
	defer limit.Store(0)
	m := NewMonitor(func(v int) { // cause check
		if v > int(limit.Load()) { // cause check
			t.Errorf("%d is above the limit", v) // cause check
		}
	})
	m.Put(1)
	m.Put(2)
	m.Close()
}

func TestWaits(t *testing.T) {
	p := &Pool{logf: t.Logf}
	p.Go(func() {})
	p.Go(func() {})
	p.Wait()
}
