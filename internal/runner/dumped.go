package runner

import (
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Dumped is a goroutine in a dump.
type Dumped struct {
	Number  uint64        // of the goroutine, see trace.Goroutine.Number
	State   string        // "chan receive"
	Waiting time.Duration // how long, in whole minutes; 0 if less than one
	Frames  []trace.Frame // innermost first
	Creator trace.Frame   // its go statement, zero if none
}

// ParseDump returns the goroutines of the dump that a process ended with.
func ParseDump(text string) []Dumped {
	var ds []Dumped
	for _, g := range parseGoroutines(text) {
		ds = append(ds, Dumped{g.number, g.state, g.waiting, g.frames, g.creator})
	}
	return ds
}

// minutes returns the time in the header of a goroutine, ", 9 minutes, locked to thread".
func minutes(rest string) time.Duration {
	for part := range strings.SplitSeq(rest, ",") {
		if n, ok := strings.CutSuffix(strings.TrimSpace(part), " minutes"); ok {
			if m, err := strconv.ParseUint(n, 10, 31); err == nil {
				return time.Duration(m) * time.Minute
			}
		}
	}
	return 0
}
