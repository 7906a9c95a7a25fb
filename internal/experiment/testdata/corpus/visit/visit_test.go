package visit

import (
	"sync"
	"testing"
	"time"
)

func TestRing(t *testing.T) {
	r := &Ring{}
	go r.Write(6)
	for {
		round, sum := r.Round()
		if round == 6 {
			if sum != 3+4+5+6 {
				t.Errorf("round %d has the sum %d", round, sum)
			}
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func TestSegments(t *testing.T) {
	l := &Log{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 9 {
			l.Write("x")
			time.Sleep(2 * time.Millisecond)
		}
	})
	wg.Go(func() {
		time.Sleep(9 * time.Millisecond)
		for n := 0; n < 9; {
			now := l.Len()
			if now < n {
				t.Errorf("%d lines after there were %d", now, n)
				return
			}
			n = now
			time.Sleep(time.Millisecond)
		}
	})
	wg.Wait()
}

func TestTicker(t *testing.T) {
	x := &Ticker{}
	go x.Run(2 * time.Millisecond) // cause ticker
	time.Sleep(40 * time.Millisecond)
	x.stop.Store(true)
	if n := x.steps.Load(); n < 5 {
		t.Errorf("%d steps in 40 ms", n)
	}
}
