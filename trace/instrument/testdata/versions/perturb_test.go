package m

import (
	"fmt"
	"math/rand"
	"os"
	"sync"
	"testing"
)

// TestPerturbed makes choices, prints them, and has two goroutines race for a lock.
func TestPerturbed(t *testing.T) {
	if os.Getenv("PERTURBED") == "" {
		return
	}
	m := make(map[int]bool)
	for i := range 40 {
		m[i] = true
	}
	for k := range m {
		fmt.Print(k, " ")
	}
	a, b := make(chan bool, 20), make(chan bool, 20)
	for range 20 {
		a <- true
		b <- true
	}
	for range 20 {
		select {
		case <-a:
			fmt.Print("a")
		case <-b:
			fmt.Print("b")
		}
	}
	fmt.Println(rand.Int())
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(8)
	for i := range 8 {
		go func() {
			defer wg.Done()
			mu.Lock()
			fmt.Print(i)
			mu.Unlock()
		}()
	}
	wg.Wait()
	fmt.Println()
}
