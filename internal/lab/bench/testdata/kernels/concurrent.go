package kernels

import "sync"

// Channels sends numbers through a pipeline of three stages with buffers, and
// starts it anew for each thousand.
func Channels(n int) (sum int) {
	for range n {
		in, squared, out := make(chan int, 16), make(chan int, 16), make(chan int, 16)
		go func() {
			defer close(in)
			for i := range 1000 {
				in <- i
			}
		}()
		go stage(in, squared, func(i int) int { return i * i })
		go stage(squared, out, func(i int) int { return i % 7 })
		for v := range out {
			sum += v
		}
	}
	return sum
}

func stage(in <-chan int, out chan<- int, f func(int) int) {
	defer close(out)
	for v := range in {
		out <- f(v)
	}
}

// Goroutines starts many goroutines that do little.
func Goroutines(n int) (sum int) {
	results := make([]int, 100)
	for range n {
		var wg sync.WaitGroup
		for i := range results {
			wg.Add(1)
			go func() {
				defer wg.Done()
				results[i] = digits(i * 7919)
			}()
		}
		wg.Wait()
		for _, r := range results {
			sum += r
		}
	}
	return sum
}

func digits(n int) (sum int) {
	for n > 0 {
		sum += n % 10
		n /= 10
	}
	return sum
}

// Mutex lets four goroutines contend for one lock around a small map.
func Mutex(n int) int {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		table = make(map[int]int)
	)
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range n {
				mu.Lock()
				if k := (i*7 + g) % 64; table[k] < i {
					table[k] = i
				} else {
					table[k]++
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return len(table)
}
