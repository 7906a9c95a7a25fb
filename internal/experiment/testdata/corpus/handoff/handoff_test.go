package handoff

import (
	"sync"
	"testing"
	"time"
)

func TestLatest(t *testing.T) {
	l := &Latest{}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(4*i) * time.Millisecond)
			l.Ask(func(n int) int { return 10 * n }) // cause latest
		})
	}
	wg.Wait()
	if v := l.Value(); v != 20 {
		t.Errorf("the newest reading is %d", v)
	}
}

func TestSignal(t *testing.T) {
	s := &Signal{}
	woken := make(chan bool, 1)
	go func() { woken <- s.Wait(200 * time.Millisecond) }() // cause signal
	time.Sleep(7 * time.Millisecond)
	s.Wake()
	if !<-woken {
		t.Error("nobody was woken")
	}
}

func TestBatch(t *testing.T) {
	b := NewBatch()
	defer b.Close()
	for _, s := range []string{"x", "y"} {
		b.Add(s)
	}
	time.Sleep(9 * time.Millisecond)
	if n := len(b.Flush()); n != 2 {
		t.Errorf("%d of 2 lines were handed on", n)
	}
}
