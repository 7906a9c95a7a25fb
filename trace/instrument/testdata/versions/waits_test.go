package m

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"
)

// TestWaits waits once for each kind of waker, and the waker is late.
func TestWaits(t *testing.T) {
	if os.Getenv("WAITS") == "" {
		return
	}
	c := make(chan int)
	go late(func() { c <- 1 })
	<-c

	var mu sync.Mutex
	mu.Lock()
	go late(mu.Unlock)
	mu.Lock()

	var wg sync.WaitGroup
	wg.Add(1)
	go late(wg.Done)
	wg.Wait()

	cond := sync.NewCond(&mu)
	go late(cond.Signal)
	cond.Wait()

	time.Sleep(time.Millisecond)

	select {
	case <-c:
	case <-time.After(time.Millisecond):
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go late(func() { w.Write([]byte("x")) })
	r.Read(make([]byte, 1))
}

func late(f func()) {
	time.Sleep(20 * time.Millisecond)
	f()
}
