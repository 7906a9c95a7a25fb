// Package sound has tests that use goroutines, maps, random numbers and time, and can't
// fail however these turn out.
package sound

import (
	"context"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestPool(t *testing.T) {
	jobs, results := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range jobs {
				results <- n * n
			}
		}()
	}
	go func() {
		for i := range 20 {
			jobs <- i
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	sum := 0
	for r := range results {
		sum += r
	}
	if sum != 2470 {
		t.Errorf("sum %d", sum)
	}
}

func TestPipeline(t *testing.T) {
	a, b := make(chan int), make(chan int, 2)
	go func() {
		defer close(a)
		for i := range 10 {
			a <- i
		}
	}()
	go func() {
		defer close(b)
		for n := range a {
			b <- n + 1
		}
	}()
	var got []int
	for n := range b {
		got = append(got, n)
	}
	if len(got) != 10 || got[9] != 10 {
		t.Errorf("got %v", got)
	}
}

func TestCounts(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	var wg sync.WaitGroup
	for _, w := range []string{"a", "b", "a", "c"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			counts[w]++
		}()
	}
	wg.Wait()
	if counts["a"] != 2 || len(counts) != 3 {
		t.Errorf("counts %v", counts)
	}
}

func TestSorted(t *testing.T) {
	m := map[string]int{"x": 1, "y": 2, "z": 3}
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if !slices.Equal(keys, []string{"x", "y", "z"}) {
		t.Errorf("keys %v", keys)
	}
}

func TestShuffled(t *testing.T) {
	list := []int{1, 2, 3, 4, 5}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	sum := 0
	for _, n := range list {
		sum += n
	}
	if sum != 15 {
		t.Errorf("sum %d", sum)
	}
}

func TestTimeout(t *testing.T) {
	done := make(chan bool)
	go func() {
		time.Sleep(2 * time.Millisecond)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("never done")
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-ctx.Done()
		}()
	}
	cancel()
	wg.Wait()
	if ctx.Err() == nil {
		t.Error("not cancelled")
	}
}

func TestBroadcast(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := false
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			for !ready {
				cond.Wait()
			}
		}()
	}
	mu.Lock()
	ready = true
	cond.Broadcast()
	mu.Unlock()
	wg.Wait()
}

func TestOnceValue(t *testing.T) {
	loads := 0
	load := sync.OnceValue(func() int {
		loads++
		return 7
	})
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			if load() != 7 {
				t.Error("another value")
			}
		})
	}
	wg.Wait()
	if loads != 1 {
		t.Errorf("loaded %d times", loads)
	}
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	more := sync.NewCond(&mu)
	var queue []int
	go func() {
		for i := range 8 {
			mu.Lock()
			queue = append(queue, i)
			mu.Unlock()
			more.Signal()
		}
	}()
	for want := range 8 {
		mu.Lock()
		for len(queue) == 0 {
			more.Wait()
		}
		got := queue[0]
		queue = queue[1:]
		mu.Unlock()
		if got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
