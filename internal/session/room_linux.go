package session

import (
	"fmt"
	"os"
	"strings"
)

// leastRoom is the memory that must be available for another process to run beside others: half
// that of a test binary with the race detector.
const leastRoom = 256 << 20

// room reports whether there is memory for another process.
func room() bool {
	data, err := os.ReadFile("/proc/meminfo")
	return err != nil || available(string(data)) >= leastRoom
}

// available returns how many bytes are available according to /proc/meminfo.
func available(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kB); n == 1 {
			return kB << 10
		}
	}
	return leastRoom
}
