// Package m is traced under every version of Go.
package m

import (
	"sync"
	"time"
)

func branch(n int) string {
	if n%2 == 0 {
		return "even"
	}
	return "odd"
}

func fan(n int) (sum int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if branch(i) == "even" {
				mu.Lock()
				sum += i
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return sum
}

func later() {
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		close(done)
	})
	<-done
}

func safe(f func()) (msg string) {
	defer func() {
		if r := recover(); r != nil {
			msg = r.(string)
		}
	}()
	f()
	return ""
}
