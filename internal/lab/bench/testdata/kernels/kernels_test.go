package kernels

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// kernels are the kernels with the amount of work that takes a plain build some
// 20 to 100 ms.
var kernels = []struct {
	name   string
	run    func(n int) int
	amount int
}{
	{"branches", Branches, 4_000_000},
	{"sieve", Sieve, 4_000_000},
	{"calls", Calls, 31},
	{"alloc", Alloc, 150},
	{"channels", Channels, 100},
	{"goroutines", Goroutines, 500},
	{"mutex", Mutex, 300_000},
	{"parse", Parse, 100},
}

// TestKernel runs the kernel named by KERNEL and prints how long it took and how
// much of the processors, in nanoseconds. What starting a process costs is not
// part of it.
func TestKernel(t *testing.T) {
	for _, k := range kernels {
		if k.name != os.Getenv("KERNEL") {
			continue
		}
		amount := k.amount
		if s := os.Getenv("AMOUNT"); s != "" {
			amount, _ = strconv.Atoi(s)
		}
		start, cpu := time.Now(), cpuTime()
		result := k.run(amount)
		wall := time.Since(start)
		fmt.Printf("kernel %s %d %d %d\n", k.name, wall.Nanoseconds(), (cpuTime() - cpu).Nanoseconds(), result)
		return
	}
	t.Skip("KERNEL names no kernel")
}
